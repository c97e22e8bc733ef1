"""A mirror whose data begins where its members begin can be mounted by one member, and md does not know."""

from pathlib import Path

import msgspec
import pytest

from raidtui.machine.superblock import find_superblock
from raidtui.machine.superblock_old import place
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


def head_of(made: MadeTree, *, level: int = 1, **written: bytes) -> str:
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
    assert head_of(made, at_65536=b"btrfs") != empty
    assert head_of(made, at_1048576=b"a file") == empty


def test_of_other_levels_no_member_can_be_mounted_by_itself(tmp_path: Path) -> None:
    assert head_of(MadeTree(tmp_path), level=5) == ""


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
