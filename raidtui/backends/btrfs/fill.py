"""Mounted filesystems whose metadata has no room to grow: nothing can be written then, though df shows free space. Pure.

Sources: btrfs(5), FILESYSTEM LIMITS and GLOBAL RESERVE; measured on Linux 6.1: at 93 % with the reserve, mkdir fails.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from raidtui.backends.btrfs.grow_conditions import room_for
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
_RESERVED: Final = 2 * MIB  # the first MiB of a device is never allocated, and less than another is no room


def filling(machine: Machine) -> Iterator[Finding]:
    """A finding for each filesystem whose metadata is nearly full, and on whose devices no further chunk has room."""
    reading, units = reading_in(machine), units_of(machine)
    for found in reading.filesystems if reading is not None else ():
        part = found.metadata_used_bytes / found.metadata_bytes if found.metadata_bytes else 0.0
        if part < _FILLING or not full_devices(found, found.metadata):
            continue
        unit = next(one for one in units if one.uuid == found.uuid)
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.FULL if part >= _FULL else Kind.FILLING,
            what=f"Btrfs {harmless(unit.shown)}: its metadata is {share(min(1.0, part))} full, and too few devices have room for more of it",
            unit=unit.uuid,
            remedies=(
                Remedy(
                    text="delete what is not needed, old snapshots first. Free chunks of data that are hardly used (-dusage in "
                    "btrfs-balance(8)). Or let it grow: raidtui grow says by how many disks at least"
                ),
            ),
        )


def fits_without_missing(found: Filesystem) -> bool:
    """Whether the devices that are here hold all chunks, and a tenth more; False if that is not known.

    Measured on Linux 6.1: without that room, ``btrfs device remove missing`` leaves the filesystem read-only.
    """
    here = [one.size_bytes for one in found.devices if not one.missing]
    held = sum(one.allocated_bytes for one in found.devices)
    known = all(one.size_bytes for one in found.devices)
    copies = max((PROFILES[one].copies for one in found.data if one in PROFILES), default=1)
    return known and held // copies <= room_for(here, copies) * 9 // 10


def full_devices(found: Filesystem, profiles: Iterable[str]) -> list[str]:
    """The devices without unallocated space, if the others are fewer than a new chunk of one of ``profiles`` takes.

    None if it is not known, or if there is room for such a chunk.
    """
    least = max((PROFILES[one].least for one in profiles if one in PROFILES), default=1)
    here = [one for one in found.devices if one.path]
    full = [one for one in here if one.size_bytes and one.size_bytes - one.allocated_bytes <= _RESERVED]
    return [one.path.removeprefix("/dev/") for one in full] if len(here) - len(full) < least else []
