"""What is wanted: a spec, as a person writes it and as the wizard makes it.

``None`` and empty mean "take the default"; `raidtui.plan.complete` fills them in and the plan shows the result.
"""

from enum import StrEnum
from typing import Final

from msgspec import field

from raidtui.model.struct import Record


class Backend(StrEnum):
    """Who keeps the redundancy."""

    MDADM = "mdadm"
    LVM = "lvm"
    LVM_ON_MD = "lvm-on-md"
    ZFS = "zfs"
    BTRFS = "btrfs"
    MEGARAID = "megaraid"
    ADAPTEC = "adaptec"
    HARDWARE = "hardware"
    # Nobody: a filesystem on a single disk. It makes no unit, so whoever compares or sweeps units leaves it out by name.
    DISK = "disk"


USUAL: Final = Backend.MDADM
"""The backend of a spec that names none. Its levels are called by their bare names and shown unasked."""


def kind_of(backend: Backend, level: str) -> str:
    """A level as a unit of ``backend`` is called by it: ``raid5``, ``lvm striped``; a single disk is only that."""
    return level if backend in {USUAL, Backend.DISK} else f"{backend} {level}"


class FilesystemSpec(Record, frozen=True, kw_only=True):
    """The filesystem on the array; type ``none`` leaves it bare."""

    type: str = "none"  # ext4, xfs, btrfs, none
    label: str = ""
    mountpoint: str = ""


class Spec(Record, frozen=True, kw_only=True):
    """One array or a single disk, wanted. Sizes are bytes; members are serials, WWNs or by-id names, in md's slot order."""

    name: str
    backend: Backend = USUAL
    level: str
    members: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()  # in place of members, to calculate without disks
    spare_sizes: tuple[int, ...] = ()
    chunk: int | None = None
    layout: str | None = None
    metadata: str | None = None
    consistency: str | None = None
    partition: bool | None = None
    reserve: int | None = None
    slice: int | None = None  # use no more than this of each disk, from its start; None: all of it
    persistent: bool = True  # whether it comes back by itself, under its name, after a reboot
    fixes: tuple[str, ...] = ()  # what is fixed besides: erc, timeout, and what its backend has
    filesystem: FilesystemSpec = FilesystemSpec()
    options: dict[str, str] = field(default_factory=dict)  # keys that only its backend knows, each as text

    @property
    def kind(self) -> str:
        """Its level, and whose it is where that is not the usual backend: ``raid5``, ``btrfs raid1``."""
        return kind_of(self.backend, self.level)

    @property
    def alone(self) -> bool:
        """Whether it is a filesystem on a single disk, not an array."""
        return self.backend is Backend.DISK

    @property
    def disks(self) -> tuple[str, ...]:
        """Every disk that is named, members before spares."""
        return self.members + self.spares
