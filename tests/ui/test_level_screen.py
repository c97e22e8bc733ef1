"""Choosing the level: what each gives, what is refused and why, chunk, layout and spares."""

import threading

import pytest
from textual.pilot import Pilot

from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.widgets.rows import Rows
from raidtui.ui.wizard import estimates
from raidtui.ui.wizard.draft import Draft
from tests.ui import machines
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded

EVERY_LOOK = pytest.mark.parametrize("look", ["80x24", "120x40", "200x50", "console"])


def serials(count: int) -> list[str]:
    return [machines.disk(number).serial for number in range(1, count + 1)]


def four() -> Draft:
    return answers(*serials(4))


@EVERY_LOOK
def test_levels_of_four_equal_disks(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "level", console=look == "console", draft=four())
    assert picture(snap_compare, app, look)


@pytest.mark.parametrize(("size", "last"), [((80, 24), "D9"), ((120, 40), "D36"), ((200, 50), "D36")])
def test_the_map_has_as_many_rows_as_there_is_room_for(size: tuple[int, int], last: str) -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        words = shown(app).split()
        assert last in words
        assert "Any two failed disks lose data." in shown(app) or size == (80, 24)

    in_app(app, walk, size=size)


def test_the_times_that_the_risk_assumes_are_read_as_durations() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        text = " ".join(shown(app).replace("│", " ").split())
        assert "24 h to notice, 7 d to obtain a disk, 10 h 42 min to rebuild" in text

    in_app(app, walk, size=(200, 50))


@LOOKS
def test_two_disks_cannot_be_a_raid6(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "level", console=look == "console", draft=answers(*serials(2)))
    assert picture(snap_compare, app, look, ["end", "enter"])


@LOOKS
def test_levels_of_24_disks_with_a_spare_and_a_rare_layout(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.many_disks(), "level", console=look == "console", draft=answers(*serials(24)))
    assert picture(snap_compare, app, look, ["plus", "right", "down", "l", "l", "l", "l"])


@LOOKS
def test_unequal_disks_show_what_is_not_used(snap_compare: SnapCompare, look: str) -> None:
    machine = recorded("mixed-sizes")
    draft = answers(*(disk.serial for disk in machine.disks if disk.choosable))
    app = open_app(machine, "level", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look)


@pytest.mark.parametrize(
    ("count", "level"), [(2, "raid1"), (3, "raid5"), (4, "raid5"), (5, "raid6"), (24, "raid6")]
)
def test_the_usual_level_for_so_many_disks_is_highlighted_first(count: int, level: str) -> None:
    app = open_app(machines.many_disks(), "level", draft=answers(*serials(count)))

    async def walk(pilot: Pilot[int]) -> None:
        assert app.screen.query_one(Rows).key == level

    in_app(app, walk)


def test_the_highlighted_level_and_layout_go_into_the_spec() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a", "end", "up", "enter")
        assert app.place.name == "options"
        assert (app.draft.spec.level, app.draft.spec.layout) == ("raid10", "o2")

    in_app(app, walk)


def test_a_level_that_these_disks_cannot_make_is_not_taken() -> None:
    app = open_app(machines.four_disks(), "level", draft=answers(*serials(3)))

    async def walk(pilot: Pilot[int]) -> None:
        assert "needs 4 disks" in shown(app)
        await press(pilot, "end", "enter")
        assert app.place.name == "level"
        assert "RAID6 is not possible on these disks: RAID6 takes at least 4 disks" in shown(app)
        assert app.draft.spec.level == "raid5"

    in_app(app, walk)


def test_arrows_change_the_chunk_and_it_stays_within_its_bounds() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "left")
        assert app.draft.spec.chunk == 256 * 1024
        await press(pilot, *["right"] * 8)
        assert app.draft.spec.chunk == 4096 * 1024

    in_app(app, walk)


def test_a_level_without_chunk_takes_none_along() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "left", "home", "down", "enter")
        assert app.draft.spec.level == "raid1"
        assert app.draft.spec.chunk is None

    in_app(app, walk)


def test_plus_makes_the_last_member_a_spare_and_minus_calls_it_back() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "plus")
        assert app.draft.spec.members == tuple(serials(4)[:3])
        assert app.draft.spec.spares == (serials(4)[3],)
        assert "8.00 TB" in shown(app)
        await press(pilot, "minus")
        assert app.draft.spec.members == tuple(serials(4))

    in_app(app, walk)


def test_l_walks_through_the_layouts_of_the_highlighted_level() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l")
        assert (app.draft.spec.level, app.draft.spec.layout) == ("raid5", "left-asymmetric")
        assert "left-asymmetric" in shown(app)
        await press(pilot, "home", "l")
        assert "has no other layout" in shown(app)

    in_app(app, walk)


def test_what_was_said_of_one_level_goes_with_it() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", "l")
        assert "this level has no other layout" in shown(app)
        await press(pilot, "down")
        assert "this level has no other layout" not in shown(app)
        for key in ("s", "a"):
            await press(pilot, "home", "l")
            assert "this level has no other layout" in shown(app)
            await press(pilot, key)
            assert "this level has no other layout" not in shown(app)

    in_app(app, walk)


def test_of_a_pool_that_cannot_be_no_size_is_told() -> None:
    app = open_app(machines.four_disks(), "level", draft=answers(*serials(2)))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "b", "end")
        assert "Not with these disks" in shown(app)
        assert "The size is" not in shown(app)

    in_app(app, walk)


def test_what_is_lost_is_of_the_disks_with_the_reserve_at_their_ends() -> None:
    small = [machines.disk(number, size_bytes=2**30) for number in range(1, 5)]
    app = open_app(machines.machine(small), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        (raid0,) = [line for line in shown(app).splitlines() if line.startswith(" RAID0 ")]
        assert "##.." in raid0
        assert "Not used: 109 MB a disk (reserve, metadata)." in shown(
            app
        )  # why RAID1 of 1.07 GB gives 966 MB
        await press(pilot, "home", "d")
        assert "overhead 10.2 % of all disks" in shown(app)  # 100 MiB and the tables of 1 GiB
        assert "107 MB (102 MiB) for the partition table and the reserve" in " ".join(
            shown(app).replace("│", " ").split()
        )

    in_app(app, walk)


def mixed() -> tuple[Machine, Draft]:
    machine = recorded("mixed-sizes")
    return machine, answers(*(disk.serial for disk in machine.disks if disk.choosable))


@LOOKS
def test_all_backends_by_space(snap_compare: SnapCompare, look: str) -> None:
    machine, draft = mixed()
    app = open_app(machine, "level", console=look == "console", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        # The other backends come from a thread: nobody goes down a list that is not there yet.
        await press(pilot, "b")
        await press(pilot, "s", "home", "down", "down", "down")

    size = (120, 40) if look == "120x40" else (80, 24)
    assert snap_compare(app, terminal_size=size, run_before=walk)


@LOOKS
def test_map_of_a_raid6(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.many_disks(), "level", console=look == "console", draft=answers(*serials(6)))
    assert picture(snap_compare, app, look, ["plus", "end", "home", *["down"] * 2, "m"])


@LOOKS
def test_map_of_far_copies_on_an_odd_number_of_disks(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.many_disks(), "level", console=look == "console", draft=answers(*serials(5)))
    assert picture(snap_compare, app, look, ["a", "end", "up", "up", "m"])


def test_map_of_24_disks(snap_compare: SnapCompare) -> None:
    app = open_app(machines.many_disks(), "level", draft=answers(*serials(24)))
    assert picture(snap_compare, app, "80x24", ["m"])


def test_map_of_a_raid0_on_unequal_disks_has_zones(snap_compare: SnapCompare) -> None:
    machine, draft = mixed()
    app = open_app(machine, "level", draft=draft)
    assert picture(snap_compare, app, "80x24", ["home", "m"])


def test_all_of_one_layout_on_a_page(snap_compare: SnapCompare) -> None:
    app = open_app(machines.four_disks(), "level", draft=four())
    assert picture(snap_compare, app, "120x40", ["down", "down", "d"])


@EVERY_LOOK
def test_what_if_there_were_one_disk_more(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "level", console=look == "console", draft=four())
    assert picture(snap_compare, app, look, ["w", "right"])


def keys(app: RaidtuiApp) -> list[str]:
    return [row.key for row in app.screen.query_one(Rows).rows]


def test_s_sorts_by_space_then_safety_then_speed_and_keeps_the_marked_row() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a")
        assert keys(app)[:2] == ["raid0", "linear"]
        await press(pilot, "s")
        assert keys(app)[2:4] == ["raid4", "raid5"]
        assert keys(app)[-1] == "raid1"
        assert "by usable space" in shown(app)
        await press(pilot, "s")
        assert keys(app)[0] == "raid1"
        assert "by 5-year risk" in shown(app)
        await press(pilot, "s")
        assert keys(app)[:3] == ["raid0", "raid10 f2", "raid10 o2"]
        assert app.screen.query_one(Rows).key == "raid5"
        await press(pilot, "s")
        assert keys(app)[:2] == ["raid0", "linear"]

    in_app(app, walk)


def test_rare_levels_are_folded_and_impossible_ones_come_last() -> None:
    app = open_app(machines.four_disks(), "level", draft=answers(*serials(3)))

    async def walk(pilot: Pilot[int]) -> None:
        assert keys(app) == ["raid0", "raid1", "raid5", "raid10 n2", "raid6"]
        assert "a shows 5 more" in shown(app)
        await press(pilot, "a")
        assert keys(app)[-1] == "raid6"
        assert {"linear", "raid4", "raid10 f2", "raid10 o2", "raid10 n3"} < set(keys(app))
        await press(pilot, *["down"] * 3)
        assert app.screen.query_one(Rows).key == "raid10 o2"
        await press(pilot, "a")  # what is chosen is not folded
        assert keys(app) == ["raid0", "raid1", "raid5", "raid10 n2", "raid10 o2", "raid6"]
        assert app.screen.query_one(Rows).key == "raid10 o2"

    in_app(app, walk)


def test_the_line_below_the_list_counts_the_rows_that_are_out_of_sight() -> None:
    app = open_app(machines.four_disks(), "level", draft=answers(*serials(3)))

    async def walk(pilot: Pilot[int]) -> None:
        assert " below" not in shown(app)
        await press(pilot, "a", "home")
        assert len(keys(app)) == 10
        assert "3 rows below" in shown(app)
        await press(pilot, *["down"] * 7)
        assert "1 row above, 2 below" in shown(app)
        await press(pilot, "end")
        assert "3 rows above" in shown(app)
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert " above" not in shown(app)

    in_app(app, walk)


def test_the_recommended_level_is_marked_with_its_reason_and_its_alternative() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        (raid5,) = [line for line in shown(app).splitlines() if line.startswith(" RAID5 ")]
        assert raid5.endswith("*")
        await press(pilot, "home")
        said = " ".join(shown(app).split())
        assert "* RAID5 is recommended:" in said
        assert "Choose RAID10 for many small writes, or RAID6 if you have no good backup." in " ".join(
            line[31:].strip() for line in shown(app).splitlines()
        )
        assert "The first failed disk loses all data." in said

    in_app(app, walk)


def test_a_bar_shows_data_protection_and_overhead_of_all_disks() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        rows = {
            line.split()[0]: line.split()[3] for line in shown(app).splitlines() if line.startswith(" RAID")
        }
        assert set(rows["RAID0"]) == {"#"}
        assert rows["RAID6"] == "#" * 11 + "=" * 11
        assert rows["RAID1"].count("=") == pytest.approx(22 * 3 / 4, abs=1)

    in_app(app, walk)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "vdevs", "answered", "usual"),
    [("raidz1", "2", "15.8", "19.0"), ("mirror", "2", "7.83", "11.8")],
)
def test_a_number_of_vdevs_that_was_answered_is_in_the_figures_of_its_level_until_another_is_taken(
    level: str, vdevs: str, answered: str, usual: str
) -> None:
    draft = answers(*serials(6), backend=Backend.ZFS, level=level, options={"vdevs": vdevs})
    app = open_app(machines.many_disks(), "level", draft=draft)

    def usable() -> str:
        (line,) = (line for line in shown(app).splitlines() if line.split()[:2] == ["zfs", level])
        return line.split()[2]

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert usable() == answered
        await press(pilot, "enter")
        await settle(pilot)
        assert f"{answered} TB" in shown(app)
        await press(pilot, "escape", "down")
        await settle(pilot)
        assert usable() == usual
        assert app.draft.spec.options == {}

    in_app(app, walk)


def test_a_number_of_vdevs_that_the_disks_no_longer_allow_leaves_its_level_to_be_chosen() -> None:
    draft = answers(*serials(5), backend=Backend.ZFS, level="raidz1", options={"vdevs": "2"})
    app = open_app(machines.many_disks(), "level", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "zfs       raidz1     15.8 TB" in shown(app)
        await press(pilot, "enter")
        await settle(pilot)
        assert app.place.name == "options"
        await press(pilot, "enter")
        assert "5 disks cannot be divided evenly among 2 vdevs" in " ".join(shown(app).split())

    in_app(app, walk)


def test_enter_waits_for_the_figures_of_what_was_just_changed() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "up")
        assert app.screen.query_one(Rows).key == "raid6"
        await pilot.press("plus", "enter")  # without a look at what a spare leaves
        await settle(pilot)
        assert app.place.name == "level"
        assert "RAID6 is not possible on these disks" in shown(app)

    in_app(app, walk)


@pytest.mark.slow
def test_hundreds_of_disks_are_calculated_outside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set[threading.Thread]()
    real = estimates.reports_of

    def watched(*about: object) -> object:
        threads.add(threading.current_thread())
        return real(*about)

    monkeypatch.setattr("raidtui.ui.wizard.level.reports_of", watched)
    disks = [machines.disk(number) for number in range(1, 601)]
    app = open_app(machines.machine(disks), "level", draft=answers(*(disk.serial for disk in disks)))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s", "b", "plus", "right")
        refused = [row.cells[-1] for row in app.screen.query_one(Rows).rows]
        assert "RAID6 takes at most 256 disks, not 599" in refused
        assert "599 x 4.00 TB" in shown(app)
        assert threads
        assert threading.current_thread() not in threads
        assert all(thread.daemon for thread in threads)  # raidtui ends without waiting for them

    in_app(app, walk)


def test_what_one_looks_at_is_kept_when_one_goes_away_and_comes_back() -> None:
    app = open_app(machines.four_disks(), "disks", "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "s", "s", "b", "a")
        await settle(pilot)
        await press(pilot, "end", "up")
        before, marked = keys(app), app.screen.query_one(Rows).key
        assert marked.startswith(("btrfs", "zfs"))
        assert "by 5-year risk" in shown(app)
        await press(pilot, "escape", "enter")
        await settle(pilot)
        assert app.place.name == "level"
        assert "by 5-year risk" in shown(app)
        assert keys(app) == before
        assert app.screen.query_one(Rows).key == marked

    in_app(app, walk)


def test_other_backends_are_shown_and_bands_of_unequal_disks_at_once_where_they_give_more() -> None:
    machine, draft = mixed()
    app = open_app(machine, "level", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        bands = "hybrid1"
        assert bands in keys(app)
        assert not any(key.startswith(("zfs", "lvm")) for key in keys(app))
        await press(pilot, "b")
        assert {"zfs raidz2", "btrfs raid1", "lvm raid5", "lvm-on-md raid6", bands} <= set(keys(app))
        await press(pilot, "b")
        assert not any("lvm" in key for key in keys(app))
        await press(pilot, "home", *("down" for _ in range(keys(app).index(bands))))
        assert "two layers to manage" in " ".join(shown(app).split())
        await press(pilot, "enter")
        assert (app.place.name, app.draft.spec.kind) == ("options", bands)
        await press(pilot, "escape")
        await settle(pilot)
        assert app.screen.query_one(Rows).key == bands
        assert not any(
            "lvm" in key for key in keys(app)
        )  # still only those of the usual backend, and this one

    in_app(app, walk)


@LOOKS
def test_bands_of_unequal_disks(snap_compare: SnapCompare, look: str) -> None:
    machine, draft = mixed()
    chosen = draft.with_spec(backend=Backend.HYBRID, level="hybrid1")
    assert picture(snap_compare, open_app(machine, "level", console=look == "console", draft=chosen), look)


def test_equal_disks_have_no_bands_beside_the_usual_levels() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        assert not any("hybrid" in key for key in keys(app))

    in_app(app, walk)


def test_a_backend_that_has_no_spares_says_so() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "b", "plus")
        await press(pilot, "end")
        assert "Btrfs has no hot spares" in shown(app)
        assert "Not with these disks" in shown(app)

    in_app(app, walk)


def test_the_map_names_the_pairs_that_must_not_fail() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "m")
        assert "2 of 6: sdb+sdc, sdd+sde" in shown(app)

    in_app(app, walk)


@pytest.mark.slow
def test_a_spare_on_the_shelf_lowers_the_risk_before_your_eyes() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "w", "right", "right", "right")
        (raid5,) = [line for line in shown(app).splitlines() if "RAID5 " in line and "→" in line]
        assert "12.0 TB" in raid5
        assert "1 in 1,000 → 6,000" in raid5
        assert "8 d 11 h → 34 h 42 min" in shown(app)

    in_app(app, walk)


def test_a_failure_rate_that_is_typed_is_kept_with_enter() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        before = shown(app)
        await press(pilot, "w", "down", *["backspace"] * 6, *"150%", "enter")
        assert "is not between 0 and 100 %" in shown(app)
        await press(pilot, *["backspace"] * 4, *"8%")
        assert "1 in 1,000 → 36" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "level"
        raid5 = [line for line in shown(app).splitlines() if line.startswith(" RAID5")]
        assert "1 in 1,000" in before
        assert "1 in 36" in raid5[0]
        await press(pilot, "d")
        assert "entered by you" in shown(app)

    in_app(app, walk, size=(120, 40))


def test_escape_leaves_what_if_without_keeping_anything() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        before = shown(app)
        await press(pilot, "w", "down", *["backspace"] * 6, *"8%", "escape")
        assert shown(app) == before

    in_app(app, walk)


def test_why_a_level_is_not_possible_stays_on_its_line_beside_other_backends() -> None:
    app = open_app(machines.many_disks(), "level", draft=answers(*serials(5), spares=tuple(serials(6)[5:])))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "b", "end")
        table = shown(app).split("Write\n")[1].split("─")[0].rstrip().splitlines()
        assert "has no hot spares" in shown(app)
        backends = {"mdadm", "lvm", "lvm-on-md", "hybrid", "zfs", "btrfs"}
        assert {line.split()[0] for line in table} <= backends  # no line continues on the next

    in_app(app, walk)


def test_a_repair_of_a_minute_is_not_told_in_hours() -> None:
    small = [machines.disk(number, size_bytes=1 << 30, rotational=False) for number in range(1, 6)]
    spare = answers(*(disk.serial for disk in small[:4]), spares=(small[4].serial,))
    app = open_app(machines.machine(small), "level", draft=spare)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "w")
        told = next(line for line in shown(app).splitlines() if "to full redundancy" in line)
        assert "min" in told or " s " in told

    in_app(app, walk)


async def mark(pilot: Pilot[int], key: str) -> None:
    """Go down to a row."""
    rows = pilot.app.screen.query_one(Rows)
    await press(pilot, "home")
    while rows.key != key:
        before = rows.key
        await press(pilot, "down")
        assert rows.key != before, f"there is no row {key}"


@LOOKS
def test_a_level_of_lvm_is_explained_in_the_words_of_lvm(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "level", console=look == "console", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "b")
        await mark(pilot, "lvm raid5")

    assert snap_compare(app, terminal_size=(120, 40) if look == "120x40" else (80, 24), run_before=walk)


def test_a_level_of_lvm_is_taken_and_keeps_no_option_of_md() -> None:
    draft = four().with_spec(metadata="1.0", consistency="resync", level="raid5", layout="left-asymmetric")
    app = open_app(machines.four_disks(), "disks", "level", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "b")
        await mark(pilot, "lvm raid5")
        assert "For comparison only" not in shown(app)
        assert "stripe size ←→ 64KiB" in shown(app)
        await press(pilot, "right", "enter")
        spec = app.draft.spec
        assert (spec.backend, spec.level, spec.chunk) == (Backend.LVM, "raid5", 128 * 1024)
        assert (spec.layout, spec.metadata, spec.consistency) == (None, None, None)

    in_app(app, walk)


def test_what_was_chosen_of_lvm_is_marked_when_one_comes_back() -> None:
    draft = four().with_spec(backend=Backend.LVM, level="raid10")
    app = open_app(machines.four_disks(), "level", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        assert app.screen.query_one(Rows).key == "lvm raid10"
        assert app.draft.spec.level == "raid10"
        await press(pilot, "b")  # md's levels only: one of them is chosen
        assert app.screen.query_one(Rows).key == "raid5"
        assert (app.draft.spec.backend, app.draft.spec.level) == (Backend.MDADM, "raid5")

    in_app(app, walk)


def test_lvm_is_not_met_by_who_did_not_ask() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a")
        assert "lvm" not in " ".join(keys(app))
        assert "LVM" not in shown(app)

    in_app(app, walk)


def test_a_level_of_lvm_without_stripes_has_no_stripe_size() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "b")
        await mark(pilot, "lvm raid1")
        assert "←→" not in shown(app)
        await press(pilot, "l")
        assert "this level has no other layout" in shown(app)

    in_app(app, walk)


def test_a_volume_striped_over_two_arrays(snap_compare: SnapCompare) -> None:
    app = open_app(machines.many_disks(), "level", draft=over_arrays())
    assert picture(snap_compare, app, "80x24", ["m"])


def test_a_group_on_raid10_takes_another_layout_as_the_array_does() -> None:
    app = open_app(
        machines.four_disks(), "level", draft=answers(*serials(4), backend=Backend.LVM_ON_MD, level="raid10")
    )

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l")
        assert app.draft.spec.layout == "f2"
        assert app.screen.query_one(Rows).key == "lvm-on-md raid10 f2"
        assert "RAID10 n2" in shown(app)  # beside it, to compare with

    in_app(app, walk)


def test_how_many_arrays_there_are_is_asked_and_belongs_to_the_level() -> None:
    app = open_app(machines.many_disks(), "level", draft=over_arrays(options={"arrays": "3"}))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert app.draft.spec.options == {"arrays": "3"}
        await press(pilot, "home", *("down" for _ in range(keys(app).index("lvm-on-md raid60"))))
        assert app.draft.spec.level == "raid60"
        assert app.draft.spec.options == {}

    in_app(app, walk)


def over_arrays(**changes: object) -> Draft:
    """RAID50 of twelve disks."""
    return answers(*serials(12), backend=Backend.LVM_ON_MD, level="raid50", **changes)
