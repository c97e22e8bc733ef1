"""Where the partitions of a device lie, by its table, though the kernel shows none: those of an array of a trial. Read only."""

import os
from typing import Final

from raidtui.machine.ask import Ask, ask_patiently
from raidtui.machine.contents.begins_at import begins_at
from raidtui.machine.contents.gpt_copy import partitions_of_gpt
from raidtui.machine.contents.mbr import mbr_entries
from raidtui.model.struct import Record
from raidtui.model.units import MIB, SECTOR

_SECTOR_SIZES: Final = (512, 4096)
_NO_DATA: Final = frozenset({0, 0x05, 0x0F, 0xEE})  # types of an MBR: none, extended, of a GPT


class Range(Record, frozen=True, kw_only=True):
    """A range of a device, in bytes."""

    begin: int
    length: int


def read_partitions(path: str, *, ask: Ask = ask_patiently) -> tuple[Range, ...]:
    """The partitions in the table of ``path``, of a GPT also by its copy alone; none if it cannot be read.

    Without a table, what begins where a first partition does, if anything known does: the table may have been overwritten.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ()
    try:
        size = os.lseek(fd, 0, os.SEEK_END)
        found = [
            Range(begin=first * sector, length=(last + 1 - first) * sector)
            for sector in _SECTOR_SIZES
            for first, last in partitions_of_gpt(fd, size, sector)
        ]
        found = found or [
            Range(begin=first * SECTOR, length=count * SECTOR)
            for kind, first, count in mbr_entries(os.pread(fd, SECTOR, 0))
            if kind not in _NO_DATA
        ]
        begins = None if found else begins_at(fd, path, MIB, ask=ask)
        if begins is not None and begins.fits(size - MIB):
            found = [Range(begin=MIB, length=size - MIB)]
        return tuple(one for one in found if 0 < one.begin < one.begin + one.length <= size)
    except OSError:
        return ()
    finally:
        os.close(fd)
