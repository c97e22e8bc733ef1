"""What a volume of a firmware RAID needs that lacks a member. Pure."""

from raidtui.backends.care import called
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless, listed


def in_container(name: str, machine: Machine) -> Remedy:
    """mdadm rebuilds the missing member on any disk that its container gets."""
    container = next((one for one in machine.arrays if one.node == f"/dev/{name}"), None)
    if container is None or not container.failed:
        return Remedy(
            text=f"replace the missing member: mdadm rebuilds it on a disk that is added to its container, {name}"
        )
    disks = {one: _disk(one, machine) for one in container.failed}
    inside = {one.path for one in container.members}.intersection(disks)
    them = "them" if len(disks) > 1 else "it"
    names = listed([called(disk) if disk is not None else harmless(one) for one, disk in disks.items()])
    return Remedy(
        text=f"replace {names}, which failed by the metadata of the container {name}: "
        f"{f'remove {them} from the container, and add' if inside else 'add'} a new disk to it. mdadm rebuilds the missing member "
        "on that",
        failed=tuple(disk.identity if disk is not None else one for one, disk in disks.items()),
    )


def _disk(found: str, machine: Machine) -> Disk | None:
    """The disk at a path, or with this serial number, of which Intel's metadata has the last 16 characters."""
    same = [
        one
        for one in machine.disks
        if found in one.every_path or (len(found) > 3 and one.serial.endswith(found))
    ]
    return same[0] if len(same) == 1 else None
