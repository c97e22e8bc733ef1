"""Record how a job begins and ends, also if its journal cannot be written: its filesystem is full, read-only or failing.

Then the end is left in the runtime folder, which is in memory, and printed to the log. Whoever asks for the state of
the job finds it there.
"""

import hashlib
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from raidtui import __version__
from raidtui.jobs.journal import Journal
from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed
from raidtui.model.journal import Event, Outcome
from raidtui.model.paths import runtime_folder
from raidtui.model.struct import Record, from_json, to_json


class Ending(Record, frozen=True, kw_only=True):
    """The end of one run of a job."""

    entries: int  # in its journal; with more, the job has run again since
    text: str
    outcome: Outcome
    exit_code: int


def record_start(journal: Journal, mode: str, **more: str) -> None:
    """Record that this process begins; ``mode``: run, resume or rollback."""
    journal.append(
        Event.STARTED,
        text=f"raidtui {__version__}, process {os.getpid()} on {socket.gethostname()}: {mode}",
        data={"pid": os.getpid(), "mode": mode, **more},
    )


def to_the_end(
    journal: Journal,
    work: Callable[[], tuple[Outcome, str, int]],
    *,
    canceled: type[BaseException],
    said: str,
    code: int = StepFailed.exit_code,
    refusals: tuple[type[RaidtuiError], ...] = (Refused,),
) -> int:
    """Do ``work``, which returns its outcome, a sentence and an exit code; record how it ended, and return the code.

    Args:
        canceled: what ``work`` raises if it is canceled; then the job ends with ``said`` and ``code``.
        refusals: the errors that mean that nothing was begun.
    """
    try:
        outcome, text, code = work()
    except canceled:
        outcome, text = Outcome.CANCELLED, said
    except (RaidtuiError, OSError) as error:
        outcome = Outcome.REFUSED if isinstance(error, refusals) else Outcome.FAILED
        text, code = words_of(error), exit_code_of(error)
    return record_end(journal, text=text, outcome=outcome, exit_code=code)


def record_end(journal: Journal, *, text: str, outcome: Outcome, exit_code: int) -> int:
    """Record the end of a job in its journal, or elsewhere if that is impossible; return the exit code."""
    try:
        journal.append(Event.ENDED, text=text, outcome=outcome, exit_code=exit_code)
    except StepFailed as error:
        why = str(error)
        if why not in text:
            text = f"{text}. {why}" if text else why
        # What was done is done, but a job whose end is not on record has failed.
        exit_code = exit_code or StepFailed.exit_code
        outcome = Outcome.FAILED if outcome is Outcome.DONE else outcome
        leave(journal.folder, Ending(entries=journal.count, text=text, outcome=outcome, exit_code=exit_code))
    return exit_code


def leave(folder: Path, ending: Ending) -> None:
    """Leave ``ending`` in the runtime folder and on standard error."""
    with suppress(OSError):
        print(ending.text, file=sys.stderr, flush=True)
    place = _file(folder)
    if place is None:
        return
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
            file.write(to_json(ending).encode())


def left(folder: Path, entries: int) -> Ending | None:
    """The end of the job in ``folder`` that its journal of ``entries`` lines does not have; ``None`` if there is none."""
    place = _file(folder)
    if place is None:
        return None
    try:
        ending = from_json(place.read_bytes(), Ending, origin=str(place))
    except (OSError, BadInput):
        return None
    return ending if ending.entries == entries else None


def forget(folder: Path) -> None:
    """Forget the end of an earlier run."""
    if (place := _file(folder)) is not None:
        with suppress(OSError):
            place.unlink(missing_ok=True)


def _file(folder: Path) -> Path | None:
    runtime = runtime_folder()
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return None if runtime is None else runtime / f"{folder.name}-{name}"


def words_of(error: RaidtuiError | OSError) -> str:
    """The sentence about an error that ends a job."""
    if isinstance(error, RaidtuiError):
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)


def exit_code_of(error: RaidtuiError | OSError) -> int:
    return error.exit_code if isinstance(error, RaidtuiError) else StepFailed.exit_code
