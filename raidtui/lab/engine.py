"""The interface of an engine of the lab: the program that runs a guest's kernel and gives it disks."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from raidtui.lab.disks import VirtualDisk
from raidtui.model.errors import RaidtuiError


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one guest, all of them checked."""

    disks: tuple[VirtualDisk, ...]
    memory_bytes: int
    folder: Path
    """Removed with the guest; the engine may put any files there."""
    kept: Path | None
    """The folder that outlives the guest; None if nothing is kept."""
    share: Path | None
    """The folder of the host that the guest may write to, under the same path."""
    etc: Mapping[str, str]
    """Files of the guest's /etc by their path in it, for the first boot."""
    line: int
    """The descriptor of the guest's end of the line to its agent."""
    inherited: tuple[int, ...]
    """The descriptors from `Engine.inherited`."""

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
    """Keep the whole guest on one processor."""
    nudged: bool = False
    """Send it an alarm every few seconds, because it may hang without one."""


class Engine(Protocol):
    """One way to run a guest. An instance serves one guest."""

    @property
    def title(self) -> str:
        """The name for messages."""

    @property
    def buses(self) -> tuple[str, ...]:
        """The buses that disks can be on, the default first."""

    @property
    def least_memory(self) -> int:
        """Least memory of a guest, in bytes."""

    @property
    def boot_timeout(self) -> float:
        """Seconds that a guest may take to boot."""

    def prepare(self) -> None:
        """Make sure that this computer can run a guest.

        Raises:
            ToolMissing: something is not installed or not allowed; the message says what to do.
        """

    def inherited(self) -> AbstractContextManager[tuple[int, ...]]:
        """Descriptors that the engine's process inherits; they are closed here after it has started."""

    def launch(self, parts: Parts) -> Launch:
        """Put the files of the guest into its folder, and return the command that starts it."""

    def explain(self, kernel_log: str) -> RaidtuiError | None:
        """Why a guest did not boot, if its kernel log shows it."""

    def pull(self, parts: Parts, disk: VirtualDisk) -> None:
        """Pull a disk of a running guest, without notice to it."""

    def plug(self, parts: Parts, disk: VirtualDisk) -> None:
        """Plug a pulled disk back in."""
