"""The rows of the list of results to pick from. Pure."""

from typing import Final

from raidtui.model.text import harmless, spelled
from raidtui.model.units import millions
from raidtui.results.summary import Summary
from raidtui.ui.shell import clock
from raidtui.ui.widgets.rows import Column, Row

COLUMNS: Final = (
    Column("", 6),
    Column("Label", 24, share=3),
    Column("Measured", 16),
    Column("What", 11, share=1),
    Column("Read", 8, right=True),
    Column("Write", 8, right=True),
)
PUBLISHED: Final = (  # published results have only a year, and a longer label
    Column("", 6),
    Column("Label", 30, share=2),
    Column("Year", 4),
    Column("What", 11, share=1),
    Column("Read", 9, right=True),
    Column("Write", 9, right=True),
)
_STYLES: Final = ("bold $text-accent", "", "$text-muted", "", "", "")


def when(created: str) -> str:
    """The time in local time; a published result may have only a year, or nothing."""
    return clock.local(created) if "T" in created else created


def plain_row(summary: Summary) -> Row:
    """The row of a result that is not picked."""
    # Name a backend only once if it is its own filesystem: "ZFS stripe".
    shape, filesystem = spelled(summary.level), summary.filesystem
    is_its_own = shape.lower().startswith(f"{filesystem} ")
    what = (shape if is_its_own else f"{shape} {filesystem}").strip() or summary.target
    return Row(
        summary.id,
        (
            "",
            harmless(summary.label or summary.id),
            when(summary.created),
            harmless(what),
            _megabytes(summary.read_bytes_per_second),
            _megabytes(summary.write_bytes_per_second),
        ),
        _STYLES,
    )


def picked_row(row: Row, place: int, *, base: bool) -> Row:
    """The same row, marked as the ``place``-th pick, counted from 1."""
    return Row(row.key, (f"{place}{' base' if base else ''}", *row.cells[1:]), row.styles)


def _megabytes(bytes_per_second: float) -> str:
    return millions(bytes_per_second) if bytes_per_second else "-"
