"""The columns of the list of disks, and which of them are shown."""

from collections.abc import Sequence
from typing import Final

from raidtui.ui.widgets.rows import Column, Row


def place_column(disks: int = 0) -> Column:
    """The column with each disk's place among the chosen ones: ``[12]``; wide enough for ``disks`` of them."""
    return Column("", max(4, len(f"[{disks}]")), right=True)


COLUMNS: Final = (
    place_column(),
    Column("Disk", 7),
    Column("Model", 12, share=2),
    Column("Serial", 12, share=1, keep_end=True),
    Column("Size", 7, right=True),
    Column("Port", 6),
    Column("Age", 7, right=True),
    Column("Temp", 6, right=True),
    Column("Health", 7),
    Column("State", 18, share=4),
)
WIDE_LIST: Final = 100  # cells of a list with room for all columns
_WIDE: Final = frozenset({5, 6, 7})  # indices of those for which a narrower one has no room
_OPTIONAL: Final = _WIDE | {8}  # and of those that are left out if no disk has a value


def fitting(rows: Sequence[Row], *, wide: bool) -> tuple[list[Row], list[Column]]:
    """The rows and columns without what is empty or, unless ``wide``, has no room."""
    kept = [
        index
        for index in range(len(COLUMNS))
        if (wide or index not in _WIDE)
        and not (index in _OPTIONAL and all(row.cells[index] in {"", "-"} for row in rows))
    ]
    columns = (place_column(len(rows)), *COLUMNS[1:])
    return [_only(row, kept) for row in rows], [columns[index] for index in kept]


def _only(row: Row, kept: Sequence[int]) -> Row:
    styles = row.styles if len(row.styles) == 1 else tuple(row.styles[index] for index in kept)
    return Row(row.key, tuple(row.cells[index] for index in kept), styles)
