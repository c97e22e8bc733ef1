"""Write what a recovery trial changes on this computer, before it is changed, so that it can be undone after a crash."""

from pathlib import Path

from raidtui.jobs.durable import make_folder, write_file
from raidtui.machine import recovery_trial
from raidtui.machine.boot import boot_id, is_this_boot
from raidtui.machine.recovery_trial import FILE, TrialRecord
from raidtui.model.struct import to_json


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
