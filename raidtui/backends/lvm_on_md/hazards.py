"""Hazards of a volume group on arrays: md's, and those of the second layer."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.look import Check, Look
from raidtui.backends.lvm.space import EXTENT
from raidtui.backends.lvm_on_md.levels import STRIPED
from raidtui.backends.md.hazards import CHECKS as MD
from raidtui.model.plan import Hazard, notice, warning
from raidtui.model.text import count_of
from raidtui.model.units import spell_size


def _of_one_array(check: Check) -> Check:
    """One of md's checks, applied to the level of the arrays."""

    def adapted(look: Look) -> Iterator[Hazard]:
        level = STRIPED.get(look.spec.level, look.spec.level)
        yield from check(replace(look, spec=replace(look.spec, level=level)))

    return adapted


def one_array_lost(look: Look) -> Iterator[Hazard]:
    """Losing one array loses the volume, whether striped or linear."""
    count, sure = look.facts.groups, look.facts.survival.guaranteed
    if count == 1:
        return
    fewest = f"{sure + 1} failed disks of one array are" if sure else "one failed disk is"
    yield warning(
        id="one-array-lost",
        seen=f"one volume over {count} arrays of {count_of(look.width, 'disk')} each",
        meaning=f"One array lost loses the whole volume: {fewest} enough.",
        advice="Replace a failed disk at once, and back up all of the volume.",
        source="vgchange(8), --activationmode: what lacks a physical volume is not activated at boot",
    )


def off_stripe(look: Look) -> Iterator[Hazard]:
    """A linear volume continues on the next array after an extent, which need not be the end of a full stripe."""
    width = look.facts.stripe_width_bytes
    if look.facts.groups > 1 and not look.facts.piece_bytes and look.facts.parity and EXTENT % width:
        yield notice(
            id="off-stripe",
            seen=f"a full stripe of {spell_size(width)}, extents of {spell_size(EXTENT)}",
            meaning="From the second array on, a full stripe of the filesystem may span two of md's: large writes must read first.",
            advice="Choose RAID50 or RAID60, or a number of disks whose full stripe divides the extent.",
            source="lvm2, extents of a linear volume; md(4), RAID5",
        )


def late_start(look: Look) -> Iterator[Hazard]:
    """A degraded array waits for its missing member, and the group waits for the array."""
    if look.redundant and look.spec.persistent:
        yield notice(
            id="late-start",
            seen="a volume group on a redundant array",
            meaning="With a disk missing, the array starts about 30 seconds late at boot, and the volume group after it.",
            advice="Nothing to do: the line in fstab waits 120 seconds.",
            source="mdadm's mdadm-last-resort@.timer; lvm2's 69-dm-lvm.rules",
        )


def boot_loader(look: Look) -> Iterator[Hazard]:
    """/boot on the volume: the boot loader must read LVM as well as md."""
    if look.spec.filesystem.mountpoint.rstrip("/") == "/boot":
        yield warning(
            id="boot-on-volume",
            seen="mount point /boot on a logical volume",
            meaning="The computer may not boot: the boot loader must read both LVM and md.",
            advice='Make /boot an array of its own: backend = "mdadm", level = "raid1".',
            source="GRUB manual, lvm and mdraid1x modules",
        )


CHECKS: Final[tuple[Check, ...]] = (
    *(_of_one_array(check) for check in MD),
    one_array_lost,
    off_stripe,
    late_start,
    boot_loader,
)
"""Every check of this backend."""
