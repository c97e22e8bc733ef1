"""Hazards of how disks are connected: RAID controllers, shared links, shifted sectors."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look, of_disks, on_disks
from raidtui.model.controller import RAID_CLASS
from raidtui.model.machine import Disk
from raidtui.model.plan import Hazard, Severity

_CONTROLLERS: Final = re.compile(
    r"\b(?:LOGICAL VOLUME|PERC|MEGARAID|SERVERAID|SMART ARRAY|RAID|AVAGO|ADAPTEC|ARECA|LSI MR\w*)\b"
)
# Kernel drivers of controllers that present their own volumes, without those of plain HBAs.
_RAID_DRIVERS: Final = frozenset(
    {"megaraid_sas", "megaraid_mbox", "hpsa", "smartpqi", "aacraid", "arcmsr", "3w-9xxx", "3w-sas", "ips"}
)
_INTEL: Final = "8086"


def _volume(disk: Disk, smart_was_read: bool) -> str:
    """Why a disk appears to be a volume of a RAID controller; empty if it does not."""
    if _CONTROLLERS.search(f"{disk.vendor} {disk.model}".upper()):
        return f"answers as {disk.vendor} {disk.model}".replace("  ", " ")
    silent = smart_was_read and disk.smart is None
    if silent and disk.controller is not None and disk.controller.driver in _RAID_DRIVERS:
        return f"reports no SMART through {disk.controller.driver}"
    return ""


def raid_controller(look: Look) -> Iterator[Hazard]:
    """A RAID controller presents a volume instead of the disk."""
    yield from on_disks(
        "raid-controller",
        Severity.WARN,
        [
            (disk, why)
            for disk in look.disks
            if disk.has_device and disk.transport != "usb" and (why := _volume(disk, look.smart_was_read))
        ],
        meaning=(
            "Without this controller the data may be unreadable: this is a volume of a RAID controller, not a disk. "
            "The controller's cache, error handling and on-disk format apply, and SMART is hidden."
        ),
        advice="Set the controller to HBA (IT) mode, or connect the disks elsewhere. A one-disk RAID0 is not the same.",
        source="OpenZFS documentation, Hardware: hardware RAID controllers",
    )


def _in_raid_mode(disk: Disk) -> str:
    """An Intel chipset or processor in RAID mode: RST or VROC."""
    at = disk.controller
    ours = at is not None and (at.pci_class, at.pci_vendor) == (RAID_CLASS, _INTEL)
    return f"behind an Intel controller in RAID mode ({at.driver})" if at is not None and ours else ""


def shared_link(look: Look) -> Iterator[Hazard]:
    """Several disks on one port: a port multiplier, or two disks on a parallel ATA cable."""
    disks_on = Counter(disk.port for disk in look.disks if disk.port)
    yield from on_disks(
        "shared-link",
        Severity.WARN,
        [
            (disk, f"one of {disks_on[disk.port]} disks on {disk.port}")
            for disk in look.disks
            if disks_on[disk.port] > 1
        ],
        meaning="These disks can drop out together: they share one link, and its speed is divided among them.",
        advice="Give every disk a port of its own, on the board or on a SAS adapter.",
        source="OpenZFS documentation, Hardware: SATA port multipliers",
    )


CHECKS: Final[tuple[Check, ...]] = (
    raid_controller,
    of_disks(
        "intel-raid-mode",
        Severity.WARN,
        _in_raid_mode,
        meaning=(
            "In RAID mode the firmware may make an array of these disks itself. A board without it may not show them "
            "at all."
        ),
        advice=(
            "Set SATA to AHCI, or turn VMD off, in the firmware's setup before the build. Afterwards a system on these disks "
            "may not boot. To see the controller: lspci -d 8086::0104"
        ),
        source="PCI class 0104, RAID bus controller; Intel VROC and RST manuals",
    ),
    shared_link,
    of_disks(
        "shifted-sectors",
        Severity.HIGH,
        lambda disk: (
            f"physical sectors begin {disk.alignment_offset_bytes:,} bytes late"
            if disk.alignment_offset_bytes > 0
            else ""
        ),
        meaning=(
            "Every write becomes a read and two writes. Partitions and chunks start on whole MiB, which are in the "
            "middle of a physical sector here."
        ),
        advice=(
            "Remove the jumper for old Windows systems, or use another disk. "
            "lsblk --output NAME,ALIGNMENT,PHY-SEC must show 0."
        ),
        source="Linux Documentation/ABI/stable/sysfs-block, alignment_offset",
    ),
)
"""Every check of this family."""
