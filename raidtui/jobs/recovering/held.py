"""Which disks are read-only because a recovery trial set them so: one that runs, one that is kept, or one that was killed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from raidtui.jobs.lock import is_locked
from raidtui.jobs.recovering import record as records
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import device_number
from raidtui.machine.recovery_trial import read_record
from raidtui.model.errors import Refused
from raidtui.model.plan import Plan, Run
from raidtui.model.struct import Record
from raidtui.model.text import harmless

CLEAN: Final = "raidtui recover --clean"


class TrialHold(Record, frozen=True, kw_only=True):
    """The trial that holds a device."""

    name: str  # of the unit whose files it looks for
    runs: bool = False  # it is at work; otherwise `CLEAN` ends it
    mounted_at: str = ""  # it is over, and the files it found are mounted there for a person

    @property
    def why(self) -> str:
        """Why the device is read-only, as the end of a sentence."""
        name = harmless(self.name)
        if self.runs:
            return f"a recovery trial of {name} runs; wait for its end"
        if self.mounted_at:
            return f"files of {name} are shown at {harmless(self.mounted_at)} for a recovery; '{CLEAN}' ends that"
        return f"a recovery trial of {name} was killed; '{CLEAN}' makes it writable again"


def held_by_trial() -> Mapping[str, TrialHold]:
    """The devices that a recovery trial set read-only and that still are, by the path that they had then.

    Empty after a reboot, which makes them writable. One that was read-only before the trial is not in it.

    Raises:
        BadInput: the record of the trial cannot be understood: it is not known.
        OSError: it cannot be read.
    """
    record = read_record()
    if record is None or not records.is_same_boot(record):
        return {}
    runs = is_locked(records.lock())
    kept = record.mounted_at if record.kept and not runs else ""
    hold = TrialHold(name=record.name, runs=runs, mounted_at=kept)
    return {path: hold for path in record.read_only if device_number(path) and is_read_only(path)}


def is_read_only(path: str) -> bool:
    """Whether the kernel refuses writes to the device. Raises OSError: it cannot be read."""
    return Path(f"/sys/dev/block/{device_number(path)}/ro").read_text(encoding="ascii").strip() == "1"


def refuse_held(plan: Plan) -> None:
    """Check that no command of ``plan`` names a device that a trial holds, or the disk of one.

    Raises:
        Refused: one does, or it is not known what a trial holds.
    """
    try:
        holds = held_by_trial()
    except OSError as error:
        raise Refused(
            f"the record of recovery trials cannot be read ({error.strerror}); it may hold a disk"
        ) from error
    numbers = {device_number(path): path for path in holds}
    numbers |= {whole: path for number, path in tuple(numbers.items()) for whole in whole_disks(number)}
    named = {disk.path for disk in plan.disks}
    for step in plan.steps:
        named |= {
            word for one in step.actions if isinstance(one, Run) for word in one.argv if word[:1] == "/"
        }
    for word in sorted(named):
        if (path := numbers.get(device_number(word) or "-")) is not None:
            raise Refused(f"{harmless(word)} is read-only: {holds[path].why}")
