"""What a recovery trial has changed on this computer, as its record says: its members stay read-only until it has ended."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.machine.boot import is_this_boot
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import BadInput
from raidtui.model.paths import state_folder
from raidtui.model.recovery_trial import RecoveryTrial
from raidtui.model.struct import Record, from_json

FILE: Final = "trial.json"
"""In `place`; raidtui/jobs/recovering/record.py writes it."""
_LARGEST: Final = 1 << 20


class TrialRecord(Record, frozen=True, kw_only=True):
    """One trial."""

    name: str
    folder: str  # the files of the overlays
    boot: str  # after a reboot only the folder is left
    read_only: tuple[str, ...] = ()  # members that the trial set read-only
    loops: tuple[str, ...] = ()  # loop devices of images
    members: tuple[str, ...] = ()  # every device that is read
    register: tuple[
        str, ...
    ] = ()  # the command by which the kernel knows a member; it forgot these meanwhile
    mounted_at: str = ""
    kept: bool = False  # a person looks at the files
    number: int = 0  # of the candidate whose files these are, in the last list


def place() -> Path:
    """The folder of the record, its lock, and the output of commands."""
    return state_folder() / "recovery"


def read_record() -> TrialRecord | None:
    """The trial that was not ended; None if there is none.

    Raises:
        BadInput: the file cannot be understood.
        OSError: it cannot be read.
    """
    with suppress(FileNotFoundError):
        text = read_bounded(place() / FILE, most=_LARGEST)
        return from_json(text, TrialRecord, origin="the record of a recovery trial")
    return None


def read_trial() -> RecoveryTrial | None:
    """The trial of this boot that has not ended; None if there is none. A reboot makes every device writable again."""
    try:
        found = read_record()
    except (OSError, BadInput):
        return RecoveryTrial(read=False)
    if found is None or not is_this_boot(found.boot):
        return None
    return RecoveryTrial(
        name=found.name, read_only=found.read_only, kept=found.kept, mounted_at=found.mounted_at
    )
