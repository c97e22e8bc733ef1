"""Steps that save and then remove what is on the disks.

Old metadata must go from the inside out, partitions before their disk, or it comes back when the same space is
used again (libblkid knows most formats; both ends of the disk are zeroed for those that it does not know).
"""

from collections.abc import Sequence

from raidtui.model.machine import Claim
from raidtui.model.plan import Action, Check, CheckKind, RestoreCapsule, Run, SaveCapsule, Step, Undo
from raidtui.model.units import MIB
from raidtui.plan.targets import Target, partition_node


def capsule_step(targets: Sequence[Target]) -> Step:
    """Save tables, signatures and both ends of every disk."""
    return Step(
        id="capsule",
        title=f"Save a recovery capsule of {len(targets)} disks",
        reason="Partition tables, signatures and both ends of each disk are kept off them, so that this can be undone.",
        actions=(SaveCapsule(disks=tuple(target.disk.identity for target in targets)),),
        undoable=Undo.NOTHING,
        undo_note="the capsule is kept",
    )


def wipe_step(targets: Sequence[Target]) -> Step:
    """Remove every signature and partition table."""
    return Step(
        id="wipe",
        title=f"Remove what is on {len(targets)} disks",
        reason="Old signatures and partition tables would come back inside the new array.",
        actions=tuple(action for target in targets for action in _wipe(target)),
        destroys=tuple(lost_on(target) for target in targets),
        before=tuple(Check(kind=CheckKind.UNCLAIMED, subject=target.path) for target in targets),
        after=tuple(Check(kind=CheckKind.BLANK, subject=target.path) for target in targets),
        undoable=Undo.CAPSULE,
        undo=(RestoreCapsule(disks=tuple(target.disk.identity for target in targets)),),
        undo_note="the disks are byte for byte as they were",
        holds=tuple(target.path for target in targets),
    )


def _wipe(target: Target) -> list[Action]:
    disk = target.disk
    nodes = [partition_node(disk, part.number) for part in reversed(disk.partitions)]
    actions: list[Action] = [Run(argv=("wipefs", "--all", node)) for node in [*nodes, target.path]]
    # Where the member will begin and end, something that no table points to may still lie.
    start, size = target.extent.start_bytes, target.extent.size_bytes
    places = sorted({0, start, start + size - MIB, disk.size_bytes - MIB})
    actions += [Run(argv=zero(target.path, place)) for place in places if place >= 0]
    if disk.partitions:
        actions.append(Run(argv=("blockdev", "--rereadpt", target.path)))
    return actions


def zero(path: str, offset: int) -> tuple[str, ...]:
    """The command that writes one MiB of zeros at a byte of a device."""
    return (
        "dd",
        "if=/dev/zero",
        f"of={path}",
        "bs=1M",
        "count=1",
        f"seek={offset}",
        "oflag=seek_bytes",
        "conv=notrunc,fsync",
        "status=none",
    )


def lost_on(target: Target) -> str:
    """What a disk loses, in words."""
    found = [_content(claim) for claim in target.disk.taken_by]
    return f"{target.called}: {'; '.join(found) if found else 'nothing that is recognised'}"


def _content(claim: Claim) -> str:
    return f"{claim.detail} on {claim.device}"
