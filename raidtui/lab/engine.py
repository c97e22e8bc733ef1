"""What an engine of the lab is: the program that runs a guest's kernel and gives it disks."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from raidtui.lab.disks import VirtualDisk
from raidtui.model.errors import RaidtuiError


@dataclass(frozen=True, slots=True)
class Parts:
    """What one guest is put together from, once all of it has been checked."""

    disks: tuple[VirtualDisk, ...]
    memory_bytes: int
    folder: Path
    """Vanishes with the guest; the engine may put there what it likes."""
    kept: Path | None
    """The folder that outlives the guest; None if nothing of it is kept."""
    share: Path | None
    """The folder of the host that the guest may write to, under the same name."""
    line: int
    """The descriptor of the guest's end of the line to its agent."""
    inherited: tuple[int, ...]
    """The descriptors that `Engine.inherited` gave."""

    @property
    def disk_folder(self) -> Path:
        """Where the files of the disks are; the engine is started in this folder."""
        return self.kept or self.folder


@dataclass(frozen=True, slots=True)
class Launch:
    """How the keeper starts the engine."""

    argv: list[str]
    env: Mapping[str, str] = field(default_factory=dict)
    one_processor: bool = False
    """Keep all of it on one processor."""
    nudged: bool = False
    """Send it an alarm every few seconds, lest it stands still."""


class Engine(Protocol):
    """One way to run a guest. An instance serves one guest."""

    @property
    def title(self) -> str:
        """Its name in a sentence."""

    @property
    def buses(self) -> tuple[str, ...]:
        """The buses that its disks can be on, the default first."""

    @property
    def least_memory(self) -> int:
        """Bytes without which no guest comes up."""

    @property
    def boot_timeout(self) -> float:
        """Seconds after which a guest that has not come up is given up."""

    def prepare(self) -> None:
        """Make sure that this computer can run a guest.

        Raises:
            ToolMissing: something is not installed or not allowed; the sentence has the cure.
        """

    def inherited(self) -> AbstractContextManager[tuple[int, ...]]:
        """Descriptors that its process needs to have open; they are closed here when it has been started."""

    def launch(self, parts: Parts) -> Launch:
        """Put what the guest needs into its folder, and say what starts it."""

    def explain(self, kernel_log: str) -> RaidtuiError | None:
        """What kept a guest from booting, if its last words show it."""

    def pull(self, parts: Parts, disk: VirtualDisk) -> None:
        """Take a disk out of a guest that runs, without asking it."""

    def plug(self, parts: Parts, disk: VirtualDisk) -> None:
        """Put a disk that was pulled back in."""
