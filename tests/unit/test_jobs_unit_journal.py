"""The journal of units: a lost member keeps its name, over restarts, torn lines and folders that cannot be written."""

from pathlib import Path

import msgspec
import pytest

from raidtui.backends.md.units import array_in, unit_of
from raidtui.backends.unit_words import lost_words
from raidtui.jobs.unit_journal import UnitJournal, _key
from raidtui.machine.seats import read_seat
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.machine import Array, Member, Sync
from raidtui.model.spec import Backend
from raidtui.model.unit import ALIKE, Health, Unit, UnitMember
from tests.unit.machine_trees import MadeTree

UUID = "d422944c-77a0-0bde-5f2e-f982c976754b"
SEATS = {f"/dev/sd{letter}1": ("WDC WD40EFRX", f"ata{n}") for n, letter in enumerate("abcd", 1)}


def member(letter: str, slot: int | None, *state: str, disk: str | None = None) -> Member:
    name = f"SERIAL-{letter}" if disk is None else disk
    return Member(path=f"/dev/sd{letter}1", disk=name, slot=slot, state=state or ("in_sync",))


def array(*members: Member, state: str = "clean", uuid: str = UUID) -> Array:
    return Array(
        name="tank", node="/dev/md127", uuid=uuid, level="raid5", raid_disks=3, state=state, members=members
    )


WHOLE = array(member("a", 0), member("b", 1), member("c", 2))
WITHOUT_B = array(member("a", 0), member("c", 2))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "arrays.jsonl"


def journal(file: Path, *, may_write: bool = True) -> UnitJournal:
    """A journal as another run of the program opens it."""
    return UnitJournal(
        file, seat_of=lambda path: SEATS.get(path, ("", "")), connected=dict, may_write=may_write
    )


def look(at: UnitJournal, *arrays: Array) -> tuple[Array, ...]:
    """``arrays`` with what the journal knows of them."""
    seen = at.look([unit_of(one) for one in arrays])
    return tuple(array_in(one) for one in seen)


def test_a_clone_beside_its_original_is_no_member_that_can_be_lost(file: Path) -> None:
    member = UnitMember(path="/dev/sda", disk="SERIAL-a", slot=1, state="in use")
    clone = UnitMember(path="/dev/sdb", disk="SERIAL-b", slot=1, state=ALIKE)
    unit = msgspec.structs.replace(unit_of(WHOLE), backend=Backend.BTRFS, members=(member,))
    at = journal(file)
    at.look([msgspec.structs.replace(unit, members=(member, clone))])
    (seen,) = at.look([unit])
    assert not seen.lost


def test_a_disk_that_a_job_replaced_is_not_lost_and_another_still_is(file: Path) -> None:
    look(journal(file), WHOLE)
    only_a = array(member("a", 0))
    assert sorted(lost(file, only_a)) == ["SERIAL-b", "SERIAL-c"]
    journal(file).replaced("SERIAL-b", [unit_of(only_a)])
    assert lost(file, only_a) == ["SERIAL-c"]


def test_a_disk_that_was_replaced_is_known_until_a_unit_has_it(file: Path) -> None:
    look(journal(file), WHOLE)
    journal(file).replaced("SERIAL-b", [unit_of(WITHOUT_B)])
    (seen,) = journal(file).look([unit_of(WITHOUT_B)])
    assert seen.former == ("SERIAL-b",)
    other = array(member("b", 0), uuid="1")
    at = journal(file)
    at.look([unit_of(other)])
    for each in (at, journal(file), journal(file, may_write=False)):
        (seen,) = each.look([unit_of(WITHOUT_B)])
        assert seen.former == ()


def lost(file: Path, seen: Array) -> list[str]:
    """The disks that are shown as lost from ``seen``."""
    return [one.disk for one in look(journal(file), seen)[0].lost]


def test_a_whole_array_lost_nothing(file: Path) -> None:
    assert look(journal(file), WHOLE) == (WHOLE,)
    assert lost(file, WHOLE) == []


def test_a_member_that_is_gone_keeps_serial_model_place_and_slot(file: Path) -> None:
    look(journal(file), WHOLE)
    (seen,) = look(journal(file), WITHOUT_B)
    (one,) = seen.lost
    assert (one.disk, one.model, one.place) == ("SERIAL-b", "WDC WD40EFRX", "ata2")
    assert (one.path, one.slot, one.state) == ("/dev/sdb1", 1, ())


def test_it_stays_when_a_spare_has_taken_its_slot_and_the_array_is_whole_again(file: Path) -> None:
    look(journal(file), array(*WHOLE.members, member("d", None, "spare")))
    for state in ("spare", "in_sync"):
        assert lost(file, array(member("a", 0), member("d", 1, state), member("c", 2))) == ["SERIAL-b"]
    assert lost(file, array(member("a", 0), member("d", 1), member("c", 2))) == ["SERIAL-b"]


def test_a_spare_that_the_monitor_moved_to_another_array_is_not_lost_and_one_that_went_is(file: Path) -> None:
    spare, other = member("d", None, "spare"), array(member("e", 0), uuid="other")
    look(journal(file), array(*WHOLE.members, spare), other)
    moved = array(member("e", 0), member("d", 1), uuid="other")
    at_once = look(journal(file, may_write=False), WHOLE, moved)
    assert [one.lost for one in at_once] == [(), ()]
    assert lost(file, WHOLE) == ["SERIAL-d"]
    of_data = array(member("e", 0), member("b", 1), uuid="other")
    assert [one.disk for one in look(journal(file), WITHOUT_B, of_data)[0].lost] == ["SERIAL-d", "SERIAL-b"]


def test_what_it_had_said_before_it_went_is_kept(file: Path) -> None:
    look(journal(file), WHOLE)
    faulty = array(*WITHOUT_B.members, member("b", None, "faulty", "write_error"))
    assert look(journal(file), faulty)[0].lost == ()  # its row is still there
    (one,) = look(journal(file), WITHOUT_B)[0].lost
    assert one.state == ("faulty", "write error")


def test_a_failed_member_whose_device_is_gone_keeps_its_serial_in_its_row(file: Path) -> None:
    look(journal(file), WHOLE)
    ghost = array(*WITHOUT_B.members, member("b", None, "faulty", "write_error", disk=""))
    (seen,) = look(journal(file), ghost)
    assert [one.disk for one in seen.members] == ["SERIAL-a", "SERIAL-c", "SERIAL-b"]
    assert seen.lost == ()


def test_a_member_that_comes_back_under_another_name_is_lost_no_more(file: Path) -> None:
    look(journal(file), WHOLE)
    assert lost(file, WITHOUT_B) == ["SERIAL-b"]
    back = msgspec.structs.replace(member("b", 1), path="/dev/sdx1")
    assert lost(file, array(*WITHOUT_B.members, back)) == []
    assert lost(file, array(*WITHOUT_B.members, back)) == []


def test_it_is_shown_until_it_is_acknowledged_by_whichever_process(file: Path) -> None:
    looking, other = journal(file), journal(file)
    look(looking, WHOLE)
    (seen,) = look(looking, WITHOUT_B)
    assert [one.disk for one in other.acknowledge(unit_of(seen))] == ["SERIAL-b"]
    assert look(looking, WITHOUT_B)[0].lost == ()
    assert lost(file, WITHOUT_B) == []
    with pytest.raises(BadInput, match="no lost members"):
        other.acknowledge(unit_of(WITHOUT_B))


def test_a_second_loss_is_shown_after_the_first_was_acknowledged(file: Path) -> None:
    look(journal(file), WHOLE)
    journal(file).acknowledge(unit_of(WITHOUT_B))
    assert lost(file, array(member("a", 0))) == ["SERIAL-c"]


def test_nothing_is_written_while_nothing_changes(file: Path) -> None:
    one = journal(file)
    look(one, WHOLE)
    size = file.stat().st_size
    for _ in range(3):
        look(one, WHOLE)
    assert file.stat().st_size == size < 1024


def test_two_partitions_of_one_disk_are_two_members(file: Path) -> None:
    first = Member(path="/dev/sda1", disk="S", slot=0, state=("in_sync",))
    second = msgspec.structs.replace(first, path="/dev/sda2", slot=1)
    look(journal(file), array(first, second))
    (seen,) = look(journal(file), array(first))
    assert [one.path for one in seen.lost] == ["/dev/sda2"]


def test_an_inactive_array_says_which_members_it_lacks_and_changes_nothing(file: Path) -> None:
    look(journal(file), WHOLE)
    size = file.stat().st_size
    assert lost(file, array(member("a", 0, ""), state="inactive")) == ["SERIAL-b", "SERIAL-c"]
    assert file.stat().st_size == size
    assert lost(file, WHOLE) == []


def test_another_array_of_the_same_name_lost_nothing(file: Path) -> None:
    look(journal(file), WHOLE)
    other = array(member("d", 0), uuid="00000000-0000-4000-8000-000000000001")
    assert lost(file, other) == []


@pytest.mark.parametrize("broken", [b"\x00\xff garbage\n", b"{}\n", b"[1, 2]\n", b'{"at": "20', b"\n\n"])
def test_lines_that_cannot_be_read_are_left_out(file: Path, broken: bytes) -> None:
    look(journal(file), WHOLE)
    with open(file, "ab") as end:
        end.write(broken)
    assert lost(file, WITHOUT_B) == ["SERIAL-b"]
    assert lost(file, WITHOUT_B) == ["SERIAL-b"]  # and what was appended after them is read


def test_where_nothing_can_be_written_it_is_remembered_as_long_as_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    one = journal(tmp_path / "state" / "arrays.jsonl")
    look(one, WHOLE)
    (seen,) = look(one, WITHOUT_B)
    assert [gone.disk for gone in seen.lost] == ["SERIAL-b"]
    with pytest.raises(StepFailed, match="cannot be written"):
        one.acknowledge(unit_of(WITHOUT_B))


def test_who_may_not_write_reads(file: Path) -> None:
    look(journal(file), WHOLE)
    size = file.stat().st_size
    assert [one.disk for one in look(journal(file, may_write=False), WITHOUT_B)[0].lost] == ["SERIAL-b"]
    assert file.stat().st_size == size


def test_a_seat_is_the_slot_of_an_enclosure_else_the_port_else_udevs_path(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    number = made.disk("sda", device__model="HUS726T4TALA6L4")
    made.partition("sda", 1)
    made.properties[number] = {"ID_PATH": "pci-0000:00:1f.2-ata-3"}

    def seat() -> tuple[str, str]:
        return read_seat("/dev/sda1", made.tree, lambda number: made.properties.get(number, {}))

    assert seat() == ("HUS726T4TALA6L4", "pci-0000:00:1f.2-ata-3")
    made.write("/sys/block/sda/device/enclosure_device:Slot 04/fault", "0\n")
    assert seat() == ("HUS726T4TALA6L4", "enclosure Slot 04")
    assert read_seat("/dev/gone", made.tree, lambda _: {}) == ("", "")


def test_while_a_sync_runs_the_loss_stays_shown_with_fresh_progress(file: Path) -> None:
    """The same members come every second with another progress."""
    look(journal(file), WHOLE)
    one = journal(file)
    first = Sync(action="recover", done_bytes=1, total_bytes=9, bytes_per_second=1)
    begun = msgspec.structs.replace(WITHOUT_B, sync=first)
    look(one, begun)
    later = msgspec.structs.replace(begun, sync=msgspec.structs.replace(first, done_bytes=5))
    (seen,) = look(one, later)
    assert [gone.disk for gone in seen.lost] == ["SERIAL-b"]
    assert seen.sync is not None
    assert seen.sync.done_bytes == 5
    journal(file).acknowledge(unit_of(later))
    assert look(one, later)[0].lost == ()


def test_a_unit_has_what_its_array_lost_and_the_disk_of_a_member_whose_device_is_gone(file: Path) -> None:
    look(journal(file), WHOLE)
    ghost = array(member("a", 0), member("b", None, "faulty", disk=""))
    (seen,) = journal(file).look([unit_of(ghost)])
    assert [one.disk for one in seen.lost] == ["SERIAL-c"]
    assert [one.disk for one in seen.members] == ["SERIAL-a", "SERIAL-b"]


def group(*members: UnitMember, health: Health = Health.OK) -> Unit:
    """A volume group; LVM lists a disk that is missing without a name."""
    return Unit(
        backend=Backend.LVM,
        name="vg",
        uuid="HUS7AF",
        marks=("HUS7AF",),
        level="raid1",
        size_bytes=1,
        path="/dev/vg/data",
        node="/dev/dm-0",
        health=health,
        state="",
        members=members,
    )


def leg(letter: str, slot: int, state: str = "in sync") -> UnitMember:
    return UnitMember(path=f"/dev/sd{letter}1", disk=f"SERIAL-{letter}", slot=slot, state=state)


MISSING = UnitMember(path="", slot=1, state="missing")


def test_a_unit_of_any_backend_keeps_serial_model_and_place_of_a_disk_that_is_missing(file: Path) -> None:
    journal(file).look([group(leg("a", 0), leg("b", 1))])
    (seen,) = journal(file).look([group(leg("a", 0), MISSING, health=Health.DEGRADED)])
    (one,) = seen.lost
    assert (one.disk, one.model, one.place, one.slot) == ("SERIAL-b", "WDC WD40EFRX", "ata2", 1)
    assert journal(file).acknowledge(seen) == (one,)
    (seen,) = journal(file).look([group(leg("a", 0), MISSING, health=Health.DEGRADED)])
    assert seen.lost == ()


def test_what_is_inactive_with_a_disk_missing_names_it_and_changes_nothing(file: Path) -> None:
    """A group that stays down at boot."""
    journal(file).look([group(leg("a", 0), leg("b", 1))])
    size = file.stat().st_size
    (seen,) = journal(file).look([group(leg("a", 0, "not active"), MISSING, health=Health.INACTIVE)])
    assert [one.disk for one in seen.lost] == ["SERIAL-b"]
    assert file.stat().st_size == size


def test_a_count_of_errors_that_grows_does_not_fill_the_file(file: Path) -> None:
    """Btrfs counts the errors of a disk in its state."""
    one = journal(file)
    one.look([group(leg("a", 0), leg("b", 1, "1 write error"))])
    size = file.stat().st_size
    one.look([group(leg("a", 0), leg("b", 1, "900 write errors"))])
    assert file.stat().st_size == size


def test_a_member_is_known_by_its_disk_and_partition_whatever_the_kernel_calls_a_whole_disk() -> None:
    whole = [
        _key("A", path) for path in ("/dev/sda", "/dev/loop0", "/dev/nvme0n1", "/dev/ubda", "/dev/mmcblk0")
    ]
    part = [_key("A", path) for path in ("/dev/sdaa12", "/dev/loop0p12", "/dev/nvme0n1p12", "/dev/ubda12")]

    assert set(whole) == {"A"}
    assert set(part) == {"A 12"}


def test_only_a_spare_was_spare_and_not_the_disk_of_a_cache(file: Path) -> None:
    spare, cache = (
        UnitMember(path=f"/dev/sd{one}1", disk=f"SERIAL-{one}", state=state)
        for one, state in (("b", "spare"), ("c", "in use"))
    )
    journal(file).look([group(leg("a", 0), spare, cache)])
    (seen,) = journal(file).look([group(leg("a", 0), health=Health.ERRORS)])
    assert [lost_words(one).partition("last at ")[2] for one in seen.lost] == [
        "ata2 as sdb1, spare",
        "ata3 as sdc1",
    ]


@pytest.mark.parametrize(("backend", "back"), [(Backend.BTRFS, ["SERIAL-b"]), (Backend.LVM, [])])
def test_a_member_that_was_away_is_remembered_where_it_does_not_get_what_it_missed(
    file: Path, backend: Backend, back: list[str]
) -> None:
    whole, degraded = (
        msgspec.structs.replace(one, backend=backend)
        for one in (group(leg("a", 0), leg("b", 1)), group(leg("a", 0), MISSING, health=Health.DEGRADED))
    )
    assert [one.back for one in journal(file).look([whole])] == [()]
    assert [one.back for one in journal(file).look([degraded])] == [()]
    (seen,) = journal(file).look([whole])
    assert [one.disk for one in seen.back] == back
    assert all(one.noticed for one in seen.back)
    assert seen.lost == ()
    (again,) = journal(file).look([degraded])
    assert again.back == ()
