"""Hazards of ZFS pools."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look, mixed_sectors
from raidtui.backends.zfs.report import CANNOT_START, reading_in
from raidtui.model.plan import Hazard, Severity, high, notice, warning
from raidtui.model.units import GIB, both

GRADES: Final = {"raid-controller": Severity.HIGH, "smr": Severity.BLOCK}
"""Hazards of every backend that weigh more here."""


def little_memory(look: Look) -> Iterator[Hazard]:
    """Little memory: ZFS keeps its cache there."""
    if look.machine is None:
        return
    memory = look.machine.system.memory_bytes
    if 0 < memory < 8 * GIB:
        yield warning(
            id="little-memory",
            seen=both(memory),
            meaning="ZFS and other programs will be slow: ZFS keeps its cache in memory and uses up to half of it.",
            advice="Install 8 GiB or more, or limit ZFS: echo options zfs zfs_arc_max=BYTES > /etc/modprobe.d/zfs.conf",
            source="OpenZFS documentation, Hardware: memory",
        )


def services(look: Look) -> Iterator[Hazard]:
    """The services that import pools at boot cannot be started."""
    known = reading_in(look.machine) if look.machine is not None else None
    off = [
        f"{name}: {state}"
        for name, state in (known.services if known else {}).items()
        if state in CANNOT_START
    ]
    if off and look.spec.persistent:
        yield high(
            id="zfs-services",
            seen=", ".join(off),
            meaning="The pool will not come back by itself after a reboot: systemd cannot start the services that import it.",
            advice="Allow it first: systemctl unmask "
            + " ".join(entry.partition(":")[0] for entry in off)
            + "; on Debian zfsutils-linux has these services",
            source="zfs-import-cache.service of OpenZFS, systemctl(1)",
        )


def no_hostid(look: Look) -> Iterator[Hazard]:
    """No host ID: a pool records the host ID of its computer; without one any computer can import it."""
    known = reading_in(look.machine) if look.machine is not None else None
    if known is not None and not known.hostid:
        yield notice(
            id="zfs-hostid",
            seen="/etc/hostid is missing",
            meaning="Another computer that reaches these disks may import this pool while it is in use here.",
            advice="Set a host ID before you create the pool: zgenhostid. Set later, it must be in the initramfs too",
            source="zgenhostid(8); zpool-import(8), -f",
        )


sector_sizes: Final = mixed_sectors(
    Severity.INFO,
    meaning="ZFS takes these disks together: the plan's ashift makes every write a multiple of their largest sector.",
    advice="Nothing to do. A replacement may have either sector size, unless you set ashift below 12.",
    source="zpoolprops(7), ashift",
)
"""A vdev writes in units of 2^ashift bytes, at least the largest sector of its disks."""


CHECKS: Final[tuple[Check, ...]] = (little_memory, services, no_hostid, sector_sizes)
"""Every check of ZFS."""
