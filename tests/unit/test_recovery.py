"""Ways to put a lost array together: by event counts, of a reshape, and by what is on members without superblocks."""

import os
import random
import shutil
import struct
import subprocess
from functools import reduce
from operator import xor
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

import raidtui
from raidtui.backends.data_map import Arrangement
from raidtui.backends.md.placement import data_map, place_of
from raidtui.backends.md.recover import RECOVERER, _by_events, _of_reshape
from raidtui.backends.md.recovery.orders import likely_orders
from raidtui.backends.md.recovery.stored import Geometry, Stored
from raidtui.backends.recovering import Wanted
from raidtui.jobs.recovering.by_copy import ext_copy, kind_by_copy
from raidtui.jobs.recovering.words import result_lines, seen, verdict
from raidtui.machine.tools import find_tool
from raidtui.model.recovery import Candidate, Recovery, Shape, Slot, Source, Tried, Way, ranked
from raidtui.model.superblock import Superblock
from raidtui.model.units import KIB, MIB
from raidtui.ui.care import recover_words

CHUNK = 64 * KIB
OFFSET = 1 * MIB


def stored(
    slot: int | None,
    events: int,
    *,
    level: str = "raid5",
    disks: int = 3,
    position: int = 0,
    adds_members: bool = False,
) -> Stored:
    """The superblock of a member; with a position, of a reshape onto one more member."""
    now = Geometry(level=level, layout=2, chunk_bytes=CHUNK, disks=disks)
    return Stored(
        superblock=Superblock(
            uuid="u", name="lab:tank", level=level, layout=2, raid_disks=disks, created=0, events=events, bitmap_cleared=None,
            slot=slot, reshaping=bool(position), adds_members=adds_members,
        ),
        geometry=now,
        component_bytes=100 * MIB,
        offset_bytes=2 * MIB,
        data_bytes=101 * MIB,
        new=Geometry(level=level, layout=2, chunk_bytes=CHUNK, disks=disks + 1) if position else None,
        new_offset_bytes=1 * MIB if position else 0,
        position_bytes=position,
    )  # fmt: skip


def sources_in(candidate: Candidate) -> list[str]:
    return [one.source for one in candidate.shape.slots]


def test_the_members_written_last_come_first() -> None:
    found = list(_by_events({"A": stored(0, 26), "B": stored(1, 20), "C": stored(2, 25)}, ()))
    assert [sources_in(one) for one in found] == [["A", "", "C"], ["A", "B", ""], ["", "B", "C"]]


def test_a_member_that_was_still_being_rebuilt_comes_last() -> None:
    some = {"A": stored(0, 26), "B": stored(1, 25), "C": stored(2, 26)}
    some["C"] = msgspec.structs.replace(
        some["C"], superblock=msgspec.structs.replace(some["C"].superblock, rebuilding=True)
    )
    assert next(sources_in(one) for one in _by_events(some, ())) == ["A", "B", ""]


def test_members_of_one_event_count_are_all_taken() -> None:
    found = list(_by_events({"A": stored(0, 26), "B": stored(1, 26), "C": stored(2, 26)}, ()))
    assert sources_in(found[0]) == ["A", "B", "C"]


@pytest.mark.parametrize("level", ["raid5", "raid1"])
def test_a_member_of_which_there_is_no_superblock_is_left_out(level: str) -> None:
    found, *_ = _by_events({"A": stored(0, 26, level=level), "B": stored(1, 26, level=level)}, ())
    assert sources_in(found) == ["A", "B", ""]


def test_each_copy_of_a_mirror_is_tried_alone() -> None:
    found = list(
        _by_events(
            {"A": stored(0, 26, level="raid1", disks=2), "B": stored(1, 20, level="raid1", disks=2)}, ()
        )
    )
    assert [sources_in(one) for one in found] == [["A", ""], ["", "B"]]


def test_a_spare_is_in_no_slot() -> None:
    found = list(_by_events({"A": stored(0, 26), "B": stored(None, 26), "C": stored(2, 25)}, ()))
    assert [sources_in(one) for one in found] == [["A", "", "C"]]


@pytest.mark.parametrize(
    ("layout", "sizes", "layouts"),
    [
        (0, (101, 200, 200), [2, 1]),
        (0, (100, 200, 200), [2]),  # 300 chunks before the zone of two members: an even number
        (0, (101, 101, 200), [2]),  # only one goes on
        (0, (100, 100, 100), [0]),
        (1, (101, 200, 200), [1]),
        (2, (101, 200, 200), [2]),
    ],
)
def test_a_raid0_that_may_lie_in_two_ways_is_tried_in_both(
    layout: int, sizes: tuple[int, ...], layouts: list[int]
) -> None:
    def member(slot: int, size: int) -> Stored:
        made = stored(slot, 1, level="raid0", disks=3)
        return msgspec.structs.replace(
            made,
            geometry=msgspec.structs.replace(made.geometry, layout=layout),
            data_bytes=size * CHUNK,
            component_bytes=0,
        )

    found = list(
        _by_events(
            {name: member(slot, size) for slot, (name, size) in enumerate(zip("ABC", sizes, strict=True))},
            (),
        )
    )
    assert [one.shape.layout for one in found] == layouts
    assert {one.way for one in found} == {Way.EVENTS if layout or layouts == [0] else Way.ORDER}


def test_a_reshape_that_only_adds_members_is_what_superblocks_say() -> None:
    some = {name: stored(slot, 9, position=40 * MIB, adds_members=True) for slot, name in enumerate("ABCD")}
    first, *others = _of_reshape(some)
    assert (first.way, first.events) == (Way.EVENTS, (9, 9, 9, 9))
    assert {one.way for one in others} == {Way.RESHAPE}


def test_a_reshape_has_the_new_shape_up_to_its_position() -> None:
    some = {name: stored(slot, 9, position=40 * MIB) for slot, name in enumerate("ABCD")}
    first = next(_of_reshape(some))
    assert first.way is Way.RESHAPE
    assert (len(first.shape.slots), first.border_bytes) == (4, 40 * MIB)
    assert {one.offset_bytes for one in first.shape.slots} == {1 * MIB}
    assert first.rest is not None
    assert [one.source for one in first.rest.slots] == ["A", "B", "C"]
    assert {one.offset_bytes for one in first.rest.slots} == {2 * MIB}


@pytest.mark.parametrize(
    ("level", "layout", "disks"),
    [
        ("raid5", "left-symmetric", 4),
        ("raid5", "right-asymmetric", 3),
        ("raid6", "left-symmetric", 5),
        ("raid0", "", 3),
        ("raid10", "n2", 4),
        ("raid10", "n2", 5),
        ("raid10", "o2", 4),
        ("raid10", "f2", 3),
    ],
)
def test_a_chunk_is_where_the_drawing_has_it(level: str, layout: str, disks: int) -> None:
    names = tuple("ABCDE"[:disks])
    rows = data_map(Arrangement(level=level, layout=layout, names=names), 12).zones[0].rows
    drawn = {
        cell.chunk: (slot, row)
        for row, line in enumerate(rows)
        for slot, cell in enumerate(line)
        if cell.kind == "data" and not cell.copy
    }
    assert len(drawn) > disks
    assert {chunk: place_of(level, layout, disks, chunk) for chunk in drawn} == drawn


def superblock(group: int, *, chunk: int, data_disks: int, blocks: int) -> bytes:
    """An ext4 superblock with what is read of it: blocks of 1 KiB, 8192 in a group."""
    raw = bytearray(1024)
    struct.pack_into("<I", raw, 4, blocks)
    struct.pack_into("<IIxxxxI", raw, 20, 1, 0, 8192)
    struct.pack_into("<H", raw, 56, 0xEF53)
    struct.pack_into("<H", raw, 90, group)
    struct.pack_into("<I", raw, 100, 1)
    raw[104:120] = b"sixteen bytes, a"
    struct.pack_into("<H", raw, 356, chunk // KIB)
    struct.pack_into("<I", raw, 368, chunk // KIB * data_disks)
    return bytes(raw)


def make_members(folder: Path, disks: int) -> list[Source]:
    """The images of a RAID5 of 48 MiB with the superblocks of a filesystem, in slot order; none of md."""
    size = 48 * MIB
    data = bytearray(random.Random(1).randbytes(size))
    for group in (0, 1, 3, 5):
        at = (1 + group * 8192) * KIB if group else 1 * KIB
        data[at : at + 1024] = superblock(group, chunk=CHUNK, data_disks=disks - 1, blocks=size // KIB)
    rows = size // CHUNK // (disks - 1)
    members = [bytearray(OFFSET + rows * CHUNK) for _ in range(disks)]
    for chunk in range(rows * (disks - 1)):
        slot, row = place_of("raid5", "left-symmetric", disks, chunk)
        at = OFFSET + row * CHUNK
        members[slot][at : at + CHUNK] = data[chunk * CHUNK : (chunk + 1) * CHUNK]
    for at in range(OFFSET, OFFSET + rows * CHUNK, CHUNK):  # what is still zero is the place of P
        parity = reduce(xor, (int.from_bytes(raw[at : at + CHUNK]) for raw in members))
        for raw in members:
            if not any(raw[at : at + CHUNK]):
                raw[at : at + CHUNK] = parity.to_bytes(CHUNK)
    found = []
    for name, raw in zip("WXYZ", members, strict=False):
        (folder / name).write_bytes(raw)
        found.append(Source(name=name, path=str(folder / name), size_bytes=len(raw), image=True))
    return found


NOTHING_KNOWN = Wanted()


@pytest.mark.slow
def test_the_order_follows_from_copies_of_the_superblock(tmp_path: Path) -> None:
    members = make_members(tmp_path, 3)
    (first, *_) = likely_orders(members[::-1], {}, NOTHING_KNOWN, 12)
    assert sources_in(first) == ["W", "X", "Y"]
    assert (first.shape.level, first.shape.chunk_bytes, first.shape.slots[0].offset_bytes) == (
        "raid5",
        CHUNK,
        OFFSET,
    )
    assert first.way is Way.ORDER


@pytest.mark.slow
def test_a_member_that_is_gone_has_its_slot(tmp_path: Path) -> None:
    members = make_members(tmp_path, 3)
    found = likely_orders([members[2], members[0]], {}, NOTHING_KNOWN, 12)
    assert ["W", "", "Y"] in [sources_in(one) for one in found]
    assert {len(one.shape.slots) for one in found if one.shape.level == "raid5"} == {3}


def test_no_shape_is_tried_twice(tmp_path: Path) -> None:
    for name in "AB":
        (tmp_path / name).write_bytes(bytes(4 * MIB))
    members = [Source(name=one, path=str(tmp_path / one), size_bytes=4 * MIB, image=True) for one in "AB"]
    found = likely_orders(members, {"A": stored(0, 18), "B": stored(1, 46)}, NOTHING_KNOWN, 26)
    assert len(found) == 26
    assert len({one.shape for one in found}) == len({one.words for one in found}) == len(found)


def test_a_member_with_a_superblock_of_the_array_is_in_its_slot_first(tmp_path: Path) -> None:
    for name in "ABC":
        (tmp_path / name).write_bytes(bytes(4 * MIB))
    members = [Source(name=one, path=str(tmp_path / one), size_bytes=4 * MIB, image=True) for one in "CAB"]
    (first, *_) = likely_orders(members, {"C": stored(2, 18)}, NOTHING_KNOWN, 12)
    assert sources_in(first) == ["A", "B", "C"]


@pytest.mark.slow
def test_the_filesystem_says_that_there_were_more_members_than_in_the_array_created_over_it(
    tmp_path: Path,
) -> None:
    members = make_members(tmp_path, 4)[:3]
    over = {one.name: stored(slot, 0) for slot, one in enumerate(members)}
    found = likely_orders(members, over, NOTHING_KNOWN, 60)
    assert ["W", "X", "Y", ""] in [sources_in(one) for one in found]


@pytest.mark.slow
@pytest.mark.processes
def test_members_with_one_filesystem_whose_beginning_is_gone_are_a_mirror(tmp_path: Path) -> None:
    """Metadata 0.90 or 1.0, and a partition table over the beginning: only a copy of the superblock shows it."""
    image = tmp_path / "A"
    image.write_bytes(b"")
    os.truncate(image, 40 * MIB)
    maker = [find_tool("mkfs.ext4") or "", "-qF", "-b", "1024", str(image)]
    subprocess.run(maker, capture_output=True, check=True)
    with image.open("r+b") as file:
        file.write(b"table".ljust(17 * KIB))
    shutil.copy(image, tmp_path / "B")
    members = [Source(name=name, path=str(tmp_path / name), size_bytes=40 * MIB) for name in "AB"]
    found = likely_orders(members, {}, Wanted(), 240)
    assert {one.shape.level for one in found} == {"raid1"}
    assert {slot.offset_bytes for one in found for slot in one.shape.slots} == {0}
    assert (kind_by_copy(str(image)), ext_copy(str(image))) == ("ext4", (8193, 1024))


def test_at_most_so_many_are_returned(tmp_path: Path) -> None:
    for name in "ABCDE":
        (tmp_path / name).write_bytes(bytes(4 * MIB))
    blank = [Source(name=one, path=str(tmp_path / one), size_bytes=4 * MIB, image=True) for one in "ABCDE"]
    assert len(likely_orders(blank, {}, NOTHING_KNOWN, 5)) == 5
    assert RECOVERER.by_superblocks(blank, NOTHING_KNOWN) == ()


def test_one_that_is_clean_and_whole_ranks_first() -> None:
    candidate = Candidate(
        way=Way.ORDER,
        words="",
        shape=Shape(level="raid1", layout=0, chunk_bytes=0, component_bytes=1, slots=(Slot(),)),
    )
    whole = Tried(candidate=candidate, mounted=True, files=10, clean=True)
    damaged = Tried(candidate=candidate, mounted=True, files=12, clean=True, unreadable=2)
    blank = Tried(candidate=candidate)
    assert ranked([blank, damaged, whole]) == [whole, damaged, blank]
    assert (whole.right, damaged.right, damaged.found, blank.found) == (True, False, True, False)
    assert not Tried(candidate=candidate, mounted=True, files=10).right  # fsck was not run: not known


@pytest.mark.parametrize(
    ("files", "unreadable", "mark"), [(0, 0, "EMPTY"), (0, 1, "DAMAGED"), (1, 0, "UNCHECKED")]
)
def test_where_no_file_is_none_is_said_to_be_there(files: int, unreadable: int, mark: str) -> None:
    shape = Shape(level="raid1", layout=0, chunk_bytes=0, component_bytes=1, slots=(Slot(),))
    candidate = Candidate(way=Way.EVENTS, words="", shape=shape)
    seen = Tried(candidate=candidate, contents="ext4", mounted=True, files=files, unreadable=unreadable)
    assert recover_words.mark_of(seen) == mark


def test_a_way_with_bad_files_is_not_called_clean_because_fsck_finds_nothing() -> None:
    shape = Shape(level="raid5", layout=2, chunk_bytes=0, component_bytes=1, slots=(Slot(),))
    found = Candidate(way=Way.EVENTS, words="", shape=shape)
    bad = Tried(candidate=found, contents="ext4", mounted=True, files=20, clean=True, sampled=8, odd=3)
    said = "3 of 8 sampled are NOT WHAT THEIR NAMES SAY"
    assert verdict(bad) == f"DAMAGED, ext4, 20 files, {said}, fsck finds no error"
    assert seen(bad) == f"ext4, 20 files, {said}"


def test_files_whose_checksums_were_not_looked_at_are_not_called_clean_nor_come_before_files_that_are_right() -> (
    None
):
    shape = Shape(level="btrfs", layout=0, chunk_bytes=0, component_bytes=0, slots=(Slot(source="A"),))
    way = Candidate(way=Way.METADATA, words="A", shape=shape, filesystem="btrfs", events=(16,))
    blind = Tried(candidate=way, contents="btrfs", mounted=True, files=8, clean=True, sampled=8, blind=True)
    some = Tried(
        candidate=way, contents="btrfs", mounted=True, files=8, clean=True, unreadable=2, unread=2, sampled=6
    )
    few = msgspec.structs.replace(some, unreadable=7, unread=7, sampled=1)
    assert ranked([few, blind, some]) == [some, blind, few]
    assert not blind.right
    said = "checksums NOT LOOKED AT: files may be wrong"
    assert seen(blind) == f"btrfs, 8 files, {said}"
    assert verdict(blind) == f"not checked, btrfs, 8 files, {said}, 8 sampled, all readable"
    assert recover_words.mark_of(blind) == "UNCHECKED"


def test_files_that_are_copied_out_without_a_mount_are_found_but_nothing_says_that_they_are_right() -> None:
    shape = Shape(level="btrfs", layout=0, chunk_bytes=0, component_bytes=0, slots=(Slot(source="A"),))
    out = Candidate(way=Way.METADATA, words="A", shape=shape, filesystem="btrfs", unmounted=True)
    listed = Tried(candidate=out, contents="btrfs", files=43)
    none = Tried(candidate=out, contents="btrfs", problem="no file can be copied out")
    assert (listed.found, listed.right, none.found) == (True, False, False)
    assert verdict(listed) == "NOT MOUNTED: btrfs, 43 files can be copied out; none was read"
    lines = list(result_lines(Recovery(name="my tank", tried=(listed,))))
    assert lines[-1].endswith("raidtui recover 'my tank' --mount 1 --copy-to FOLDER")
    (mark, files, *_) = recover_words.row(1, listed, mounted=False).cells
    assert (str(mark), str(files)) == ("LISTED", "43")
    assert any(
        "--copy-to" in one for one in recover_words.about(1, listed, Recovery(name="t", tried=(listed,)))
    )
    assert list(result_lines(Recovery(name="t", tried=(listed,), copied_to="/srv/out", copied=43))) == [
        "43 files are in /srv/out. The members were not written."
    ]


def test_what_was_stopped_for_a_trial_is_said_at_its_end() -> None:
    found = Recovery(name="tank", unit="u", tried=(), copied_to="/srv/out", copied=43)
    assert list(result_lines(replace(found, stopped=("volume group big", "array tank"), md_wrote=True))) == [
        "43 files are in /srv/out. Nothing was written to the members, except md's superblocks when the array was stopped.",
        "Still stopped: volume group big and array tank. 'raidtui care' says how to start them again.",
    ]
    lines = list(result_lines(replace(found, stopped=("volume group big",))))
    assert lines[0].endswith("The members were not written.")
    assert lines[1:] == ["Still stopped: volume group big. 'raidtui care' says how to start it again."]
    assert recover_words.still_stopped(found) == ""
    mounted = replace(found, copied_to="", mounted_at="/run/here", stopped=("array tank",))
    assert list(result_lines(mounted))[-1].startswith("Still stopped: array tank.")


def test_members_of_several_arrays_that_show_no_files_together_are_looked_at_each_array_by_itself() -> None:
    (line,) = result_lines(Recovery(name="a, b, c and d", tried=(), apart=("one", "my two")))
    assert line.startswith("SEVERAL ARRAYS: these are members of one and my two")
    assert line.endswith("raidtui recover one")
    shape = Shape(level="raid5", layout=2, chunk_bytes=0, component_bytes=1, slots=(Slot(),))
    none = Tried(candidate=Candidate(way=Way.ORDER, words="", shape=shape), problem="it cannot be mounted")
    for unit in ("", "u"):
        found = Recovery(name="tank", unit=unit, tried=(none,))
        lines = [*result_lines(found)]
        assert any(one.startswith("NOT THIS WAY") for one in lines)
        assert any("not all in one array" in one for one in lines) is not bool(unit)
        assert recover_words.nothing_found(found) in " ".join(lines)


def test_where_no_way_could_be_tried_nothing_is_said_of_the_files() -> None:
    found = Recovery(name="tank", unit="u", tried=())
    lines = [*result_lines(found)]
    assert any(one.startswith("UNKNOWN: nothing on these members") for one in lines)
    assert not any("NOT THIS WAY" in one for one in lines)
    assert recover_words.nothing_found(found) == " ".join(lines)


def test_no_code_of_a_trial_can_create_or_assemble_an_array() -> None:
    folder = Path(raidtui.__file__).parent / "jobs" / "recovering"
    files = list(folder.glob("*.py"))
    assert len(files) > 5
    for file in files:
        assert '"mdadm"' not in file.read_text()
        assert "--create" not in file.read_text()


def test_what_was_repaired_is_not_all_and_without_files_nothing_is_left() -> None:
    shape = Shape(level="raid1", layout=0, chunk_bytes=0, component_bytes=1, slots=(Slot(source="A"),))
    way = Candidate(way=Way.EVENTS, words="A", shape=shape, array="u", events=(9,))
    some = Tried(
        candidate=way, contents="xfs", mounted=True, files=54, clean=True, by_copy=True, repaired=True
    )
    found = Recovery(name="tank", unit="u", tried=(some,))
    assert not some.right
    assert any(one.startswith("NOT ALL: files and folders") for one in result_lines(found))
    none = msgspec.structs.replace(some, files=0)
    lines = list(result_lines(msgspec.structs.replace(found, tried=(none,))))
    assert any(one.startswith("NOTHING LEFT: what is on tank was repaired on the overlay") for one in lines)
    assert not any("NOT THIS WAY" in one for one in lines)
