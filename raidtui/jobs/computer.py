"""The computer that a job works on: everything that a job reads of it, and everything that it has done to it.

The runner decides; this looks and acts. A job in a test works on a subclass that keeps a computer in memory.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from raidtui.backends.reading import read_whole
from raidtui.backends.registry import builder
from raidtui.jobs.capsule import check_untouched, restore, save
from raidtui.jobs.checks import ask_checks
from raidtui.jobs.commands import Commands, Done
from raidtui.jobs.edits import drop_line, ensure_line
from raidtui.jobs.folders import folders_made_for, make_folders, remove_folders
from raidtui.jobs.holding import Holding
from raidtui.jobs.state_folder import check_place, is_in_memory
from raidtui.machine.devices import device_number
from raidtui.machine.mounted import files_on
from raidtui.machine.signatures import Probed, probe
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Check, Extent, Plan
from raidtui.steps.condition import Answer, Held

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


class Runs(Protocol):
    """Runs one command after the other; `Commands` does."""

    def run(self, argv: Sequence[str], *, text: str = "", timeout_seconds: float = ...) -> Done:
        """Run ``argv`` to its end."""


class Holds(Protocol):
    """Keeps others from the disks of a job; `Holding` does."""

    def hold_all(self) -> None:
        """Hold every disk, all or none."""

    def release_all(self) -> None:
        """Let go of every disk."""

    def holds(self, path: str) -> bool:
        """Whether the device at ``path`` is on a disk that is held here."""

    def during_step(self, paths: Sequence[str], *, then: Sequence[str] = ()) -> AbstractContextManager[None]:
        """Have the disks at ``paths`` locked against udev, and free for the tools."""

    def unlock(self) -> None:
        """Let udev look at the disks again."""


class Computer:
    """This computer."""

    # What is read.

    def boot(self) -> str:
        """An identifier of this boot."""
        return _BOOT_ID.read_text().strip()

    def read(self, known_tools: Mapping[str, str]) -> Machine:
        """A reading of it; ``known_tools``: the programs that are not asked for their version again."""
        return read_whole(smart=False, known_tools=dict(known_tools))

    def number_of(self, path: str) -> str:
        """The device number of the block device that ``path`` leads to; empty where there is none."""
        return device_number(path)

    def probe(self, devices: Sequence[str]) -> Probed:
        """The signatures on devices, and which of these could not be read."""
        return probe(devices)

    def ask(self, checks: Sequence[Check], *, held: Held, patience_seconds: float = 0) -> list[Answer]:
        """Whether conditions hold."""
        return ask_checks(checks, held=held, patience_seconds=patience_seconds)

    def node_of(self, plan: Plan) -> str:
        """The device that ``plan`` builds or removes, as the kernel calls it now; empty where it does not run."""
        return builder(plan.spec.backend).node_of(plan)

    def files_on(self, device: str) -> Mapping[str, Sequence[str]]:
        """Where a device or a partition of it is mounted, and the names of what is in it there."""
        return files_on(device)

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder at ``path``."""
        return os.path.isdir(path)

    def names_in(self, folder: str) -> list[str]:
        """What is in a folder."""
        return sorted(os.listdir(folder))

    def folder_for_a_look(self) -> AbstractContextManager[str]:
        """An empty folder to mount something on, which is gone afterwards."""
        return tempfile.TemporaryDirectory(prefix="raidtui-")

    # Where a job keeps its state.

    def check_place(self, folder: Path, plan: Plan, disks: Mapping[str, Disk]) -> None:
        """See that ``folder`` is on none of the job's disks.

        Raises:
            Refused: it is.
        """
        check_place(folder, plan, disks)

    def is_in_memory(self, folder: Path) -> bool:
        """Whether a power cut would lose ``folder``."""
        return is_in_memory(folder)

    # What is done.

    def hold(self, plan: Plan, disks: Sequence[Disk]) -> Holds:
        """Handles on the disks of ``plan``, none of which is open yet."""
        return Holding(disks, own=lambda: builder(plan.spec.backend).disks_under(plan))

    def commands(self, folder: Path) -> Runs:
        """Runs commands and keeps what they print in ``folder``."""
        return Commands(folder)

    def ensure_line(self, path: str, line: str) -> str:
        """Have ``line`` in a file; what was done, in words."""
        return ensure_line(path, line)

    def drop_line(self, path: str, line: str) -> str:
        """Have ``line`` no longer in a file; what was done, in words."""
        return drop_line(path, line)

    def make_folders(self, path: str, note: Callable[[list[str]], None]) -> None:
        """Make a folder and those above it; ``note`` is called with the missing ones first."""
        make_folders(path, note)

    def remove_folders(self, path: str, built: str) -> str:
        """Remove the folders that the build of ``built`` made, if they are empty; what was done, in words."""
        return remove_folders(path, folders_made_for(built))

    def save(
        self, capsule: Path, disk: Disk, writes: Iterable[Extent], texts: Callable[[], dict[str, str]]
    ) -> str:
        """Save what is about to be overwritten on a disk; what was saved, in words."""
        return save(capsule, disk, writes, texts)

    def restore(self, capsule: Path, disk: Disk, *, ours: frozenset[str]) -> str:
        """Write the saved bytes of a disk back; what was done, in words."""
        return restore(capsule, disk, ours=ours)

    def check_untouched(self, capsule: Path, disk: Disk) -> None:
        """See that nobody has written to a disk where its capsule would be written back.

        Raises:
            Refused: somebody has.
        """
        check_untouched(capsule, disk)
