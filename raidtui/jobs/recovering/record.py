"""What a recovery trial has changed on this computer, on disk before it is changed, so that it can be undone after a crash."""

from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from raidtui.jobs.durable import make_folder, write_file
from raidtui.machine import recovery_trial
from raidtui.machine.boot import boot_id, is_this_boot
from raidtui.machine.textfile import read_bounded
from raidtui.model.paths import state_folder
from raidtui.model.struct import Record, from_json, to_json

R = TypeVar("R", bound=Record)
_LARGEST: Final = 1 << 20


class TrialRecord(Record, frozen=True, kw_only=True):
    """One trial."""

    name: str
    folder: str  # the files of the overlays
    boot: str  # after a reboot only the folder is left
    read_only: tuple[str, ...] = ()  # members that the trial set read-only
    loops: tuple[str, ...] = ()  # loop devices of images
    mounted_at: str = ""
    kept: bool = False  # a person looks at the files
    number: int = 0  # of the candidate whose files these are, in the last list


def place() -> Path:
    """The folder of the record, its lock, and the output of commands."""
    return state_folder() / recovery_trial.FOLDER


def lock() -> Path:
    """The lock file that a process holds while it is at work on a trial."""
    return place() / "lock"


def write(record: TrialRecord) -> None:
    """Put it on disk."""
    make_folder(place())
    write_file(place() / recovery_trial.FILE, to_json(record).encode())


def read() -> TrialRecord | None:
    """The trial that was not ended; None if there is none.

    Raises:
        BadInput: the file cannot be understood.
    """
    return kept_in(recovery_trial.FILE, TrialRecord, "the record of a recovery trial", most=_LARGEST)


def kept_in(name: str, kind: type[R], origin: str, *, most: int) -> R | None:
    """What is in a file beside the record; None if there is none.

    Raises:
        BadInput: the file cannot be understood.
    """
    with suppress(FileNotFoundError):
        return from_json(read_bounded(place() / name, most=most), kind, origin=origin)
    return None


def forget() -> None:
    """The trial has been undone."""
    (place() / recovery_trial.FILE).unlink(missing_ok=True)


def this_boot() -> str:
    """The kernel's name of this boot; empty if it cannot be read."""
    try:
        return boot_id()
    except OSError:
        return ""


def is_same_boot(record: TrialRecord) -> bool:
    """Whether the computer has not been rebooted since; true if that is not known."""
    return is_this_boot(record.boot)
