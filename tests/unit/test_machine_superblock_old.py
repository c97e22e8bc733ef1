"""Superblocks of version 0.90, in both byte orders, and what they cannot say."""

import struct
from typing import Any

import msgspec
import pytest

from raidtui.machine.md.superblock import find_superblock, read_superblock
from raidtui.machine.md.superblock_old import place
from raidtui.model.superblock import Superblock, clones
from raidtui.model.units import KIB, MIB
from tests.unit.machine_trees import MadeTree, put_superblock

UUID = "aefced3e-ab27-744f-ddf9-533950ab75f9"
WORDS = [int(UUID.replace("-", "")[at : at + 8], 16) for at in range(0, 32, 8)]
SIZE = 10 * MIB + 4 * KIB  # not a multiple of 64 KiB
ACTIVE, FAULTY, SPARE, FILLING = 6, 1, 0, 2


def old(order: str = "<", *, number: int = 1, states: tuple[int, ...] = (ACTIVE,) * 3, **about: int) -> bytes:
    """The superblock of device ``number`` of a RAID5 of three, as include/uapi/linux/raid/md_p.h lays it out."""
    words = [0] * 1024
    values = {0: 0xA92B4EFC, 2: 90, 5: WORDS[0], 6: 1795588137, 7: 5, 10: 3, 11: 2, 33: 0x101, 64: 2}
    values |= {13: WORDS[1], 14: WORDS[2], 15: WORDS[3], (39 if order == "<" else 40): 20}
    values |= {int(key[1:]): value for key, value in about.items()}
    for device, state in enumerate(states):
        values |= {128 + 32 * device: device, 131 + 32 * device: device, 132 + 32 * device: state}
    values |= {992: number, 995: number, 996: states[number] if number < len(states) else 0}
    for at, value in values.items():
        words[at] = value
    return struct.pack(f"{order}1024I", *words)


def put(made: Any, raw: bytes, *, path: str = "/dev/sda", cleared: int | None = 17) -> None:
    made.write(path, "")
    bitmap = b"bitm" + struct.pack("<I16xQQ", 4, 20, cleared) if cleared is not None else b""
    with (made.root / path.lstrip("/")).open("r+b") as file:
        file.truncate(SIZE)
        file.seek(place(SIZE))
        file.write(raw + bitmap)


@pytest.fixture
def made(tmp_path: Any) -> MadeTree:
    return MadeTree(tmp_path)


def found(made: MadeTree) -> Superblock:
    one = find_superblock(made.tree, "/dev/sda", SIZE)
    assert one is not None
    return one


@pytest.mark.parametrize("order", "<>")
def test_it_is_read_in_the_byte_order_of_its_computer(made: MadeTree, order: str) -> None:
    put(made, old(order))
    assert place(SIZE) == 10 * MIB - 64 * KIB
    assert found(made) == Superblock(
        path="/dev/sda",
        metadata="0.90",
        uuid=UUID,
        name="md2",
        level="raid5",
        layout=2,
        raid_disks=3,
        created=1795588137,
        events=20,
        bitmap_cleared=17,
        slot=1,
        data_bytes=place(SIZE),
        active=(0, 1, 2),
    )


def test_an_event_count_of_more_than_32_bits(made: MadeTree) -> None:
    put(made, old(">", _39=1))
    assert found(made).events == (1 << 32) + 20
    put(made, old("<", _40=1))
    assert found(made).events == (1 << 32) + 20


@pytest.mark.parametrize(
    ("states", "slot", "active", "rebuilding"),
    [
        ((ACTIVE, FAULTY, ACTIVE), None, (0, 2), False),
        ((ACTIVE, SPARE, ACTIVE), None, (0, 2), False),
        ((ACTIVE, FILLING, ACTIVE), 1, (0, 2), True),
        ((ACTIVE, ACTIVE | FAULTY, 8), None, (0,), False),
    ],
)
def test_what_a_member_was(
    made: MadeTree, states: tuple[int, ...], slot: int | None, active: tuple[int, ...], rebuilding: bool
) -> None:
    put(made, old(states=states))
    one = found(made)
    assert (one.slot, one.active, one.rebuilding) == (slot, active, rebuilding)


def test_what_it_says_of_the_array(made: MadeTree) -> None:
    put(made, old(_33=0))
    assert (found(made).clean, found(made).bitmap_cleared) == (False, None)
    put(made, old(_2=91, _7=0xFFFFFFFF))
    assert (found(made).reshaping, found(made).level) == (True, "linear")
    put(made, old(), cleared=None)  # a damaged bitmap
    assert (found(made).bitmap_cleared, found(made).bitmap_damaged) == (None, True)


@pytest.mark.parametrize("raw", [old(_1=1), old(_10=0), old(_10=28), old(_0=7), old()[:4000]])
def test_what_is_not_one_is_not_read(made: MadeTree, raw: bytes) -> None:
    made.write("/dev/sda", "")
    with (made.root / "dev/sda").open("r+b") as file:
        file.truncate(place(SIZE))
        file.seek(place(SIZE))
        file.write(raw)
    assert read_superblock(made.tree, "/dev/sda", "0.90", SIZE) is None


def test_a_device_too_small_for_one_has_none(made: MadeTree) -> None:
    made.write("/dev/sda", "")
    assert read_superblock(made.tree, "/dev/sda", "0.90", 60 * KIB) is None


def test_its_number_out_of_range_makes_it_no_member(made: MadeTree) -> None:
    put(made, old(number=4000))
    assert found(made).slot is None


def test_a_newer_superblock_comes_first(made: MadeTree) -> None:
    put(made, old())
    put_superblock(made, "/dev/sdb")
    with (made.root / "dev/sda").open("r+b") as file:
        file.write((made.root / "dev/sdb").read_bytes())
    assert found(made).metadata == "1.2"


def test_two_of_one_slot_and_event_count_may_be_clones(made: MadeTree) -> None:
    put(made, old())
    one = found(made)
    later = msgspec.structs.replace(one, events=21)
    spare = msgspec.structs.replace(one, slot=None)
    assert clones({"a": one, "b": one}) == (("a", "b"),)
    assert clones({"a": one, "b": later, "c": spare, "d": spare}) == ()


# The lockless bitmap of newer arrays.


def test_a_lockless_bitmap_is_known_by_its_version(made: MadeTree) -> None:
    put_superblock(made, "/dev/sda", cleared=5)
    assert found(made).lockless is False
    with (made.root / "dev/sda").open("r+b") as file:
        file.seek(8192 + 4)
        file.write(struct.pack("<I", 6))
    assert (found(made).lockless, found(made).bitmap_cleared) == (True, 5)


def test_other_bytes_where_a_bitmap_should_be_are_a_damaged_one(made: MadeTree) -> None:
    put_superblock(made, "/dev/sda", cleared=5)
    assert found(made).bitmap_damaged is False
    with (made.root / "dev/sda").open("r+b") as file:
        file.seek(8192)
        file.write(b"GPT ")
    assert (found(made).bitmap_cleared, found(made).bitmap_damaged) == (None, True)
