"""Members that missed the end of a reshape: recognized, tried where their data is, and put right."""

import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.backends.md.recovery.places import in_places
from raidtui.backends.md.recovery.stored import Geometry, Stored
from raidtui.jobs.recovering.for_real import order_for_real
from raidtui.machine.md.moved import with_moved
from raidtui.machine.md.superblock_bytes import RESHAPES, beginning_at, is_of_version_1, summed
from raidtui.machine.tree import Tree
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine, Member
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import StartTried
from raidtui.model.recovery import Below, Candidate, Recovery, Shape, Slot, Source, Tried, Way
from raidtui.model.superblock import Superblock, missed_end, reshapes
from raidtui.model.units import KIB, MIB
from raidtui.plan.care import make_care
from tests.ui import machines
from tests.ui.machines import disk, running_array, superblock, with_superblock
from tests.unit.plan_machines import SEED

UUID = running_array().uuid
NAMES = tuple(f"{disk(number).serial}-part1" for number in (1, 2, 3, 4))
CHUNK = 64 * KIB


def behind(slot: int, **own: Any) -> Superblock:
    return superblock(slot, events=43, reshaping=True, adds_members=True, data_offset_bytes=MIB, **own)


def told(slot: int, **own: Any) -> Superblock:
    return superblock(slot, events=44, data_offset_bytes=896 * KIB, **own)


MIXED = (behind(0), behind(1), told(2), told(3))


def by_path(some: tuple[Superblock, ...]) -> dict[str, Superblock]:
    return {one.path: one for one in some}


def test_a_reshape_that_any_newest_superblock_calls_over_is_over() -> None:
    assert not reshapes(by_path(MIXED))
    assert [*missed_end(by_path(MIXED))] == [one.path for one in MIXED[:2]]
    running = tuple(msgspec.structs.replace(one, events=44) for one in MIXED[:2])
    assert len(reshapes(by_path(running))) == 2
    assert not missed_end(by_path(running))
    assert not missed_end(by_path(MIXED[2:]))
    left = msgspec.structs.replace(behind(0), events=20)  # it was no member any more as the reshape ended
    assert not missed_end(by_path((left, *MIXED[2:])))


def tree_with(folder: Path, position: str, *places: tuple[int, int]) -> Tree:
    md = folder / "md"
    md.mkdir()
    (md / "reshape_position").write_text(position)
    for letter, (begin, moved) in zip("abcd", places, strict=False):
        (md / f"dev-sd{letter}1").mkdir()
        (md / f"dev-sd{letter}1" / "offset").write_text(f"{begin}\n")
        if moved:
            (md / f"dev-sd{letter}1" / "new_offset").write_text(f"{moved}\n")
    return Tree(str(folder))


def members(*begins: int) -> tuple[Member, ...]:
    return tuple(
        Member(path=f"/dev/sd{letter}1", slot=slot, state=("in_sync",), offset_bytes=begin * 512)
        for slot, (letter, begin) in enumerate(zip("abcd", begins, strict=False))
    )


@pytest.mark.parametrize(
    ("position", "places", "moved"),
    [
        ("none\n", ((2048, 1792), (1792, 1792)), [1792, 0]),
        ("24576\n", ((2048, 1792), (2048, 1792)), [0, 0]),  # a reshape runs
        ("", ((2048, 1792), (1792, 1792)), [0, 0]),  # not known
        ("none\n", ((2048, 2048), (1792, 1792)), [0, 0]),  # added at different times
        ("none\n", ((2048, 0), (1792, 1792)), [0, 0]),  # cannot be read
    ],
)
def test_where_the_kernel_says_that_the_data_was_moved_to(
    tmp_path: Path, position: str, places: tuple[tuple[int, int], ...], moved: list[int]
) -> None:
    found = with_moved(tree_with(tmp_path, position, *places), "/md", members(*(one for one, _ in places)))
    assert [one.moved_to_bytes // 512 for one in found] == moved


def test_a_superblock_gets_the_place_and_its_checksum_and_nothing_else() -> None:
    raw = bytearray(4096)
    struct.pack_into("<III", raw, 0, 0xA92B4EFC, 1, 1 | RESHAPES | 64)
    struct.pack_into("<i", raw, 124, -256)
    struct.pack_into("<QQ", raw, 128, 2048, 100_000)
    struct.pack_into("<Q", raw, 200, 43)
    struct.pack_into("<I", raw, 220, 5)
    made = beginning_at(summed(raw), 1792)
    assert is_of_version_1(made)
    assert struct.unpack_from("<I", made, 8)[0] == 1
    assert struct.unpack_from("<QQ", made, 128) == (1792, 100_000)
    assert struct.unpack_from("<Q", made, 200)[0] == 43
    changed = {at for at in range(4096) if made[at] != raw[at]} - set(range(216, 220))
    assert changed <= {8, *range(124, 136)}
    assert made == summed(bytearray(made))


def images(folder: Path) -> dict[str, Source]:
    """A RAID5 of three whose data begins at sector 1792 of each."""
    rows = [[bytes([17 * row + slot]) * 4096 for slot in (1, 2)] for row in range(1, 14)]
    found = {}
    for slot, name in enumerate("ABC"):
        path = folder / name
        with path.open("wb") as file:
            file.truncate(8 * MIB)
            for row, (one, other) in enumerate(rows):
                parity = bytes(x ^ y for x, y in zip(one, other, strict=True))
                file.seek(896 * KIB + row * CHUNK)
                file.write((one, other, parity)[slot])
        found[name] = Source(name=name, path=str(path), size_bytes=8 * MIB, image=True)
    return found


def stored(slot: int, begin: int, *, moves_to: int = 0) -> Stored:
    own = superblock(slot, events=43 if moves_to else 44, reshaping=bool(moves_to))
    now = Geometry(level="raid5", layout=2, chunk_bytes=CHUNK, disks=3)
    return Stored(
        superblock=own, geometry=now, component_bytes=4 * MIB, offset_bytes=begin, data_bytes=6 * MIB,
        new=now if moves_to else None, new_offset_bytes=moves_to,
    )  # fmt: skip


def whole(known: dict[str, Stored]) -> Candidate:
    slots = tuple(Slot(source=name, offset_bytes=one.offset_bytes) for name, one in known.items())
    shape = Shape(level="raid5", layout=2, chunk_bytes=CHUNK, component_bytes=4 * MIB, slots=slots)
    return Candidate(way=Way.EVENTS, words="A B C", shape=shape, events=(44, 44, 44))


@pytest.mark.parametrize("forgotten", [False, True])
def test_members_are_tried_where_the_reshape_put_their_data(tmp_path: Path, forgotten: bool) -> None:
    new, old = 896 * KIB, MIB
    known = {
        "A": stored(0, old, moves_to=0 if forgotten else new),
        "B": stored(1, old, moves_to=0 if forgotten else new),
        "C": stored(2, new),
    }
    found = list(in_places(whole(known), known, [*images(tmp_path).values()]))
    best = max(found, key=lambda one: one.confirmed)
    assert (best.moved, best.confirmed) == (("A", "B"), 20)
    assert best.words == "A B C, the data of A and B at 1792s"
    assert found[0].moved == ()
    assert found[0].confirmed < best.confirmed
    assert len(found) == (3 if forgotten else 2)


def test_members_that_agree_are_tried_once(tmp_path: Path) -> None:
    known = {name: stored(slot, 896 * KIB) for slot, name in enumerate("ABC")}
    assert list(in_places(whole(known), known, [*images(tmp_path).values()])) == [whole(known)]


def tried(shape: Shape, *, below: bool = False) -> Tried:
    about: dict[str, Any] = {"events": (43, 43, 44, 44), "array": UUID, "moved": NAMES[:2]}
    one = Candidate(way=Way.EVENTS, words="", shape=shape, **about)
    if below:
        only = Below(name="array tank-1", shape=shape, **about)
        one = Candidate(way=Way.METADATA, words="", shape=shape, below=(only,))
    return Tried(candidate=one, mounted=True, files=3, clean=True)


SHAPE = Shape(
    level="raid5",
    layout=2,
    chunk_bytes=CHUNK,
    component_bytes=1 << 30,
    slots=tuple(Slot(source=one, offset_bytes=896 * KIB) for one in NAMES),
)


@pytest.mark.parametrize("below", [False, True])
def test_the_places_are_part_of_the_order_also_for_what_lies_on_the_array(below: bool) -> None:
    found = Recovery(
        name="tank", unit=UUID, tried=(tried(SHAPE, below=below),), at="2026-11-30T15:00:00+00:00"
    )
    made = order_for_real(found, 1, name="tank", unit=UUID)
    assert isinstance(made, StartTried)
    assert (made.members, made.events) == (NAMES, (43, 43, 44, 44))
    assert made.begins == (896 * KIB,) * 4


def test_a_group_that_is_looked_at_by_its_own_name_is_not_started_as_an_array() -> None:
    other = "11111111-2222-3333-4444-555555555555"
    found = Recovery(
        name="tank", unit=other, tried=(tried(SHAPE, below=True),), at="2026-11-30T15:00:00+00:00"
    )
    with pytest.raises(Refused, match="no superblock confirms"):
        order_for_real(found, 1, name="tank", unit=other)


def machine(*known: Superblock) -> Machine:
    array = running_array(mountpoints=(), state="read-auto")
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    made = machines.machine(there, [array])
    system = msgspec.structs.replace(made.system, program=("/usr/bin/raidtui",))
    return msgspec.structs.replace(made, superblocks=known, system=system)


def plan(**changes: Any) -> Plan:
    about: dict[str, Any] = {"members": NAMES, "events": (43, 43, 44, 44), "begins": (896 * KIB,) * 4}
    order = StartTried(unit=UUID, kept="/var/lib/x", tried="clean", **(about | changes))
    return make_care(order, machine(*MIXED), seed=SEED)


def test_only_what_is_wrong_is_written_after_all_superblocks_were_kept() -> None:
    made = plan()
    assert [step.id for step in made.steps] == ["stop", "keep", "begin", "start"]
    _, keep, begin, start = [
        [one.argv for one in step.actions if isinstance(one, Run)] for step in made.steps
    ]
    assert len(keep[0][-1].split(",")) == 4
    assert begin[0][:4] == ("/usr/bin/raidtui", "recover", "--begin", "1792,1792")
    assert len(begin[0][-1].split(",")) == 2
    assert start[1][:2] == ("mdadm", "--assemble")
    assert "--force" not in start[1]
    ((hazard),) = made.hazards
    assert hazard.id == "begin-written"


@pytest.mark.parametrize(
    "changes",
    [
        {"begins": ()},  # all members, and nothing to put right
        {"members": NAMES[1:], "events": (43, 44, 44), "begins": (896 * KIB,) * 3},  # not all members
    ],
)
def test_places_are_written_only_with_all_members(changes: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="must not be forced with"):
        plan(**changes)
