"""Hazards of destroying something: the running system, what is in use, and data on a disk."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.look import Check, Look, claimed, claims, of_disks, on_disks
from raidtui.backends.units import units_of
from raidtui.model.machine import ClaimKind, Disk, Weight
from raidtui.model.plan import Hazard, Severity, warning
from raidtui.model.text import harmless
from raidtui.steps.pieces import called

# The noun for each, and the command that lists it.
_POOLS: Final = {
    ClaimKind.LVM: ("volume group", "pvs -a -o +vg_name"),
    ClaimKind.ZFS: ("ZFS pool", "zpool import (without a name; with -D, what was destroyed)"),
    ClaimKind.BTRFS_POOL: ("Btrfs filesystem", "btrfs filesystem show"),
}
_SPECIAL: Final = _POOLS.keys() | {
    ClaimKind.MD_MEMBER,
    ClaimKind.FIRMWARE_RAID,
    ClaimKind.UNKNOWN_DATA,
    ClaimKind.OVERWRITTEN,
    ClaimKind.TABLE_MISFIT,
    ClaimKind.TABLE_DAMAGED,
    ClaimKind.REMAINS,
    ClaimKind.CONFIGURED,
}


def _to_free(disks: Sequence[Disk]) -> str:
    """How ``disks`` are freed, each way once; what has to be done on several is done on the first."""
    return harmless("; ".join(dict.fromkeys(" && ".join(disk.to_free) for disk in disks if disk.to_free)))


def _members_on(disks: Sequence[Disk]) -> list[str]:
    """The devices on ``disks`` that are members of arrays, each once."""
    every = (claim for disk in disks for claim in disk.taken_by if claim.what is ClaimKind.MD_MEMBER)
    return list(dict.fromkeys(claim.device for claim in every))


def foreign_pool(look: Look) -> Iterator[Hazard]:
    """A disk of an inactive volume group, ZFS pool or multi-device Btrfs filesystem."""
    seen = [
        (disk, claims(disk, lambda claim: claim.what in _POOLS and claim.weight is Weight.DATA))
        for disk in look.disks
    ]
    # The backend may know more than the disk shows: which computer used it last.
    units = units_of(look.machine) if look.machine is not None else ()
    state = {member.disk: f"; {one.state}" for one in units if not one.node for member in one.members}
    every = [claim.what for disk in look.disks for claim in disk.taken_by if claim.weight is Weight.DATA]
    words = [_POOLS[kind] for kind in _POOLS if kind in every]
    yield from on_disks(
        "foreign-pool",
        Severity.HIGH,
        [(disk, what + state.get(disk.identity, "")) for disk, what in seen if what],
        meaning=f"Erasing a part of an inactive {' or '.join(noun for noun, _ in words)} may destroy data on other disks "
        "too.",
        advice=f"Look first: {', '.join(command for _, command in words)}",
        source="pvs(8); zpool-import(8); btrfs-filesystem(8)",
    )


def incomplete(look: Look) -> Iterator[Hazard]:
    """A reading without root, which shows neither signatures nor exclusive opens."""
    if look.machine is not None and not look.machine.complete:
        yield warning(
            id="not-all-read",
            seen="the disks were read without root",
            meaning="Hazards may be missing here. Without root, raidtui cannot see what is on the disks or who has them open.",
            advice="Run: sudo raidtui inspect",
            source="open(2), O_EXCL on a block device",
            disks=tuple(called(disk) for disk in look.disks),
        )


_unknown = claimed(ClaimKind.UNKNOWN_DATA)

CHECKS: Final[tuple[Check, ...]] = (
    of_disks(
        "system-disk",
        Severity.BLOCK,
        lambda disk: claims(disk, lambda claim: claim.weight is Weight.SYSTEM),
        meaning="Building the array would destroy the running system.",
        advice="Choose another disk; there is no override.",
        source="the mounts of the running system, followed down to whole disks",
    ),
    of_disks(
        "busy",
        Severity.BLOCK,
        lambda disk: claims(disk, lambda claim: claim.weight is Weight.BUSY),
        meaning="In use now: whatever uses it would lose its data.",
        advice=lambda disks: _to_free(disks) or "Free the disk first.",
        source="the kernel's mounts, swaps, holders and exclusive opens",
    ),
    of_disks(
        "unusable",
        Severity.BLOCK,
        lambda disk: claims(
            disk, lambda claim: claim.weight is Weight.UNUSABLE and claim.what is not ClaimKind.DUPLICATE
        ),
        meaning="This disk cannot be written as it is.",
        advice=lambda disks: _to_free(disks) or "Choose another disk.",
        source="sysfs: ro, size and removable of the disk",
    ),
    of_disks(
        "foreign-array",
        Severity.HIGH,
        claimed(ClaimKind.MD_MEMBER),
        meaning=(
            "Data may be lost: a member of an array that does not use it now. With its other members the array may "
            "still be whole."
        ),
        advice=lambda disks: (
            f"Look first: mdadm --examine {' '.join(_members_on(disks))}; "
            "raidtui care shows what it is and starts it, or reads it without a write"
        ),
        source="mdadm(8), --examine and --assemble",
    ),
    foreign_pool,
    of_disks(
        "firmware-raid",
        Severity.HIGH,
        claimed(ClaimKind.FIRMWARE_RAID),
        meaning="The firmware may overwrite a disk that has metadata of a firmware RAID with the contents of another one.",
        advice="Delete the set in the firmware's setup, or switch the controller to AHCI. Then erase what is left: {}. "
        "raidtui refuses the disk until that is done.",
        command="wipefs --all",
        source="announcement of mdadm 3.3.4",
    ),
    of_disks(
        "signatures",
        Severity.WARN,
        lambda disk: claims(disk, lambda claim: claim.weight is Weight.DATA and claim.what not in _SPECIAL),
        meaning="This is stored there now and will be erased.",
        advice="Back up what you want to keep. Name the disk with --erase only when nothing on it is needed.",
        source="libblkid, on the disk and on each of its partitions",
    ),
    of_disks(
        "unknown-data",
        Severity.WARN,
        lambda disk: _unknown(disk) if disk.has_device else "",  # a card does not show what is on its drives
        meaning="Data will be lost: wipefs finds no signature, but the disk is not blank.",
        advice="Find out what it is before you build. Open an encrypted volume (VeraCrypt, plain dm-crypt) first. "
        "testdisk can find a lost partition table again.",
        source="samples of the disk; the formats of libblkid, fdisk and parted",
    ),
    of_disks(
        "overwritten",
        Severity.WARN,
        claimed(ClaimKind.OVERWRITTEN),
        meaning="This disk may hold the only copy of data: the partition table or superblock that led to it was overwritten.",
        advice="Find out what it was before you build. testdisk finds lost partitions again; a member of an array can often be "
        "put back.",
        source="samples of the disk; the data offsets of mdadm",
    ),
    of_disks(
        "table-misfit",
        Severity.WARN,
        claimed(ClaimKind.TABLE_MISFIT),
        meaning="Data will be lost: the disk has partitions that are not shown here, with whatever is on them.",
        advice="Connect the disk as it was when it was partitioned, as in its USB enclosure, and look at it there first.",
        source="the GPT, and the size of the disk and of its logical sectors",
    ),
    of_disks(
        "table-damaged",
        Severity.WARN,
        claimed(ClaimKind.TABLE_DAMAGED),
        meaning="Data will be lost: the disk has partitions that are not shown, because the start of its table is damaged.",
        advice="Write the table again from its copy at the end, as fdisk can, and look at the partitions first.",
        source="both copies of the GPT, with their checksums",
    ),
    of_disks(
        "old-data",
        Severity.INFO,
        claimed(ClaimKind.REMAINS),
        meaning="Data left from earlier use will be lost.",
        advice="Stop here if you expect files there: photorec or testdisk may still find them.",
        source="samples of the disk: its head, its tail and places between",
    ),
    of_disks(
        "configured",
        Severity.WARN,
        claimed(ClaimKind.CONFIGURED),
        meaning="The next boot may hang: a configuration file of this computer still names what is on this disk.",
        advice="Remove that line from the file, or add the option nofail to it.",
        source="fstab(5), crypttab(5), mdadm.conf(5)",
    ),
    incomplete,
)
