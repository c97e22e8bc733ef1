"""What a volume of a firmware RAID needs that lacks a member. Pure.

Measured with mdadm 4.2 on Linux 6.1: a container of Intel's metadata that gets a disk rebuilds each redundant volume on it;
one whose failed disk is in a volume without redundancy too keeps that disk, and rebuilds nothing. Where the metadata is
DDF, mdadm crashes (SIGSEGV) before it writes to the disk.
"""

from typing import Final

from raidtui.backends.care import called
from raidtui.backends.md.states import shown_name
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless, listed

_DDF: Final = "external:ddf"


def in_container(name: str, machine: Machine) -> Remedy:
    """mdadm rebuilds the missing member on any disk that its container gets."""
    container = next((one for one in machine.arrays if one.node == f"/dev/{name}"), None)
    disks = {one: _disk(one, machine) for one in (container.failed if container is not None else ())}
    failed = tuple(disk.identity if disk is not None else one for one, disk in disks.items())
    if container is not None and container.metadata == _DDF:
        return Remedy(
            text="back up its data. mdadm 4.2 crashes when a DDF container gets a new disk, and rebuilds nothing. Let the RAID "
            "card or firmware rebuild it, or build a new array",
            failed=failed,
        )
    if container is None or not disks:
        return Remedy(
            text=f"replace the missing member: mdadm rebuilds it on a disk that is added to its container, {name}"
        )
    inside = {one.path for one in container.members}.intersection(disks)
    them = "them" if len(disks) > 1 else "it"
    names = listed([called(disk) if disk is not None else harmless(one) for one, disk in disks.items()])
    stripes = [
        shown_name(one)
        for one in machine.arrays
        if one.node in container.volumes
        and one.degraded is None
        and any(member.path in inside for member in one.members)
    ]
    first = (
        f"copy the data of {listed(stripes)} away and stop {'it' if len(stripes) == 1 else 'them'}: without redundancy, and on {names} "
        "too, so mdadm keeps that disk until then. Then "
        if stripes
        else ""
    )
    return Remedy(
        text=f"{first}replace {names}, which failed by the metadata of the container {name}: "
        f"{f'remove {them} from the container, and add' if inside else 'add'} a new disk to it. mdadm rebuilds the missing member "
        "on that",
        failed=failed,
    )


def _disk(found: str, machine: Machine) -> Disk | None:
    """The disk at a path, or with this serial number, of which Intel's metadata has the last 16 characters."""
    same = [
        one
        for one in machine.disks
        if found in one.every_path or (len(found) > 3 and one.serial.endswith(found))
    ]
    return same[0] if len(same) == 1 else None
