"""A spec: what to build, as written by hand or by the wizard.

``None`` and empty mean "take the default"; `raidtui.plan.complete` fills it in and the plan shows the result.
"""

from enum import StrEnum
from typing import Final

from msgspec import field

from raidtui.model.struct import Record


class Backend(StrEnum):
    """What provides the redundancy."""

    MDADM = "mdadm"
    LVM = "lvm"
    LVM_ON_MD = "lvm-on-md"
    HYBRID = "hybrid"
    ZFS = "zfs"
    BTRFS = "btrfs"
    MEGARAID = "megaraid"
    ADAPTEC = "adaptec"
    # None: a filesystem on a single disk. It makes no unit, so code that compares or sweeps units skips it by name.
    DISK = "disk"


USUAL: Final = Backend.MDADM
"""The backend of a spec that names none. Its levels are shown by default, by their bare names."""


def kind_of(backend: Backend, level: str) -> str:
    """A level with its backend in front: ``lvm striped``; not if that is the usual one or a single disk, or in its name."""
    plain = backend in {USUAL, Backend.DISK} or level.startswith(backend)
    return level if plain else f"{backend} {level}"


class FilesystemSpec(Record, frozen=True, kw_only=True):
    """The filesystem on the array; type ``none`` leaves the array bare."""

    type: str = "none"  # ext4, xfs, btrfs, none
    label: str = ""
    mountpoint: str = ""


class Spec(Record, frozen=True, kw_only=True):
    """One array or single disk to build. Sizes are bytes; members are serials, WWNs or by-id names, in slot order."""

    name: str
    backend: Backend = USUAL
    level: str
    members: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()  # instead of members, to calculate without disks
    spare_sizes: tuple[int, ...] = ()
    chunk: int | None = None
    layout: str | None = None
    metadata: str | None = None
    consistency: str | None = None
    partition: bool | None = None
    reserve: int | None = None
    slice: int | None = None  # use only this much of each disk, from its start; None: all of it
    persistent: bool = True  # whether it comes back under its name after a reboot
    fixes: tuple[str, ...] = ()  # additional fixes: erc, timeout, alerts, and those of its backend
    alerts: tuple[str, ...] = ()  # where the fix alerts sends: a mail address, and URLs without a password
    filesystem: FilesystemSpec = FilesystemSpec()
    options: dict[str, str] = field(default_factory=dict)  # keys specific to its backend, each as text

    @property
    def kind(self) -> str:
        """Its level, with the backend in front unless that is the usual one: ``raid5``, ``btrfs raid1``."""
        return kind_of(self.backend, self.level)

    @property
    def alone(self) -> bool:
        """Whether it is a filesystem on a single disk, not an array."""
        return self.backend is Backend.DISK

    @property
    def disks(self) -> tuple[str, ...]:
        """Every disk it names, members before spares."""
        return self.members + self.spares
