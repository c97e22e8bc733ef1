"""Data placement over bands: one zone for each array, on the disks that reach it."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.data_map import EMPTY, Arrangement, Cell, DataMap, Zone
from raidtui.backends.hybrid.bands import level_of
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.md.placement import data_map as md_map
from raidtui.model.text import spelled

_WORDS: Final = "Each band is an md array; one volume fills the arrays one after the other."


def data_map(wanted: Arrangement, rows: int) -> DataMap:
    """The first rows of each band. Bands are known by ``used``: a disk in one more band uses more."""
    disks = len(wanted.names)
    used = wanted.used or (1,) * disks
    ends = sorted(set(used))
    each = rows if len(ends) == 1 else max(1, rows // len(ends))
    zones: list[Zone] = []
    first = 0
    for number, end in enumerate(ends, 1):
        slots = tuple(slot for slot, size in enumerate(used) if size >= end)
        level = level_of(len(slots), redundancy_of(wanted.level))
        names = tuple(wanted.names[slot] for slot in slots)
        band = md_map(replace(wanted, level=level, layout="", names=names, used=()), each).zones[0]
        placed = tuple(_spread(row, slots, disks, first) for row in band.rows)
        title = f"band {number}: {spelled(level)} of {len(slots)}" if len(ends) > 1 else ""
        zones.append(Zone(title=title, rows=placed))
        first = 1 + max(cell.chunk for row in placed for cell in row)
    return DataMap(zones=tuple(zones), words=_WORDS)


def _spread(row: tuple[Cell, ...], slots: tuple[int, ...], disks: int, first: int) -> tuple[Cell, ...]:
    """A row of a band over all disks; its chunks count from ``first``."""
    cells = [EMPTY] * disks
    for slot, cell in zip(slots, row, strict=True):
        cells[slot] = cell._replace(chunk=cell.chunk + first) if cell.kind == "data" else cell
    return tuple(cells)
