"""The texts around a comparison: conclusions, verdicts, and differences between the results. Pure."""

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from raidtui.model.text import harmless
from raidtui.results.compare import Comparison, Row, letter, sentences
from raidtui.results.verdicts import LEGEND
from raidtui.ui.results.compare_lines import Metric

_FEW: Final = 6  # maximum results whose conclusions fit above the table
_NOT_RATES: Final = frozenset({"mean", "p99", "amplification"})  # these have no verdict
_WORDS: Final = {"undecided": "not significant"}
NOTE: Final = f"* best of its row. Factors: {LEGEND}"
NO_VERDICTS: Final = "* best of its row. Only MB/s and IOPS have verdicts (top line)."


def is_open(found: Comparison, columns: int, width: int, height: int) -> bool:
    """Whether there is room for the factors of all rows below their figures."""
    remarks = sum(1 + len(remark) // width for remark in found.lettered)
    others = 3 + 2 + columns + 1 + 3 + 3 + remarks  # shell, verdict, legend, proof, note
    return height >= others + 1 + 2 * len(found.rows)


def note(found: Comparison, metric: Metric, width: int, *, tall: bool) -> Content:
    """The legend of the signs and the first remark; all remarks if the screen is ``tall``."""
    legend = NO_VERDICTS if metric.name in _NOT_RATES else NOTE
    parts: list[tuple[str, str] | str] = [(legend, "$text-muted")]
    if found.assumption:
        parts.append((f"\n{found.assumption}", "$text-muted"))
    shown = found.lettered if tall else found.lettered[:1]
    more = len(found.lettered) - len(shown)
    for number, remark in enumerate(shown):
        others = f" (and {more} more: w)" if more and number == len(shown) - 1 else ""
        text = harmless(remark)
        room = width - 1 - len(others)
        text = text if len(text) <= room or tall else f"{text[: room - 1]}…"
        parts.append((f"\n! {text}{others}", "$text-warning"))
    return Content.assemble(*parts)


def headline(found: Comparison, *, tall: bool) -> Content:
    """The conclusions: in full for two results, or a few if the screen is ``tall``; else which are faster or slower."""
    if len(found.columns) == 2 or (tall and len(found.columns) <= _FEW):
        return Content("\n").join([Content.styled(harmless(one), "bold") for one in sentences(found)])
    words = {
        "faster": "faster",
        "slower": "slower",
        "mixed": "both",
        "equal": "the same",
        "": "not comparable",
    }
    letters: dict[str, list[str]] = {}
    for number, column in enumerate(found.columns):
        if column.overall is not None:
            word = words.get(column.overall.verdict, "not significantly different")
            letters.setdefault(word, []).append(letter(number))
    text = "; ".join(f"{', '.join(names)} {word}" for word, names in letters.items())
    return Content.styled(f"Against {letter(found.baseline)}: {text}", "bold")


def verdicts(
    comparison: Comparison, row: Row, metric: Metric, *, brief: bool, shown: Sequence[int]
) -> Content:
    """The marked row against the baseline, in the shown metric; rates with their verdict.

    ``brief``: without the intervals.
    """
    base = letter(comparison.baseline)
    parts = []
    for number in shown:
        cell = row.cells[number]
        if number == comparison.baseline:
            continue
        if metric.name in _NOT_RATES:
            value, other = metric.value(cell), metric.value(row.cells[comparison.baseline])
            parts += [f"{letter(number)} {value / other:.2f}x"] if value is not None and other else []
        elif cell.factor is not None and cell.interval is not None:
            low, high = cell.interval
            span = "" if brief else f" ({low:.2f} to {high:.2f})"
            parts.append(
                f"{letter(number)} {_WORDS.get(cell.verdict, cell.verdict)} {cell.factor:.2f}x{span}"
            )
    unit = metric.name if metric.name in _NOT_RATES else "IOPS" if row.unit == "ios" else "MB/s"
    what = "; ".join(parts) or "no verdict: too few comparable runs"
    return Content.assemble((f"{row.name} {row.direction} against {base} ({unit}): ", "bold"), what)


def findings(comparison: Comparison) -> Content:
    """The conclusions over the whole grid, their assumption, and all differences between the results."""
    paragraphs = [
        *((sentence, "") for sentence in (*sentences(comparison), comparison.assumption) if sentence),
        *((f"! {remark}", "$text-warning") for remark in comparison.lettered),
    ]
    return Content("\n\n").join([Content.styled(harmless(text), style) for text, style in paragraphs])
