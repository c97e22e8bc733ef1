"""Create the filesystem over all members, register its members with the kernel, and erase them again."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.btrfs.conditions import MEMBER
from raidtui.backends.contract import Resolved
from raidtui.model.plan import Role, Run, Step, Undo
from raidtui.model.text import count_of, spelled
from raidtui.model.units import both
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.wipe import END_BYTES, zero, zero_copies

_LONGEST: Final = 4 * 3600  # seconds; mkfs.btrfs first discards all blocks of an SSD


def make_step(resolved: Resolved, *, uuid: str) -> Step:
    """Create the filesystem. Without ``--force``, mkfs.btrfs itself refuses a device with anything on it.

    The UUID is chosen beforehand, and mkfs.btrfs refuses one that exists on a device: so the remains of an interrupted
    run are erased before the next attempt.
    """
    spec, pieces = resolved.spec, resolved.pieces
    devices = [piece.device for piece in pieces]
    erase = tuple(run for piece in pieces for run in erase_member(piece.device, piece.extent.length))
    return Step(
        id="mkfs",
        role=Role.FORMAT,
        title=f"Create the Btrfs filesystem {spec.name} on {count_of(pieces, 'disk')}",
        reason=f"Data {spelled(spec.level)}, metadata {spelled(spec.metadata or '')}: {both(resolved.facts.array_bytes)} usable. Both profiles "
        "are explicit because their defaults differ between versions of mkfs.btrfs. From here on the old contents of "
        "the disks cannot be restored.",
        actions=(
            Run(
                argv=(
                    *("mkfs.btrfs", "--quiet", "--uuid", uuid, "--label", spec.name),
                    *("--data", spec.level, "--metadata", str(spec.metadata), *devices),
                ),
                timeout_seconds=_LONGEST,
            ),
        ),
        before=tuple(kind.of(device) for device in devices for kind in (PRESENT, BLANK, UNCLAIMED)),
        after=tuple(MEMBER.of(device, f"{uuid} {len(devices)}") for device in devices),
        undoable=Undo.IMPOSSIBLE,
        undo=erase,
        undo_note="the new filesystem is erased, but the old contents of the disks are lost",
        repair=erase,
        holds=tuple(piece.whole for piece in pieces),
    )


def scan(devices: Sequence[str]) -> Run:
    """Register every member with the kernel, which mounts a filesystem only if it knows them all."""
    return Run(argv=("btrfs", "device", "scan", *devices))


def erase_member(device: str, size_bytes: int) -> tuple[Run, ...]:
    """Make the kernel forget a member, and erase all its superblocks. libblkid and wipefs do not see the copies.

    The start of the device is zeroed too: an interrupted mkfs.btrfs leaves a superblock there that they do not
    recognize either.
    """
    return (
        Run(
            argv=("btrfs", "device", "scan", "--forget", device), ok=(0, 1)
        ),  # 1: the kernel does not know it
        Run(argv=("wipefs", "--all", device)),
        zero(device, 0, END_BYTES),
        *zero_copies(device, size_bytes),
    )
