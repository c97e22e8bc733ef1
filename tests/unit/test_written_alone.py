"""A mirror whose data begins where its members begin can be mounted by one member, and md does not know."""

import struct
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui.backends.md.diagnosis.members_differ import members_differ
from raidtui.backends.reading import recorded_machine
from raidtui.machine.md.mirror_heads import settled
from raidtui.machine.md.superblock import find_superblock, read_head
from raidtui.machine.md.superblock_old import place
from raidtui.model.machine import Array, Member
from raidtui.model.superblock import Superblock, written_alone
from tests.unit.machine_trees import MadeTree
from tests.unit.test_machine_superblock_old import SIZE, old


def member(head: str, slot: int, *, events: int = 20, clean: bool = True) -> Superblock:
    return Superblock(
        uuid="u", name="tank", level="raid1", layout=0, raid_disks=3, created=1, events=events, bitmap_cleared=None,
        clean=clean, slot=slot, head=head,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("members", "apart"),
    [
        ([member("a", 0), member("a", 1)], None),
        ([member("a", 0), member("b", 1)], ("0", "1")),
        ([member("a", 0), member("a", 1), member("b", 2)], ("0", "2")),
        ([member("a", 0), member("", 1)], None),  # not read: unknown, not another
        ([member("a", 0), member("b", 1, events=21)], None),  # it left before, and md knows
        (
            [member("a", 0, clean=False), member("b", 1, clean=False)],
            None,
        ),  # cut while it was written; md syncs it
    ],
)
def test_members_that_md_calls_equal_are_compared(
    members: list[Superblock], apart: tuple[str, str] | None
) -> None:
    assert written_alone({str(one.slot): one for one in members}) == apart


def head_of(made: MadeTree, level: int = 1, /, **written: bytes) -> str:
    raw = old(s7=level)
    made.write("/dev/sda", "")
    with (made.root / "dev/sda").open("r+b") as file:
        file.truncate(SIZE)
        for at, content in written.items():
            file.seek(int(at.removeprefix("at_")))
            file.write(content)
        file.seek(place(SIZE))
        file.write(raw)
    found = find_superblock(made.tree, "/dev/sda", SIZE)
    assert found is not None
    return found.head


def test_what_is_compared_is_where_filesystems_begin(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    empty = head_of(made)
    assert empty
    assert head_of(made) == empty
    assert head_of(made, at_1024=b"ext4") != empty
    assert head_of(made, at_65600=b"_BHRfS_M", at_65632=b"roots") != head_of(
        made, at_65600=b"_BHRfS_M", at_65632=b"other"
    )
    assert head_of(made, at_65536=b"swap") == empty
    assert head_of(made, at_1048576=b"a file") == empty


def table(*starts: int) -> dict[str, bytes]:
    """A GPT with partitions that begin at these bytes."""
    return {
        "at_512": b"EFI PART",
        **{f"at_{1024 + 128 * n + 32}": struct.pack("<Q", one // 512) for n, one in enumerate(starts)},
    }


LABEL: Final = {
    "at_512": b"LABELONE",
    f"at_{512 + 72}": struct.pack("<Q", 1 << 20),
    "at_4100": b" LVM2 x[5A%r0N*>",
}


@pytest.mark.parametrize(
    ("inside", "place"),
    [
        (table(1 << 20), (1 << 20) + 1080),
        (table(1 << 20, 1 << 21), (1 << 21) + 1080),
        ({"at_510": b"\x55\xaa", "at_454": struct.pack("<I", 2048)}, (1 << 20) + 1080),
        (LABEL, (1 << 20) + 1080),
    ],
)
def test_of_a_partition_table_or_a_volume_group_the_filesystems_in_it_are_compared(
    tmp_path: Path, inside: dict[str, bytes], place: int
) -> None:
    made = MadeTree(tmp_path)
    heads = [head_of(made, **inside, **{f"at_{place}": b"\x53\xef" + more}) for more in (b"", b"new")]
    assert heads[0] != heads[1]
    assert "" not in heads
    # What is no filesystem may differ without harm.
    assert head_of(made, **inside) == head_of(made, **inside, **{f"at_{place}": b"any"})


def test_the_metadata_of_a_group_is_compared(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    assert head_of(made, **LABEL) != head_of(made, **LABEL, at_4200=b"another version")


def test_a_partition_that_cannot_be_read_makes_nothing_differ(tmp_path: Path) -> None:
    assert head_of(MadeTree(tmp_path), **table(1 << 50)) == ""


def test_the_boot_sector_of_a_fat_is_no_partition_table(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    fat = {"at_510": b"\x55\xaa", "at_82": b"FAT32", "at_454": b"\xff\xff\xff\xff"}
    assert head_of(made, **fat) != head_of(made, **fat, at_65=b"dirty") != ""


def test_of_other_levels_no_member_can_be_mounted_by_itself(tmp_path: Path) -> None:
    assert head_of(MadeTree(tmp_path), 5) == ""


def test_a_spare_has_no_data_to_compare(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    assert head_of(made)
    spare = old(number=4, s7=1)
    with (made.root / "dev/sda").open("r+b") as file:
        file.seek(place(SIZE))
        file.write(spare)
    found = find_superblock(made.tree, "/dev/sda", SIZE)
    assert found is not None
    assert (found.slot, found.head) == (None, "")
    assert msgspec.structs.replace(found, slot=0).head == ""


class Running:
    """A mirror that runs, on two members whose data begins at once."""

    def __init__(self, folder: Path, first: bytes, second: bytes, **files: str) -> None:
        self.made = MadeTree(folder)
        for name, begin in (("sda", first), ("sdb", second)):
            self.made.write(f"/dev/{name}", "")
            (folder / "dev" / name).write_bytes(begin.ljust(SIZE, b"\0"))
        about = {"stat": "5 0 40 1 7 0 56 1 0 1 2", "inflight": "       1        0", "md/sync_action": "idle"}
        for file, text in (about | files).items():
            self.made.write(f"/sys/block/md127/{file}", text)

    def heads(self) -> list[str]:
        found = [
            msgspec.structs.replace(
                member(read_head(self.made.tree, f"/dev/{name}", 0), slot), path=f"/dev/{name}"
            )
            for slot, name in enumerate(("sda", "sdb"))
        ]
        inside = tuple(Member(path=one.path, slot=one.slot, state=("in_sync",)) for one in found)
        array = Array(name="tank", node="/dev/md127", uuid="u", level="raid1", state="clean", members=inside)
        return [one.head for one in settled(self.made.tree, (array,), found)]


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.machine.md.mirror_heads._PAUSE_SECONDS", 0)


def test_members_that_differ_at_rest_each_time_differ(tmp_path: Path) -> None:
    first, second = Running(tmp_path, b"old", b"new").heads()
    assert first != second
    assert first
    assert second


def test_members_that_are_equal_are_not_looked_at_again(tmp_path: Path) -> None:
    first, second = Running(tmp_path, b"same", b"same", stat="").heads()
    assert first == second != ""


@pytest.mark.parametrize(
    "files",
    [
        {"inflight": "       0        1"},  # a write is under way
        {"md/sync_action": "resync"},
        {"md/sync_action": "frozen"},
        {"stat": ""},  # not known
        {"inflight": ""},
    ],
)
def test_of_an_array_that_may_be_written_nothing_is_known(tmp_path: Path, files: dict[str, str]) -> None:
    assert Running(tmp_path, b"old", b"new", **files).heads() == ["", ""]


@pytest.mark.parametrize("what", ["write", "agree", "fail"])
def test_of_one_that_is_written_or_agrees_in_between_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    running = Running(tmp_path, b"old", b"new")

    def meanwhile(_: float) -> None:
        if what == "write":
            running.made.write("/sys/block/md127/stat", "5 0 40 1 8 0 64 1 0 1 2")
        elif what == "agree":
            (tmp_path / "dev/sdb").write_bytes(b"old".ljust(SIZE, b"\0"))
        else:
            (tmp_path / "dev/sdb").unlink(missing_ok=True)

    monkeypatch.setattr("time.sleep", meanwhile)
    assert running.heads() == ["", ""]


def test_an_array_with_nothing_on_it_was_perhaps_created_without_a_sync() -> None:
    machine = recorded_machine(str(Path(__file__).parents[1] / "machines/states/md-members-differ-1.0.json"))
    assert len(list(members_differ(machine))) == 1
    (array,) = machine.arrays
    empty = msgspec.structs.replace(array, signatures=())
    assert list(members_differ(msgspec.structs.replace(machine, arrays=(empty,)))) == []
