"""Rows and details of the Health screen. Pure."""

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from raidtui.advice.disk_health import DiskHealth, Verdict, long_test_words
from raidtui.model.text import harmless
from raidtui.model.units import age_words
from raidtui.ui.bench.curves import squeezed
from raidtui.ui.widgets.rows import Column, Row

STYLES: Final = {
    Verdict.OK: "$text-success",
    Verdict.WATCH: "bold $text-warning",
    Verdict.REPLACE: "bold $text-error",
    Verdict.UNKNOWN: "$text-muted",
}
_ORDER: Final = (Verdict.REPLACE, Verdict.WATCH)
_SPARK: Final = 10  # cells
_RAMP: Final = "_.-=+*#"  # from the lowest value to the highest

COLUMNS: Final = (
    Column("Verdict", 8),
    Column("Disk", 5),
    Column("Serial", 9, share=1, keep_end=True),
    Column("Age", 5, right=True),
    Column("°C", 3, right=True),
    Column("", _SPARK),
    Column("Worst value", 15, share=3),
    Column("", _SPARK),
)


def row(one: DiskHealth) -> Row:
    """A line for a disk: the verdict first, what became of its temperature and worst value drawn beside them."""
    smart = one.smart
    warmth = smart.temperature_celsius if smart is not None else None
    cells = (
        one.verdict.value,
        one.path.removeprefix("/dev/"),
        harmless(one.disk) or "no serial",
        age_words(smart.power_on_hours if smart is not None else None) or "-",
        "-" if warmth is None else str(warmth),
        spark([row.temperature_celsius for row in one.rows]),
        _worst(one),
        spark([getattr(row, one.worst) for row in one.rows]) if one.worst else "",
    )
    return Row(key_of(one), cells, (STYLES[one.verdict], *("",) * (len(cells) - 1)))


def _worst(one: DiskHealth) -> str:
    if one.verdict is Verdict.UNKNOWN:
        return one.words or "-"
    return one.words.partition(" (")[0] or harmless(one.why) or "no errors"


def rank(one: DiskHealth) -> int:
    """A key to sort by: what needs attention must not be out of sight."""
    return _ORDER.index(one.verdict) if one.verdict in _ORDER else len(_ORDER)


def key_of(one: DiskHealth) -> str:
    return one.path or one.disk


def spark(values: Sequence[int | None]) -> str:
    """A curve in one line, from the lowest value to the highest; empty for fewer than two values, or if all are equal.

    Its marks are ASCII, which every console font has; block elements of eight heights are in few of them.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2 or min(known) == max(known):
        return ""
    low, span = min(known), max(known) - min(known)
    return "".join(_RAMP[round((value - low) / span * (len(_RAMP) - 1))] for value in squeezed(known, _SPARK))


def details(one: DiskHealth, to_do: Sequence[str] = ()) -> Content:
    """What is known of the highlighted disk, and what to do about it."""
    at = f", {harmless(one.place)}" if one.place else ""
    parts = [
        Content.assemble(
            (f"{one.verdict.value} ", STYLES[one.verdict]),
            (f"{harmless(one.disk) or 'no serial'} ", "bold"),
            f"({one.path.removeprefix('/dev/')}, {harmless(one.model) or 'unknown model'}{at})",
        )
    ]
    if one.why:
        parts.append(Content(harmless(one.why)))
    parts += [Content(f"To do: {text}") for text in to_do]
    if tested := long_test_words(one.smart):
        parts.append(Content(f"Last long self-test: {tested}"))
    days = len(one.rows)
    parts.append(
        Content.styled(
            f"{days} days recorded, since {one.rows[0].day}"
            if days > 1
            else "No history yet: a row is recorded each day by the timer of 'raidtui alerts'",
            "$text-muted",
        )
    )
    return Content("\n").join(parts)
