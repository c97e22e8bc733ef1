"""Build a filesystem on a single disk, with the same steps as an array but without md."""

from msgspec.structs import replace

from raidtui.backends.contract import Resolved
from raidtui.model.plan import Role, Step
from raidtui.model.system import System
from raidtui.steps.devices import PRESENT
from raidtui.steps.fstab import fstab_step, mount_step, mountpoint_step
from raidtui.steps.mkfs import mkfs_step
from raidtui.steps.partitions import LINUX_FILESYSTEM, partition_step
from raidtui.steps.settle import settle_filesystem, settle_step
from raidtui.steps.wipe import capsule_step, wipe_step


def alone_steps(resolved: Resolved, *, seed: str, uuid: str, system: System) -> list[Step]:
    """The steps that build a single disk.

    From mkfs on the old contents are lost, since mkfs may write anywhere. While the filesystem is created or mounted,
    the disk is locked but not held open: an exclusively opened disk blocks its partition.

    Args:
        uuid: of the filesystem.
    """
    spec, (piece,) = resolved.spec, resolved.pieces
    files, path, held = spec.filesystem, piece.device, (piece.whole,)
    steps = [
        mountpoint_step(files, built=uuid),
        capsule_step([piece], until="the filesystem is made"),
        wipe_step([piece], what="filesystem"),
        partition_step([piece], name=spec.name, seed=seed, reserve=spec.reserve or 0, kind=LINUX_FILESYSTEM),
        settle_step(
            "settle-partitions",
            role=Role.PREPARE,
            title="Wait for the partition's device name",
            reason="udev creates the /dev/disk/by-id link as soon as the disk is unlocked.",
            udev=system.udev,
            after=(PRESENT.of(path),),
        ),
        replace(
            mkfs_step(files, resolved.stripes, path=path, uuid=uuid, bare_disk=True),
            holds=held,
        ),
        settle_filesystem(path, kind=files.type, uuid=uuid, udev=system.udev),
    ]
    if spec.persistent:
        steps.append(fstab_step(files, uuid=uuid, system=system, what="disk"))
    steps.append(replace(mount_step(files, uuid, persistent=spec.persistent), holds=held))
    return steps
