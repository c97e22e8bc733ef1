"""The interface of a job to its computer: everything it reads there, and everything it changes.

The runner decides, this module reads and acts. Tests run a job on a subclass that simulates a computer in memory.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar, Protocol

from raidtui.backends.reading import read_whole
from raidtui.backends.registry import builder
from raidtui.jobs.capsule import check_untouched, restore, save
from raidtui.jobs.checks import ask_checks
from raidtui.jobs.commands import Commands, Done
from raidtui.jobs.edits import drop_line, ensure_line
from raidtui.jobs.folders import folders_made_for, make_folders, remove_folders
from raidtui.jobs.holding import Holding
from raidtui.jobs.state_folder import check_place, is_in_memory
from raidtui.jobs.stopping import Cancel
from raidtui.machine.boot import boot_id
from raidtui.machine.contents.signatures import Probed, probe
from raidtui.machine.devices import device_number
from raidtui.machine.disks import disks_here
from raidtui.machine.mounted import files_on
from raidtui.model.answer import Answer
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Check, Extent, Plan
from raidtui.steps.condition import Held


class Runs(Protocol):
    """Runs commands one after the other; implemented by `Commands`."""

    def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        timeout_seconds: float = ...,
        cancel: Cancel | None = None,
    ) -> Done:
        """Run ``argv`` and wait for it."""


class Holds(Protocol):
    """Keeps other programs off the disks of a job; implemented by `Holding`."""

    def hold_all(self) -> None:
        """Open every disk exclusively, all or none."""

    def release_all(self) -> None:
        """Release every disk."""

    def holds(self, path: str) -> bool:
        """Whether the device at ``path`` is on a disk held by this job."""

    def during_step(self, paths: Sequence[str], *, then: Sequence[str] = ()) -> AbstractContextManager[None]:
        """Lock the disks at ``paths`` against udev, but leave them free for the tools."""

    def unlock(self) -> None:
        """Let udev probe the disks again."""


def not_held(plan: Plan, disks: Sequence[Disk]) -> frozenset[str]:
    """The numbers of the disks that a job cannot hold: its own unit holds them, or what else is on them."""
    shared = {disk.identity for disk in plan.disks if disk.shares}
    under = (number for one in plan.units for number in builder(one.spec.backend).disks_under(one))
    return frozenset(under) | {disk.device_number for disk in disks if disk.identity in shared}


class Computer:
    """This computer."""

    pretends: ClassVar[bool] = (
        False  # commands only seem to succeed, so what holds after a step proves nothing
    )

    # What is read.

    def boot(self) -> str:
        """The kernel's boot ID."""
        return boot_id()

    def read(self, known_tools: Mapping[str, str]) -> Machine:
        """Read the computer; ``known_tools`` are programs whose versions are not read again."""
        return read_whole(smart=False, known_tools=dict(known_tools))

    def number_of(self, path: str) -> str:
        """The device number of the block device at ``path``; empty if there is none."""
        return device_number(path)

    def disks(self) -> tuple[Disk, ...]:
        """The disks as they are now, without their contents."""
        return disks_here()

    def probe(self, devices: Sequence[str]) -> Probed:
        """Read the signatures on devices, and report which could not be read."""
        return probe(devices)

    def ask(self, checks: Sequence[Check], *, held: Held, patience_seconds: float = 0) -> list[Answer]:
        """Check whether conditions hold."""
        return ask_checks(checks, held=held, patience_seconds=patience_seconds)

    def node_of(self, plan: Plan) -> str:
        """The kernel's current node of the device that ``plan`` builds or removes; empty if it is not running."""
        return builder(plan.spec.backend).node_of(plan)

    def files_on(self, device: str) -> Mapping[str, Sequence[str]]:
        """List the mount points of a device and its partitions, each with the names in it."""
        return files_on(device)

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)

    def names_in(self, folder: str) -> list[str]:
        return sorted(os.listdir(folder))

    def folder_for_a_look(self) -> AbstractContextManager[str]:
        """A temporary empty folder to mount on."""
        return tempfile.TemporaryDirectory(prefix="raidtui-")

    # Where a job keeps its state.

    def check_place(self, folder: Path, plan: Plan, disks: Mapping[str, Disk]) -> None:
        """Check that ``folder`` is not on one of the job's disks. Raises Refused: it is on one."""
        check_place(folder, plan, disks)

    def is_in_memory(self, folder: Path) -> bool:
        """Whether a power cut would lose ``folder``."""
        return is_in_memory(folder)

    # What is changed.

    def hold(self, plan: Plan, disks: Sequence[Disk]) -> Holds:
        """Make the handles on the disks of ``plan``; none is open yet."""
        return Holding(disks, own=lambda: not_held(plan, disks))

    def commands(self, folder: Path) -> Runs:
        """Make the runner of commands, with their output in ``folder``."""
        return Commands(folder)

    def ensure_line(self, path: str, line: str) -> str:
        """Make sure that a file has ``line``; return what was done, in words."""
        return ensure_line(path, line)

    def drop_line(self, path: str, line: str) -> str:
        """Remove ``line`` from a file; return what was done, in words."""
        return drop_line(path, line)

    def make_folders(self, path: str, note: Callable[[list[str]], None]) -> None:
        """Create a folder and its missing parents, after calling ``note`` with those that are missing."""
        make_folders(path, note)

    def remove_folders(self, path: str, built: str) -> str:
        """Remove the empty folders that the build of ``built`` created; return what was done, in words."""
        return remove_folders(path, folders_made_for(built))

    def save(
        self, capsule: Path, disk: Disk, writes: Iterable[Extent], texts: Callable[[], dict[str, str]]
    ) -> str:
        """Save what is about to be overwritten on a disk; return what was saved, in words."""
        return save(capsule, disk, writes, texts)

    def restore(self, capsule: Path, disk: Disk, *, ours: frozenset[str]) -> str:
        """Write the saved bytes back to a disk; return what was done, in words."""
        return restore(capsule, disk, ours=ours)

    def check_untouched(self, capsule: Path, disk: Disk) -> None:
        """Check that nothing else has written to a disk where its capsule would be restored.

        Raises:
            Refused: something has.
        """
        check_untouched(capsule, disk)
