"""How far running jobs are, and the list of jobs on the Overview."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobKind, JobState, Outcome
from raidtui.model.text import harmless
from raidtui.model.units import about, duration
from raidtui.ui.care import job_words
from raidtui.ui.care.step_progress import progress
from raidtui.ui.widgets.bars import percent_bar
from raidtui.ui.widgets.rows import fit

if TYPE_CHECKING:
    from raidtui.ui.shell.world import World

_BEGUN: Final = 20  # cells of "  2026-11-21 04:03  "
_DATED: Final = 64  # cells of a list that says when each began, even if titles are cut
_OUTCOME: Final = 28  # most cells of an outcome
_WORDS: Final = 34  # cells beside the bar of a running job


class JobProgress(NamedTuple):
    """How far a job is."""

    share: float  # 0 … 1
    words: str  # what it does, and when it ends


def progress_of(jobs: Iterable[JobState], world: "World") -> dict[str, JobProgress]:
    """How far running ``jobs`` are, by id; without those that do not show it. Slow: it reads journals."""
    found = {}
    for job in jobs:
        try:
            how_far = _HOW_FAR.get(job.request.kind, _of_steps)(job, world)
        except RaidtuiError:
            continue
        if how_far is not None:
            found[job.request.id] = how_far
    return found


def _of_bench(job: JobState, world: "World") -> JobProgress | None:
    live = world.read_live(job)
    if live is None:
        return None
    left = f"{duration(live.remaining_seconds)} left" if live.remaining_seconds else ""
    return JobProgress(live.percent / 100, ", ".join(filter(None, (harmless(live.phase), left))))


def _of_burn_in(job: JobState, world: "World") -> JobProgress | None:
    from raidtui.bench.burnin.course import progress_of as progress_of_burn_in

    if job.request.burn_in is None:
        return None
    far = progress_of_burn_in(job.request.burn_in, world.read_journal(job))
    left = f"{about(far.left_seconds)} left" if far.left_seconds else ""
    return JobProgress(far.share, ", ".join(filter(None, (job_words.where(job), left))))


def _of_sweep(job: JobState, world: "World") -> JobProgress | None:
    from raidtui.sweep.matrix import turns_of
    from raidtui.sweep.state import progress_of as progress_of_sweep

    if job.request.sweep is None:
        return None
    done, count = progress_of_sweep(world.read_journal(job)), len(turns_of(job.request.sweep))
    left = ""
    if done.turn_seconds is not None:
        left = f"{about(done.turn_seconds * (count - len(done.ended)))} left"
    words = ", ".join(filter(None, (f"{len(done.ended)} of {count} arrays done", left)))
    return JobProgress(min(0.99, len(done.ended) / max(1, count)), words)


def _of_steps(job: JobState, world: "World") -> JobProgress | None:
    if not job.request.kind.has_plan:
        return None
    far = progress(world.read_plan(job), world.read_journal(job), Outcome.RUNNING)
    where = f"step {far.number} of {far.count}" if far.number else "starting"
    return JobProgress(min(0.99, far.share), f"{where}, {far.words}")


_HOW_FAR: Final = {JobKind.BENCH: _of_bench, JobKind.SWEEP: _of_sweep, JobKind.BURN_IN: _of_burn_in}


def job_lines(
    jobs: Sequence[JobState], how_far: Mapping[str, JobProgress], width: int, room: int
) -> list[Content]:
    """The newest ``room`` jobs, and a bar for each that runs."""
    lines = [Content.assemble(("Jobs", "bold $text-primary"))]
    titles = [job_words.title(job) for job in jobs[:room]]
    outcomes = [job_words.outcome(job) for job in jobs[:room]]
    ends = min(_OUTCOME, max((cell_len(words) for words, _ in outcomes), default=0))
    needs = max(map(cell_len, titles), default=0)
    dated = _BEGUN if width >= min(_DATED, _BEGUN + needs + 2 + ends) else 2
    longest = min(max(8, width - dated - ends - 2), needs)
    for job, title, (outcome, style) in zip(jobs, titles, outcomes, strict=False):
        lines.append(
            Content.assemble(
                f"  {job_words.begun(job)}"[:dated].ljust(dated),
                f"{fit(title, longest)}  ",
                (fit(outcome, ends), style),
            )
        )
        far = how_far.get(job.request.id) if job.outcome is Outcome.RUNNING else None
        if far is not None:
            size = max(12, width - 2 - _WORDS)
            beside = fit(f" {far.words}", width - 2 - size)
            lines.append(Content.assemble("  ", (percent_bar(far.share, size), "$primary"), beside))
    more = len(jobs) - room
    return [*lines, *([Content.assemble((f"  and {more} more: press j", "$text-muted"))] if more > 0 else [])]
