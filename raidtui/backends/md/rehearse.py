"""Copies of members whose superblock says that they hold less data, so that md syncs them in seconds.

The superblock of version 1 is `struct mdp_superblock_1` of Linux's include/uapi/linux/raid/md_p.h.
"""

import struct
from collections.abc import Mapping
from typing import Final

from raidtui.backends.md.growing.shapes import size_with
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in
from raidtui.backends.rehearsing import Rehearser
from raidtui.model.errors import BadInput
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Grow
from raidtui.model.superblock import of_array, reshapes
from raidtui.model.unit import Unit
from raidtui.model.units import KIB, SECTOR

_MAGIC: Final = 0xA92B4EFC
_LENGTH: Final = 4 * KIB
_HEAD: Final = 256  # bytes; the roles of the members follow, two bytes each
_U32: Final = struct.Struct("<I")
_U64: Final = struct.Struct("<Q")
_FEATURES, _SIZE, _CHUNK, _RECOVERED, _RESYNCED, _SUM, _ROLES = 8, 80, 88, 152, 208, 216, 220
_RECOVERS, _RESHAPES = 2, 4  # in the feature map
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
            path: (_offset(one.metadata, sizes[path]), _LENGTH)
            for path, one in found.items()
            if path in sizes
        }

    def lessened(self, content: bytes, member_bytes: int) -> bytes:
        """The superblock with another size, and its checksum; a sync that was under way begins again."""
        made = bytearray(content)
        magic, version = struct.unpack_from("<II", made)
        features = _U32.unpack_from(made, _FEATURES)[0]
        if (magic, version) != (_MAGIC, 1) or features & _RESHAPES:
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
        _U32.pack_into(made, _SUM, 0)
        _U32.pack_into(made, _SUM, _sum(bytes(made)))
        return bytes(made)


def lessened_bytes(array: Array, member_bytes: int) -> int:
    """What ``array`` holds when its members are `MdRehearser.lessened`."""
    if array.level in _WHOLE:
        return array.size_bytes
    chunk = max(SECTOR, array.chunk_bytes)
    return size_with(array, array.raid_disks, min(array.component_bytes, member_bytes) // chunk * chunk)


def _offset(version: str, size: int) -> int:
    """Where the superblock of a member of ``size`` bytes is, as super_1_load has it."""
    if version == "1.0":
        return (size // SECTOR - 16 & ~7) * SECTOR
    return 4 * KIB if version == "1.2" else 0


def _sum(content: bytes) -> int:
    """The checksum of a superblock whose own field is zero, as calc_sb_1_csum computes it."""
    length = _HEAD + 2 * min(_U32.unpack_from(content, _ROLES)[0], (_LENGTH - _HEAD) // 2)
    total: int = sum(word for (word,) in _U32.iter_unpack(content[: length // 4 * 4]))
    if length % 4:
        total += int.from_bytes(content[length - 2 : length], "little")
    return (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF


REHEARSER: Final = MdRehearser()
