"""Write what a recovery trial changes on this computer, before it is changed, so that it can be undone after a crash."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering import record as records
from raidtui.machine import recovery_trial
from raidtui.machine.boot import boot_id, is_this_boot
from raidtui.machine.recovery_trial import FILE, TrialRecord, place, read_record
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import StepFailed
from raidtui.model.recovery import Recovery
from raidtui.model.struct import from_json, to_json


def lock() -> Path:
    """The lock file that a process holds while it is at work on a trial."""
    return recovery_trial.place() / "lock"


def write(record: TrialRecord) -> None:
    """Put it on disk."""
    make_folder(recovery_trial.place())
    write_file(recovery_trial.place() / FILE, to_json(record).encode())


def forget() -> None:
    """The trial has been undone."""
    (recovery_trial.place() / FILE).unlink(missing_ok=True)


def this_boot() -> str:
    """The kernel's name of this boot; empty if it cannot be read."""
    try:
        return boot_id()
    except OSError:
        return ""


def is_same_boot(record: TrialRecord) -> bool:
    """Whether the computer has not been rebooted since; true if that is not known."""
    return is_this_boot(record.boot)


_LAST: Final = "last.json"
_LARGEST: Final = 16 << 20


def write_last(found: Recovery) -> None:
    """Put it on disk."""
    make_folder(place())
    write_file(place() / _LAST, to_json(found).encode())


def _read() -> Recovery | None:
    with suppress(FileNotFoundError):
        return from_json(
            read_bounded(place() / _LAST, most=_LARGEST), Recovery, origin="the last recovery trial"
        )
    return None


def read_last() -> Recovery | None:
    """The list of the last trial, and where one of it is mounted; None if there was none.

    Raises:
        BadInput: a file cannot be understood.
        StepFailed: it cannot be read.
    """
    try:
        last = _read()
        shown = read_record()
    except OSError as error:
        raise StepFailed(f"the record of recovery trials cannot be read: {error.strerror}") from error
    if last is None or shown is None or not shown.kept or not records.is_same_boot(shown):
        return last
    # Of another unit: its files are mounted, and no number of this list.
    return replace(last, mounted_at=shown.mounted_at, mounted=shown.number if shown.name == last.name else 0)
