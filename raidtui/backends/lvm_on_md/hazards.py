"""Hazards of a volume group on an array: md's own, and what the second layer adds."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.backends.md.hazards import CHECKS as MD
from raidtui.model.plan import Hazard, Severity


def late_start(look: Look) -> Iterator[Hazard]:
    """A degraded array waits for its missing member, and the group waits for the array."""
    if look.redundant and look.spec.persistent:
        yield Hazard(
            id="late-start",
            severity=Severity.INFO,
            seen="a volume group on a redundant array",
            meaning="With a disk missing, the array starts about 30 seconds late at boot, and the volume group after it.",
            advice="Nothing to do: the line in fstab waits 120 seconds.",
            source="mdadm's mdadm-last-resort@.timer; lvm2's 69-dm-lvm.rules",
        )


def boot_loader(look: Look) -> Iterator[Hazard]:
    """A second layer that a boot loader must read."""
    if look.spec.filesystem.mountpoint.rstrip("/") == "/boot":
        yield Hazard(
            id="boot-on-volume",
            severity=Severity.WARN,
            seen="mount point /boot on a logical volume",
            meaning="The computer may not boot: the boot loader must read both LVM and md.",
            advice='Make /boot an array of its own: backend = "mdadm", level = "raid1".',
            source="GRUB manual, lvm and mdraid1x modules",
        )


CHECKS: Final[tuple[Check, ...]] = (*MD, late_start, boot_loader)
"""Every check of this backend."""
