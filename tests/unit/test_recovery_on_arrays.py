"""A volume group on arrays is looked for in two steps: the ways of each array, then what lies on these together."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from raidtui.backends.lvm_on_md.recover import RECOVERER, _grouped
from raidtui.backends.md.recovery.stored import Geometry, Stored
from raidtui.backends.md.units import unit_of
from raidtui.backends.recovering import Recoverer, Wanted, read_source
from raidtui.jobs.recovering import search
from raidtui.jobs.recovering.not_taken import NotTaken
from raidtui.jobs.recovering.search import over_arrays
from raidtui.jobs.recovering.stack import Stack
from raidtui.machine.contents.partition_places import Range
from raidtui.model.machine import Machine, Partition
from raidtui.model.recovery import Below, Candidate, Part, Place, Shape, Slot, Source, Way
from raidtui.model.unit import Unit
from raidtui.model.units import MIB
from raidtui.steps.partitions import LINUX_RAID
from tests.ui.machines import disk, machine, running_array, superblock

OTHER = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"


def partition(path: str, number: int) -> Partition:
    return Partition(
        name=path[5:], path=f"{path}{number}", number=number, start_bytes=MIB, size_bytes=MIB, type=LINUX_RAID
    )


def test_an_array_has_the_name_of_its_group_and_what_has_no_superblock_is_on_its_disks() -> None:
    disks = [
        replace(one, partitions=(partition(one.path, 1), partition(one.path, 2), partition(one.path, 3)))
        for one in map(disk, range(3))
    ]
    first, second = disks[0].path, disks[1].path
    known = (
        superblock(0, path=f"{first}1", name="nas:tank-1"),
        superblock(1, path=f"{second}1", name="nas:tank-1"),
        superblock(0, path=f"{first}3", name="nas:other-1", uuid=OTHER),
        superblock(0, path=f"{first}2", name="nas:stopped", uuid=OTHER.replace("a", "f")),
    )
    running = replace(running_array(), uuid=OTHER)
    here = replace(machine(disks, [running]), superblocks=known)
    found = {f"{first}1", f"{first}2", f"{second}1", f"{second}2", f"{second}3"}
    assert {*RECOVERER.called("tank", here)} == found
    assert RECOVERER.called("tan", here) == ()
    # Of a group that is seen because one of its arrays runs, also those that do not.
    assert {*RECOVERER.devices(unit("tank", OTHER), here)} == {*found, f"{first}3"}


def unit(name: str, *below: str) -> Unit:
    return replace(unit_of(running_array()), name=name, below=below)


def stored(name: str, uuid: str, slot: int) -> Stored:
    return Stored(
        superblock=superblock(slot, name=name, uuid=uuid),
        geometry=Geometry(level="raid5", layout=2, chunk_bytes=65536, disks=3),
        component_bytes=MIB,
        offset_bytes=MIB,
        data_bytes=MIB,
    )


def source(name: str) -> Source:
    return Source(name=name, path=f"/dev/{name}", size_bytes=8 * MIB)


def test_members_without_superblocks_are_one_array_by_the_number_of_their_partition() -> None:
    known = {
        "A-part1": stored("nas:tank-1", OTHER, 0),
        "B-part1": stored("nas:tank-1", OTHER, 1),
    }
    every = [source(one) for one in ("A-part2", "A-part1", "B-part2", "B-part1", "C-part1")]
    found = {name: [one.name for one in some] for name, some in _grouped(every, known).items()}
    assert found == {
        "array tank-1": ["A-part1", "B-part1", "C-part1"],
        "array of partitions 2": ["A-part2", "B-part2"],
    }
    alike = {"A": stored("nas:tank", OTHER, 0), "B": stored("elsewhere:tank", OTHER.replace("a", "f"), 0)}
    assert len(_grouped([source("A"), source("B")], alike)) == 2


def way(*members: str, events: int = 0) -> Candidate:
    """A way to put an array together; without events an order."""
    return Candidate(
        way=Way.EVENTS if events else Way.ORDER,
        words=" ".join(members),
        shape=Shape(
            level="raid5",
            layout=2,
            chunk_bytes=65536,
            component_bytes=MIB,
            slots=tuple(Slot(source=one) for one in members),
        ),
        events=(events,) if events else (),
    )


class Arrays(Recoverer):
    """A group on arrays; ``labeled``: the first members of arrays that show a physical volume."""

    register = ()

    def __init__(
        self, ways: Mapping[str, tuple[Candidate, ...]], labeled: str = "", *, plain: bool = True
    ) -> None:
        self.ways, self.labeled, self.plain = ways, labeled, plain

    def devices(self, unit: Unit, machine: Machine) -> tuple[str, ...]:
        return ()

    def arrays(
        self, sources: Sequence[Source], wanted: Wanted, most: int
    ) -> Mapping[str, tuple[Candidate, ...]]:
        return self.ways

    def members(self, sources: Sequence[Source]) -> Mapping[str, str]:
        return {one.name: "physical volume" for one in sources if one.path == f"/dev/{self.labeled}"}

    def by_order(self, sources: Sequence[Source], wanted: Wanted, most: int) -> tuple[Candidate, ...]:
        return ()

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        if wanted.unit == "tank":
            return ()  # it has another name than its array
        parts = tuple(Part(length_bytes=MIB, on=(Place(source=one.name),)) for one in sources)
        slots = (Slot(source=sources[0].name, parts=parts),) if self.plain else (Slot(), Slot())
        shape = Shape(level="linear", layout=0, chunk_bytes=0, component_bytes=MIB, slots=slots)
        return (Candidate(way=Way.METADATA, words="data", shape=shape, of="data", confirmed=9),)


class Made:
    """A stack that makes no devices; ``refused``: the first member of an array that md does not start."""

    refused = ""
    open_now = 0

    def open_arrays(self, below: Sequence[Below]) -> tuple[Source, ...]:
        self.open_now += 1
        found = tuple(replace(source(one.shape.slots[0].source), name=one.name) for one in below)
        if any(one.path == f"/dev/{self.refused}" for one in found):
            raise NotTaken("md does not start it")
        return found

    def take_apart(self) -> None:
        self.open_now -= 1


def over(recoverer: Recoverer, made: Made | None = None) -> tuple[Candidate, ...]:
    made = made or Made()
    found = over_arrays(cast(Stack, made), recoverer, (), Wanted(unit="tank"))
    assert made.open_now == 0
    return found


def test_what_was_written_last_on_every_array_comes_first() -> None:
    ways = {
        "array 1": (way("A", "B", events=30), way("A", "C", events=20)),
        "array 2": (way("D", "E", events=9), way("D", "F", events=4)),
    }
    found = over(Arrays(ways))
    assert [one.events for one in found] == [(39,), (34,), (29,), (24,)]
    assert {one.way for one in found} == {Way.METADATA}
    assert found[0].sources == ("A", "B", "D", "E")
    assert found[0].words == "data; array 1: A B; array 2: D E"
    assert len({one.attempted for one in found}) == 4


def test_of_orders_those_that_show_a_physical_volume_are_tried() -> None:
    ways = {"array 1": (way("A", "B", events=30),), "array 2": (way("D", "E"), way("E", "D"), way("F", "D"))}
    made = Made()
    made.refused = "D"
    found = over(Arrays(ways, labeled="E"), made)
    assert [one.sources for one in found] == [("A", "B", "E", "D")]
    assert (found[0].way, found[0].events) == (Way.ORDER, ())


def test_a_volume_with_copies_of_its_own_on_arrays_is_not_looked_into() -> None:
    (found,) = over(Arrays({"array 1": (way("A", "B", events=30),)}, plain=False))
    assert "copies of its own" in found.why_not
    assert over(Arrays({})) == ()


@pytest.mark.parametrize("begins", ["GPT", "table gone", "other data"])
def test_a_physical_volume_in_a_partition_of_the_array(monkeypatch: pytest.MonkeyPatch, begins: str) -> None:
    """Its ranges are counted from the begin of the array; what is no member of the group is no partition of it."""
    here = {"GPT": (2 * MIB, 20 * MIB), "table gone": (MIB,), "other data": ()}[begins]
    parts = tuple(Range(begin=one, length=8 * MIB) for one in here)
    monkeypatch.setattr(search, "read_partitions", lambda path: parts)
    in_parts = Arrays({"array 1": (way("A", "B", events=30),)})
    labeled = here[-1] if here else 0
    monkeypatch.setattr(
        in_parts,
        "members",
        lambda sources: {one.name: "physical volume" for one in sources if 0 < one.begin_bytes == labeled},
    )
    (found,) = over(in_parts)
    (slot,) = found.shape.slots
    places = [place for part in slot.parts for place in part.on]
    assert places == [Place(source="array 1", offset_bytes=one) for one in here or (0,)]
    assert (slot.source, found.sources) == ("array 1", ("A", "B"))


def test_a_source_is_read_from_its_begin(tmp_path: Path) -> None:
    (tmp_path / "array").write_bytes(bytes(MIB) + b"volume" + bytes(MIB))
    part = Source(name="P", path=os.fspath(tmp_path / "array"), size_bytes=MIB, begin_bytes=MIB)
    assert read_source(part, 2, 4) == b"lume"
    assert read_source(part, MIB, 4) == b""
