"""Data placement of a volume over several arrays."""

from msgspec.structs import replace

from raidtui.backends.data_map import Arrangement, Cell, DataMap
from raidtui.backends.lvm_on_md.levels import LEVELS
from raidtui.backends.md.placement import alike


def data_map(wanted: Arrangement, rows: int) -> DataMap:
    """The first ``rows`` rows; words only for several RAID0 arrays of unequal disks."""
    known, groups = LEVELS[wanted.level], wanted.groups
    width = len(wanted.names) // groups
    one = alike(known, replace(wanted, names=wanted.names[:width], used=wanted.used[:width]), rows)
    if groups == 1:
        return one
    named = ", ".join(f"{n * width + 1} to {(n + 1) * width}" for n in range(groups))
    order = "striped" if wanted.piece else "one after the other"
    words = f"{groups} arrays, disks {named}: {order}. {one.words}"
    if known.placement == "raid0" and len(set(wanted.used)) > 1:  # each array has its own zones
        return DataMap(words=words)
    return replace(_over_groups(one, groups, wanted.piece), words=words)


def _over_groups(one: DataMap, groups: int, piece: int) -> DataMap:
    """The map of a volume over arrays, each filled like ``one``.

    Args:
        piece: as in `Arrangement`; if 0, arrays are drawn as if they had no more rows than the map.
    """
    each = 1 + max(cell.chunk for zone in one.zones for row in zone.rows for cell in row)

    def placed(cell: Cell, group: int) -> Cell:
        if cell.kind != "data":
            return cell
        turn, within = divmod(cell.chunk, piece) if piece else (0, cell.chunk)
        before = (turn * groups + group) * piece if piece else group * each
        return cell._replace(chunk=before + within)

    def over(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
        return tuple(placed(cell, group) for group in range(groups) for cell in row)

    return replace(one, zones=tuple(replace(zone, rows=tuple(map(over, zone.rows))) for zone in one.zones))
