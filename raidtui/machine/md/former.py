"""How a member outside its array, which is assembled without it, gets back in.

``mdadm --re-add`` returns a former member to its slot and rebuilds only what was written in the meantime. It must
not be used on an array that has lost more members than it survives: there it turns a good member into a spare for
good. Such an array can run again only with those that left last, see `raidtui.machine.md.newest`; erasing one of them
would lose the data.

A member that cannot be re-added has to be erased before it is added. While the array has no redundancy, it is kept
as it is: it may be the only other copy, unless it was never complete.
"""

from collections.abc import Mapping
from enum import Enum, auto

from raidtui.machine.md.health import is_failed, left_in, missing
from raidtui.machine.taken.facts import MachineFacts
from raidtui.machine.taken.freeing import get_data_first, name_in_command
from raidtui.model.machine import Array
from raidtui.model.md_levels import Left
from raidtui.model.superblock import Superblock, can_be_readded, clones, of_array


class Way(Enum):
    """What a device with the superblock of an assembled array is to it."""

    CLONE = auto()  # another device has the same superblock
    OF_FAILED = auto()  # the array has lost more members than it survives
    OUTSIDE = auto()  # the array is not started
    SURPLUS = auto()  # the array runs with all its members
    READD = auto()  # it can return to its slot
    ADD = auto()  # it can be erased and rebuilt
    KEEP = auto()  # it cannot return, and the array has no redundancy


def way_of(path: str, array: Array, stored: Mapping[str, Superblock]) -> Way:
    """What the device ``path``, which is not in ``array``, is to it; ``stored``: all superblocks of the array. Pure."""
    if any(path in group for group in clones(stored)):
        return Way.CLONE
    if array.newest or (array.started and is_failed(array)):
        return Way.OF_FAILED
    if not array.started:
        return Way.OUTSIDE
    if not missing(array):
        return Way.SURPLUS
    in_sync = {one.slot: one.path for one in array.members if "in_sync" in one.state and one.slot is not None}
    running = next((stored[member] for member in in_sync.values() if member in stored), None)
    if path in stored and running is not None and can_be_readded(stored[path], running, in_sync):
        return Way.READD
    never_complete = path in stored and stored[path].rebuilding
    return Way.KEEP if left_in(array) is Left.NOTHING and not never_complete else Way.ADD


def way_back(facts: MachineFacts, path: str, array: Array) -> tuple[str, str]:
    """How the device ``path`` relates to the assembled ``array``, in words, and how to free it."""
    match way_of(path, array, of_array(array.uuid, facts.superblocks)):
        case Way.CLONE:
            return (
                "whose superblock another device has too",
                "find out which of the two is the clone, and disconnect it; until then change neither",
            )
        case Way.OF_FAILED if array.newest:
            how = "which has failed without it" if array.started else "which is not started"
            return how, get_data_first(array)
        case Way.OF_FAILED:
            how = "which has failed without it" if array.started else "which is not started"
            return how, "connect the other disks that it lost; until then keep this one as it is"
        case Way.OUTSIDE:
            return "which is not started", _care(array, facts)
        case Way.SURPLUS:
            return "which runs without it", ""
        case Way.READD:
            return (
                "which runs degraded without it: it can be re-added",
                _care(array, facts),
            )
        case Way.ADD:
            return (
                "which runs degraded without it: it can be rebuilt as a new member",
                _care(array, facts),
            )
        case Way.KEEP:
            return (
                "which runs without it and has no redundancy now",
                "keep it as it is until the array is redundant again",
            )


def _care(array: Array, facts: MachineFacts) -> str:
    """The command that does what the finding about ``array`` advises."""
    return f"raidtui care {name_in_command(array, facts)}"
