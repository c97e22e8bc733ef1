"""What alerts report about jobs, which nobody may be looking at: burn-ins, and any job whose process is gone. Pure.

Each is said once. A burn-in that was canceled is not said: a person did that.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from raidtui.advice.alerting import Wrong
from raidtui.advice.burnin import verdict
from raidtui.model.finding import Urgency
from raidtui.model.history import BurnIn
from raidtui.model.journal import BurnInNote, JobKind, JobState, Outcome
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless, listed

RECENT: Final = timedelta(days=3)
"""A night of quiet hours, or a weekend without power: what ended earlier is not said."""


class JobSeen(Record, frozen=True, kw_only=True):
    """A job, and of a burn-in what it has recorded."""

    state: JobState
    runs: int = 1  # how often its process was started
    notes: tuple[BurnInNote, ...] = ()
    results: tuple[BurnIn, ...] = ()  # once it has ended


def wrongs_of_jobs(jobs: Iterable[JobSeen], burn_ins: Iterable[BurnIn], now: datetime) -> Iterator[Wrong]:
    """What there is to say about jobs.

    Args:
        jobs: those of the last weeks.
        burn_ins: the last of each disk.
        now: aware.
    """
    results = list(burn_ins)
    for job in jobs:
        if job.state.outcome is Outcome.INTERRUPTED:
            yield _interrupted(job)
        elif job.state.request.kind is not JobKind.BURN_IN:
            continue
        elif job.state.outcome is Outcome.RUNNING:
            yield from _so_far(job)
        elif job.state.outcome in {Outcome.FAILED, Outcome.REFUSED}:
            yield _failed(job)
        results += job.results
    yield from {one.key: one for one in map(_ended, results) if _is_recent(one, now)}.values()


def _is_recent(wrong: Wrong, now: datetime) -> bool:
    try:
        age = now - datetime.fromisoformat(wrong.key.rpartition(" ")[2])
    except (ValueError, TypeError):
        return False  # when it ended is not known
    return -RECENT < age < RECENT


def _ended(one: BurnIn) -> Wrong:
    """A burn-in that has ended, of one disk: whether the disk is well or not."""
    state = "ended, no faults found" if one.is_well else "found faults"
    return Wrong(
        key=f"burn-in {one.subject} {one.at}",
        event="burn-in",
        name=harmless(one.subject),
        text=harmless(f"Burn-in of {one.subject} {state}: {verdict(one)}"),
        urgency=Urgency.NOTE if one.is_well else Urgency.WARNING,
        once=True,
    )


def _so_far(job: JobSeen) -> Iterator[Wrong]:
    """The first fault that a running burn-in found on each disk: its end may be days away."""
    found: dict[str, BurnInNote] = {}
    for note in job.notes:
        if note.is_grave:
            found.setdefault(note.disk, note)
    for disk, note in found.items():
        yield Wrong(
            key=f"burn-in {job.state.request.id} {disk}",
            event="burn-in",
            name=harmless(disk),
            text=harmless(
                f"Burn-in of {disk} finds faults: {_words(note)}. It continues, and its end will be reported."
            ),
            urgency=Urgency.WARNING,
            once=True,
        )


def _words(note: BurnInNote) -> str:
    if note.gave_up:
        return f"gave up, {note.gave_up}"
    if note.self_test is not None and note.self_test.passed is False:
        return f"its {note.self_test.kind} self-test failed, {note.self_test.words}"
    if note.differs:
        return "it gives back other data than was written"
    places = len(note.faults) or len(note.bad) or len(note.unsteady)
    doing = "written" if note.step in {"write", "blank"} else "read"
    return f"{count_of(places, 'place')} cannot be {doing}"


def _interrupted(job: JobSeen) -> Wrong:
    request = job.state.request
    resumable = request.kind is not JobKind.BENCH
    to_do = (
        f"'raidtui resume {request.id}' continues it."
        if resumable
        else "It stored no result; start it again."
    )
    return Wrong(
        key=f"interrupted {request.id} {job.runs}",
        event="interrupted",
        name=_name(job),
        text=harmless(
            f"{_title(job)} was interrupted: its process is gone, as after a power cut, a reboot or a kill. {to_do}"
        ),
        urgency=Urgency.WARNING,
        once=True,
    )


def _failed(job: JobSeen) -> Wrong:
    why = job.state.sentence or job.state.outcome.words
    return Wrong(
        key=f"failed {job.state.request.id} {job.runs}",
        event="burn-in",
        name=_name(job),
        text=harmless(
            f"{_title(job)} failed: {why.rstrip('.')}. 'raidtui resume {job.state.request.id}' continues it."
        ),
        urgency=Urgency.WARNING,
        once=True,
    )


def _name(job: JobSeen) -> str:
    request = job.state.request
    if request.burn_in is None or not request.burn_in.disks:
        return harmless(request.title)
    first, *others = request.burn_in.disks
    return harmless(f"{first} and {count_of(len(others), 'more disk')}" if others else first)


def _title(job: JobSeen) -> str:
    request = job.state.request
    if request.burn_in is not None:
        return f"Burn-in of {listed(request.burn_in.disks)}"
    return f"Job {request.id} ({request.title})"
