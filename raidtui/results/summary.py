"""A result in one line, for lists."""

from typing import TYPE_CHECKING

from raidtui.model.struct import Record

if TYPE_CHECKING:  # a list of thousands is read without the documents
    from raidtui.model.result import Cell, Result


class Summary(Record, frozen=True, gc=False):  # a list may have 100 000
    """What a list of results shows of each. The rates are those of the grid's first row, 0 if not measured."""

    id: str
    label: str
    created: str  # ISO 8601, UTC
    profile: str
    target: str
    array: str = ""
    level: str = ""  # raid5, lvm striped
    filesystem: str = ""
    read_bytes_per_second: float = 0.0
    write_bytes_per_second: float = 0.0


def summarise(result: "Result") -> Summary:
    unit = result.context.unit
    return Summary(
        id=result.id,
        label=result.label,
        created=result.created,
        profile=result.profile,
        target=result.context.target,
        array=unit.name if unit else "",
        level=unit.kind if unit and unit.level else "",
        filesystem=result.context.filesystem,
        read_bytes_per_second=_first(result.cells, "read"),
        write_bytes_per_second=_first(result.cells, "write"),
    )


def _first(cells: "tuple[Cell, ...]", direction: str) -> float:
    return next((cell.bytes_per_second for cell in cells if cell.direction == direction), 0.0)
