"""On which disk a device of a pool is, though the pool does not use it now. Pure."""

from typing import Final

from raidtui.backends.zfs.report import SPARES, Pool, Vdev
from raidtui.backends.zfs.signs import MEMBER
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import partition_path, stable_paths

_BY_ID: Final = "/dev/disk/by-id/"
_BY_PARTUUID: Final = "/dev/disk/by-partuuid/"


def connected(bad: Vdev, pool: Pool, machine: Machine) -> tuple[Disk, str] | None:
    """The disk with a label of the pool where ``bad`` is, or was, and the label's stable path.

    A disk that was replaced has such a label too, but elsewhere.
    """
    inside = {one.path for one in pool.status.leaves if one.path and one is not bad}
    places = {bad.name, *bad.note.partition("was ")[2].split()[:1]}
    for disk in machine.disks:
        labels = {
            one.device for one in disk.every_signature if one.type == MEMBER and one.uuid == pool.guid
        } - inside
        names = {label: {label} for label in labels}
        for part in disk.partitions:
            if part.path in labels:
                names[part.path] |= {f"{_BY_PARTUUID}{part.uuid}"}
                names[part.path] |= {partition_path(f"{_BY_ID}{link}", part.number) for link in disk.by_id}
        if disk.path in labels:
            names[disk.path] |= {f"{_BY_ID}{link}" for link in disk.by_id}
        for label, some in names.items():
            if places & some:
                return disk, stable_paths(disk).get(label, label)
    return None


def spare_on(disk: Disk, pool: Pool) -> str:
    """The stable path of the free hot spare of ``pool`` on ``disk``; empty if there is none."""
    free = {one.path for one in pool.status.leaves if one.section == SPARES and one.state == "AVAIL"}
    return next((stable for path, stable in stable_paths(disk).items() if path in free), "")
