"""Record what a recovery trial changes on this computer before it is changed, and undo it, also after a crash."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.jobs.commands import Commands
from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering import record as records
from raidtui.jobs.recovering.names import RULES
from raidtui.jobs.recovering.stack import arrays_here, dm_here, remove_overlays, take_arrays_apart
from raidtui.jobs.recovering.tool import do
from raidtui.machine import recovery_trial
from raidtui.machine.blocks import read_own
from raidtui.machine.boot import boot_id, is_this_boot
from raidtui.machine.devices import device_number
from raidtui.machine.recovery_trial import FILE, TrialRecord, place, read_record
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import StepFailed
from raidtui.model.recovery import Recovery
from raidtui.model.struct import from_json, to_json
from raidtui.model.text import harmless


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


FOLDER: Final = "raidtui-try-"
"""What the name of the folder with the overlays begins with; nothing else is ever removed."""


def undo(commands: Commands, record: TrialRecord) -> None:
    """Unmount, remove every device and file of the trial, and make its members writable again. May be repeated.

    Raises:
        StepFailed: something is in use; the rest can be undone later.
    """
    unmount(commands)
    take_arrays_apart(commands)
    remove_overlays(commands, record.register)
    if records.is_same_boot(record):
        for loop in _loops(record):
            do(commands, ["losetup", "--detach", loop])
        set_read_only(commands, record.read_only, on=False)
        for path in record.members if record.register else ():
            commands.run([*record.register, path])  # fails if it has lost its superblock
    folder = Path(record.folder)
    if folder.name.startswith(FOLDER) and folder.is_dir():
        shutil.rmtree(folder)
    if os.path.exists(RULES):
        os.unlink(RULES)
        _reload(commands)
    records.forget()


def unmount(commands: Commands) -> None:
    """Unmount whatever is mounted from a device of the trial. Raises StepFailed: it is in use."""
    graph, names = read_own(), (*dm_here().values(), *arrays_here())
    devices = [graph.by_number.get(device_number(f"/dev/{one}")) for one in names]
    for one in reversed(graph.mounts_on(*(each for each in devices if each is not None))):
        place = one.mount.target
        done = commands.run(["umount", place])
        if "target is busy" in done.stderr:
            raise StepFailed(
                f"{harmless(place)} is in use: leave it in every shell, close its files, then use 'raidtui recover --clean'"
            )
        if done.returncode:
            raise StepFailed(done.last_words)


def set_read_only(commands: Commands, paths: Iterable[str], *, on: bool) -> None:
    """Set devices read-only, or writable again; those that are gone are passed over.

    Raises:
        StepFailed: the kernel refuses it.
    """
    for path in paths:
        if device_number(path):
            do(commands, ["blockdev", "--setro" if on else "--setrw", path])


def quiet_udev(commands: Commands, text: str) -> None:
    """Let udev act on nothing of a trial; without udev there is nothing to do.

    Raises:
        StepFailed: the rules cannot be written.
    """
    if not os.path.isdir("/run/udev"):
        return
    try:
        os.makedirs(os.path.dirname(RULES), exist_ok=True)
        Path(RULES).write_text(text, encoding="ascii")
    except OSError as error:
        raise StepFailed(f"{RULES} cannot be written: {error.strerror}") from error
    _reload(commands)


def _reload(commands: Commands) -> None:
    commands.run(["udevadm", "control", "--reload"])


def _loops(record: TrialRecord) -> list[str]:
    """The loop devices on the files of the overlays and on images."""
    found = []
    for file in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):
            backing = file.read_text().strip().removesuffix(" (deleted)")
            node = f"/dev/{file.parts[3]}"
            if os.path.dirname(backing) == record.folder or node in record.loops:
                found.append(node)
    return found
