"""Choosing disks: what can be chosen, what cannot and why, and what hot-plugging does to the choice."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.model.machine import Claim, ClaimKind, Machine, Signature, Weight
from raidtui.model.spec import Spec
from raidtui.ui.widgets.rows import Rows
from raidtui.ui.wizard import chosen_disks, disk_words, disks
from tests.ui import machines
from tests.ui.pictures import (
    LOOKS,
    WITH_WIDE,
    SnapCompare,
    answers,
    in_app,
    open_app,
    picture,
    press,
    settle,
    shown,
)
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld
from tests.unit.lvm_machines import GROUP_UUID, reading


@LOOKS
def test_four_blank_disks_and_the_system_disk(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look)


@WITH_WIDE
def test_members_in_chosen_order_and_a_spare(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["down", "space", "space", "up", "up", "up", "space", "end", "s"])


@LOOKS
def test_a_taken_disk_says_by_what_and_how_to_free_it(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.taken_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home", "down", "down", "down", "space"])


@LOOKS
def test_a_disk_with_data_can_be_chosen_and_says_what_will_be_erased(
    snap_compare: SnapCompare, look: str
) -> None:
    app = open_app(machines.taken_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["space"])


@LOOKS
def test_usb_and_removable_disks_are_marked(snap_compare: SnapCompare, look: str) -> None:
    disks = (
        machines.disk(0),
        machines.disk(1, transport="usb", removable=True, model="Elements 25A3"),
        machines.disk(2, removable=True),
    )
    app = open_app(machines.machine(disks), "disks", console=look == "console")
    assert picture(snap_compare, app, look)


@LOOKS
def test_no_disk_but_the_systems(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.no_disks(), "disks", console=look == "console")
    assert picture(snap_compare, app, look)


@LOOKS
def test_24_disks(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(recorded("disks-24"), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["end", "a"])


@LOOKS
def test_every_way_of_being_taken_that_the_lab_knows(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(recorded("taken"), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home"])


@LOOKS
def test_members_of_a_degraded_array_are_taken(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(recorded("raid5-degraded"), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home", "down", "space"])


@LOOKS
@pytest.mark.parametrize("name", ["lvm-raid5", "btrfs-raid1"])
def test_members_of_units_without_an_array_are_taken(snap_compare: SnapCompare, look: str, name: str) -> None:
    app = open_app(recorded(name), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home"])


@LOOKS
def test_long_and_strange_names(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.long_names(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["down", "space"])


def test_space_moves_to_the_next_disk() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "space", "s", "s")
        assert app.draft.spec.members == ("WD-WCC7K0012", "WD-WCC7K0013", "WD-WCC7K0014")
        assert app.draft.spec.spares == (), "the last one stays highlighted: chosen, and no longer"
        assert "Chosen: 3 members, 12.0 TB raw, 8.00 TB usable as RAID5" in shown(app)

    in_app(app, walk)


def test_a_disk_that_came_into_use_is_no_longer_chosen() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a")
        mount = Claim(
            what=ClaimKind.MOUNT,
            weight=Weight.BUSY,
            device="/dev/sdc",
            detail="mounted at /srv/photos",
            how_to_free="umount /srv/photos",
        )
        system, *disks = machines.four_disks().disks
        world.become(machines.machine([system, disks[0], machines.taken(disks[1], mount), *disks[2:]]))
        await settle(pilot)
        await settle(pilot)
        assert app.draft.spec.members == ("WD-WCC7K0012", "WD-WCC7K0014", "WD-WCC7K0015")
        text = shown(app)
        assert "/dev/sdc cannot be chosen: mounted at /srv/photos" in " ".join(text.split())
        assert "ERASE" not in text

    in_app(app, walk)


def test_a_filter_shows_the_disks_with_that_text_and_escape_all_of_them() -> None:
    app = open_app(machines.four_disks(), "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "slash", *"0014")
        assert [row.cells[1] for row in app.screen.query_one(Rows).rows] == ["sdd"]
        assert "Enter To the list" in shown(app)
        assert "/ Filter" not in shown(app)  # it is typed
        await press(pilot, "enter", "space")
        assert app.draft.spec.members == ("WD-WCC7K0014",)
        await press(pilot, "slash", *"x")
        assert "No disk matches '0014x'" in shown(app)
        await press(pilot, "escape")
        assert app.place.name == "disks"
        assert len(app.screen.query_one(Rows).rows) == 5
        await press(pilot, "escape")
        assert app.place.name == "overview"

    in_app(app, walk)


def test_a_usb_disk_is_marked_and_not_chosen_along_with_the_others() -> None:
    stick = machines.disk(3, transport="usb", removable=True)
    app = open_app(machines.machine([machines.disk(1), machines.disk(2), stick]), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        assert "USB " in shown(app)
        await press(pilot, "a")
        assert app.draft.spec.members == ("WD-WCC7K0012", "WD-WCC7K0013")

    in_app(app, walk)


def test_members_keep_the_order_in_which_they_were_chosen() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "space", "up", "space", "up", "up", "s")
        assert app.draft.spec.members == ("WD-WCC7K0015", "WD-WCC7K0014")
        assert app.draft.spec.spares == ("WD-WCC7K0013",)
        await press(pilot, "end", "space")
        assert list(app.draft.spec.members) == ["WD-WCC7K0014"]

    in_app(app, walk)


def test_the_system_disk_can_neither_be_a_member_nor_a_spare() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", "space", "s")
        assert app.draft.spec.disks == ()
        assert "/dev/sda cannot be chosen" in shown(app)

    in_app(app, walk)


def test_a_disk_without_any_identity_cannot_be_chosen() -> None:
    nameless = machines.disk(2, serial="", wwn="", by_id=())
    app = open_app(machines.machine([machines.disk(1), nameless]), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "space")
        assert app.draft.spec.disks == ()
        assert "no serial number" in shown(app)

    in_app(app, walk)


def test_a_disk_that_is_plugged_in_appears_and_the_choice_stays_with_its_disks() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space")
        # The new disk takes the name sdb, and the others move on: the choice follows the serial number.
        before = machines.four_disks().disks
        moved = [
            machines.disk(number, serial=old.serial, wwn=old.wwn) for number, old in enumerate(before[1:], 2)
        ]
        world.become(machines.machine([before[0], machines.disk(1, serial="NEWCOMER"), *moved]))
        await settle(pilot)
        await settle(pilot)
        assert "NEWCOMER" in shown(app)
        row = next(row for row in app.screen.query_one(Rows).rows if row.cells[3] == "WD-WCC7K0012")
        assert " ".join(row.cells[:2]) == "[1] sdc"
        assert app.draft.spec.members == ("WD-WCC7K0012",)

    in_app(app, walk)


def test_a_chosen_disk_that_is_pulled_out_is_shown_as_gone_and_stops_the_next_step() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a")
        world.become(machines.machine(machines.four_disks().disks[:-1]))
        await settle(pilot)
        await settle(pilot)
        assert "unplugged" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "disks"
        assert "no longer there" in shown(app)
        await press(pilot, "end", "space")
        assert app.draft.spec.members == ("WD-WCC7K0012", "WD-WCC7K0013", "WD-WCC7K0014")

    in_app(app, walk)


def test_one_member_is_not_an_array() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "enter")
        assert app.place.name == "disks"
        assert "at least two members" in shown(app)
        assert 'backend = "disk" and level = "single"' in " ".join(shown(app).split())

    in_app(app, walk)


def test_the_choice_is_still_there_after_going_on_and_back() -> None:
    app = open_app(machines.four_disks(), "overview", "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a", "enter", "escape")
        assert app.place.name == "disks"
        assert "4 members" in shown(app)

    in_app(app, walk)


HELD = machines.machine(
    [
        machines.taken(
            machines.disk(1),
            Claim(
                what=ClaimKind.PROCESS,
                weight=Weight.BUSY,
                device="/dev/sdb",
                detail="open for reading by process 2358 (sleep)",
                how_to_free="kill 2358",
            ),
        ),
        machines.disk(2),
    ]
)
FREE = machines.machine([machines.disk(1), machines.disk(2)])


def test_what_was_freed_without_a_word_is_seen_when_one_comes_to_the_disks_again() -> None:
    world = PretendWorld(HELD)
    app = open_app(world, "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home")
        assert "kill 2358" in shown(app)
        world.become_silently(FREE)
        await press(pilot, "escape", "d", "home")
        assert app.place.name == "disks"
        assert "kill 2358" not in shown(app)
        assert "Blank" in shown(app)

    in_app(app, walk)


def test_what_was_freed_in_the_shell_is_seen_when_one_comes_back() -> None:
    world = PretendWorld(HELD)
    app = open_app(world, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home")
        world.become_silently(FREE)
        app.app_resume_signal.publish(app)
        await settle(pilot)
        await settle(pilot)
        assert "Blank" in shown(app)

    in_app(app, walk)


def test_a_disk_that_was_only_erased_is_free_and_not_overwritten() -> None:
    """As the end of a teardown says: neither blank nor in use."""
    remains = Claim(
        what=ClaimKind.REMAINS,
        weight=Weight.DATA,
        device="/dev/sda",
        detail="remains of an erased partition table or array",
        how_to_free="",
    )
    erased = msgspec.structs.replace(machines.disk(1), taken_by=(remains,), free=True)
    found = machines.machine(disks=(erased,))
    assert disk_words.state(erased, found)[0] == "free, not overwritten"


def test_the_first_reading_is_one() -> None:
    class Counting(PretendWorld):
        readings = 0

        def machine(self) -> Machine:
            self.readings += 1
            return super().machine()

    world = Counting(FREE)

    async def walk(pilot: Pilot[int]) -> None:
        assert world.readings == 1

    in_app(open_app(world, "disks"), walk)


def test_a_column_names_the_array_first_and_a_line_in_fstab_is_not_called_erased() -> None:
    def data(what: ClaimKind, detail: str, how: str = "") -> Claim:
        return Claim(what=what, weight=Weight.DATA, device="/dev/sda", detail=detail, how_to_free=how)

    member = data(ClaimKind.MD_MEMBER, 'member of array "nas:data", which is not running here, 2 GiB')
    remains = data(ClaimKind.SIGNATURE, "remains of old data in no known format, at 1 GiB")
    line = data(
        ClaimKind.CONFIGURED, "named in /etc/fstab (/srv), though not in use now", "remove this line: x"
    )
    disk = msgspec.structs.replace(machines.disk(1), taken_by=(member, remains, line))
    assert disk_words.on_it(disk) == "in array nas:data; old data; named in /etc/fstab"
    assert disk_words.contents(disk) == (member.detail, remains.detail)
    assert disk_words.named_in(disk) == ("named in /etc/fstab (/srv): remove this line: x",)


def test_a_disk_of_a_volume_group_leads_to_removing_the_group() -> None:
    known = msgspec.to_builtins(reading(paths=("/dev/sde", "/dev/sdh")))
    app = open_app(
        msgspec.structs.replace(machines.taken_disks(), readings={"lvm": known}), "overview", "disks"
    )

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", *["down"] * 4)
        assert "physical volume of the group vg0" in shown(app)
        assert "Or press t" in shown(app)
        await press(pilot, "t")
        assert (app.place.name, app.place.about) == ("teardown", {"array": GROUP_UUID})

    in_app(app, walk)


def with_empty_table() -> Machine:
    """The second disk has a partition table without partitions, as a program leaves that prepares a disk."""
    made = machines.four_disks()
    disks = list(made.disks)
    disks[1] = msgspec.structs.replace(
        disks[1],
        free=False,
        signatures=(Signature(device=disks[1].path, offset=512, type="gpt"),),
        taken_by=(
            Claim(
                what=ClaimKind.PARTITION_TABLE,
                weight=Weight.DATA,
                device=disks[1].path,
                detail="GPT partition table without partitions",
                how_to_free="",
            ),
        ),
    )
    return msgspec.structs.replace(made, disks=tuple(disks))


@LOOKS
def test_an_empty_partition_table(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(with_empty_table(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home", "down"])


@LOOKS
def test_the_plan_that_erases_an_empty_partition_table(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(with_empty_table(), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home", "down", "t"])


@pytest.mark.parametrize("place", ["disks", "burnin"])
def test_t_leads_to_the_plan_that_leaves_a_disk_with_an_empty_table_blank(place: str) -> None:
    app = open_app(with_empty_table(), place)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", "down", "down")
        assert "erases it" not in shown(app)
        await press(pilot, "t")
        assert app.place.name == place, "nothing of the kind is on this one"
        await press(pilot, "up")
        assert "erases it" in " ".join(shown(app).split())
        await press(pilot, "t")
        assert app.place.name == "teardown"
        assert "Erase the empty partition table of" in shown(app)

    in_app(app, walk)


def thousand_disks() -> Machine:
    system, disk, *_ = machines.four_disks().disks
    many = [
        msgspec.structs.replace(
            disk, name=f"sd{n:04}", path=f"/dev/sd{n:04}", serial=f"SN-{n:06}", wwn=f"0x{n:016x}", by_id=()
        )
        for n in range(1000)
    ]
    return machines.machine([system, *many])


def test_a_column_is_as_wide_as_what_it_says() -> None:
    app = open_app(thousand_disks(), "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "a", "end")
        last = next(line for line in shown(app).splitlines() if "[1000]" in line)
        row = "[1000] sd0999 WDC WD40EFRX-68N32N0 SN-000999 4.00 TB 365 d 31 °C OK free"
        assert " ".join(last.split()).startswith(row)
        assert last.index(" free") < 100  # and not at the far end of the line

    in_app(app, walk, size=(200, 50))


def test_columns_stay_where_they_are_while_the_list_is_filtered() -> None:
    app = open_app(machines.four_disks(), "overview", "disks")

    def header() -> str:
        return next(line for line in shown(app).splitlines() if "Serial" in line)

    async def walk(pilot: Pilot[int]) -> None:
        before = header()
        await press(pilot, "slash", *"WDC")
        assert "Samsung" not in shown(app)
        assert header() == before

    in_app(app, walk, size=(200, 50))


def test_usable_space_is_calculated_when_the_choice_changes_and_not_when_the_cursor_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    calculate = chosen_disks.usable_words

    def counted(spec: Spec, machine: Machine) -> str:
        asked.append(spec.members)
        return calculate(spec, machine)

    monkeypatch.setattr(disks, "usable_words", counted)
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space")
        assert "usable as RAID1" in shown(app)
        before = len(asked)
        await press(pilot, "up", "down", "down", "up")
        assert len(asked) == before
        await press(pilot, "space")
        assert len(asked) == before + 1

    in_app(app, walk)


def test_nothing_can_be_cleared_before_something_is_chosen() -> None:
    app = open_app(machines.four_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        assert "n None" not in shown(app)
        await press(pilot, "space")
        assert "n None" in shown(app)
        await press(pilot, "n")
        assert "n None" not in shown(app)
        assert not app.draft.spec.disks

    in_app(app, walk)


def test_the_partition_table_is_the_last_that_is_said_to_be_lost_and_nothing_is_said_twice() -> None:
    machine = recorded("states/synology-shr-three-of-four")
    said = [disk_words.on_it(disk) for disk in machine.disks if disk_words.losses(disk)]
    assert [one.split("; ")[0] for one in said] == ["in an array"] * 3 + ["LVM2_member at 2 MiB"]
    assert all(one.rpartition("; ")[2].endswith("partitions") for one in said)
    assert all(len(set(one.split("; "))) == len(one.split("; ")) for one in said)
