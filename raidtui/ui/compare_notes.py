"""What stands below results that are side by side: what is proved, and what is not the same. Pure."""

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from raidtui.model.text import harmless
from raidtui.results.compare import Comparison, Row, letter
from raidtui.results.verdicts import LEGEND

_WORDS: Final = {"undecided": "no significant difference"}
NOTE: Final = f"* best of its row. Factors: {LEGEND}"


def is_open(found: Comparison, columns: int, width: int, height: int) -> bool:
    """Whether there is room for the factors of every row below their figures."""
    remarks = sum(1 + len(remark) // width for remark in found.remarks)
    others = 3 + columns + 1 + 3 + 3 + remarks  # shell, legend, proof, note
    return height >= others + 1 + 2 * len(found.rows)


def note(found: Comparison, width: int, *, tall: bool) -> Content:
    """What the signs mean and the first remark; all remarks where the screen is ``tall``."""
    parts: list[tuple[str, str] | str] = [(NOTE, "$text-muted")]
    if found.assumption:
        parts.append((f"\n{found.assumption}", "$text-muted"))
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
    """What the runs of one row prove about each result against the baseline; ``brief``: no intervals."""
    base = letter(comparison.baseline)
    said = []
    for number in shown:
        cell = row.cells[number]
        if number == comparison.baseline or cell.factor is None or cell.interval is None:
            continue
        low, high = cell.interval
        word = _WORDS.get(cell.verdict, cell.verdict)
        said.append(
            f"{letter(number)} {word} {cell.factor:.2f}x" + ("" if brief else f" ({low:.2f} to {high:.2f})")
        )
    unit = "IOPS" if row.unit == "ios" else "MB/s"
    what = "; ".join(said) or "no verdict: too few comparable runs"
    return Content.assemble((f"{row.name} {row.direction} against {base} ({unit}): ", "bold"), what)


def findings(comparison: Comparison) -> Content:
    """All there is to say: what is not the same, the conclusions over the grid, and what they assume."""
    said = [
        *((sentence, "") for sentence in (*comparison.conclusions, comparison.assumption) if sentence),
        *((f"! {remark}", "$text-warning") for remark in comparison.remarks),
    ]
    return Content("\n\n").join([Content.styled(harmless(text), style) for text, style in said])
