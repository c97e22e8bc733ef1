"""In which ways a lost volume group on arrays may be put together: first the arrays, then the group on them.

The superblocks of a member name its array. Where they are gone, members with the same number of a partition are one
array, and the other arrays on the same disks show its chunk and the order of the disks. Writes nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from raidtui.backends.lvm.reading import group_in
from raidtui.backends.lvm.recover import RECOVERER as LVM
from raidtui.backends.md.geometry import data_offset_sectors
from raidtui.backends.md.recover import RECOVERER as MD
from raidtui.backends.md.recovery.stored import Stored, read_stored
from raidtui.backends.recovering import Recoverer, Wanted
from raidtui.machine.md.health import is_failed
from raidtui.machine.md.stopped import stopped_in
from raidtui.model.machine import Machine
from raidtui.model.recovery import Candidate, Source
from raidtui.model.superblock import Superblock
from raidtui.model.unit import Unit
from raidtui.model.units import SECTOR
from raidtui.model.uuids import same_uuid
from raidtui.steps.partitions import OF_MEMBERS

_PART: Final = re.compile(r"(.*)-part(\d+)")


class _OnArrays(Recoverer):
    """See `raidtui.backends.recovering.Recoverer`."""

    register = ()
    inside = "LVM2_member"

    def release(self, uuid: str) -> tuple[str, ...]:
        return LVM.release(uuid)

    def devices(self, unit: Unit, machine: Machine) -> tuple[str, ...]:
        by_name = _named(unit.name)
        found = group_in(unit, machine)
        # LVM does not see what is on an array that does not run.
        out = {
            one.uuid
            for one in (*machine.arrays, *stopped_in(machine))
            if found is not None and found[1].missing and (not one.started or is_failed(one))
        }
        below = {*unit.below, *out}
        return _members(machine, lambda one: by_name(one) or any(same_uuid(one.uuid, uuid) for uuid in below))

    def called(self, word: str, machine: Machine) -> tuple[str, ...]:
        return _members(machine, _named(word))

    def arrays(
        self, sources: Sequence[Source], wanted: Wanted, most: int
    ) -> Mapping[str, tuple[Candidate, ...]]:
        stored = {one.name: found for one in sources if (found := read_stored(one)) is not None}
        return {
            name: _ways(members, stored, wanted, most) for name, members in _grouped(sources, stored).items()
        }

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        return LVM.by_superblocks(sources, wanted)

    def by_order(self, sources: Sequence[Source], wanted: Wanted, most: int) -> tuple[Candidate, ...]:
        return LVM.by_order(sources, wanted, most)

    def members(self, sources: Sequence[Source]) -> Mapping[str, str]:
        return {**LVM.members(sources), **MD.members(sources)}


RECOVERER: Final = _OnArrays()


def _named(word: str) -> Callable[[Superblock], bool]:
    """Whether an array has the name of one of several under the group ``word``."""
    pattern = re.compile(rf"(?:.*:)?{re.escape(word)}-\d")
    return lambda one: pattern.fullmatch(one.name) is not None


def _members(machine: Machine, meant: Callable[[Superblock], bool]) -> tuple[str, ...]:
    """The members of the arrays that are meant, and the other partitions on their disks that were made for members.

    Not those of other arrays that run: an array that does not run, or lost its superblocks, may be of the group.
    """
    found = [one.path for one in machine.superblocks if meant(one)]
    run = {one.uuid for one in machine.arrays if one.started}
    others = {one.path for one in machine.superblocks if any(same_uuid(one.uuid, uuid) for uuid in run)}
    for disk in machine.disks:
        if any(part.path in found for part in disk.partitions):
            made = [one.path for one in disk.partitions if one.type in OF_MEMBERS]
            found += [path for path in made if path not in others and path not in found]
    return tuple(found)


def _grouped(sources: Sequence[Source], stored: Mapping[str, Stored]) -> dict[str, list[Source]]:
    """The sources of each array, by a name for it; one without a superblock is with those of the same number."""
    names: dict[str, str] = {}  # array -> its name
    by_number: dict[str, str] = {}  # number of a partition -> array
    for one in sources:
        if one.name in stored:
            block = stored[one.name].superblock
            called = f"array {block.name.rpartition(':')[2] or block.uuid[:8]}"
            taken = any(name == called for uuid, name in names.items() if uuid != block.uuid)
            names.setdefault(block.uuid, f"{called} {block.uuid[:8]}" if taken else called)
            by_number.setdefault(_place(one.name)[1], block.uuid)
    found: dict[str, list[Source]] = {}
    for one in sorted(sources, key=lambda one: _place(one.name)[1]):
        number = _place(one.name)[1]
        array = stored[one.name].superblock.uuid if one.name in stored else by_number.get(number, "")
        found.setdefault(names.get(array, f"array of partitions {number}"), []).append(one)
    return found


def _place(name: str) -> tuple[str, str]:
    """The disk that the name of a member has, and the number of the partition; empty without one."""
    found = _PART.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


def _ways(
    members: Sequence[Source], stored: Mapping[str, Stored], wanted: Wanted, most: int
) -> tuple[Candidate, ...]:
    """In which ways an array may be put together: as its superblocks say, else in the likely orders."""
    if found := MD.by_superblocks(members, Wanted()):
        return tuple(one for one in found if one.rest is None)
    slots = {_place(name)[0]: one.superblock.slot for name, one in stored.items()}
    known = max(stored.values(), key=lambda one: one.superblock.events, default=None)
    chunk = wanted.chunk_bytes or (known.geometry.chunk_bytes if known is not None else 0)
    usual = data_offset_sectors(
        min(one.size_bytes for one in members) // SECTOR,
        metadata=known.superblock.metadata if known is not None else "1.2",
        chunk_bytes=chunk,
        consistency="bitmap",
    )
    offsets = (
        [wanted.offset_bytes]
        if wanted.offset_bytes >= 0
        else dict.fromkeys((usual * SECTOR, *(one.offset_bytes for one in stored.values())))
    )
    ordered = sorted(
        members, key=lambda one: (slots.get(_place(one.name)[0]) is None, slots.get(_place(one.name)[0]) or 0)
    )
    orders = [
        one
        for offset in offsets
        for one in MD.by_order(
            ordered, wanted._replace(unit="", chunk_bytes=chunk, offset_bytes=offset), most
        )
    ]
    return tuple(sorted(orders, key=lambda one: -one.confirmed)[:most])
