"""``dmsetup status`` of RAID volumes, as recorded from dm-raid 1.15 on Linux 6.1, and what it must not be taken for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.lvm.status import RaidStatus, device_name, parse_line, read_statuses
from raidtui.machine.ask import ToolAnswer

CREATING = "tank-data: 0 1794048 raid raid5_ls 4 aaaa 112152/598016 resync 0 0 -"
CLEAN = "tank-data: 0 1794048 raid raid6_zr 5 AAAAA 598016/598016 idle 0 0 -"
MIRROR = "tank-data: 0 598016 raid raid1 3 aaa 487552/598016 resync 0 0 -"
RAID10 = "tank-data: 0 1196032 raid raid10 4 aaaa 374400/1196032 resync 0 0 -"
RAID0 = "tank-data: 0 1818624 raid raid0 3 AAA 606208/606208 idle 0 0 -"
DEGRADED = "gone-r: 0 131072 raid raid5_ls 3 ADA 65536/65536 idle 0 0 -"
FAILED = "spanned-m: 0 204800 raid raid1 2 DA 204800/204800 idle 0 0 -"
RECORDED = (CREATING, CLEAN, MIRROR, RAID10, RAID0, DEGRADED, FAILED)
FIRST_SYNC_AFTER_A_RELOAD = "tank-data: 0 1794048 raid raid5_ls 4 AAAA 112152/598016 repair 0 0 -"
FROZEN = "tank-data: 0 1794048 raid raid5_ls 4 AAAA 0/598016 frozen 0 0 -"


def status(line: str) -> RaidStatus:
    found = parse_line(line)
    assert found is not None
    return found


def test_a_first_sync() -> None:
    found = status(CREATING)

    assert (found.name, found.level, found.letters, found.action) == (
        "tank-data",
        "raid5_ls",
        "aaaa",
        "resync",
    )
    assert (found.size_bytes, found.done_bytes, found.total_bytes) == (
        1794048 * 512,
        112152 * 512,
        598016 * 512,
    )
    assert found.fraction == pytest.approx(0.1875, abs=1e-4)
    assert (found.dead, found.settled) == ((), False)


@pytest.mark.parametrize(
    ("line", "dead", "settled"),
    [
        (CLEAN, (), True),
        (RAID0, (), True),
        (MIRROR, (), False),
        (RAID10, (), False),
        (DEGRADED, (1,), False),
        (FAILED, (0,), False),
        (FIRST_SYNC_AFTER_A_RELOAD, (), False),
        (FROZEN, (), False),
        ("0 131072 raid raid1 2 A- 65536/65536 idle 0 0 -", (1,), False),
    ],
)
def test_which_legs_are_dead_and_whether_it_is_settled(
    line: str, dead: tuple[int, ...], settled: bool
) -> None:
    assert (status(line).dead, status(line).settled) == (dead, settled)


def test_a_volume_with_a_dead_leg_is_at_100_percent_and_not_settled() -> None:
    assert status(FAILED).fraction == 1.0
    assert not status(FAILED).settled


@pytest.mark.parametrize(
    "line",
    [
        "tank-data: 0 1794048 raid raid5_ls 4 AAAA 598016/598016",  # before dm-raid 1.5
        "tank-data: 0 1794048 raid raid5_ls 4 AAAA 598016/598016 idle 0",  # before 1.9
        "tank-data: 0 1794048 raid raid5_ls 4 AAAA 598016/598016 idle 0 0",  # before 1.10
        "0 1794048 raid raid5_ls 4 AAAA 598016/598016 idle 0 0 A",  # with a journal, asked by name
    ],
)
def test_older_kernels_and_journals(line: str) -> None:
    assert status(line).settled


@pytest.mark.parametrize(
    "line",
    [
        "",
        "No devices found",
        "tank-data: 0 606208 linear ",
        "tank-data: 0 1818624 striped 3 98:0 98:16 98:32 1 AAA",
        "gone-r_rimage_1-missing_0_0: 0 65536 error ",
        "tank-data: 0 1794048 raid raid5_ls 4 AAA 598016/598016 idle 0 0 -",  # a letter is missing
        "tank-data: 0 1794048 raid raid5_ls 4 AAAA 598016 idle 0 0 -",
        "tank-data: 0 1794048 raid raid5_ls 4 AxAA 598016/598016 idle 0 0 -",
        "tank-data: 0 179404² raid raid5_ls 4 AAAA 598016/598016 idle 0 0 -",
    ],
)
def test_what_is_no_line_of_a_raid_volume(line: str) -> None:
    assert parse_line(line) is None


@given(st.sampled_from(RECORDED), st.data())
def test_a_line_that_is_cut_off_is_never_taken_for_a_settled_volume(line: str, data: st.DataObject) -> None:
    found = parse_line(line[: data.draw(st.integers(0, len(line)))])
    if found is not None and found.settled:
        assert status(line).settled


@given(st.sampled_from(RECORDED), st.data())
def test_a_changed_line_never_raises(line: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(line) - 1))
    found = parse_line(line[:place] + data.draw(st.text(max_size=3)) + line[place + 1 :])
    if found is not None:
        assert 0 <= found.fraction <= 1
        assert all(0 <= leg < len(found.letters) for leg in found.dead)


def test_all_raid_volumes_are_asked_for_at_once() -> None:
    asked = []

    def ask(argv: object) -> ToolAnswer:
        asked.append(argv)
        return ToolAnswer(returncode=0, stdout=f"{DEGRADED}\n{FAILED}\nx: 0 8 linear \n")

    assert {name: one.dead for name, one in (read_statuses(ask) or {}).items()} == {
        "gone-r": (1,),
        "spanned-m": (0,),
    }
    assert asked == [["dmsetup", "status", "--target", "raid"]]


def test_no_answer_is_not_an_answer_that_there_is_nothing() -> None:
    assert read_statuses(lambda _: ToolAnswer(returncode=1)) is None
    assert read_statuses(lambda _: ToolAnswer(returncode=0, stdout="No devices found\n")) == {}


@pytest.mark.parametrize(
    ("group", "volume", "name"), [("tank", "data", "tank-data"), ("my-vg", "my-lv", "my--vg-my--lv")]
)
def test_the_name_of_a_device(group: str, volume: str, name: str) -> None:
    assert device_name(group, volume) == name


def test_what_has_a_snapshot_is_known_by_the_name_of_its_volume() -> None:
    """LVM puts it on a device of its own then, tank-data-real; a volume may be called real."""
    line = "{}: 0 131072 raid raid1 2 AD 131072/131072 idle 0 0 -\n"
    names = ("tank-data-real", "tank-real", "tank-old--real", "my--tank-a--b-real")
    stdout = "".join(map(line.format, names))
    found = read_statuses(lambda _: ToolAnswer(returncode=0, stdout=stdout)) or {}
    assert {known: one.name for known, one in found.items()} == {
        "tank-data": "tank-data-real",
        "tank-real": "tank-real",
        "tank-old--real": "tank-old--real",
        "my--tank-a--b": "my--tank-a--b-real",
    }
