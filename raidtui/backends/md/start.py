"""How an array that is not started gets going, judged from every superblock on the machine. Pure.

What counts is not which members md happens to hold: one that is connected and up to date may not be in the array, and
starting without it would make it a former member.
"""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from raidtui.backends.care import Care, called_at
from raidtui.machine.array_health import is_container
from raidtui.machine.former import assemble_again
from raidtui.machine.newest import newest, of_array
from raidtui.machine.tools import is_older
from raidtui.model.machine import STOPPED, Array, Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.superblock import (
    Superblock,
    clones,
    complete,
    current,
    is_enough,
    starts_only_by_force,
    used_apart,
)
from raidtui.model.text import count_of, harmless, listed, spelled

_KNOWS_LOCKLESS: Final = "6.18"
FORCED: Final = (
    "HIGH: --force takes these members as current. Copy a disk that fails first (ddrescue), and check the filesystem "
    "without changes before you mount it (fsck -n)",
)
"""What to know before an array is assembled by force."""
_PLAIN: Final = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


def start(array: Array, machine: Machine) -> Iterator[Care]:
    """What to do about ``array``, which is not started."""
    if is_container(array):
        yield from _start_volumes(array, machine)
        return
    if not machine.complete:
        yield Care(text="run raidtui as root: without it, the superblocks on the disks cannot be read")
        return
    stored = of_array(array.uuid, machine.superblocks)
    if not stored:
        yield Care(
            text="its superblocks cannot be read: see what 'mdadm --examine' says of each of its members"
        )
        return
    yield from doubtful(stored, machine) or _by_members(array, stored, machine)


def doubtful(stored: Mapping[str, Superblock], machine: Machine) -> tuple[Care, ...]:
    """Why no command is safe: it is not known which data is meant."""
    same = clones(stored)
    if same:
        devices = listed(_at(same[0], machine))
        return (
            Care(
                text=f"{devices} have the same superblock: a clone beside its original, or two paths to one disk. "
                "Disconnect the one that does not belong here; until then start nothing"
            ),
        )
    apart = used_apart(complete(stored))
    if apart is not None:
        return (
            Care(
                text=f"{listed(_at(apart, machine))} were used without each other, so each has data that the other lacks. Find "
                "out which one is right, and disconnect the other; until then start nothing"
            ),
        )
    if any(one.lockless for one in stored.values()) and is_older(machine.system.kernel, _KNOWS_LOCKLESS):
        return (
            Care(
                text=f"it has a lockless bitmap, which this kernel ({harmless(machine.system.kernel)}) does not know: start it on "
                f"Linux {_KNOWS_LOCKLESS} or later"
            ),
        )
    if any(one.reshaping for one in stored.values()):
        return (
            Care(
                text="its reshape was interrupted. Find the backup file if one was used; never force it, and do not create it "
                "again"
            ),
        )
    if any(one.journal for one in stored.values()) and not is_enough(current(complete(stored)).values()):
        return (
            Care(
                text="its journal device has writes that may be on no other member: connect it and the missing disks. Without it "
                "these writes are lost; never force it"
            ),
        )
    return ()


def _by_members(array: Array, stored: Mapping[str, Superblock], machine: Machine) -> Iterator[Care]:
    by_slot = complete(stored)
    fresh = current(by_slot)
    inside = {member.path for member in array.members} if array.state != STOPPED else set()
    outside = [path for path in sorted(fresh, key=lambda one: fresh[one].slot or 0) if path not in inside]
    disks = next(iter(stored.values())).raid_disks
    lost = disks - len(fresh)
    if not is_enough(fresh.values()):
        yield from _without_enough(array, by_slot, machine, lost)
    elif lost and starts_only_by_force(tuple(fresh.values())):
        yield Care(
            text=f"{_connect(lost)}: it was being written to when it stopped, and starts without "
            f"{'it' if lost == 1 else 'them'} only by force, with wrong blocks where it was written. If a disk is gone for good, "
            "copy the others first (ddrescue)"
        )
    elif outside:
        yield Care(
            text=_put_in(outside, fresh, inside, lost, machine), commands=_incremental(outside, machine)
        )
    elif lost:
        old = listed(_at((path for path in by_slot if path not in fresh), machine))
        how = (
            f"start it degraded, without {old}, whose data is out of date"
            if old
            else f"{_connect(lost)}, or start it degraded"
        )
        yield Care(text=how, commands=(f"mdadm --run {array.node}",))
    else:
        yield Care(text="start it", commands=(f"mdadm --run {array.node}",))


def _put_in(
    outside: list[str],
    fresh: Mapping[str, Superblock],
    inside: Collection[str],
    lost: int,
    machine: Machine,
) -> str:
    """What adding the members that are not in it does, in words."""
    if len(outside) == len(fresh):
        every = "the" if lost else "all"
        both = len(outside) == 2 and not lost
        names = "both members here" if both else f"{every} {count_of(outside, 'member')} here"
    else:
        names = listed(_at(outside, machine))
    are = "is" if len(outside) == 1 else "are"
    if lost:
        return f"assemble it from {names}, which {are} up to date; {count_of(range(lost), 'member')} not found here"
    if len(outside) == len(fresh):
        return f"start it: {names.replace(' here', ' are here')} and up to date"
    return f"start it: add {names}, which {are} here and up to date"


def _connect(lost: int) -> str:
    return "connect the missing disk" if lost == 1 else "connect the missing disks"


def _at(paths: Collection[str] | Iterator[str], machine: Machine) -> list[str]:
    return called_at(paths, machine)


def _incremental(paths: list[str], machine: Machine) -> tuple[str, ...]:
    """The commands that add devices to their array, which starts when it is whole."""
    stable = {path: name for disk in machine.disks for path, name in stable_paths(disk).items()}
    return tuple(f"mdadm --incremental {shlex.quote(stable.get(path, path))}" for path in paths)


def _without_enough(
    array: Array, by_slot: Mapping[str, Superblock], machine: Machine, lost: int
) -> Iterator[Care]:
    """Too few members are up to date: those that left last are needed, by force, or it needs its other disks."""
    stable = {path: name for disk in machine.disks for path, name in stable_paths(disk).items()}
    chosen = newest(by_slot)
    if not chosen:
        yield Care(
            text=f"{_connect(lost)}: {spelled(array.level)} cannot start without {'them' if lost > 1 else 'it'}"
        )
        return
    old = listed(_at((path for path in by_slot if path not in chosen), machine))
    named = f"with {count_of(chosen, 'member')}{f', without {old}, whose data is out of date' if old else ''}"
    text = f"assemble it again {named}, then back up its data"
    node = array.node or _free_name(array, machine)
    if not node:
        yield Care(text=f"{text}. Another array has its name: 'man mdadm' on --assemble --force")
        return
    again = assemble_again(
        array, node=node, members=tuple(stable.get(path, path) for path in chosen), stop=bool(array.node)
    )
    yield Care(text=text, commands=again, warnings=FORCED)


def _free_name(array: Array, machine: Machine) -> str:
    """The node under which a stopped array can be assembled; empty if its name is taken or not plain."""
    taken = any(array.name in {one.name, one.path.removeprefix("/dev/md/")} for one in machine.arrays)
    return "" if taken or not _PLAIN.fullmatch(array.name) else f"/dev/md/{array.name}"


def _start_volumes(array: Array, machine: Machine) -> Iterator[Care]:
    if array.state == STOPPED:
        members = [member.path for member in array.members]
        yield Care(
            text=f"a firmware RAID ({harmless(array.name)}) is on these disks and not assembled; assemble it",
            commands=_incremental(members, machine),
        )
    else:
        yield Care(text="start its volumes", commands=(f"mdadm --incremental {array.node}",))
