"""The lines around the grid: what is measured, how far it is, how it ended, and which cells are unreliable. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.model.journal import BenchRequest, JobState, Outcome
from raidtui.model.machine import Array
from raidtui.model.result import Cell, Result
from raidtui.model.text import harmless
from raidtui.results.remarks import letters
from raidtui.ui.bench.bench_grid import TITLES
from raidtui.ui.care import array_words, job_words

if TYPE_CHECKING:
    from raidtui.results.summary import Summary


def title(target: str, array: Array | None) -> str:
    """What is measured, in the heading."""
    if not target:
        return "Benchmark: press t to choose what to measure"
    what = f": {array.level} {array_words.called(array)} of {array.raid_disks}" if array is not None else ""
    return f"Benchmark of {harmless(target)}{what}"


def before(request: BenchRequest, array: Array | None) -> Content:
    """What there is to know before it starts."""
    if not request.target:
        return Content("No array is mounted. Press t to choose a directory on any other filesystem.")
    if is_busy(array):
        assert array is not None
        words, _ = array_words.state(array)
        return Content.assemble((f"{array_words.called(array)}: {words}", "$text-warning"))
    return Content("Press s to start. It writes only a test file, in that directory.")


def is_busy(array: Array | None) -> bool:
    """Whether the array syncs, or would if its sync were not paused."""
    return array is not None and (array.sync is not None or array_words.is_paused(array))


def ended(job: JobState, result: Result | None, width: int) -> Content:
    """How it ended: done with the unreliable cells, or why not."""
    word, style = job_words.outcome(job)
    if job.outcome is not Outcome.DONE:
        why = job_words.why(job)
        return Content.assemble((f"{word[0].upper()}{word[1:]}", style), f": {why}" if why else "")
    if result is None:
        return Content.styled("Done", style)
    doubts = unreliable(result.cells, width - len("Done. "))
    if doubts:
        return Content.assemble(("Done", style), ". ", (doubts, "$text-warning"))
    return Content.assemble(("Done", style), ", no unreliable cells. c compares it with the previous result.")


def unreliable(cells: Sequence[Cell], width: int) -> str:
    """The cells whose flags make them unreliable, with the letters of these, in one line; empty if there are none."""
    found = [
        f"{harmless(cell.name)} {TITLES.get(cell.direction, cell.direction).lower()} ({letters(cell)})"
        for cell in cells
        if is_unreliable(cell)
    ]
    if not found:
        return ""
    for shown in range(len(found), 0, -1):
        rest = f" and {len(found) - shown} more" if shown < len(found) else ""
        line = f"Unreliable: {', '.join(found[:shown])}{rest}"
        if len(line) <= width:
            return line
    return f"{len(found)} of {len(cells)} cells are unreliable"


def is_unreliable(cell: Cell) -> bool:
    """Whether any flag says more than that the runs differ a little."""
    return any(not flag.startswith("V") or flag.endswith("unreliable") for flag in cell.flags)


def previous(result: Result, others: Sequence["Summary"]) -> str:
    """The id of the result before this one with the same grid; empty where there is none."""
    earlier = [
        one
        for one in others
        if one.profile == result.profile and one.id != result.id and one.created <= result.created
    ]
    return max(earlier, key=lambda one: one.created).id if earlier else ""
