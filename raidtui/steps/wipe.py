"""Make disks blank: save a recovery capsule, erase every signature, zero both ends of disk and member."""

from collections.abc import Sequence

from raidtui.machine.contents.btrfs_superblock import COPIES, SIZE
from raidtui.model.machine import UNSEEN, Disk, Signature
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Extent, RestoreCapsule, Role, Run, SaveCapsule, Step, Undo
from raidtui.model.text import count_of, harmless
from raidtui.model.units import MIB, both
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.pieces import Piece, by_disk, called

# md, LVM, LUKS and bcache have metadata in the first MiB; md 1.0, ZFS, GPT and firmware RAID in the last.
END_BYTES = MIB


def capsule_step(pieces: Sequence[Piece], *, until: str = "the array is created") -> Step:
    """Save what the next steps overwrite; ``until``: how long it can be restored."""
    pieces = [own[0] for own in by_disk(pieces)]
    return Step(
        id="capsule",
        role=Role.PREPARE,
        title=f"Save a recovery capsule of {count_of(pieces, 'disk')}",
        reason="Keeps partition tables, signatures and both ends of each disk on another disk, so that they can "
        f"be restored until {until}.",
        actions=(SaveCapsule(disks=tuple(piece.disk.identity for piece in pieces)),),
        before=tuple(UNCLAIMED.of(piece.whole) for piece in pieces),
        undoable=Undo.NOTHING,
        undo_note="the capsule is kept with the job",
    )


def wipe_step(pieces: Sequence[Piece], *, what: str = "array") -> Step:
    """Erase every signature on the disks, and stale metadata that could be detected in the new members.

    Args:
        what: the noun for what is built on them.
    """
    every = by_disk(pieces)
    pieces = [own[0] for own in every]
    return Step(
        id="wipe",
        role=Role.PREPARE,
        title=f"Erase what is on {count_of(pieces, 'disk')}",
        reason=f"Stale signatures could be detected and activated as soon as the {what} exists.",
        actions=tuple(action for own in every for action in _wipe(own)),
        destroys=tuple(describe_loss(piece.disk) for piece in pieces),
        before=tuple(UNCLAIMED.of(piece.whole) for piece in pieces),
        after=tuple(BLANK.of(piece.whole) for piece in pieces),
        undoable=Undo.CAPSULE,
        undo=(RestoreCapsule(disks=tuple(piece.disk.identity for piece in pieces)),),
        undo_note="the saved bytes are written back: the disks are as they were",
        holds=tuple(piece.whole for piece in pieces),
    )


def describe_loss(disk: Disk) -> str:
    """What is lost on a disk, in one line."""
    found = [claim.detail for claim in disk.taken_by]
    lost = harmless("; ".join(found)) if found else "nothing of a known format is on it"
    model = f"{harmless(disk.model)}, " if disk.model else ""
    return f"{called(disk)} ({model}{both(disk.size_bytes)}): {lost}"


def forget_table(whole: str) -> tuple[Run, Run]:
    """Erase the partition table of a disk and make the kernel forget its partitions."""
    return Run(argv=("wipefs", "--all", whole), writes=()), reread(whole)


def reread(whole: str) -> Run:
    """Make the kernel reread a partition table."""
    return Run(argv=("blockdev", "--rereadpt", whole), writes=())


def zero(device: str, offset: int, length: int) -> Run:
    """Write zeros to ``length`` bytes from ``offset`` and flush them to the disk."""
    return Run(
        argv=(
            "dd",
            "if=/dev/zero",
            f"of={device}",
            f"bs={length}",
            "count=1",
            f"seek={offset}",
            "oflag=seek_bytes",
            "conv=notrunc,fsync",
            "status=none",
        ),
        timeout_seconds=300,
        writes=(Extent(disk=device, offset=offset, length=length),),
    )


def zero_copies(device: str, size_bytes: int) -> tuple[Run, ...]:
    """Erase the copies of a Btrfs superblock, which wipefs does not see; raidtui would find the Btrfs again by one."""
    return tuple(zero(device, place, SIZE) for place in COPIES if place + SIZE <= size_bytes)


def _wipe(pieces: Sequence[Piece]) -> tuple[Run, ...]:
    """Wipe one disk; ``pieces``: the members on it."""
    disk, whole = pieces[0].disk, pieces[0].whole
    # Exit code 1: when repeated after an interruption, a partition may be gone already. Its ends are zeroed below in
    # any case, and a busy one makes wipefs fail on the whole disk.
    partitions = [
        Run(argv=("wipefs", "--all", partition_path(whole, partition.number)), ok=(0, 1), writes=())
        for partition in sorted(disk.partitions, key=lambda one: -one.number)
    ]
    return (
        *partitions,
        Run(argv=("wipefs", "--all", whole), writes=()),
        *(zero(whole, offset, length) for offset, length in _ends(pieces)),
        reread(whole),
    )


def _ends(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """Offset and length of the ranges to zero, merged: both ends of the disk and of each member, and copies of a Btrfs."""
    size = pieces[0].disk.size_bytes
    wanted = [(0, END_BYTES), (size - END_BYTES, size)]
    wanted += [(place, place + SIZE) for place in _copies(pieces[0].disk) if place + SIZE <= size]
    for extent in (piece.extent for piece in pieces):
        first, last = extent.offset, extent.end
        wanted += [(first, first + END_BYTES), (last - END_BYTES, last)]
    merged: list[tuple[int, int]] = []
    for begin, end in sorted((max(0, begin), min(size, end)) for begin, end in wanted):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return [(begin, end - begin) for begin, end in merged]


def _copies(disk: Disk) -> list[int]:
    """Where on the disk copies of the superblock of a Btrfs lie, if one is or was on it or on a partition."""
    is_gone = any(claim.what in UNSEEN for claim in disk.taken_by)
    starts = [0] if is_gone or _has_btrfs(disk.signatures) else []
    starts += [one.start_bytes for one in disk.partitions if is_gone or _has_btrfs(one.signatures)]
    return [start + place for start in starts for place in COPIES]


def _has_btrfs(signatures: Sequence[Signature]) -> bool:
    return any(one.type == "btrfs" for one in signatures)
