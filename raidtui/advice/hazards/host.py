"""Hazards of this computer: its firmware, its kernel and what must find the array again."""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.hazards.context import Check, Look, version
from raidtui.backends.md.layouts import LEVEL_NAMES
from raidtui.model.plan import Hazard, Severity
from raidtui.model.spec import Backend
from raidtui.model.text import harmless
from raidtui.model.units import GIB, both


def whole_disks(look: Look) -> Iterator[Hazard]:
    """Members without a partition table: some firmware 'repairs' such disks."""
    if look.partition or look.machine is None or not look.members or not look.md:
        return
    uefi = look.machine.system.uefi
    yield Hazard(
        id="whole-disk",
        severity=Severity.WARN if uefi else Severity.INFO,
        seen="whole-disk members on a UEFI computer" if uefi else "whole-disk members",
        meaning=(
            "Firmware or an installer may overwrite the superblock: a disk without a partition table looks empty. Some UEFI "
            "firmware writes a partition table there."
        ),
        advice="Set partition = true in the spec.",
        source="mdadm(8), on partitions of type 0xDA; reports of ASRock boards that restore the backup GPT",
    )


def new_superblock(look: Look) -> Iterator[Hazard]:
    """Arrays of Linux 6.19 and later do not assemble on older kernels."""
    if not look.md or look.kernel < (6, 19) or look.facts.metadata == "0.90":
        return
    kernel = f"{look.machine.system.kernel}" if look.machine else ""
    yield Hazard(
        id="new-superblock",
        severity=Severity.WARN,
        seen=f"Linux {kernel}",
        meaning=(
            "Linux 6.18 and older cannot assemble this array. Arrays made on 6.19 or later carry a logical block size; older "
            "kernels say 'does not have a valid v1.2 superblock, not importing'."
        ),
        advice="Keep a rescue system with Linux 6.19 or later. Never recreate an array because an old kernel refuses it.",
        source="Debian bug 1130775; nixos-anywhere issue 673",
    )


def no_linear(look: Look) -> Iterator[Hazard]:
    """The level linear is absent from some kernels."""
    if look.md and look.spec.level == "linear" and (6, 8) <= look.kernel < (6, 14):
        yield Hazard(
            id="no-linear",
            severity=Severity.HIGH,
            seen=f"Linux {look.kernel[0]}.{look.kernel[1]}",
            meaning="This kernel may not have the level linear: Linux 6.8 removed it and 6.14 brought it back.",
            advice="Try: modprobe md-linear || modprobe linear. Or put the disks into one volume group with LVM.",
            source="Linux drivers/md/md-linear.c",
        )


def raid0_zones(look: Look) -> Iterator[Hazard]:
    """RAID0 on unequal disks changed its layout between kernels."""
    if look.md and look.spec.level == "raid0" and look.sizes and len(set(look.sizes)) > 1:
        yield Hazard(
            id="raid0-zones",
            severity=Severity.INFO,
            seen=f"members of {len(set(look.sizes))} different sizes",
            meaning=(
                "The ends of the larger disks are striped over fewer disks, so they are slower. Linux 3.14 to 5.3 placed them "
                "differently."
            ),
            advice="Nothing to do for a new array: mdadm records the layout. Do not move it to a kernel before 5.4.",
            source="Linux drivers/md/raid0.c, default_layout",
        )


def explicit_bitmap(look: Look) -> Iterator[Hazard]:
    """mdadm from 4.4 on makes no bitmap by itself when it is run not to ask."""
    if look.machine is None or not look.md or look.facts.consistency != "bitmap":
        return
    mdadm = look.machine.tools.get("mdadm", "")
    if version(mdadm) >= (4, 4):
        yield Hazard(
            id="explicit-bitmap",
            severity=Severity.INFO,
            seen=f"mdadm {mdadm}",
            meaning="mdadm 4.4 and later create no bitmap unless asked. Older versions created one on large arrays.",
            advice="The plan asks for it. In your own scripts write --bitmap=internal or --bitmap=none.",
            source="mdadm issue 138",
        )


def start_up(look: Look) -> Iterator[Hazard]:
    """What the firmware or the boot loader must read from the array."""
    point = look.spec.filesystem.mountpoint.rstrip("/") if look.md else ""
    if point in {"/boot/efi", "/efi"}:
        fit = look.spec.level == "raid1" and look.facts.metadata == "1.0"
        yield Hazard(
            id="efi-on-array",
            severity=Severity.WARN if fit else Severity.HIGH,
            seen=f"mount point {point} on {look.spec.level}, metadata {look.facts.metadata}",
            meaning="The firmware may write to one half of the mirror only: it reads this partition and knows nothing of RAID.",
            advice=(
                "Keep two separate EFI partitions and copy one to the other. If it must be an array, use raid1 with "
                'metadata = "1.0".'
            ),
            source="Fedora devel list, March 2014; mdadm(8), --metadata",
        )
    elif point == "/boot" and look.spec.level != "raid1":
        yield Hazard(
            id="boot-on-array",
            severity=Severity.WARN,
            seen=f"mount point /boot on {look.spec.level}",
            meaning="The computer may not boot: few boot loaders read a striped array, and fewer a degraded one.",
            advice='Set level = "raid1" for /boot.',
            source="GRUB manual, RAID modules",
        )


def little_memory(look: Look) -> Iterator[Hazard]:
    """ZFS keeps its cache in memory."""
    if look.machine is None or look.spec.backend is not Backend.ZFS:
        return
    memory = look.machine.system.memory_bytes
    if 0 < memory < 8 * GIB:
        yield Hazard(
            id="little-memory",
            severity=Severity.WARN,
            seen=both(memory),
            meaning="ZFS and other programs will be slow: ZFS keeps its cache in memory and uses up to half of it.",
            advice="Install 8 GiB or more, or limit ZFS: echo options zfs zfs_arc_max=BYTES > /etc/modprobe.d/zfs.conf",
            source="OpenZFS documentation, Hardware: memory",
        )


def in_container(look: Look) -> Iterator[Hazard]:
    """Arrays are the kernel's, and a container has none of its own."""
    if look.machine is None or not look.machine.system.container:
        return
    yield Hazard(
        id="container",
        severity=Severity.WARN,
        seen=f"inside a container ({harmless(look.machine.system.container)})",
        meaning=(
            "The array would belong to the host: its udev names it and its modules run it. What this container writes for the "
            "next boot is never read there."
        ),
        advice="Run raidtui on the host.",
        source="systemd-detect-virt(1); md belongs to no namespace",
    )


def level_missing(look: Look) -> Iterator[Hazard]:
    """A kernel that has no module for the level."""
    system = look.machine.system if look.machine else None
    if system is None or not look.md or system.container or system.md_levels is None:
        return
    if look.spec.level not in LEVEL_NAMES or look.spec.level in system.md_levels:
        return
    yield Hazard(
        id="level-missing",
        severity=Severity.HIGH,
        seen=f"Linux {system.kernel} has {', '.join(system.md_levels) or 'no level of md'}",
        meaning=(
            f"The array cannot start: the running kernel has neither {look.spec.level} nor a module for it. After a kernel "
            "update that lasts until the next reboot."
        ),
        advice=(
            "Reboot, or install the modules of this kernel, then run: modprobe "
            + _MODULE_OF.get(look.spec.level, look.spec.level)
        ),
        source="Linux drivers/md, modules raid0, raid1, raid10, raid456 and linear; modprobe(8)",
    )


_MODULE_OF: Final = dict.fromkeys(("raid4", "raid5", "raid6"), "raid456")


def plain_memory(look: Look) -> Iterator[Hazard]:
    """Memory that does not notice when a bit has turned over."""
    system = look.machine.system if look.machine else None
    if system is None or system.memory_corrects is not False or system.hypervisor:
        return
    yield Hazard(
        id="no-ecc",
        severity=Severity.INFO,
        seen="no memory controller reports corrected errors",
        meaning="A flipped bit in memory is written to every disk alike, and no RAID level detects it.",
        advice=(
            "Use ECC memory and a board that supports it; the ECC inside DDR5 chips does not count. Otherwise test the memory "
            "overnight with memtest86+ first."
        ),
        source="OpenZFS documentation, Hardware: ECC memory; Linux Documentation/admin-guide/RAS, EDAC",
    )


CHECKS: Final[tuple[Check, ...]] = (
    whole_disks,
    new_superblock,
    no_linear,
    raid0_zones,
    explicit_bitmap,
    start_up,
    little_memory,
    in_container,
    level_missing,
    plain_memory,
)
