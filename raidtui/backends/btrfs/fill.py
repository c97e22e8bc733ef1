"""Mounted filesystems whose metadata has no room to grow: nothing can be written then, though df shows free space. Pure.

Sources: btrfs(5), FILESYSTEM LIMITS and GLOBAL RESERVE; measured on Linux 6.1: at 93 % with the reserve, mkdir fails.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.space import PROFILES
from raidtui.backends.btrfs.units import units_of
from raidtui.model.chance import share
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.unit_names import command_word
from raidtui.model.units import MIB

_FILLING: Final = 0.75
_FULL: Final = 0.90
_ROOM: Final = 16 * MIB  # less on a device is no room for a chunk worth the name


def filling(machine: Machine) -> Iterator[Finding]:
    """A finding for each filesystem whose metadata is nearly full, and on whose devices no further chunk has room."""
    reading, units = reading_in(machine), units_of(machine)
    for found in reading.filesystems if reading is not None else ():
        part = found.metadata_used_bytes / found.metadata_bytes if found.metadata_bytes else 0.0
        if part < _FILLING or _has_room(found):
            continue
        unit = next(one for one in units if one.uuid == found.uuid)
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.FULL if part >= _FULL else Kind.FILLING,
            what=f"Btrfs {harmless(unit.shown)}: its metadata is {share(min(1.0, part))} full, and no device has room for more of it",
            unit=unit.uuid,
            remedies=(
                Remedy(
                    text="delete what is not needed, old snapshots first, and free chunks of data that are hardly used (-dusage in "
                    "btrfs-balance(8)); or let it grow: raidtui grow says by how many disks at least"
                ),
            ),
        )


def _has_room(found: Filesystem) -> bool:
    """Whether enough devices have unallocated space for another chunk of metadata; also if that is not known."""
    least = max((PROFILES[one].least for one in found.metadata if one in PROFILES), default=1)
    free = [one.size_bytes - one.allocated_bytes >= _ROOM for one in found.devices if not one.missing]
    known = all(one.size_bytes and one.allocated_bytes for one in found.devices if not one.missing)
    return not known or sum(free) >= least
