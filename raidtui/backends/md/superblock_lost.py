"""Disks that may be the missing members of an array that is not started: as large as the others, with data of nothing known. Pure."""

from collections.abc import Mapping

from raidtui.backends.care import called, places_at
from raidtui.backends.unexplained import unexplained, word_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Recover
from raidtui.model.superblock import Superblock
from raidtui.model.text import listed


def superblock_lost(
    array: Array, stored: Mapping[str, Superblock], lost: int, machine: Machine
) -> tuple[Remedy, ...]:
    """A trial with the disks that may be its ``lost`` members; nothing if none may be, or more than it lacks."""
    sizes = {place.size_bytes for place in places_at(stored, machine)}
    found = tuple(unexplained(machine, lambda size: size in sizes))
    if not array.uuid or not 0 < len(found) <= lost:
        return ()
    many = len(found) > 1
    return (
        Remedy(
            text=f"{listed([called(one.disk) for one in found])} {'are' if many else 'is'} as large as a member and may be what is "
            "missing, with the superblock overwritten: write nothing to it. Look for the files on overlays with it. No disk "
            "is written",
            procedure=Recover(unit=array.uuid, disks=tuple(map(word_of, found))),
        ),
    )
