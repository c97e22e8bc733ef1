"""Copies of members whose superblock says that they hold less data, so that md syncs them in seconds."""

import struct
from collections.abc import Mapping
from typing import Final

from raidtui.backends.md.growing.shapes import size_with
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in
from raidtui.backends.rehearsing import Rehearser
from raidtui.machine.md.superblock import place_of
from raidtui.machine.md.superblock_bytes import LENGTH, RESHAPES, is_of_version_1, summed
from raidtui.model.errors import BadInput
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Grow
from raidtui.model.superblock import of_array, reshapes
from raidtui.model.unit import Unit
from raidtui.model.units import SECTOR

_U32: Final = struct.Struct("<I")
_U64: Final = struct.Struct("<Q")
_FEATURES, _SIZE, _CHUNK, _RECOVERED, _RESYNCED = 8, 80, 88, 152, 208
_RECOVERS: Final = 2  # in the feature map
_IN_SYNC: Final = 2**64 - 1
_WHOLE: Final = frozenset({"raid0", "linear"})
"""Levels that use all of each member: what has no redundancy never syncs."""


class MdRehearser(Rehearser):
    """mdadm."""

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """A superblock of version 0.90, which says nothing of the size of the device, an array in a reshape, or on arrays."""
        array = array_in(unit)
        if array.below:
            return f"{shown_name(array)} lies on arrays, and what lies on these is not copied"
        found = of_array(array.uuid, machine.superblocks)
        if not found:
            return f"the superblocks of {shown_name(array)} could not be read"
        if old := {one.metadata for one in found.values()} - {"1.0", "1.1", "1.2"}:
            return f"{shown_name(array)} has superblocks of version {', '.join(sorted(old)) or 'unknown'}"
        if reshapes(found):
            return f"{shown_name(array)} is in a reshape, and its data is not where one superblock says"
        if any(one.journal for one in found.values()):
            return f"{shown_name(array)} has a journal, and what is in it is not copied"
        return ""

    def no_growth(self, unit: Unit, order: Grow) -> str:
        """All the new space of larger members would be synced."""
        return "it syncs all the new space of the members" if order.to_largest else ""

    def places(self, unit: Unit, machine: Machine) -> Mapping[str, tuple[int, int]]:
        """The superblock of each member."""
        sizes = {part.path: part.size_bytes for disk in machine.disks for part in disk.partitions}
        sizes |= {disk.path: disk.size_bytes for disk in machine.disks if disk.path}
        found = of_array(array_in(unit).uuid, machine.superblocks)
        return {
            path: (place, LENGTH)
            for path, one in found.items()
            if path in sizes and (place := place_of(one.metadata, sizes[path])) is not None
        }

    def lessened(self, content: bytes, member_bytes: int) -> bytes:
        """The superblock with another size, and its checksum; a sync that was under way begins again."""
        made = bytearray(content)
        features = _U32.unpack_from(made, _FEATURES)[0]
        if not is_of_version_1(content) or features & RESHAPES:
            raise BadInput("a member changed while it was copied: it has no superblock that can be used")
        size = _U64.unpack_from(made, _SIZE)[0]
        if not size:
            return content  # its level is one of `_WHOLE`
        chunk = max(1, _U32.unpack_from(made, _CHUNK)[0])
        _U64.pack_into(made, _SIZE, min(size, member_bytes // SECTOR) // chunk * chunk)
        if features & _RECOVERS:
            _U64.pack_into(made, _RECOVERED, 0)
        if _U64.unpack_from(made, _RESYNCED)[0] != _IN_SYNC:
            _U64.pack_into(made, _RESYNCED, 0)
        return summed(made)


def lessened_bytes(array: Array, member_bytes: int) -> int:
    """What ``array`` holds when its members are `MdRehearser.lessened`."""
    if array.level in _WHOLE:
        return array.size_bytes
    chunk = max(SECTOR, array.chunk_bytes)
    return size_with(array, array.raid_disks, min(array.component_bytes, member_bytes) // chunk * chunk)


REHEARSER: Final = MdRehearser()
