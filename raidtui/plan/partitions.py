"""The step that gives each disk a GPT with one partition of type Linux RAID.

A partition rather than the whole disk: firmware and other systems leave a disk with a valid GPT alone, where
they have been seen to "repair" a bare one, over md's superblock; and a little room at the end lets a slightly
smaller replacement in.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.model.plan import Check, CheckKind, RestoreCapsule, Run, Step, Undo
from raidtui.plan.seeds import derived
from raidtui.plan.targets import Target

LINUX_RAID: Final = "a19d880f-05fc-4d3b-a006-743f0f84911e"


def partition_step(targets: Sequence[Target], name: str, seed: str) -> Step:
    """Write the tables."""
    return Step(
        id="partition",
        title=f"Make one Linux RAID partition on each of {len(targets)} disks",
        reason="A GPT protects the member from firmware, and the reserve lets a slightly smaller replacement in.",
        actions=tuple(action for target in targets for action in _partition(target, name, seed)),
        before=tuple(Check(kind=CheckKind.BLANK, subject=target.path) for target in targets),
        # The links under by-id come once udev is let at the disks again, in the step after this one.
        after=(),
        undoable=Undo.CAPSULE,
        undo=(RestoreCapsule(disks=tuple(target.disk.identity for target in targets)),),
        undo_note="the disks are byte for byte as they were",
        repair=tuple(
            action
            for target in targets
            for action in (
                Run(argv=("wipefs", "--all", target.path)),
                Run(argv=("blockdev", "--rereadpt", target.path)),
            )
        ),
        holds=tuple(target.path for target in targets),
    )


def _partition(target: Target, name: str, seed: str) -> tuple[Run, ...]:
    sector = target.disk.logical_sector_bytes
    guid = derived(seed, f"table {target.disk.identity}")
    part = derived(seed, f"partition {target.disk.identity}")
    script = (
        f"label: gpt\nlabel-id: {guid}\nunit: sectors\nsector-size: {sector}\n"
        f"start={target.extent.start_bytes // sector}, size={target.extent.size_bytes // sector}, "
        f'type={LINUX_RAID}, uuid={part}, name="{name}"\n'
    )
    return (
        Run(
            argv=(
                "sfdisk",
                "--quiet",
                "--wipe=always",
                "--wipe-partitions=always",
                "--no-reread",
                "--no-tell-kernel",
                target.path,
            ),
            input=script,
        ),
        Run(argv=("blockdev", "--rereadpt", target.path)),
    )


def settle_partitions_step(targets: Sequence[Target]) -> Step:
    """Wait for udev to name the partitions; nothing is locked meanwhile."""
    return Step(
        id="settle-partitions",
        title="Wait until the partitions have their names",
        reason="udev makes their links under /dev/disk/by-id a moment later.",
        actions=(Run(argv=("udevadm", "settle", "--timeout=30"), ok=(0, 1)),),
        after=tuple(
            Check(
                kind=CheckKind.PARTITION,
                subject=target.node,
                expect=f"{target.extent.start_bytes} {target.extent.size_bytes}",
            )
            for target in targets
        ),
        undoable=Undo.NOTHING,
    )
