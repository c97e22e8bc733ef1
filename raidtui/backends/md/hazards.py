"""Hazards of md arrays: power cuts, unnoticed failures, kernels and firmware that do not get along with them."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from raidtui.backends.look import Check, Look, mixed_sectors, version
from raidtui.model.chance import percent
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import MD_LEVELS, parity_of
from raidtui.model.plan import Hazard, Severity, high, notice, warning
from raidtui.model.text import spelled
from raidtui.model.units import GIB, KIB, both, spell_size

LITTLE: Final = 0.01  # above this share mdadm asks
MUCH: Final = 0.10
_LARGE_CHUNK: Final = (
    512 * KIB
)  # with these md records no place within the head of the array, which blkid(8) reads
_MANY: Final = 4  # members: with fewer none was recorded there
_BOOTED: Final = (6, 1)  # the last kernel that is known to boot then


def _list(look: Look) -> str:
    """The disks in the form of ``raidtui calc --disks``."""
    sizes = [disk.size_bytes for disk in look.members] or look.sizes
    return ",".join(f"{len(list(same))}x{spell_size(size)}" for size, same in groupby(sizes))


def unequal(look: Look) -> Iterator[Hazard]:
    """Space beyond the smallest disk that no member can use."""
    if not look.redundant:
        return
    sizes = look.sizes
    smallest, total = min(sizes), sum(sizes)
    waste = total - smallest * len(sizes)
    part = waste / total
    if part <= LITTLE:
        return
    yield Hazard(
        id="unequal-sizes",
        severity=Severity.HIGH if part > MUCH else Severity.WARN,
        seen=f"{both(waste)} of {both(total)}, {percent(part)}, is beyond the size of the smallest disk",
        meaning="Space is wasted: every member uses only as much as the smallest disk has.",
        advice=f"Compare other layouts: raidtui calc --disks {_list(look)}; level hybrid1 of hybrid "
        "uses larger disks in bands, and Btrfs RAID1 nearly all of them.",
        source="mdadm(8), --size",
        disks=tuple(
            disk.identity for disk, size in zip(look.members, sizes, strict=False) if size > smallest
        ),
    )


def checksums_without_repair(look: Look) -> Iterator[Hazard]:
    """Btrfs on an array detects damage but has no second copy to repair it from."""
    if look.redundant and look.spec.filesystem.type == "btrfs":
        yield notice(
            id="btrfs-on-array",
            seen=f"Btrfs on {spelled(look.spec.level)}",
            meaning=(
                "Btrfs detects a wrong block here but cannot repair it: on one array it has no second copy. md does not know which "
                "member was wrong."
            ),
            advice='Use backend = "btrfs" with RAID1 for repair. btrfs scrub start MOUNTPOINT shows which files to restore.',
            source="btrfs-scrub(8); md(4), scrubbing and mismatches",
        )


def idle_trim(look: Look) -> Iterator[Hazard]:
    """Members of a parity array receive no discards."""
    if look.facts.parity and look.members and not any(disk.rotational for disk in look.members):
        yield notice(
            id="no-trim",
            seen=f"{spelled(look.spec.level)} on flash",
            meaning=(
                "These SSDs get no discards: md passes none to the members of a parity array, to keep the "
                "parity correct."
            ),
            advice="Leave a part of each SSD unpartitioned (a larger reserve), so that it keeps free blocks.",
            source="Linux drivers/md/raid5.c, devices_handle_discard_safely",
        )


def write_hole(look: Look) -> Iterator[Hazard]:
    """The write hole: a power cut in the middle of a stripe."""
    if not look.facts.parity or look.facts.consistency == "ppl":
        return
    yield hole_left(
        look,
        seen=f"{spelled(look.spec.level)} with consistency {look.facts.consistency}",
        advice=(
            "Use a UPS"
            + (
                '. Or set consistency = "ppl", which costs 30 to 40 % of the write speed.'
                if look.spec.level == "raid5"
                else ", or a journal on mirrored flash."
            )
        ),
        source="md(4); Linux Documentation/driver-api/md/raid5-ppl.rst",
    )


def hole_left(look: Look, *, seen: str, advice: str, source: str) -> Hazard:
    """The write hole of md's parity, in md and in backends that use md's code. Graver with one parity than with two."""
    return Hazard(
        id="write-hole",
        severity=Severity.WARN if look.facts.parity == 1 else Severity.INFO,
        seen=seen,
        meaning=(
            "After a power cut, data and parity of a stripe may differ. If a disk is missing then, md computes wrong data "
            "for it, also in files that were not being written. A bitmap makes the resync shorter and does not prevent this."
        ),
        advice=advice,
        source=source,
    )


def no_bitmap(look: Look) -> Iterator[Hazard]:
    """Without a bitmap, every power cut causes a full resync."""
    if not look.redundant or look.facts.consistency != "resync" or max(look.sizes, default=0) < 100 * GIB:
        return
    yield warning(
        id="no-bitmap",
        seen=f"consistency resync on members of {both(min(look.sizes))}",
        meaning="After every power cut the whole array is resynced. That takes hours, at reduced speed and redundancy.",
        advice='Set consistency = "bitmap" in the spec.',
        source="md(4), bitmap write-intent logging",
    )


def no_mail_address(look: Look) -> Iterator[Hazard]:
    """No mail address for mdadm's monitor: a failed disk goes unnoticed."""
    if look.machine is None or not look.redundant or look.machine.system.mail_address:
        return
    conf = look.machine.system.mdadm_conf
    yield warning(
        id="no-mail-address",
        seen=f"no MAILADDR in {conf}",
        meaning="Nobody gets mail when a disk fails. The array then runs without redundancy until the next disk fails.",
        advice=f"Add 'MAILADDR you@example.org' to {conf}, then: mdadm --monitor --scan --oneshot --test",
        source="mdadm.conf(5), MAILADDR; mdadm(8), --monitor",
    )


def not_monitored(look: Look) -> Iterator[Hazard]:
    """No running monitor: a mail address is of no use then."""
    if look.machine is None or not look.redundant or look.machine.system.monitored_by != "":
        return
    system = look.machine.system
    yield warning(
        id="not-monitored",
        seen="mdmonitor.service is masked or not installed"
        if system.systemd
        else "no script starts mdadm's monitor",
        meaning="Nothing watches the arrays, so nobody gets mail when a disk fails, whatever mdadm.conf says.",
        advice=(
            "Run: systemctl unmask mdmonitor.service"
            if system.systemd
            else "Run at every boot: mdadm --monitor --scan --daemonise"
        ),
        source="mdadm(8), --monitor; mdadm's udev rules, SYSTEMD_WANTS",
    )


def never_scrubbed(look: Look) -> Iterator[Hazard]:
    """No scheduled scrub: an unreadable sector may stay unnoticed for years, until a rebuild needs it."""
    if look.machine is None or not look.redundant or look.machine.system.scrubbed_by != "":
        return
    timer = look.machine.system.could_scrub
    yield warning(
        id="never-scrubbed",
        seen="no timer and no cron reads arrays whole",
        meaning="Bad sectors stay hidden until a rebuild needs them. By then there is no second copy.",
        advice=(
            f"Run: systemctl enable --now {timer}"
            if timer.endswith(".timer")
            else "Run once a month, for each array: raidtui scrub ARRAY --now"
        ),
        source="md(4), scrubbing and mismatches; mdadm(8), --action",
    )


def whole_disks(look: Look) -> Iterator[Hazard]:
    """Whole-disk members: some firmware 'repairs' disks without a partition table."""
    if look.partition or look.machine is None or not look.members:
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
    if look.kernel < (6, 19) or look.facts.metadata == "0.90":
        return
    kernel = f"{look.machine.system.kernel}" if look.machine else ""
    yield warning(
        id="new-superblock",
        seen=f"Linux {kernel}",
        meaning=(
            "Linux 6.18 and older cannot assemble this array. Arrays made on 6.19 or later carry a logical block size; older "
            "kernels say 'does not have a valid v1.2 superblock, not importing'."
        ),
        advice="Keep a rescue system with Linux 6.19 or later. Never recreate an array because an old kernel refuses it.",
        source="Debian bug 1130775; nixos-anywhere issue 673",
    )


def raid0_zones(look: Look) -> Iterator[Hazard]:
    """RAID0 on unequal disks changed its layout between kernels."""
    if look.spec.level == "raid0" and len(set(look.sizes)) > 1:
        yield notice(
            id="raid0-zones",
            seen=f"members of {len(set(look.sizes))} different sizes",
            meaning=(
                "The ends of the larger disks are striped over fewer disks, so they are slower. Linux 3.14 to 5.3 placed them "
                "differently."
            ),
            advice="Nothing to do for a new array: mdadm records the layout. Do not move it to a kernel before 5.4.",
            source="Linux drivers/md/raid0.c, default_layout",
        )


def explicit_bitmap(look: Look) -> Iterator[Hazard]:
    """mdadm 4.4 and later, run with --run, creates no bitmap by default."""
    if look.machine is None or look.facts.consistency != "bitmap":
        return
    mdadm = look.machine.tools.get("mdadm", "")
    if version(mdadm) >= (4, 4):
        yield notice(
            id="explicit-bitmap",
            seen=f"mdadm {mdadm}",
            meaning="mdadm 4.4 and later create no bitmap unless asked. Older versions created one on large arrays.",
            advice="The plan asks for it. In your own scripts write --bitmap=internal or --bitmap=none.",
            source="mdadm issue 138",
        )


def start_up(look: Look) -> Iterator[Hazard]:
    """/boot or the EFI partition on the array: the firmware or the boot loader must be able to read it."""
    point = look.spec.filesystem.mountpoint.rstrip("/")
    if point in {"/boot/efi", "/efi"}:
        fit = look.spec.level == "raid1" and look.facts.metadata == "1.0"
        yield Hazard(
            id="efi-on-array",
            severity=Severity.WARN if fit else Severity.HIGH,
            seen=f"mount point {point} on {spelled(look.spec.level)}, metadata {look.facts.metadata}",
            meaning="The firmware may write to one half of the mirror only: it reads this partition and knows nothing of RAID.",
            advice=(
                "Keep two separate EFI partitions and copy one to the other. If it must be an array, use RAID1 with "
                'metadata = "1.0".'
            ),
            source="Fedora devel list, March 2014; mdadm(8), --metadata",
        )
    elif point == "/boot" and look.spec.level != "raid1":
        yield warning(
            id="boot-on-array",
            seen=f"mount point /boot on {spelled(look.spec.level)}",
            meaning="The computer may not boot: few boot loaders read a striped array, and fewer a degraded one.",
            advice='Set level = "raid1" for /boot.',
            source="GRUB manual, RAID modules",
        )


sector_sizes: Final = mixed_sectors(
    Severity.HIGH,
    meaning=(
        "XFS may no longer mount after a member is replaced. The array uses the largest logical sector size of its "
        "members, so it changes with them."
    ),
    source="mdadm issue 187; mdadm(8), --logical-block-size",
)
"""An array has the largest logical sectors of its members, and a filesystem cannot follow when they change."""


def level_missing(look: Look) -> Iterator[Hazard]:
    """The running kernel has no module for the level."""
    system = look.machine.system if look.machine else None
    if system is None or not system.lacks_level(look.spec.level):
        return
    yield high(
        id="level-missing",
        seen=f"Linux {system.kernel} has {', '.join(system.md_levels or ()) or 'no level of md'}",
        meaning=(
            f"The array cannot start: the running kernel has neither {spelled(look.spec.level)} nor a module for it. After a kernel "
            "update that lasts until the next reboot."
        ),
        advice=(
            "Put the disks into one volume group with LVM: Linux 6.8 removed linear, and since 6.14 not every kernel has it."
            if look.spec.level == "linear"
            else "Reboot, or install the modules of this kernel, then run: modprobe "
            + MD_LEVELS[look.spec.level].module
        ),
        source="Linux drivers/md, modules raid0, raid1, raid10, raid456 and linear; modprobe(8)",
    )


def late_boot(array: Array, members: int, machine: Machine) -> Iterator[Hazard]:
    """A power cut at the start of a reshape with small chunks, after which newer kernels let blkid(8) read for ever.

    Where ``array`` has parity and becomes that large. With small chunks, md records places within what blkid reads.

    Only an array that waits for its first write is read so, as Debian's md_mod.start_ro=1 lets all wait. A udev rule that
    makes one in a reshape active before blkid looks also ended it, but such a rule would have to be in the initramfs, and
    there it would move data behind the back of a system that is resumed from disk: what start_ro is for.
    """
    kernel = version(machine.system.kernel)
    small = 0 < array.chunk_bytes < _LARGE_CHUNK and members >= _MANY
    if not small or not parity_of(array.level) or (0, 0) < kernel <= _BOOTED:
        return
    if machine.system.md_waits is False:
        return
    yield warning(
        id="reshape-boot",
        seen=f"chunks of {array.chunk_bytes // KIB} KiB on {members} members",
        meaning=(
            "The computer may not boot after a power cut in the first seconds of the reshape. Until the first write, the kernel lets "
            "nobody read a stripe that is half moved. No data is lost."
        ),
        advice=(
            "Should that happen, add md_mod.start_ro=0 to the kernel's command line for one boot: the reshape continues at once then, "
            "before anything reads."
        ),
        source=(
            "Linux drivers/md/raid5.c, stripe_ahead_of_reshape; seen with Linux 6.12, not with 6.1; the parameter and the rule tried "
            "with mdadm 4.4"
        ),
    )


CHECKS: Final[tuple[Check, ...]] = (
    unequal,
    checksums_without_repair,
    idle_trim,
    write_hole,
    no_bitmap,
    no_mail_address,
    not_monitored,
    never_scrubbed,
    whole_disks,
    new_superblock,
    raid0_zones,
    explicit_bitmap,
    start_up,
    level_missing,
    sector_sizes,
)
"""Every check of md."""
