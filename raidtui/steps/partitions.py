"""One GPT partition for each member: aligned to 1 MiB, of the right type, with free space at the end."""

from collections.abc import Sequence
from typing import Final

import msgspec

from raidtui.model.machine import Disk, Partition
from raidtui.model.plan import Extent, Role, Run, Step, Undo
from raidtui.model.text import count_of
from raidtui.model.units import KIB, spell_size
from raidtui.steps.devices import BLANK, PARTITION
from raidtui.steps.pieces import Piece, by_disk
from raidtui.steps.seeds import derive, partition_uuid
from raidtui.steps.wipe import forget_table, reread

# GPT partition types, Discoverable Partitions list.
LINUX_RAID: Final = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LINUX_FILESYSTEM: Final = "0fc63daf-8483-4772-8e79-3d69d8477de4"
LINUX_LVM: Final = "e6d6d379-f507-44c2-a23c-238f2a3df928"
ZFS_MEMBER: Final = "6a898cc3-1dd2-11b2-99a6-080020736631"  # Solaris /usr, which OpenZFS uses
ZFS_RESERVED: Final = "6a945a3b-1dd2-11b2-99a6-080020736631"
"""The type of the ninth partition of a disk that ZFS partitioned: 8 MiB, and nothing in them."""
OF_MEMBERS: Final = frozenset({LINUX_RAID, "0xfd"})
"""The types of partitions that are made for members of arrays."""
MBR: Final = {LINUX_RAID: "fd", LINUX_LVM: "8e", ZFS_MEMBER: "bf"}
"""The types of an MBR table that mean the same; 83 for the rest."""
_MOST_MBR: Final = 4  # its partitions, without logical ones
_MBR_SECTORS: Final = 1 << 32  # what its numbers of 32 bits reach
_GPT_ENTRIES: Final = 16 * KIB
_CALLED: Final = {LINUX_RAID: "RAID ", LINUX_LVM: "LVM ", ZFS_MEMBER: "ZFS "}


def partition_step(
    pieces: Sequence[Piece], *, name: str, seed: str, reserve: int, kind: str = LINUX_RAID
) -> Step:
    """Write a partition table with the partitions of type ``kind`` on each disk: one, or one for each of its pieces."""
    every = by_disk(pieces)
    wholes = [own[0].whole for own in every]
    reason = "A partition table shows every system that the disk is in use"
    if reserve:
        reason += f". The last {spell_size(reserve)} stay free so that a slightly smaller disk can replace it"
    forget = tuple(run for whole in wholes for run in forget_table(whole))
    return Step(
        id="partition",
        role=Role.PREPARE,
        title=f"Create {_count(pieces, every, kind)}",
        reason=f"{reason}.",
        actions=(
            *(_write_table(own, name=name, seed=seed, kind=kind) for own in every),
            *(reread(whole) for whole in wholes),
        ),
        before=tuple(BLANK.of(whole) for whole in wholes),
        after=tuple(
            PARTITION.of(piece.device, f"{piece.extent.offset} {piece.extent.length}") for piece in pieces
        ),
        undoable=Undo.COMMANDS,
        undo=forget,
        undo_note="the new partition tables are erased",
        repair=forget,
        holds=tuple(wholes),
    )


def _count(pieces: Sequence[Piece], every: Sequence[tuple[Piece, ...]], kind: str) -> str:
    if len(pieces) > len(every):
        return f"{len(pieces)} {_CALLED.get(kind, '')}partitions on {count_of(every, 'disk')}"
    where = f"each of {count_of(every, 'disk')}" if len(every) > 1 else "the disk"
    return f"one {_CALLED.get(kind, '')}partition on {where}"


def room_behind(pattern: Disk, sector: int) -> int:
    """The bytes that the table of a disk partitioned like ``pattern`` takes behind the last partition.

    A GPT has its copy there. An MBR table takes nothing, and its last partition often ends where the disk ends.

    Args:
        sector: the size of a logical sector of that disk.
    """
    return 0 if _can_be_mbr(pattern) and sector == pattern.logical_sector_bytes else _GPT_ENTRIES + sector


def _can_be_mbr(pattern: Disk) -> bool:
    within = _MBR_SECTORS * pattern.logical_sector_bytes
    return pattern.partition_table == "dos" and all(
        part.number <= _MOST_MBR and part.start_bytes + part.size_bytes <= within
        for part in pattern.partitions
    )


def like_pattern(new: Disk, whole: str, parts: Sequence[tuple[Partition, str, str]], *, uuid: str) -> Run:
    """Write a table with partitions where those of another disk are: a GPT, or MBR where its copy has no room.

    Args:
        whole: the path of ``new``.
        parts: each pattern, the GPT type of the new one, and its UUID.
        uuid: of the table.
    """
    sector = new.logical_sector_bytes
    extents = [Extent(offset=part.start_bytes, length=part.size_bytes) for part, _, _ in parts]
    mbr = max(one.offset + one.length for one in extents) + _GPT_ENTRIES + sector > new.size_bytes
    # By number: sfdisk ends a device name at its first colon, and the link of a USB disk has one.
    lines = [
        f"{part.number} : start={part.start_bytes // sector}, size={part.size_bytes // sector}, "
        + (f"type={MBR.get(kind, '83')}" if mbr else f"type={kind}, uuid={own}")
        for part, kind, own in parts
    ]
    return write_table(
        whole, lines, extents, uuid=f"0x{uuid[:8]}" if mbr else uuid, label="dos" if mbr else "gpt"
    )


def write_table(
    whole: str,
    lines: Sequence[str],
    extents: Sequence[Extent],
    *,
    uuid: str,
    label: str = "gpt",
    wipe: str = "always",
) -> Run:
    """Write a partition table.

    Args:
        whole: the path of the disk.
        lines: the partitions, one line of sfdisk(8) each.
        extents: where they are; besides the table, sfdisk wipes signatures at both ends of each.
        uuid: of the table.
        label: sfdisk's word for its kind.
        wipe: its word for when it erases signatures on the disk and in the partitions: with "never" it writes the table alone.
    """
    return Run(
        argv=(
            "sfdisk",
            "--no-reread",  # its check whether the disk is in use fails on our lock; the steps check themselves
            "--no-tell-kernel",
            f"--wipe={wipe}",
            f"--wipe-partitions={wipe}",
            whole,
        ),
        input="\n".join((f"label: {label}", f"label-id: {uuid}", *lines)) + "\n",
        writes=tuple(msgspec.structs.replace(one, disk=whole) for one in extents),
    )


def _write_table(pieces: Sequence[Piece], *, name: str, seed: str, kind: str) -> Run:
    disk, lines = pieces[0].disk, []
    for piece in pieces:
        sector = disk.logical_sector_bytes
        unit = f"{name}-{piece.part}" if len(pieces) > 1 else name
        label = f"{unit}-{'s' if piece.role == 'spare' else ''}{piece.number}"
        lines.append(
            f"start={piece.extent.offset // sector}, size={piece.extent.length // sector}, "
            f'type={kind}, uuid={partition_uuid(seed, disk.identity, piece.part)}, name="{label}"'
        )
    uuid = derive(seed, "table", disk.identity)
    return write_table(pieces[0].whole, lines, [piece.extent for piece in pieces], uuid=uuid)
