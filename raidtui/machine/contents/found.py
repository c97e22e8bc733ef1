"""What is on a disk or partition that is not in use: data that erasing would destroy."""

from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.machine.configured import Reference
from raidtui.machine.contents.signatures import PARTITION_TABLES
from raidtui.machine.md.former import way_back
from raidtui.machine.taken.facts import MachineFacts
from raidtui.machine.taken.freeing import teardown_of
from raidtui.model.device import Device
from raidtui.model.machine import Claim, ClaimKind, Signature, Weight
from raidtui.model.table_before import TableBefore
from raidtui.model.units import binary
from raidtui.model.uuids import same_uuid

NO_PARTITIONS: Final = " without partitions"
"""How the detail of a claim ends if sfdisk read the table and it has none, not only the kernel shows none."""

_FILESYSTEMS: Final = frozenset(
    {
        "apfs",
        "bcachefs",
        "befs",
        "BitLocker",
        "cramfs",
        "erofs",
        "exfat",
        "ext2",
        "ext3",
        "ext4",
        "f2fs",
        "gfs2",
    }
    | {"hfs", "hfsplus", "hpfs", "iso9660", "jfs", "minix", "nilfs2", "ntfs", "ocfs2", "reiser4", "reiserfs"}
    | {"squashfs", "udf", "ufs", "vfat", "VMFS", "xfs", "zonefs"}
)
_TABLE_NAMES: Final = {"gpt": "GPT", "dos": "MBR"}
_MEMBERS: Final = {  # libblkid's type → kind, and its description
    "linux_raid_member": (ClaimKind.MD_MEMBER, ""),
    "LVM2_member": (ClaimKind.LVM, "LVM physical volume"),
    "crypto_LUKS": (ClaimKind.LUKS, "LUKS encrypted, not opened"),
    "zfs_member": (ClaimKind.ZFS, "member of a ZFS pool that is not imported"),
    "btrfs": (ClaimKind.BTRFS, "Btrfs filesystem, not mounted"),
    "bcache": (ClaimKind.BCACHE, "bcache device, not running"),
    "mpath_member": (ClaimKind.MULTIPATH, "path of a multipath device"),
    "swap": (ClaimKind.SIGNATURE, "swap space, not in use"),
}


def find_contents(facts: MachineFacts, block: Device, disk: str, *, used: bool) -> Iterator[Claim]:
    """Claim what is on ``block``; if it is ``used``, that use already explains its signatures.

    Args:
        disk: the serial number, or another name, of the disk that it is on; empty if it has none.
    """
    signatures = facts.signatures_of(block)
    tables = [s for s in signatures if s.type in PARTITION_TABLES]
    # The table of what is on an array shows on its members too; its partitions are the array's.
    of_array = used and not block.partitions and any(facts.array_of(one) for one in facts.graph.on(block))
    if (tables or (block.partitions and not signatures)) and not of_array:
        yield data(ClaimKind.PARTITION_TABLE, block, _table(facts, block, tables))
    if used:
        return
    by_type: Mapping[str, Signature] = {s.type: s for s in reversed(signatures) if s not in tables}
    for signature in by_type.values():
        yield from _content(facts, block, disk, signature)
    for reference in facts.references_to(block):
        if _is_of_a_device_in_use(facts, reference, block):
            continue
        use = f" ({reference.use})" if reference.use else ""
        yield Claim(
            what=ClaimKind.CONFIGURED,
            weight=Weight.DATA,
            device=block.path,
            detail=f"named in {reference.file}{use}, though not in use now",
            how_to_free=f"remove this line from {reference.file}: {reference.line}",
        )


def _is_of_a_device_in_use(facts: MachineFacts, reference: Reference, block: Device) -> bool:
    """Whether a line belongs to a running array or to another device in use, and must stay.

    A former member has the UUID of its array, and with metadata at its end that of the filesystem on it too; a clone
    has the UUID of its original.
    """
    if reference.name.tag == "MD_UUID":
        return any(same_uuid(reference.name.value, array.uuid) for array in facts.arrays)
    return any(
        other.name != block.name
        and (facts.array_of(other) or facts.graph.mounts_of(other) or other.is_swap or facts.graph.on(other))
        and reference in facts.references_to(other)
        for other in facts.graph
    )


def data(
    what: ClaimKind,
    block: Device,
    detail: str,
    *,
    unit: str = "",
    member: str = "",
    table: TableBefore | None = None,
) -> Claim:
    """A claim for data on ``block`` that would be erased."""
    return Claim(
        what=what,
        weight=Weight.DATA,
        device=block.path,
        detail=detail,
        how_to_free="",
        unit=unit,
        member=member,
        table=table,
    )


def _table(facts: MachineFacts, block: Device, tables: list[Signature]) -> str:
    kinds = dict.fromkeys(s.type for s in tables)
    kind = next(
        (_TABLE_NAMES[k] for k in kinds if k in _TABLE_NAMES), facts.udev(block).get("ID_PART_TABLE_TYPE", "")
    )
    return f"{kind} partition table{_partitions(facts, block)}".lstrip()


def _partitions(facts: MachineFacts, block: Device) -> str:
    """The partition count, in words; a table may have partitions, with files in them, that the kernel does not show."""
    if block.partitions:
        return f" with {_many(len(block.partitions))}"
    stored = facts.stored_partitions(block.path)
    if stored is None:
        return ", but the kernel shows no partitions"
    if not stored:
        return NO_PARTITIONS
    return f" with {_many(stored)} that the kernel does not show, so what is in them is unknown"


def _many(count: int) -> str:
    return f"{count} partition{'' if count == 1 else 's'}"


def _content(facts: MachineFacts, block: Device, disk: str, signature: Signature) -> Iterator[Claim]:
    kind, words = _MEMBERS.get(signature.type, (None, ""))
    about = _about(signature, block)
    if kind is ClaimKind.MD_MEMBER:
        yield _md_member(facts, block, signature)
    elif kind is ClaimKind.LVM:
        yield data(kind, block, words + _group(facts, block) + about)
    elif kind is ClaimKind.BTRFS:
        yield _btrfs(facts, block, signature, about)
    elif kind is ClaimKind.ZFS:
        pool = f' "{signature.label}"' if signature.label else ""
        yield data(kind, block, f"member of the ZFS pool{pool}, which is not imported")
    elif kind is ClaimKind.MULTIPATH:
        how = (
            "disconnect its other paths, and exclude it in the blacklist of /etc/multipath.conf (multipath -ll shows "
            "them): raidtui does not build on multipath devices"
        )
        yield Claim(what=kind, weight=Weight.UNUSABLE, device=block.path, detail=words, how_to_free=how)
    elif kind is not None:
        yield data(kind, block, words + _siblings(facts, signature) + about)
    elif signature.type.endswith("_raid_member"):
        maker = signature.type.removesuffix("_raid_member")
        yield Claim(
            what=ClaimKind.FIRMWARE_RAID,
            weight=Weight.BUSY,
            device=block.path,
            detail=f"member of a firmware RAID set ({maker})",
            how_to_free="delete the set in the firmware setup"
            + (f"; if it no longer exists: {teardown_of(disk)}" if disk else ""),
        )
    elif signature.type in _FILESYSTEMS:
        yield data(ClaimKind.FILESYSTEM, block, f"{signature.type} filesystem{about}")
    else:
        yield data(ClaimKind.SIGNATURE, block, f"signature of {signature.type}{about}")


def _about(signature: Signature, block: Device) -> str:
    return (f' "{signature.label}"' if signature.label else "") + _size_and_uuid(signature, block)


def _size_and_uuid(signature: Signature, block: Device) -> str:
    uuid = f", UUID {signature.uuid}" if signature.uuid else ""
    return f", {binary(block.size_bytes)}{uuid}"


def _md_member(facts: MachineFacts, block: Device, signature: Signature) -> Claim:
    name = f' "{signature.label}"' if signature.label else ""
    about = _size_and_uuid(signature, block)
    running = next((a for a in facts.arrays if a.uuid and a.uuid == signature.uuid), None)
    if running is None:
        here = _siblings(facts, signature)
        return data(ClaimKind.MD_MEMBER, block, f"member of array{name}, which is not running{here}{about}")
    how_it_stands, command = way_back(facts, block.path, running)
    former = "former member" if running.started else "member"
    return Claim(
        what=ClaimKind.MD_MEMBER,
        weight=Weight.DATA,
        device=block.path,
        detail=f"{former} of array{name} ({running.node}), {how_it_stands}{about}",
        how_to_free=command,
    )


def _btrfs(facts: MachineFacts, block: Device, signature: Signature, about: str) -> Claim:
    """A Btrfs filesystem, or one device of it: the others may not be attached."""
    # A member of an array with its superblock at the end shows what is on the array.
    below = (
        path for path, some in facts.signatures.items() if any(s.type == "linux_raid_member" for s in some)
    )
    if facts.btrfs_devices(block.path) == 0:
        words = "the new disk of a replacement in a Btrfs filesystem, which has not ended"
        return data(ClaimKind.BTRFS_POOL, block, f"{words}{about}")
    targets = (
        s.device
        for some in facts.signatures.values()
        for s in some
        if s.type == "btrfs" and s.uuid == signature.uuid and facts.btrfs_devices(s.device) == 0
    )
    here = _count_here(facts, signature, but=frozenset((*below, *targets)))
    devices = facts.btrfs_devices(block.path) or here
    clones = f" ({here} devices here have its UUID: a clone is among them)" if here > devices else ""
    if devices < 2:
        return data(ClaimKind.BTRFS, block, f"Btrfs filesystem, not mounted{clones}{about}")
    if clones:
        detail = f"one of {devices} devices of a Btrfs filesystem, not mounted{clones}{about}"
        return data(ClaimKind.BTRFS_POOL, block, detail)
    found = f"{here} of them here" if here < devices else "all of them here"
    return data(
        ClaimKind.BTRFS_POOL,
        block,
        f"one of {devices} devices of a Btrfs filesystem, not mounted ({found}){about}",
    )


def _count_here(facts: MachineFacts, signature: Signature, *, but: frozenset[str] = frozenset()) -> int:
    """How many devices of this computer, ``but`` left out, hold the same filesystem or array."""
    devices = {s.device for some in facts.signatures.values() for s in some if s.uuid == signature.uuid}
    return len(devices - but) if signature.uuid else 1


def _siblings(facts: MachineFacts, signature: Signature) -> str:
    count = _count_here(facts, signature)
    return f" ({count} of its devices are here)" if count > 1 else ""


def _group(facts: MachineFacts, block: Device) -> str:
    volume = facts.volumes.get(block.name)
    if volume is None:
        return " of a volume group that is not known"
    if not volume.group:
        return ""
    if volume.group == "[unknown]":
        return " of a volume group whose metadata LVM cannot read"
    count = volume.group_devices
    one_of = f", one of {count} in" if count > 1 else " in"
    how = "was exported, to be moved to another system" if volume.exported else "is not active"
    missing = f", {volume.missing} of its disks missing" if volume.missing else ""
    return f'{one_of} the volume group "{volume.group}", which {how}{missing}'
