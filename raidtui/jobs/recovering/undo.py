"""Undo everything that a recovery trial has made or set on this computer, also after a crash of it."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering import record as records
from raidtui.jobs.recovering.names import RULES
from raidtui.jobs.recovering.stack import arrays_here, dm_here, do, remove_overlays, take_arrays_apart
from raidtui.machine.blocks import read_own
from raidtui.machine.devices import device_number
from raidtui.machine.recovery_trial import TrialRecord
from raidtui.model.errors import StepFailed

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
    """Unmount whatever is mounted from a device of the trial.

    Raises:
        StepFailed: it is in use.
    """
    graph, names = read_own(), (*dm_here().values(), *arrays_here())
    devices = [graph.by_number.get(device_number(f"/dev/{one}")) for one in names]
    for one in reversed(graph.mounts_on(*(each for each in devices if each is not None))):
        do(commands, ["umount", one.mount.target])


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
