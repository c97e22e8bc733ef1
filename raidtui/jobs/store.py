"""The folders of jobs, ``STATE/jobs/ID/``.

request.json   the request: a spec or an array, a seed, the disks as the user named them; never commands
machine.json   the confirmed reading of the machine
plan.json      the confirmed plan, for display only: the job derives its own
journal.jsonl  what happened
capsule/       the old contents of the disks
output/        the output of the running command
lock           held by the job's process while it runs
starting       held by the process that starts it, until it runs
reserve        space for the journal's last entries if the filesystem fills up
log            any other output of the job's process
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.jobs.durable import make_folder, sync_folder, write_file
from raidtui.jobs.ending import left
from raidtui.jobs.journal import LOCK, RESERVE, RESERVE_BYTES, data_of, read_journal
from raidtui.jobs.lock import held, holder, is_locked
from raidtui.jobs.state_folder import check_private, check_room
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.journal import Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.paths import state_folder
from raidtui.model.plan import Plan
from raidtui.model.struct import from_json, to_json
from raidtui.model.units import MIB

REQUEST: Final = "request.json"
MACHINE: Final = "machine.json"
PLAN: Final = "plan.json"
LOG: Final = "log"
CAPSULE: Final = "capsule"
_LARGEST: Final = 64 * MIB
STARTING: Final = "starting"
_LOCK_PATIENCE_SECONDS: Final = 5.0
_ASKING_SECONDS: Final = 1.0
_MAKES_UUIDS: Final = frozenset({JobKind.BUILD, JobKind.SWEEP, JobKind.REPLACE, JobKind.CARE})


def jobs_folder() -> Path:
    return state_folder() / "jobs"


def job_folders() -> list[Path]:
    """The folders of all jobs, newest first. Raises BadInput: it is unknown which jobs there are."""
    place = jobs_folder()
    try:
        return sorted((place / name for name in os.listdir(place) if _is_job(place / name)), reverse=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadInput(f"the jobs in {place} cannot be read: {error.strerror}") from error


def _is_job(folder: Path) -> bool:
    """Whether it has a request, or this is unknown: `read_request` says why."""
    try:
        os.lstat(folder / REQUEST)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def new_id(title: str, *, now: datetime) -> str:
    """A new unique id that sorts by time: ``20261121-040312-tank``."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:32].strip("-")
    stem = "-".join(part for part in (now.astimezone(UTC).strftime("%Y%m%d-%H%M%S"), words) if part)
    taken = {path.name for path in jobs_folder().glob(f"{stem}*")}
    return (
        stem
        if stem not in taken
        else next(f"{stem}-{n}" for n in range(2, 10**6) if f"{stem}-{n}" not in taken)
    )


def write_job(
    request: JobRequest,
    *,
    machine: Machine | None = None,
    plan: Plan | None = None,
    place: Path | None = None,
    until_it_runs: ExitStack | None = None,
) -> Path:
    """Create the folder of a new job; all of it is on disk when this returns.

    Args:
        place: the parent folder, if the job is not to be listed with the others.
        until_it_runs: holds the mark that the job is about to start, from before it can be seen; see `starting`.

    Raises:
        Refused: the filesystem is full, or other users may write there.
    """
    place = place or jobs_folder()
    make_folder(place)
    check_private(state_folder())
    check_room(place)
    folder = place / request.id
    folder.mkdir(mode=0o700)
    sync_folder(place)
    if machine is not None:
        write_file(folder / MACHINE, to_json(machine).encode())
    if plan is not None:
        write_file(folder / PLAN, to_json(plan).encode())
    if until_it_runs is not None:
        until_it_runs.enter_context(starting(folder))
    # Written last: a folder without it is not a job.
    write_file(folder / REQUEST, to_json(request).encode())
    return folder


def keep_reserve(folder: Path) -> None:
    """Reserve space for the journal's last entries, which an earlier run may have used up."""
    if not (folder / RESERVE).exists():
        write_file(folder / RESERVE, os.urandom(RESERVE_BYTES))  # zeros might be stored without using space


def read_request(folder: Path) -> JobRequest:
    """Read the request of the job in ``folder``.

    Raises:
        BadInput: not a job's folder, or the file is damaged.
        Refused: it cannot be read, so nothing is known about the job.
    """
    return from_json(_read(folder / REQUEST), JobRequest, origin=str(folder / REQUEST))


def read_confirmed_machine(folder: Path) -> Machine:
    return from_json(_read(folder / MACHINE), Machine, origin=str(folder / MACHINE))


def read_plan(state: JobState) -> Plan:
    """Read the confirmed plan of a job, for display only.

    Raises:
        BadInput: the job has none (a benchmark), or the file is damaged.
    """
    path = Path(state.folder) / PLAN
    if not path.exists():
        raise BadInput(f"the job {state.request.id} is a {state.request.kind.value} and has no plan")
    return from_json(_read(path), Plan, origin=str(path))


def list_jobs() -> tuple[JobState, ...]:
    """Every job whose request can be read, newest first; `damaged_requests` reports the others."""
    try:
        folders = job_folders()
    except BadInput:
        return ()
    return tuple(state for folder in folders if (state := load_job_state(folder)) is not None)


def damaged_requests() -> tuple[str, ...]:
    """A sentence for each job that `list_jobs` leaves out because its request is damaged; also if it lists none."""
    sentences = []
    try:
        folders = job_folders()
    except BadInput as error:
        return (str(error),)
    for folder in reversed(folders):
        try:
            read_request(folder)
        except RaidtuiError as error:
            sentences.append(str(error))
    return tuple(sentences)


def load_job_state(folder: Path) -> JobState | None:
    """Read the state of the job in ``folder``. If its journal is damaged, it counts as failed, with that reason.

    None if the request is damaged, because then nothing is known about the job.
    """
    try:
        request = read_request(folder)
    except RaidtuiError:
        return None
    try:
        return _state(folder, request)
    except RaidtuiError as error:
        sentence, exit_code = str(error), error.exit_code
    except OSError as error:
        sentence = f"{error.filename or folder} cannot be read: {error.strerror}"
        exit_code = BadInput.exit_code
    return JobState(
        request=request,
        outcome=Outcome.FAILED,
        exit_code=exit_code,
        sentence=sentence,
        folder=str(folder),
    )


def job_state(word: str) -> JobState:
    """The job with the id ``word``, or the only one whose id starts with ``word`` or ends with ``-word``.

    Raises:
        BadInput: no job or several match.
    """
    ids = [folder.name for folder in job_folders()]
    if not word:  # every id starts with it
        raise BadInput(f"the name of the job is empty; the latest: {', '.join(ids[:5]) or 'none'}")
    found = (
        [word] if word in ids else [one for one in ids if one.startswith(word) or one.endswith(f"-{word}")]
    )
    if len(found) == 1:
        return state_of(jobs_folder() / found[0])
    if found:
        raise BadInput(f"{word!r} matches several jobs: {', '.join(sorted(found))}")
    known = ", ".join(ids[:5])
    raise BadInput(
        f"there is no job {word!r}; the latest: {known}"
        if ids
        else f"there is no job {word!r}; there are no jobs yet"
    )


def check_seed_is_new(seed: str) -> None:
    """Check that no other job has used ``seed``, which would give a second array the UUIDs of the first.

    The outcome of that job does not matter. Teardowns create no UUIDs, so their seeds do not count.

    Raises:
        BadInput: another job has used it.
    """
    for folder in job_folders():
        with suppress(RaidtuiError):
            request = read_request(folder)
            if request.kind in _MAKES_UUIDS and request.seed == seed:
                break
    else:
        return
    raise BadInput(
        f"the seed {seed} belongs to the job {folder.name}; leave the seed out and a new one is made"
    )


def state_of(folder: Path) -> JobState:
    return _state(folder, read_request(folder))


def _state(folder: Path, request: JobRequest) -> JobState:
    pid = holder(folder / LOCK)
    # In this order: the process that starts it lets go only when the job's own process holds its lock.
    runs = is_locked(folder / STARTING) or is_locked(folder / LOCK)
    entries = read_journal(folder)
    state = summarise(request, entries, folder=folder, runs=runs, pid=pid)
    ending = left(folder, len(entries)) if state.outcome is Outcome.INTERRUPTED else None
    if ending is None:
        return state
    return replace(state, outcome=ending.outcome, exit_code=ending.exit_code, sentence=ending.text)


def summarise(
    request: JobRequest, entries: tuple[Entry, ...], *, folder: Path, runs: bool, pid: int | None = None
) -> JobState:
    """Derive a job's state from its journal; ``runs`` is whether its process is running."""
    step, sentence = "", ""
    done: list[str] = []
    end: Entry | None = None
    for entry in entries:
        if entry.event is Event.STARTED:
            end, sentence = None, ""
        elif entry.event is Event.STEP:
            step = entry.step
        elif entry.event is Event.STEP_DONE and entry.step not in done:
            done.append(entry.step)
        elif entry.event is Event.STEP_UNDONE:
            step = entry.step
            done = [one for one in done if one != entry.step]
        elif entry.event is Event.STEP_FAILED:
            step, sentence = entry.step, entry.text
        elif entry.event is Event.ENDED:
            end, sentence = entry, entry.text or sentence
    if end is not None and end.outcome is not None and not runs:
        outcome = end.outcome
    else:
        outcome = Outcome.RUNNING if runs else Outcome.INTERRUPTED
    return JobState(
        request=request,
        outcome=outcome,
        step=step,
        steps_done=tuple(done),
        exit_code=end.exit_code if end is not None else None,
        sentence=sentence,
        pid=pid if runs else None,
        folder=str(folder),
    )


def is_rolling_back(entries: tuple[Entry, ...]) -> bool:
    """Whether the undo of a step was started: such a job can only be rolled back further."""
    return any(entry.event is Event.STEP and data_of(entry).get("undo") for entry in entries)


@contextmanager
def running(folder: Path) -> Iterator[None]:
    """Hold the lock of the job in ``folder``, as its process.

    Raises:
        Refused: another process is running the job.
    """
    refusal = f"the job {folder.name} is already running; follow it with 'raidtui attach {folder.name}'"
    with held(folder / LOCK, patience_seconds=_LOCK_PATIENCE_SECONDS, refusal=refusal):
        yield


@contextmanager
def starting(folder: Path) -> Iterator[None]:
    """Mark the job in ``folder`` as one that is about to run, until its own process holds its lock.

    Raises:
        Refused: another process is starting it.
    """
    refusal = f"the job {folder.name} is already being started; follow it with 'raidtui attach {folder.name}'"
    with held(folder / STARTING, patience_seconds=_ASKING_SECONDS, refusal=refusal):
        yield


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, most=_LARGEST)
    except FileNotFoundError as error:
        raise BadInput(f"{path.parent} is not the folder of a job: it has no {path.name}") from error
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
