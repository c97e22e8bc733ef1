"""Finding a disk in the case: what pulling it does, which disk was pulled, and whose light blinks."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from raidtui.advice.pulling import pulls
from raidtui.backends.units import units_of
from raidtui.cli import main
from raidtui.jobs.search import Said, Search, find_lights
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.locating import Light, Moved, Moves
from raidtui.machine.reader import load_machine
from raidtui.model.errors import BadInput
from raidtui.model.lost import LostMember
from raidtui.model.machine import ClaimKind, Machine, Weight
from raidtui.model.md_levels import Left
from raidtui.model.unit import Health, Unit
from tests.unit.plan_machines import machine, taken

MACHINES = Path(__file__).parent.parent / "machines"


def recorded(name: str) -> tuple[Machine, tuple[Unit, ...]]:
    read = load_machine(str(MACHINES / f"{name}.json"))
    return read, units_of(read)


@pytest.mark.parametrize(
    ("name", "disk", "harm", "words"),
    [
        ("raid5-clean", "LAB-0001", False, "tank (RAID5) keeps running without it, degraded."),
        ("btrfs-raid1", "LAB-0001", False, "tank (RAID1) keeps running without it"),
        ("lvm-raid5", "LAB-0001", False, "tank (RAID5) keeps running without it"),
        ("imsm", "LAB-0001", False, "vol0 (RAID1) keeps running without it"),
        ("raid5-building", "LAB-0001", True, "tank (RAID5) needs it: not redundant yet"),
        ("raid5-building", "LAB-0005", False, "It is a hot spare of tank (RAID5)"),
        ("raid5-degraded", "LAB-0001", True, "tank (RAID5) needs it: degraded, not redundant"),
        ("raid5-degraded", "LAB-0002", False, "tank (RAID5) does not need it: its member there is faulty."),
        ("raid5-stopped", "LAB-0001", False, "tank (RAID5) is not running"),
        ("zfs-stripe", "LAB-0001", True, "vault (stripe) has no redundancy and stops at once."),
        ("taken", "LAB-0001", True, "mounted at /srv/photos."),
    ],
)
def test_what_a_pull_does_is_said_of_every_unit_on_the_disk(
    name: str, disk: str, harm: bool, words: str
) -> None:
    read, units = recorded(name)
    (pull,) = pulls(disk, read.disk(disk), units)
    assert pull.harm is harm
    assert words in pull.text


def test_a_disk_in_four_arrays_answers_for_all_of_them_and_a_blank_one_for_none() -> None:
    read, units = recorded("raid1-four-on-one-disk")
    assert [one.harm for one in pulls("LAB-0001", read.disk("LAB-0001"), units)] == [True] * 4
    assert pulls("LAB-0002", read.disk("LAB-0002"), units) == ()


def test_a_level_that_is_not_known_may_not_survive() -> None:
    _, (unit,) = recorded("raid5-clean")
    (pull,) = pulls("LAB-0001", None, [msgspec.structs.replace(unit, level="")])
    assert pull.harm
    assert pull.text == "Whether tank survives without it is not known."


def test_a_degraded_array_that_is_still_redundant_survives_one_more() -> None:
    _, (unit,) = recorded("raid6-resync")
    lacks_one = msgspec.structs.replace(
        unit, health=Health.DEGRADED, state=f"{Left.SOME}: 1 of 5 members missing"
    )
    (pull,) = pulls("LAB-0001", None, [lacks_one])
    assert not pull.harm
    assert pull.text == "tank (RAID6) keeps running without it, with one more member missing."


def test_the_system_on_a_disk_comes_before_its_array() -> None:
    _, units = recorded("raid5-clean")
    system = taken(1, Weight.SYSTEM, ClaimKind.SYSTEM, "the running system is on it: /boot/efi")
    first, second = pulls("LAB-0001", system, units)
    assert first.harm
    assert "/boot/efi" in first.text
    assert not second.harm


def test_disks_that_go_come_back_and_are_new() -> None:
    moves = Moves({"A": "/dev/sda", "B": "/dev/sdb"})
    assert moves.look({"A": "/dev/sda"}) == Moved(("B",), (), ())
    assert moves.look({"A": "/dev/sda"}) == Moved((), (), ())
    assert moves.look({"A": "/dev/sda", "B": "/dev/sdc", "C": "/dev/sdb"}) == Moved((), ("B",), ("C",))


def test_a_disk_that_is_gone_is_found_by_the_others_of_its_array() -> None:
    read, (unit,) = recorded("raid5-clean")
    gone = msgspec.structs.replace(unit, lost=(LostMember(path="/dev/sdx", disk="GONE"),))
    assert [one.identity for one in find_lights("GONE", read, [gone])[1]] == [
        "LAB-0001",
        "LAB-0002",
        "LAB-0003",
        "LAB-0004",
    ]
    here = msgspec.structs.replace(
        unit, lost=(LostMember(path="/dev/ubda", disk="LAB-0001", here="/dev/ubda"),)
    )
    identity, lights = find_lights("lab-0001", read, [here])
    assert identity == "LAB-0001"
    assert [one.path for one in lights] == ["/dev/ubda"]
    alone = msgspec.structs.replace(gone, members=(), node="")
    with pytest.raises(BadInput, match="neither is any other disk"):
        find_lights("GONE", read, [alone])
    with pytest.raises(BadInput, match="no disk of this machine is called 'NOSUCH'"):
        find_lights("NOSUCH", read, [gone])


def test_a_drive_behind_a_card_that_is_not_read_is_refused() -> None:
    read = machine()
    drive = msgspec.structs.replace(
        read.disks[0], path="", device_number="", slot="252:3", serial="DRIVE-1", wwn="", by_id=()
    )
    with pytest.raises(BadInput, match="behind a RAID card, in slot 252:3"):
        find_lights("DRIVE-1", msgspec.structs.replace(read, disks=(drive,)), [])


@pytest.mark.parametrize(("code", "on"), [(0, True), (1, False), (None, False)])
def test_the_locate_light_is_on_only_where_ledctl_says_so_and_is_turned_off_again(
    code: int | None, on: bool, tmp_path: Path
) -> None:
    run: list[Sequence[str]] = []

    def ledctl(argv: Sequence[str]) -> ToolAnswer:
        run.append(argv)
        return ToolAnswer(returncode=code)

    with Light(str(tmp_path / "nothing"), ledctl) as light:
        assert light.locate is on
    path = tmp_path / "nothing"
    assert run == [["ledctl", "--listed-only", f"locate={path}"]] + (
        [["ledctl", "--listed-only", f"locate_off={path}"]] if on else []
    )
    assert light.problem == "No such file or directory"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--machine", "x.json", "locate", "A"], 3, "is a recorded machine and its disks have no light"),
        (["locate", "A", "--seconds", "0"], 2, "--seconds must be at least 1"),
    ],
)
def test_what_locate_refuses(
    words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    assert sentence in capsys.readouterr().err


def test_locate_needs_root(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert main(["locate", "A"]) == 3
    assert "only root can read the disk to make it blink" in capsys.readouterr().err


def test_the_wrong_disk_is_said_at_once_and_the_right_one_ends_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, units = recorded("raid5-clean")
    here = {disk.identity: disk.path for disk in read.disks}
    monkeypatch.setattr("raidtui.jobs.search.read_whole", lambda **_: read)
    monkeypatch.setattr("raidtui.jobs.search.time.sleep", lambda _: None)
    search = Search("LAB-0001", read, units, connected=lambda: dict(here))
    assert [one.text for one in search.begin()] == [
        "tank (RAID5) keeps running without it, degraded.",
        "LAB-0001, /dev/ubda, RAIDTUI LAB, 537 MB",
        "Its activity light blinks: one second on, one second off.",
    ]
    assert list(search.look()) == []
    node = here.pop("LAB-0002")
    wrong, effect = search.look()
    assert wrong == Said(
        "WRONG DISK: LAB-0002 was pulled, not LAB-0001. Put LAB-0002 back, and pull nothing else.",
        danger=True,
    )
    assert effect.text == "  tank (RAID5) keeps running without it, degraded."
    here |= {"LAB-0002": node, "LAB-0099": "/dev/sdx"}
    assert [one.text for one in search.look()] == [
        "LAB-0099 is connected; it was not here at the start.",
        "LAB-0002 is back.",
        f"  tank: {units[0].state}",
        "'raidtui status' says what to do about it.",
    ]
    assert not search.found
    del here["LAB-0001"]
    assert [one.text for one in search.look()] == ["LAB-0001 is out: that is the right disk."]
    assert search.found


def test_a_member_that_another_needs_is_not_to_be_pulled() -> None:
    read, units = recorded("raid5-degraded")
    first = next(iter(Search("LAB-0001", read, units, connected=dict).begin()))
    assert first.danger
    assert first.text.startswith("DO NOT PULL IT NOW: tank (RAID5) needs it")
