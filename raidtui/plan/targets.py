"""The disks of a plan, each with the piece of it that becomes a member and the path that will mean that piece."""

from typing import NamedTuple

from raidtui.advice.partition import Extent, member_extent
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import PlannedDisk
from raidtui.model.spec import Spec
from raidtui.model.text import harmless


class Target(NamedTuple):
    """One disk and the member on it."""

    disk: Disk
    role: str  # member or spare
    extent: Extent
    node: str  # the member's device: the whole disk, or its one partition

    @property
    def path(self) -> str:
        """The path of the whole disk in commands."""
        return self.disk.stable_path

    @property
    def called(self) -> str:
        """The disk in words, for reasons and warnings."""
        return f"{harmless(self.disk.identity)} ({harmless(self.disk.model) or 'unknown model'})"


def partition_node(disk: Disk, number: int) -> str:
    """The path of a partition of ``disk``: by-id where udev made links, else the kernel's way."""
    if disk.by_id:
        return f"{disk.stable_path}-part{number}"
    return f"{disk.path}{'p' if disk.path[-1].isdigit() else ''}{number}"


def make_targets(spec: Spec, machine: Machine) -> tuple[Target, ...]:
    """Members in their order, then spares.

    Raises:
        CannotBuild: a disk is too small for a member.
    """
    targets = []
    for role, words in (("member", spec.members), ("spare", spec.spares)):
        for word in words:
            disk = machine.disk(word)
            whole = not spec.partition
            extent = member_extent(
                disk.size_bytes, disk.logical_sector_bytes, partition=not whole, reserve=spec.reserve or 0
            )
            node = disk.stable_path if whole else partition_node(disk, 1)
            targets.append(Target(disk, role, extent, node))
    return tuple(targets)


def contents_of(disk: Disk) -> tuple[str, ...]:
    """What is recognisable on a disk, as a plan remembers it: "device type uuid", sorted."""
    signatures = [*disk.signatures, *(one for part in disk.partitions for one in part.signatures)]
    return tuple(sorted(f"{one.device} {one.type} {one.uuid}".rstrip() for one in signatures))


def planned_disk(disk: Disk, role: str) -> PlannedDisk:
    """What must still hold of ``disk`` at the first write."""
    return PlannedDisk(
        identity=disk.identity,
        path=disk.stable_path,
        serial=disk.serial,
        wwn=disk.wwn,
        model=disk.model,
        size_bytes=disk.size_bytes,
        contents=contents_of(disk),
        role=role,
    )
