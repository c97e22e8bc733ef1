"""What stands below results that are side by side: what is proved, and what is not the same. Pure."""

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from raidtui.model.text import harmless
from raidtui.results.compare import Comparison, Row, letter

NOTE: Final = "* best of its row. Factors: + faster, - slower, = equal, ? undecided"


def is_open(found: Comparison, columns: int, width: int, height: int) -> bool:
    """Whether there is room for the factors of every row below their figures."""
    remarks = sum(1 + len(remark) // width for remark in found.remarks)
    others = 3 + columns + 1 + 3 + 2 + remarks  # shell, legend, proof, note
    return height >= others + 1 + 2 * len(found.rows)


def note(found: Comparison, width: int, *, tall: bool) -> Content:
    """What the signs mean and the first remark; all remarks where the screen is ``tall``."""
    parts: list[tuple[str, str] | str] = [(NOTE, "$text-muted")]
    shown = found.remarks if tall else found.remarks[:1]
    more = len(found.remarks) - len(shown)
    for number, remark in enumerate(shown):
        others = f" (and {more} more: w)" if more and number == len(shown) - 1 else ""
        text = harmless(remark)
        room = width - 1 - len(others)
        text = text if len(text) <= room or tall else f"{text[: room - 1]}…"
        parts.append((f"\n! {text}{others}", "$text-warning"))
    return Content.assemble(*parts)


def verdicts(comparison: Comparison, row: Row, *, brief: bool, shown: Sequence[int]) -> Content:
    """What the single runs of one row prove about each result against the baseline; ``brief``: no intervals."""
    base = letter(comparison.baseline)
    said = []
    for number in shown:
        cell = row.cells[number]
        if number == comparison.baseline or cell.ratio is None:
            continue
        ratio = cell.ratio
        known = ratio.low is not None and ratio.high is not None
        span = f" ({ratio.low:.2f} to {ratio.high:.2f})" if known else " (too few runs)"
        said.append(f"{letter(number)} {cell.verdict} {ratio.middle:.2f}x{'' if brief else span}")
    what = "; ".join(said) or "no single runs to tell by"
    unit = "IOPS" if row.unit == "ios" else "MB/s"
    return Content.assemble((f"{row.name} {row.direction} against {base} ({unit}): ", "bold"), what)


def findings(comparison: Comparison) -> Content:
    """All that is to be said: what is not the same, what is proved over the grid, what each array costs and gives."""
    base = letter(comparison.baseline)
    said = [
        *((f"! {remark}", "$text-warning") for remark in comparison.remarks),
        *(
            (column.overall.words(f"{letter(number)} ({column.label or column.id})", base), "")
            for number, column in enumerate(comparison.columns)
            if column.overall is not None
        ),
        *((sentence, "") for sentence in comparison.worth),
    ]
    return Content("\n\n").join([Content.styled(harmless(text), style) for text, style in said])
