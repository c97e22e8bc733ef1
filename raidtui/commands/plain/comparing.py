"""Results side by side, in sentences: the conclusion first, then each row."""

from collections.abc import Sequence

from raidtui.commands.plain.asking import numbered, one_of
from raidtui.commands.plain.session import Session
from raidtui.model.errors import BadInput
from raidtui.model.text import harmless, spelled
from raidtui.model.units import rate
from raidtui.results.compare import Comparison, Row, compare, letter, sentences
from raidtui.results.side_by_side import figure_of
from raidtui.results.summary import Summary
from raidtui.ui.shell import clock, explained

_LISTED = 50  # results, the newest


def ask(session: Session) -> None:
    """Ask which results to compare, and say how they differ."""
    results, asking = session.world.list_results()[:_LISTED], session.asking
    if len(results) < 2:
        asking.say(f"Comparing needs two results; {len(results)} stored so far.")
        return
    asking.say("", "Results, newest first:", *numbered(map(sentence, results)))
    words = [one.id for one in results]

    def read(answer: str) -> Sequence[str]:
        found = [words[one_of(word, words)] for word in answer.replace(",", " ").split()]
        if len(found) < 2 or len(set(found)) < len(found):
            raise BadInput("type the numbers of two or more results; the first is the baseline")
        return found

    chosen = asking.until(
        "Numbers of two or more results, the baseline first",
        read,
        explain=lambda: explained.in_words(explained.COMPARE),
    )
    asking.say(*said(compare([session.world.get_result(word) for word in chosen])))


def said(comparison: Comparison) -> list[str]:
    lines = ["", *(f"{harmless(one)}." for one in sentences(comparison))]
    for number, column in enumerate(comparison.columns):
        base = ", the baseline" if number == comparison.baseline else ""
        about = ", ".join(
            filter(None, (harmless(column.label or column.id), harmless(spelled(column.layout))))
        )
        lines.append(f"{letter(number)} is {about}{base}.")
    lines += [_row(row, comparison) for row in comparison.rows]
    lines += [f"Warning: {harmless(remark)}" for remark in comparison.lettered]
    return [*lines, *([comparison.assumption] if comparison.assumption else [])]


def _row(row: Row, comparison: Comparison) -> str:
    """One row and direction: the figure of each result, its factor to the baseline, and the verdict."""
    base, parts = letter(comparison.baseline), []
    for number, cell in enumerate(row.cells):
        figure = figure_of(cell, row).lstrip("*") if row.unit == "ios" else rate(cell.value or 0)
        words = [f"{letter(number)} {'not measured' if cell.value is None else figure}"]
        if cell.factor is not None and number != comparison.baseline:
            words.append(f"{cell.factor:.2f} times {base}")
        verdict = "no significant difference" if cell.verdict == "undecided" else cell.verdict
        words += [verdict, "best" if cell.best else "", f"flags {' '.join(cell.flags)}" if cell.flags else ""]
        parts.append(", ".join(filter(None, words)))
    return f"{harmless(row.name)} {row.direction}: {'; '.join(parts)}."


def sentence(one: Summary) -> str:
    """A result in a sentence: its label, what was measured with which grid and when, and its rates."""
    what = f"{spelled(one.level)} {one.filesystem}".strip() or one.target
    rates = [
        f"{way} {rate(value)}"
        for way, value in (("reads", one.read_bytes_per_second), ("writes", one.write_bytes_per_second))
        if value
    ]
    about = [
        harmless(one.label),
        harmless(what),
        f"grid {harmless(one.profile)}",
        f"of {clock.local(one.created)}",
        *rates,
    ]
    return f"{', '.join(filter(None, about))}."
