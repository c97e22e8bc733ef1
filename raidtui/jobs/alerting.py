"""One look of `raidtui status --alert`: compare with what was reported before, send what is due, remember it.

What was reported is in ``STATE/alerts.json`` or, where that cannot be written, in /run. With neither, everything that is
wrong is sent once a day, in the first minutes after noon: a timer calls this every five minutes.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.advice.alert_jobs import RECENT, JobSeen, wrongs_of_jobs
from raidtui.advice.alert_wrongs import wrongs_of
from raidtui.advice.alerting import Look, Message, Reported, Unsent, decide, undelivered, with_unsent
from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.journal import FILE, data_of, read_journal
from raidtui.jobs.sending.send import send
from raidtui.jobs.store import job_folders, load_job_state
from raidtui.machine.alerts import REPORTED
from raidtui.machine.own_files import unusable
from raidtui.model.alerts import AlertSettings
from raidtui.model.errors import RaidtuiError, Refused
from raidtui.model.finding import Finding
from raidtui.model.history import BurnIn
from raidtui.model.journal import BurnInNote, Event, JobKind, Outcome
from raidtui.model.machine import Machine
from raidtui.model.paths import runtime_folder, state_folder
from raidtui.model.struct import from_json, to_json, to_record
from raidtui.model.unit import Unit

STATE: Final = REPORTED
_LOCK: Final = "alerts.lock"
_PERIOD_MINUTES: Final = 5  # of the timer
_NOON: Final = 12 * 60
_WAIT_SECONDS: Final = 120.0

Send = Callable[[Message, AlertSettings, str, Sequence[str]], dict[str, str]]
"""Sends on the ways named; returns why each failed, or an empty text. See `send_all`."""


def send_all(message: Message, settings: AlertSettings, host: str, ways: Sequence[str]) -> dict[str, str]:
    """Send on these ways; why each failed, or an empty text."""
    return dict(send(message, settings, host=host, ways=ways))


def alert(
    machine: Machine,
    units: Sequence[Unit],
    findings: Sequence[Finding],
    settings: AlertSettings,
    *,
    now: datetime,
    problems: Sequence[str] = (),
    sender: Send = send_all,
) -> tuple[str, ...]:
    """Send what is due; return what happened, a sentence each.

    Args:
        now: aware, in local time, by which the quiet hours are.
        problems: what else could not be recorded.

    The caller holds `alone`, since before the machine was read.
    """
    if not settings.ways:
        return ()  # nothing is remembered as reported that nobody heard of
    before, found = read_reported()
    problem = _try_to_write() or "; ".join(problems)
    history = machine.history
    wrong = (
        *wrongs_of(findings, units, machine, state_problem=problem),
        *wrongs_of_jobs(recent_jobs(now), history.burn_ins if history is not None else (), now),
    )
    if not found and not _can_remember() and not _is_noon(now):
        return ("neither the state folder nor /run can be written: alerts are sent once a day, at noon",)
    host = machine.system.hostname
    message, after = decide(
        before,
        Look(
            now=now,
            wrong=wrong,
            units={one.uuid: one.shown for one in units if one.uuid},
            unread=frozenset(
                [*(one.what for one in machine.problems), *([] if machine.complete else ["root"])]
            ),
            host=host,
            quiet=settings.quiet,
            monthly=settings.monthly,
        ),
    )
    said: list[str] = []
    due: list[tuple[Message, str, tuple[str, ...]]] = [
        (one.message, one.at, (one.way,)) for one in undelivered(before, now, settings.ways)
    ]
    if message is not None:
        due.append((message, now.isoformat(timespec="seconds"), settings.ways))
        said.append(message.subject)
    # Before it is sent, so that a power cut does not send it again and again; and again with what was not sent.
    waiting = [Unsent(way=way, at=at, message=one, why="not tried") for one, at, ways in due for way in ways]
    unsent: list[Unsent] = []
    if due:
        _write(replace(after, unsent=tuple(waiting)))
    tried: dict[str, str] = {}
    for one, at, ways in due:
        # A way that just failed is not tried for every message: that would take minutes.
        fresh = [way for way in ways if not tried.get(way)]
        tried |= sender(one, settings, host, fresh) if fresh else {}
        unsent += [Unsent(way=way, at=at, message=one, why=tried[way]) for way in ways if tried.get(way)]
    if due:
        after = with_unsent(after, unsent)
    _write(after)
    return (*said, *(f"not sent: {one}" for one in after.failures if due))


def read_reported() -> tuple[Reported, bool]:
    """What was reported, the newest of both places, and whether there was any."""
    found: list[Reported] = []
    for path in _places():
        with suppress(OSError, RaidtuiError):
            found.append(from_json(path.read_bytes(), Reported, origin=str(path)))
    return max(found, key=lambda one: one.at, default=Reported()), bool(found)


def _places() -> tuple[Path, ...]:
    run = runtime_folder()
    return (state_folder() / STATE, *((run / STATE,) if run is not None else ()))


def _try_to_write() -> str:
    """Why the state folder cannot be written; empty if it can."""
    try:
        make_folder(state_folder())
        write_file(state_folder() / ".alerts-probe", b"")
        (state_folder() / ".alerts-probe").unlink()
    except OSError as error:
        return unusable(error)
    except Refused as error:
        return str(error)
    return ""


def _can_remember() -> bool:
    return _write(read_reported()[0])


def _write(reported: Reported) -> bool:
    """Write it where it can be written; whether it was."""
    for path in _places():
        with suppress(OSError, RaidtuiError):
            make_folder(path.parent)
            write_file(path, to_json(reported, pretty=False).encode())
            return True
    return False


def _is_noon(now: datetime) -> bool:
    return 0 <= now.hour * 60 + now.minute - _NOON < _PERIOD_MINUTES


@contextmanager
def alone() -> Iterator[None]:
    """Hold a lock in /run or the state folder, wherever it can be made; without either go ahead.

    Raises:
        Refused: another one has held it for a while.
    """
    fd = -1
    for path in reversed(_places()):
        with suppress(OSError, RaidtuiError):
            make_folder(path.parent)
            fd = os.open(path.with_name(_LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            break
    try:
        if fd >= 0:
            _lock(fd)
        yield
    finally:
        if fd >= 0:
            os.close(fd)


def _lock(fd: int) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() >= deadline:
                raise Refused("another 'raidtui status --alert' is running") from None
        time.sleep(0.2)


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
