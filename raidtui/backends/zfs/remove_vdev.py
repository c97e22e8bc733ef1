"""Remove a disk that is a vdev by itself: zpool-remove(8). What is on it moves to the other vdevs."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import places_at
from raidtui.backends.zfs.care_conditions import DEVICE_OUT
from raidtui.backends.zfs.create import erase_member
from raidtui.backends.zfs.report import Pool, Vdev
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Run, Step, member_step, waiting_step
from raidtui.model.text import harmless
from raidtui.steps.devices import FORGOTTEN

_LONGEST_SECONDS: Final = 60 * 86400
_WHOLE: Final = ("raidz", "draid")  # a pool with one of these never gives a vdev back
_SPARED: Final = 32  # ZFS keeps one of so many bytes free


def why_not_removed(vdev: Vdev, pool: Pool, machine: Machine) -> str:
    """Why zpool-remove(8) would refuse the vdev, as far as it can be seen; empty if nothing speaks against it.

    It refuses vdevs of another sector size too, and changes nothing then.
    """
    name, place = harmless(pool.name), next(places_at([vdev.path], machine), None)
    if any(one.depth == 0 and one.name.startswith(_WHOLE) for one in pool.status.vdevs):
        return f"{name} has a raidz, and never gives a vdev back"
    if place is None or not vdev.guid:
        return f"the disk or the GUID of a device of {name} is not known"
    if pool.properties.get("checkpoint") not in {"-", "0"}:
        return f"{name} has a checkpoint, or that could not be read: discard it first (zpool checkpoint -d)"
    if pool.allocated_bytes * _SPARED > (pool.size_bytes - place.size_bytes) * (_SPARED - 1):
        return f"the other disks of {name} have no room for what is on it"
    return ""


def remove_vdev(pool: Pool, disk: Disk, machine: Machine) -> Iterator[Step]:
    """Move what is on the disk to the other vdevs, and make it blank.

    Raises:
        Refused: it is not a vdev by itself, or ZFS would not do it.
    """
    shown, name = harmless(disk.identity), harmless(pool.name)
    vdev = next((one for one in pool.status.alone if one.path in disk.every_path), None)
    if vdev is None:
        raise Refused(f"{shown} is not a vdev by itself beside others of {name} with redundancy")
    if why := why_not_removed(vdev, pool, machine):
        raise Refused(f"{shown} cannot be removed: {why}")
    (place,) = places_at([vdev.path], machine)
    device = stable_paths(disk)[vdev.path]
    yield waiting_step(
        id="remove",
        title=f"Remove {shown} from {name}",
        reason=f"ZFS copies what is on it to the other disks; {name} stays in use. It refuses vdevs of unlike sector sizes.",
        actions=(
            Run(argv=("zpool", "remove", pool.name, vdev.guid), ok=(0, 1)),
            Run(argv=("zpool", "wait", "-t", "remove", pool.name), timeout_seconds=_LONGEST_SECONDS),
        ),
        after=(DEVICE_OUT.of(device, pool.guid),),
        as_long_as="copying what is on it",
    )
    yield member_step(
        id="forget",
        title=f"Erase the labels of {shown}",
        reason="What is left of them would be taken for a member of a pool.",
        actions=erase_member(device, place.size_bytes),
        destroys=(f"{shown}: its labels; what was on it is on the other disks",),
        before=(DEVICE_OUT.of(device, pool.guid),),
        after=(FORGOTTEN.of(device),),
        holds=(disk.stable_path,),
    )
