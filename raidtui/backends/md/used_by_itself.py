"""A former member that was used without its array: what is written to it is not in the array. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from raidtui.backends.care import called
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.superblock import Superblock, used_apart
from raidtui.model.text import harmless, listed


def ran_alone(formers: Collection[str], stored: Mapping[str, Superblock]) -> frozenset[str]:
    """Those of ``formers``, by path, that were an array without the members that run now: a split brain."""
    running = {path: one for path, one in stored.items() if path not in formers}
    return frozenset(
        former
        for former in formers
        for path, one in running.items()
        if used_apart({former: stored[former], path: one}) is not None
    )


def used_by_itself(
    formers: Iterable[tuple[Disk, str]], alone: Collection[str], machine: Machine
) -> Iterator[Remedy]:
    """What to do about each of them: a mirror with its superblock at the end can be mounted by one member alone."""
    graph = graph_of(machine)
    for disk, path in formers:
        device = graph.at(path)
        places = [one.mount.target for one in graph.mounts_of(device)] if device is not None else []
        if places:
            yield Remedy(
                text=f"{called(disk)}, a former member, is mounted by itself at {harmless(listed(places))}: what is written there is not in "
                "the array. Unmount it there, and erase neither before you have compared the files of both"
            )
        elif path in alone:
            yield Remedy(
                text=f"{called(disk)}, a former member, was used without the members that run now, so each may have files that the other "
                "lacks. Erase neither before you have compared the files of both"
            )
