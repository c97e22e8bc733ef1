"""Texts about jobs. Pure; text from disks and files passes through `harmless` here."""

from collections.abc import Iterable, Sequence
from typing import Final

from raidtui.model.journal import JobKind, JobRequest, JobState, Outcome
from raidtui.model.text import harmless
from raidtui.ui.shell import clock
from raidtui.ui.widgets.rail import BUILD, CARE, REMOVAL, SWEEP

# The word for each outcome, and its style.
OUTCOMES: Final = {
    Outcome.RUNNING: ("running", "$text-primary"),
    Outcome.DONE: ("done", "$text-success"),
    Outcome.FAILED: ("FAILED", "bold $text-error"),
    Outcome.REFUSED: ("refused", "$text-warning"),
    Outcome.CANCELLED: (Outcome.CANCELLED.words, "$text-warning"),
    Outcome.ROLLED_BACK: (Outcome.ROLLED_BACK.words, ""),
    Outcome.INTERRUPTED: ("INTERRUPTED", "bold $text-error"),
}
_OF_BENCH: Final = {"fill": "test file"}
OF_BURN_IN: Final = {
    "short-test": "short self-tests",
    "read": "reading all",
    "again": "reading again what was slow",
    "sectors": "finding bad sectors",
    "write": "writing all",
    "verify": "comparing",
    "blank": "zeroing",
    "long-test": "long self-tests",
}
_UNFINISHED: Final = frozenset({Outcome.FAILED, Outcome.REFUSED, Outcome.CANCELLED, Outcome.INTERRUPTED})


def place(request: JobRequest) -> str:
    """The screen that follows the job."""
    return {JobKind.BENCH: "benchmark", JobKind.SWEEP: "sweep", JobKind.BURN_IN: "burnin"}.get(
        request.kind, "build"
    )


def rail(state: JobState) -> tuple[Sequence[str], str]:
    """The steps of the task that a build or removal belongs to, and the current one."""
    if state.request.kind is JobKind.TEARDOWN:
        return REMOVAL, "done" if state.outcome is Outcome.DONE else "run"
    if state.request.kind.is_care:
        return CARE, "proof" if state.outcome is Outcome.DONE else "run"
    return (SWEEP, "measure") if state.request.part_of else (BUILD, "build")


def runs(state: JobState | None) -> bool:
    return state is not None and state.outcome is Outcome.RUNNING


def can_resume(state: JobState | None) -> bool:
    """Whether the job can be resumed. A benchmark cannot: start it again instead."""
    return state is not None and state.outcome in _UNFINISHED and state.request.kind is not JobKind.BENCH


def can_undo(state: JobState | None) -> bool:
    """Whether the job can be rolled back."""
    return can_resume(state) and state is not None and state.request.kind is not JobKind.BURN_IN


def has_ended(before: Iterable[JobState], now: Iterable[JobState]) -> bool:
    """Whether a job that was running has ended."""
    return bool(_running(before) - _running(now))


def _running(jobs: Iterable[JobState]) -> set[str]:
    return {job.request.id for job in jobs if job.outcome is Outcome.RUNNING}


def outcome(state: JobState, steps: Sequence[str] = ()) -> tuple[str, str]:
    """The outcome of the job with its step, and the style. ``steps``: see `where`."""
    word, style = OUTCOMES[state.outcome]
    if state.request.kind is JobKind.BURN_IN and state.outcome is Outcome.DONE and state.exit_code:
        return "done: a disk is not well", "bold $text-error"
    ended_well = state.outcome in {Outcome.DONE, Outcome.ROLLED_BACK, Outcome.REFUSED}
    at = "" if ended_well else where(state, steps)
    if not at:
        return word, style
    if state.request.kind not in {JobKind.BENCH, JobKind.BURN_IN}:
        return f"{word} at {at}", style
    return f"{word}: {at}" if state.outcome is Outcome.RUNNING else f"{word} during {at}", style


def where(state: JobState, steps: Sequence[str] = ()) -> str:
    """The current or last step of the job: "step 7 of 13", "run 2", "test file"; empty if it has none.

    ``steps`` are the ids of all steps of its plan, if known, for their total.
    """
    if not state.step or state.request.kind is JobKind.SWEEP:  # a sweep shows how much has been measured
        return ""
    if state.request.kind is JobKind.BURN_IN:
        return OF_BURN_IN.get(state.step, "")
    if state.request.kind is JobKind.BENCH:
        return _OF_BENCH.get(state.step) or harmless(state.step.replace("run-", "run "))
    if state.step in steps:
        return f"step {steps.index(state.step) + 1} of {len(steps)}"
    done = state.steps_done  # in order, including a step that is being undone
    return f"step {done.index(state.step) + 1 if state.step in done else len(done) + 1}"


def title(state: JobState) -> str:
    return harmless(state.request.title)


def begun(state: JobState) -> str:
    """When the job was requested, in local time."""
    return clock.local(state.request.created)


def why(state: JobState) -> str:
    """Why the job ended, in sentences; empty for a running one."""
    if state.outcome is Outcome.INTERRUPTED:
        at = where(state)
        timed = state.request.kind in {JobKind.BENCH, JobKind.BURN_IN}
        during = f" {'during' if timed else 'at'} {at}" if at else ""
        gone = f"The process died unexpectedly{during}. "
        return gone + (harmless(state.sentence) or _what_now(state))
    return harmless(state.sentence)


def _what_now(state: JobState) -> str:
    if state.request.kind is JobKind.BENCH:
        return "No result was stored and nothing is left behind. Start it again."
    if state.request.kind is JobKind.BURN_IN:
        return "Nothing is lost: r resumes."
    return "Nothing is lost: r resumes, u rolls back."
