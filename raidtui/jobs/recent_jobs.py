"""The jobs of the last weeks, as alerts need them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from raidtui.advice.alert_jobs import RECENT, JobSeen
from raidtui.jobs.journal import FILE, data_of, read_journal
from raidtui.jobs.store import job_folders, load_job_state
from raidtui.model.errors import RaidtuiError
from raidtui.model.history import BurnIn
from raidtui.model.journal import BurnInNote, Event, JobKind, Outcome
from raidtui.model.struct import to_record

_INTERRUPTED: Final = timedelta(
    days=30
)  # since the last line of its journal: the power may have been off for long


def recent_jobs(now: datetime) -> Iterator[JobSeen]:
    """Every job that runs, was interrupted or has ended lately; not the parts of a sweep, which has its own.

    A job of which nothing can be read is left out: `damaged_requests` says so.

    Args:
        now: aware.
    """
    try:
        folders = job_folders()
    except RaidtuiError:
        return
    for folder in folders:
        age = _age(folder, now)
        if age is None or age >= _INTERRUPTED or (seen := _seen(folder)) is None:
            continue
        if age < RECENT or seen.state.outcome in {Outcome.RUNNING, Outcome.INTERRUPTED}:
            yield seen


def _age(folder: Path, now: datetime) -> timedelta | None:
    try:
        return timedelta(seconds=now.timestamp() - (folder / FILE).stat().st_mtime)
    except OSError:
        return None  # it has not begun


def _seen(folder: Path) -> JobSeen | None:
    state = load_job_state(folder)
    if state is None or state.request.part_of:
        return None
    try:
        entries = read_journal(folder)
        own = entries if state.request.kind is JobKind.BURN_IN else ()
        return JobSeen(
            state=state,
            runs=sum(one.event is Event.STARTED for one in entries),
            notes=tuple(to_record(data_of(one), BurnInNote) for one in own if one.event is Event.CELL),
            results=tuple(to_record(data_of(one), BurnIn) for one in own if one.event is Event.RESULT),
        )
    except (RaidtuiError, OSError):
        return JobSeen(state=state)  # whose sentence says what is wrong with its journal
