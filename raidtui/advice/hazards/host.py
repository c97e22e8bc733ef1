"""Hazards of this computer: its firmware, its kernel and what must find the array again."""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.hazards.look import Check, Look, version
from raidtui.advice.layouts import LEVEL_NAMES
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
        meaning="A disk without a partition table looks empty to firmware and installers; some UEFI firmware writes a "
        "partition table over the start, where the superblock lies.",
        advice="partition = true",
        source="mdadm(8), on partitions of type 0xDA; reports of ASRock boards that restore the backup GPT",
    )


def new_superblock(look: Look) -> Iterator[Hazard]:
    """Arrays of Linux 6.19 and later do not assemble on older kernels."""
    if not look.md or look.kernel < (6, 19) or look.metadata == "0.90":
        return
    kernel = f"{look.machine.system.kernel}" if look.machine else ""
    yield Hazard(
        id="new-superblock",
        severity=Severity.WARN,
        seen=f"Linux {kernel}",
        meaning="Arrays made on Linux 6.19 or later carry a logical block size that 6.18 and older do not know: those say "
        "'does not have a valid v1.2 superblock, not importing' and do not assemble the array.",
        advice="Keep a rescue system with Linux 6.19 or later; never recreate an array because an old kernel refuses it.",
        source="Debian bug 1130775; nixos-anywhere issue 673",
    )


def no_linear(look: Look) -> Iterator[Hazard]:
    """The level linear is absent from some kernels."""
    if look.md and look.spec.level == "linear" and (6, 8) <= look.kernel < (6, 14):
        yield Hazard(
            id="no-linear",
            severity=Severity.HIGH,
            seen=f"Linux {look.kernel[0]}.{look.kernel[1]}",
            meaning="The level linear was taken out of Linux 6.8 and came back in 6.14: this kernel may not have it.",
            advice="modprobe md-linear || modprobe linear; or put the disks into one volume group with LVM",
            source="Linux drivers/md/md-linear.c",
        )


def raid0_zones(look: Look) -> Iterator[Hazard]:
    """RAID0 on unequal disks changed its layout between kernels."""
    if look.md and look.spec.level == "raid0" and look.sizes and len(set(look.sizes)) > 1:
        yield Hazard(
            id="raid0-zones",
            severity=Severity.INFO,
            seen=f"members of {len(set(look.sizes))} different sizes",
            meaning="The tails of larger disks are striped over fewer of them, more slowly; kernels from 3.14 to 5.3 "
            "placed them differently.",
            advice="Nothing to do for a new array: mdadm writes down the layout. Do not move it to a kernel before 5.4.",
            source="Linux drivers/md/raid0.c, default_layout",
        )


def explicit_bitmap(look: Look) -> Iterator[Hazard]:
    """mdadm from 4.4 on makes no bitmap by itself when it is told not to ask."""
    if look.machine is None or not look.md or look.consistency != "bitmap":
        return
    mdadm = look.machine.tools.get("mdadm", "")
    if version(mdadm) >= (4, 4):
        yield Hazard(
            id="explicit-bitmap",
            severity=Severity.INFO,
            seen=f"mdadm {mdadm}",
            meaning="mdadm 4.4 and later leave the bitmap out unless it is asked for; older ones made one on large arrays "
            "by themselves.",
            advice="The plan asks for it; in scripts of your own write --bitmap=internal or --bitmap=none.",
            source="mdadm issue 138",
        )


def start_up(look: Look) -> Iterator[Hazard]:
    """What the firmware or the boot loader must read from the array."""
    point = look.spec.filesystem.mountpoint.rstrip("/") if look.md else ""
    if point in {"/boot/efi", "/efi"}:
        fit = look.spec.level == "raid1" and look.metadata == "1.0"
        yield Hazard(
            id="efi-on-array",
            severity=Severity.WARN if fit else Severity.HIGH,
            seen=f"mount point {point} on {look.spec.level}, metadata {look.metadata}",
            meaning="The firmware reads this partition without knowing of RAID, and may write to one half of a mirror "
            "only.",
            advice="Keep two separate EFI partitions and copy one to the other; if it must be an array: raid1 with "
            'metadata = "1.0"',
            source="Fedora devel list, March 2014; mdadm(8), --metadata",
        )
    elif point == "/boot" and look.spec.level != "raid1":
        yield Hazard(
            id="boot-on-array",
            severity=Severity.WARN,
            seen=f"mount point /boot on {look.spec.level}",
            meaning="Not every boot loader reads a striped array, and a degraded one least of all.",
            advice='level = "raid1" for /boot',
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
            meaning="ZFS keeps its cache in memory and takes up to half of it; with little of it both ZFS and the "
            "programs are slow.",
            advice="8 GiB or more; or limit it: echo options zfs zfs_arc_max=BYTES > /etc/modprobe.d/zfs.conf",
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
        meaning="The array would be the host's: its udev names it, its modules run it, and what this container writes for "
        "the next start is never read there.",
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
        meaning=f"The running kernel neither has {look.spec.level} nor a module for it, so the array cannot be started; "
        "after an update of the kernel that is so until the next start of the computer.",
        advice="Start the computer anew, or install the modules of this kernel; then: modprobe "
        + _MODULE_OF.get(look.spec.level, look.spec.level),
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
        meaning="A bit that turns over in memory is written to every disk alike, and no level of RAID notices it.",
        advice="Memory with ECC and a board that uses it (the one inside DDR5 chips is not it); before trusting other "
        "memory test it for a night with memtest86+.",
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
