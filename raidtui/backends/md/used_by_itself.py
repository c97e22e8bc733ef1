"""A former member that is mounted without its array: what is written to it is not in the array. Pure."""

from collections.abc import Iterable, Iterator

from raidtui.backends.care import called
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless, listed


def used_by_itself(formers: Iterable[tuple[Disk, str]], machine: Machine) -> Iterator[Remedy]:
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
