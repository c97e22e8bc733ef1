"""Members whose device has become smaller than the data on it: md refuses them, and no command makes it take them. Pure."""

from collections.abc import Mapping
from typing import Final

from raidtui.backends.care import called, end_hidden
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine, Partition
from raidtui.model.superblock import Superblock
from raidtui.model.units import binary

# Their superblock is found from the beginning of the device; of the others, from its end, so that none is found then.
_AT_THE_BEGINNING: Final = frozenset({"1.1", "1.2"})


def shrunk(stored: Mapping[str, Superblock], machine: Machine) -> dict[str, Remedy]:
    """What to do about each such member, by path; ``stored``: the superblocks of an array."""
    found = {}
    for disk in machine.disks:
        devices: tuple[Disk | Partition, ...] = (disk, *disk.partitions)
        for device in devices:
            one = stored.get(device.path)
            if one is None or one.metadata not in _AT_THE_BEGINNING:
                continue
            needed = one.data_offset_bytes + one.data_bytes
            if device.size_bytes < needed:  # super_1_load() in drivers/md/md.c
                found[device.path] = Remedy(text=_words(disk, device, needed))
    return found


def usable(stored: Mapping[str, Superblock], machine: Machine) -> dict[str, Superblock]:
    """Those that md takes."""
    small = shrunk(stored, machine)
    return {path: one for path, one in stored.items() if path not in small}


def _words(disk: Disk, device: Disk | Partition, needed: int) -> str:
    if isinstance(device, Disk):
        return end_hidden(disk, needed, "md refuses it")
    sizes = f"{binary(device.size_bytes)}, and its data needs {binary(needed)}, so md refuses it"
    sector = disk.logical_sector_bytes
    last = -(-(device.start_bytes + needed) // sector) - 1
    return (
        f"partition {device.number} of {called(disk)} has {sizes}. Somebody changed the partition table: let the partition end at "
        f"sector {last} or later (sfdisk), with the beginning that it has, {device.start_bytes // sector}. Change nothing else on it"
    )
