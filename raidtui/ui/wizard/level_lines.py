"""A layout as a row of the list, and the lines around it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.model.chance import share
from raidtui.model.units import both, decimal, spell_size
from raidtui.ui.widgets.bars import parts_bar
from raidtui.ui.widgets.parts import Parts
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.level_names import chunk_words, is_built, key_of, level_name
from raidtui.ui.wizard.level_words import refusal, second_words, sizes, survives

if TYPE_CHECKING:
    from raidtui.advice.report import Report
    from raidtui.model.spec import Backend

_LEAST_BAR, _MOST_BAR = 12, 40  # cells
WIDE = 110  # columns of a terminal with room for longer texts

_BAR = {"#": "$text-success", "=": "$text-warning", ".": "$text-muted"}
_LEGEND: Parts = [
    ("#", _BAR["#"]),
    " data  ",
    ("=", _BAR["="]),
    " protection  ",
    (".", _BAR["."]),
    " not used",
]


def columns(wish: str, *, every: bool, width: int) -> tuple[Column, ...]:
    """The columns for a terminal of this width, with an arrow at the sorted one."""

    def title(text: str, of: str, arrow: str) -> str:
        return f"{text} {arrow}" if wish == of else text

    wide = width >= WIDE
    return (
        *((Column("Backend", 9),) if every else ()),
        Column("Level", 9),
        Column(title("Usable", "space", "▼"), 19 if wide else 8, right=True),
        Column("", bar_cells(width, every=every)),
        *((Column("Overhead", 8, right=True),) if wide else ()),
        Column("Survives", 8),
        *((Column("If a 2nd fails", 14),) if wide else ()),
        Column("5-yr risk ▲" if wish == "safety" else "5-year risk", 11),
        Column(title("Read", "speed", "▼"), 6),
        Column("Write", 5),
        Column("", 1),
    )


def bar_cells(width: int, *, every: bool) -> int:
    """The width of the bar: what the other columns leave, within limits."""
    others = (10 if every else 0) + 10 + 9 + 9 + 12 + 7 + 6 + 1 + (35 if width >= WIDE else 0)
    return max(_LEAST_BAR, min(_MOST_BAR, width - 4 - others))


def row(report: "Report", disks_bytes: int, *, every: bool, width: int, recommended: bool = False) -> Row:
    """The row of a layout, or why it cannot be built. ``disks_bytes``: the size of all disks, including spares."""
    from raidtui.advice.risk import five_year_words
    from raidtui.backends.arithmetic.ideal import factor

    head = (str(report.backend), level_name(report)) if every else (level_name(report),)
    lives, best = report.survives, report.ideal
    if report.refused is not None or lives is None or best is None:
        return Row(key_of(report), (*head, refusal(report)), ("$text-muted",))
    built, wide = is_built(report), width >= WIDE
    bar = space_bar(report, disks_bytes, bar_cells(width, every=every))
    styled = [
        *((name, "bold" if built else "$text-muted") for name in head),
        (both(report.usable_bytes) if wide else decimal(report.usable_bytes), ""),
        (bar, ""),
        *(((share(report.overhead), ""),) if wide else ()),
        (survives(lives), "" if lives.guaranteed else "$text-error"),
        *(((second_words(lives), ""),) if wide else ()),
        (five_year_words(report.risk) if report.risk else "unknown", ""),
        (factor(best.seq_read), ""),
        (factor(best.seq_write), ""),
        ("*" if recommended else "", "bold $text-success"),
    ]
    cells, styles = zip(*styled, strict=True)
    return Row(key_of(report), cells, styles, marks=(len(head) + 1, _BAR))


def space_bar(report: "Report", disks_bytes: int, width: int) -> str:
    """A bar of all disks: data, protection (copies, parity and spares), and what is not used."""
    lost = disks_bytes - sum(use.size_bytes for use in (*report.members, *report.spares))
    lost += sum(use.wasted_bytes for use in report.members)
    lost += report.array_bytes - report.usable_bytes
    data = report.usable_bytes
    return parts_bar((data, max(0, disks_bytes - data - lost), max(0, lost)), "#=.", width)


def legend(of_each: Sequence[int], report: "Report | None", chunk: int, *, home: "Backend") -> Content:
    """The disks by size, the chunk in the words of the highlighted layout's backend, and the legend of the bars.

    A level of ``home``, the usual backend, shows the chunk of the other levels if it has none.
    """
    words = f"{chunk_words(report) if report else 'chunk'} ←→ {spell_size(chunk)}"
    if report is not None and report.backend is not home and not report.chunk_bytes:
        words = ""
    return Content.assemble(", ".join(filter(None, (sizes(of_each), words))), "   ", *_LEGEND)


def page(*groups: Parts) -> Content:
    """Join groups of lines into one text."""
    return Content.assemble(*(part for group in groups for part in group))
