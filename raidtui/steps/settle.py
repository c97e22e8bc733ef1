"""Wait for udev, which creates device names a moment after the kernel has the devices."""

from collections.abc import Sequence

from raidtui.model.plan import Check, Role, Run, Step, Undo
from raidtui.steps.devices import PRESENT
from raidtui.steps.filesystems import FILESYSTEM


def settle_step(
    id: str,  # noqa: A002
    *,
    role: Role,
    title: str,
    reason: str,
    udev: bool,
    after: tuple[Check, ...],
    name: str = "",
) -> Step:
    """Wait until udev has created device names. This has to be a separate step: udev skips locked disks.

    Args:
        name: wait only until this path exists; empty: until udev's queue is empty.
    """
    until = ("--exit-if-exists", name) if name else ()
    return Step(
        id=id,
        role=role,
        title=title,
        reason=reason,
        # After a timeout the conditions decide.
        actions=(Run(argv=("udevadm", "settle", "--timeout=60", *until), ok=(0, 1), writes=()),)
        if udev
        else (),
        after=after,
        undoable=Undo.NOTHING,
    )


def settle_partitions(devices: Sequence[str], *, udev: bool) -> Step:
    """Wait for the members' partitions."""
    return settle_step(
        "settle-partitions",
        role=Role.PREPARE,
        title="Wait for the partitions' device names",
        reason="udev creates the /dev/disk/by-id links as soon as raidtui releases its lock.",
        udev=udev,
        after=tuple(PRESENT.of(device) for device in devices),
    )


def settle_filesystem(path: str, *, kind: str, uuid: str, udev: bool) -> Step:
    """Wait for the filesystem of ``kind`` on the device at ``path``."""
    return settle_step(
        "settle-filesystem",
        role=Role.FORMAT,
        title="Wait for the filesystem's UUID link",
        reason="The mount finds the filesystem by the UUID link that udev creates.",
        name=f"/dev/disk/by-uuid/{uuid}",
        udev=udev,
        after=(FILESYSTEM.of(path, f"{kind} {uuid}"),),
    )
