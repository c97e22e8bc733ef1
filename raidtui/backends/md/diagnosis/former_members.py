"""Former members of an array: which of them come back to it, and how. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from raidtui.backends.care import called
from raidtui.machine.md.former import Way, way_of
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Disk, Machine
from raidtui.model.procedure import ReAdd, Replace
from raidtui.model.superblock import Superblock, of_array
from raidtui.model.units import decimal

Former = tuple[Disk, str, Way]
"""A disk, the device on it that was a member, and what that is to the array."""


def formers_of(array: Array, machine: Machine) -> Iterator[Former]:
    """The devices with its superblock that are not in it."""
    stored = of_array(array.uuid, machine.superblocks)
    graph = graph_of(machine)
    members = {member.path for member in array.members}
    below = (one.path for top in map(graph.at, members) if top for one in graph.all_below(top))
    inside = members.union(below)  # what a member lies on shows its superblock
    for disk in machine.disks:
        for path in disk.every_path:
            if path in stored and path not in inside:
                yield disk, path, way_of(path, array, stored)


def comes_back(
    array: Array, formers: Sequence[Former], stored: Mapping[str, Superblock], suspect: Collection[str]
) -> Remedy | None:
    """How a former member returns to the missing slot; None if none can. Not those of ``suspect``, disks that failed."""
    for disk, path, way in formers:
        if not disk.identity or disk.identity in suspect:
            continue
        if way is Way.READD:
            return Remedy(
                text=f"re-add the former member {called(disk)}, then check the array",
                procedure=ReAdd(unit=array.uuid, disk=disk.identity),
            )
        if way is Way.ADD and stored[path].rebuilding and disk.choosable:
            return Remedy(
                text=f"erase {called(disk)}, whose rebuild was interrupted, and add it again",
                procedure=Replace(old="", new=disk.identity, missing_from=(array.uuid,)),
            )
    return None


def instead_of_a_blank(
    array: Array, formers: Sequence[Former], suspect: Collection[str], least: int
) -> Iterator[Remedy]:
    """What to do with a former member if no blank disk is free."""
    for disk, _, way in formers:
        blank = f"connect a blank disk of {decimal(least)} or more"
        if disk.identity in suspect:
            yield Remedy(
                text=f"{blank}: {called(disk)} failed before. To use it again, find out why first: its cable, its power, "
                f"smartctl --xall {disk.path}"
            )
            if way is Way.READD and disk.identity:
                yield Remedy(
                    text=f"if it was no fault of its own: re-add {called(disk)}, then check the array",
                    procedure=ReAdd(unit=array.uuid, disk=disk.identity, failed=True),
                )
        elif way is Way.ADD and disk.identity and disk.choosable:
            yield Remedy(
                text=f"erase the former member {called(disk)} and add it",
                procedure=Replace(old="", new=disk.identity, missing_from=(array.uuid,)),
            )
        else:
            yield Remedy(
                text=f"{blank}. The former member {called(disk)} cannot be re-added; keep it as it is while the array has no "
                "redundancy"
            )
        return
