"""The lines around the grid: target, state, outcome, and unreliable cells. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.model.journal import BenchRequest, JobState, Outcome
from raidtui.model.result import Cell, MeasuredUnit, Result
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Unit
from raidtui.results.remarks import letters
from raidtui.ui.bench.bench_grid import TITLES
from raidtui.ui.care import job_words
from raidtui.ui.care.unit_styles import called

if TYPE_CHECKING:
    from raidtui.results.summary import Summary


def title(target: str, unit: Unit | MeasuredUnit | None) -> str:
    """The heading: the target."""
    if not target:
        return "Benchmark: press t to choose what to measure"
    if unit is None:
        return f"Benchmark of {harmless(target)}"
    return harmless(f"Benchmark of {target}: {spelled(unit.kind)} {unit.name or target} of {unit.raid_disks}")


def before(request: BenchRequest, unit: Unit | None, jobs: Sequence[JobState] = ()) -> Content:
    """The lines shown before the start; that the grid is empty does not mean that nothing was measured.

    Args:
        jobs: those of this computer, the newest first.
    """
    if not request.target:
        return Content("No array is mounted. Press t to choose a directory on any other filesystem.")
    if unit is not None and unit.activity is not None:
        return Content.assemble((busy(unit, ":"), "$text-warning"))
    start = "Press Enter to start. It writes only a test file, in that directory."
    last = next((one for one in jobs if one.outcome is Outcome.DONE and _measures(one, request.target)), None)
    if last is None:
        return Content(start)
    return Content(
        f"{start}\nMeasured last at {job_words.begun(last)}; c on the Overview shows every result."
    )


def _measures(job: JobState, target: str) -> bool:
    return job.request.bench is not None and job.request.bench.target == target


def busy(unit: Unit, joint: str) -> str:
    """The activity of a unit, which lowers every figure: "data: resync 12.5 %, usable now"."""
    return f"{called(unit)}{joint} {harmless(unit.state)}"


def ended(job: JobState, result: Result | None, width: int) -> Content:
    """The outcome of a benchmark: done, with unreliable cells, or why not."""
    if job.outcome is Outcome.DONE:
        return done(result, width)
    word, style = job_words.outcome(job)
    why, again = job_words.why(job), f"{job_words.OUTCOMES[job.outcome][0]}. "
    end = f". {why.removeprefix(again)}" if why.startswith(again) else f": {why}" if why else ""
    return Content.assemble((f"{word[0].upper()}{word[1:]}", style), end)


def done(result: Result | None, width: int) -> Content:
    """The line for a finished benchmark: unreliable cells, or the next step; ``result`` is None while it is read."""
    word = ("Done", job_words.OUTCOMES[Outcome.DONE][1])
    if result is None:
        return Content.assemble(word)
    doubts = unreliable(result.cells, width - len("Done. "))
    if doubts:
        return Content.assemble(word, ". ", (doubts, "$text-warning"))
    return Content.assemble(word, ", no unreliable cells. c compares it with the previous result.")


def title_of(result: Result) -> str:
    """The heading for a stored result: its target."""
    context = result.context
    if context.target:
        return title(context.target, context.unit)
    return f"Benchmark by {harmless(context.origin or result.profile)}"


def request_of(result: Result) -> BenchRequest:
    """A request to repeat the benchmark of ``result``."""
    context = result.context
    return BenchRequest(
        target=context.target,
        profile=result.profile,
        size_bytes=context.size_bytes,
        runs=context.runs,
        seconds=context.seconds,
        mix=any(cell.direction == "mix" for cell in result.cells),
        compat=context.compat,
    )


def unreliable(cells: Sequence[Cell], width: int) -> str:
    """One line with the unreliable cells and the letters of their flags; empty if there are none."""
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
    """Whether a cell has a flag other than a small variation of its runs."""
    return any(not flag.startswith("V") or flag.endswith("unreliable") for flag in cell.flags)


def previous(result: Result, others: Sequence["Summary"]) -> str:
    """The id of the previous result with the same grid; empty if there is none."""
    earlier = [
        one
        for one in others
        if one.profile == result.profile and one.id != result.id and one.created <= result.created
    ]
    return max(earlier, key=lambda one: one.created).id if earlier else ""
