"""One GPT partition per member: aligned to 1 MiB, of the right type, with free space at the end."""

from collections.abc import Sequence
from typing import Final

import msgspec

from raidtui.model.plan import Extent, Role, Run, Step, Undo
from raidtui.model.text import count_of
from raidtui.model.units import spell_size
from raidtui.steps.devices import BLANK, PARTITION
from raidtui.steps.pieces import Piece
from raidtui.steps.seeds import derive, partition_uuid
from raidtui.steps.wipe import forget_table, reread

# GPT partition types, Discoverable Partitions list.
LINUX_RAID: Final = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LINUX_FILESYSTEM: Final = "0fc63daf-8483-4772-8e79-3d69d8477de4"
LINUX_LVM: Final = "e6d6d379-f507-44c2-a23c-238f2a3df928"
ZFS_MEMBER: Final = "6a898cc3-1dd2-11b2-99a6-080020736631"  # Solaris /usr, which OpenZFS uses
_CALLED: Final = {LINUX_RAID: "RAID ", LINUX_LVM: "LVM ", ZFS_MEMBER: "ZFS "}


def partition_step(
    pieces: Sequence[Piece], *, name: str, seed: str, reserve: int, kind: str = LINUX_RAID
) -> Step:
    """Write a partition table with one partition of type ``kind`` on each disk."""
    wholes = [piece.whole for piece in pieces]
    reason = "A partition table shows every system that the disk is in use"
    if reserve:
        reason += f". The last {spell_size(reserve)} stay free so that a slightly smaller disk can replace it"
    return Step(
        id="partition",
        role=Role.PREPARE,
        title=f"Create one {_CALLED.get(kind, '')}partition on "
        + (f"each of {count_of(pieces, 'disk')}" if len(pieces) > 1 else "the disk"),
        reason=f"{reason}.",
        actions=(
            *(_write_table(piece, name=name, seed=seed, kind=kind) for piece in pieces),
            *(reread(whole) for whole in wholes),
        ),
        before=tuple(BLANK.of(whole) for whole in wholes),
        after=tuple(
            PARTITION.of(piece.device, f"{piece.extent.offset} {piece.extent.length}") for piece in pieces
        ),
        undoable=Undo.COMMANDS,
        undo=tuple(run for whole in wholes for run in forget_table(whole)),
        undo_note="the new partition tables are erased",
        repair=tuple(run for whole in wholes for run in forget_table(whole)),
        holds=tuple(wholes),
    )


def write_table(whole: str, lines: Sequence[str], extents: Sequence[Extent], *, uuid: str) -> Run:
    """Write a GPT.

    Args:
        whole: the path of the disk.
        lines: the partitions, one line of sfdisk(8) each.
        extents: where they are.
        uuid: of the table.
    """
    return Run(
        argv=(
            "sfdisk",
            "--no-reread",  # its check whether the disk is in use fails on our lock; the steps check themselves
            "--no-tell-kernel",
            "--wipe=always",
            "--wipe-partitions=always",
            whole,
        ),
        input="\n".join(("label: gpt", f"label-id: {uuid}", *lines)) + "\n",
        # Besides the table, sfdisk wipes signatures at both ends of the new partition.
        writes=tuple(msgspec.structs.replace(one, disk=whole) for one in extents),
    )


def _write_table(piece: Piece, *, name: str, seed: str, kind: str) -> Run:
    sector = piece.disk.logical_sector_bytes
    label = f"{name}-{'s' if piece.role == 'spare' else ''}{piece.number}"
    line = (
        f"start={piece.extent.offset // sector}, size={piece.extent.length // sector}, "
        f'type={kind}, uuid={partition_uuid(seed, piece.disk.identity)}, name="{label}"'
    )
    return write_table(piece.whole, [line], [piece.extent], uuid=derive(seed, "table", piece.disk.identity))
