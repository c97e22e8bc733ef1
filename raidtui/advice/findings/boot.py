"""A computer whose system survives a failed disk, and that boots from one disk only. Pure.

Installers make one EFI partition, also on a mirror: its firmware then finds nothing to start without that disk.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Final

from raidtui.advice.redundancy import is_redundant_level
from raidtui.model.finding import Finding, Kind, Remedy, concerned
from raidtui.model.machine import Disk, Machine, Partition
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit

BOOTED: Final = {
    "c12a7328-f81f-11d2-ba4b-00a0c93ec93b": "EFI system partition",
    "0xef": "EFI system partition",
    "21686148-6449-6e6f-744e-656564454649": "BIOS boot partition",
    "9e1a2d38-c612-4316-aa26-8b49521e5a8b": "PReP boot partition",
}
"""The types of partitions that firmware or a boot loader starts from, in words."""
_COPY: Final = "copy its files to one on each of the other disks, and add a boot entry for each (efibootmgr); proxmox-boot-tool does both on Proxmox"
_INSTALL: Final = "make one on each of the other disks, and install the boot loader there too (grub-install; proxmox-boot-tool on Proxmox)"


def boot_partitions(disk: Disk) -> list[Partition]:
    """Those of its partitions that a computer starts from."""
    return [part for part in disk.partitions if part.type in BOOTED]


def booted_from(disks: Iterable[Disk], members: Container[str]) -> list[str]:
    """Those on ``disks`` that are not ``members`` of what moves with them, in words."""
    every = ((disk, part) for disk in disks for part in boot_partitions(disk) if part.path not in members)
    return list(
        dict.fromkeys(
            f"{harmless(disk.identity)} has partition {part.number} ({BOOTED[part.type]})"
            for disk, part in every
        )
    )


def member_type(like: Partition, usual: str) -> str:
    """The GPT type of a new member's partition: one to boot from, such as a mirrored EFI system partition, stays one."""
    return like.type if like.type in BOOTED and not like.type.startswith("0x") else usual


def boot_findings(
    machine: Machine, units: Sequence[Unit], name_of: Callable[[Unit], str]
) -> Iterator[Finding]:
    """A finding where the root filesystem is on several disks, and one of them alone has such a partition."""
    bootable = [disk for disk in machine.disks if boot_partitions(disk)]
    # A partition whose type was not read may be one.
    known = all(part.type for disk in machine.disks for part in disk.partitions)
    if len(bootable) != 1 or not known:
        return
    (disk,) = bootable
    kinds = list(dict.fromkeys(BOOTED[part.type] for part in boot_partitions(disk)))
    for unit in units:
        if "/" not in unit.mountpoints or not is_redundant_level(unit) or unit.health is Health.FAILED:
            continue
        members = {member.disk for member in unit.members}
        own = [one for one in machine.disks if one.identity in members]
        if len(own) < 2 or disk not in own:
            continue
        yield Finding(
            name=name_of(unit),
            kind=Kind.BOOT_DISK,
            what=f"this computer boots from {harmless(disk.identity)} only: no other disk of {unit.shown} has a boot partition",
            unit=unit.uuid,
            disks=(concerned(disk, f"has the only {listed(kinds)}"),),
            remedies=tuple(Remedy(text=_COPY if kind.startswith("EFI") else _INSTALL) for kind in kinds),
        )
