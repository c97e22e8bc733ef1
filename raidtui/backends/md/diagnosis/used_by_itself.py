"""A member that is or was used without its array: what is written to it is not in the array. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from raidtui.backends.care import called, called_at
from raidtui.machine.taken.freeing import lvm_name
from raidtui.model.device import OVER_ONE, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.superblock import Superblock, used_apart
from raidtui.model.text import harmless, listed

_OVER: Final = OVER_ONE | {DeviceKind.VOLUME, DeviceKind.MAPPED}


def ran_alone(formers: Collection[str], stored: Mapping[str, Superblock]) -> frozenset[str]:
    """Those of ``formers``, by path, that were an array without the members that run now: a split brain."""
    running = {path: one for path, one in stored.items() if path not in formers}
    return frozenset(
        former
        for former in formers
        for path, one in running.items()
        if used_apart({former: stored[former], path: one}) is not None
    )


def in_use_alone(stored: Mapping[str, Superblock], machine: Machine) -> tuple[Remedy, ...]:
    """What to do first about an array that does not run, while one of its members is used by itself; empty if none is.

    A mirror with its superblock at the end is what its members are: a filesystem, a partition table, or a physical volume.
    """
    graph = graph_of(machine)
    for path in stored:
        if uses := _uses(path, graph):
            return (
                Remedy(
                    text=f"{listed(called_at((path,), machine))} is in use by itself, {uses}: what is written there is on no other member, and md "
                    "does not know of it. End that use. Until then start nothing"
                ),
            )
    return ()


def _uses(path: str, graph: DeviceGraph) -> str:
    """How a device is in use by itself, in words; empty if it is not. Neither an array on it counts, nor a mapping alone."""
    if (device := graph.at(path)) is None:
        return ""
    own = (device, *graph.parts(device))
    direct = [one for below in own for one in graph.on(below) if one.kind in _OVER]
    above = [one for one in direct if one.kind in OVER_ONE or one.kind is DeviceKind.VOLUME]
    over = (*own, *direct, *(one for each in above for one in graph.all_on(each)))
    names = (f"as {lvm_name(one.dm_name) if one.kind is DeviceKind.VOLUME else one.path}" for one in above)
    places = (f"mounted at {one.mount.target}" for one in graph.mounts_of(*over))
    return harmless(listed(list(dict.fromkeys((*names, *places)))))


def used_by_itself(
    formers: Iterable[tuple[Disk, str]], alone: Collection[str], machine: Machine
) -> Iterator[Remedy]:
    """What to do about each of them: a mirror with its superblock at the end can be mounted by one member alone."""
    graph = graph_of(machine)
    for disk, path in formers:
        if uses := _uses(path, graph):
            yield Remedy(
                text=f"{called(disk)}, a former member, is in use by itself, {uses}: what is written there is not in the array. End that use, "
                "and erase neither before you have compared the files of both"
            )
        elif path in alone:
            yield Remedy(
                text=f"{called(disk)}, a former member, was used without the members that run now, so each may have files that the other "
                "lacks. Erase neither before you have compared the files of both"
            )
