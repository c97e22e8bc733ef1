"""Disks that may be the missing members of an array that is not started. Pure.

They are as large as the others, with data of nothing known; or members of an array of its name that was created later.
"""

from collections.abc import Iterator, Mapping

from raidtui.backends.care import called, places_at
from raidtui.backends.unexplained import unexplained, word_of
from raidtui.machine.md.made_again import is_later
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Recover
from raidtui.model.superblock import Superblock
from raidtui.model.text import listed


def superblock_lost(
    array: Array, stored: Mapping[str, Superblock], lost: int, machine: Machine
) -> Iterator[Remedy]:
    """A trial with the disks that may be its ``lost`` members; nothing if none may be, or more than it lacks."""
    yield from _created_over(array, stored, machine)
    sizes = {place.size_bytes for place in places_at(stored, machine)}
    found = tuple(unexplained(machine, lambda size: size in sizes))
    if not array.uuid or not 0 < len(found) <= lost:
        return
    many = len(found) > 1
    yield Remedy(
        text=f"{listed([called(one.disk) for one in found])} {'are' if many else 'is'} as large as a member and may be what is "
        "missing, with the superblock overwritten: write nothing to it. Look for the files on overlays with it",
        procedure=Recover(unit=array.uuid, disks=tuple(map(word_of, found))),
    )


def _created_over(array: Array, stored: Mapping[str, Superblock], machine: Machine) -> Iterator[Remedy]:
    """A trial with the members of an array of its name that was created later: with 'mdadm --create', to get this one started."""
    later = [
        one.path for one in machine.superblocks if any(is_later(one, older) for older in stored.values())
    ]
    if not (found := list(places_at(later, machine))):
        return
    yield Remedy(
        text=f"{listed([called(one.disk) for one in found])} {'are' if len(found) > 1 else 'is'} in an array of this name that was "
        "created later, perhaps over this one. If the files there are whole, nothing is missing. If not, write nothing to "
        "it: look for the files of this one on overlays",
        procedure=Recover(unit=array.uuid, disks=tuple(map(word_of, found))),
    )
