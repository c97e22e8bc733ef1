"""How an array is, in plain words, and what happened to it between two readings. Pure.

Every text that came from the disks passes `harmless` here. Styles are never needed to understand the words.
"""

import math
from typing import Final

from raidtui.machine.words import sync_name
from raidtui.model.machine import Array, Machine, Member, Sync
from raidtui.model.text import harmless
from raidtui.model.units import duration

GOOD: Final = "$text-success"
WARN: Final = "$text-warning"
BAD: Final = "bold $text-error"
PLAIN: Final = ""

# How many members may be missing, whichever they are; RAID10 depends on which, so md's own word decides there.
_MAY_MISS: Final = {"raid4": 1, "raid5": 1, "raid6": 2}
_WITHOUT_REDUNDANCY: Final = frozenset({"raid0", "linear"})


def percent(sync: Sync) -> float:
    """How far a sync is."""
    return 100 * sync.done_bytes / sync.total_bytes if sync.total_bytes else 0.0


def is_paused(array: Array) -> bool:
    """Whether its sync was paused: md starts nothing on this array until it is continued."""
    return array.sync_action == "frozen"


def is_failed(array: Array) -> bool:
    """Whether it has lost more members than it survives."""
    if array.state == "broken":
        return True
    degraded = array.degraded or 0
    if array.level == "raid1":
        return array.raid_disks > 0 and degraded >= array.raid_disks
    return array.level in _MAY_MISS and degraded > _MAY_MISS[array.level]


def rebuilding(array: Array) -> tuple[Member, ...]:
    """The members that have a slot and are not in sync yet."""
    return tuple(
        m
        for m in array.members
        if m.slot is not None and "in_sync" not in m.state and "faulty" not in m.state
    )


def missing(array: Array) -> int:
    """How many slots have no member at all."""
    return max(0, (array.degraded or 0) - len(rebuilding(array)))


def state(array: Array, *, first: bool = False) -> tuple[str, str]:
    """The state in words, and its style. ``first``: its resync is known to be the first one.

    "in sync", "building for the first time 43 %: usable now, but no disk may fail yet", "degraded: 1 of 4
    members missing", "FAILED: …".
    """
    if array.state == "inactive":
        return "not running: members are missing, or it was not started", BAD
    if is_failed(array):
        if array.level in _WITHOUT_REDUNDANCY:
            return f"FAILED: a member is gone, and {array.level} survives none", BAD
        return f"FAILED: {array.degraded} of {array.raid_disks} members are gone, more than it survives", BAD
    if array.initial_build:
        return f"building for the first time{_far(array)}: usable now, but no disk may fail yet", PLAIN
    lost = missing(array)
    renewed = rebuilding(array)
    if lost or renewed:
        return _degraded(array, lost, renewed), WARN
    if is_paused(array):
        return "sync paused: usable now", WARN
    if array.sync is not None:
        return _syncing(array.sync, first=first), PLAIN
    if array.level in _WITHOUT_REDUNDANCY:
        return "running; survives no failed disk", PLAIN
    if array.state == "readonly":
        return "in sync, read-only", GOOD
    return "in sync", GOOD


def _far(array: Array) -> str:
    if is_paused(array):
        return " (paused)"
    if array.sync is None:
        return ""
    if array.sync.waiting:
        return (
            " (begins with the first write)" if array.sync.waiting == "pending" else " (waits for its turn)"
        )
    return f" {percent(array.sync):.1f} %"


def _degraded(array: Array, lost: int, renewed: tuple[Member, ...]) -> str:
    said = []
    if lost:
        said.append(f"{lost} of {array.raid_disks} members missing")
    if renewed:
        names = ", ".join(device(member) for member in renewed)
        count = f"{len(renewed)} of {array.raid_disks} members not in sync"
        said.append(f"{count}, {names} {'is being' if array.sync else 'is to be'} rebuilt{_far(array)}")
    return f"degraded: {', '.join(said)}"


def _syncing(sync: Sync, *, first: bool) -> str:
    far = f"{percent(sync):.1f} %"
    if sync.waiting == "pending":
        return f"{sync.action} begins with the first write"
    if sync.waiting:
        return f"{sync.action} waits for its turn: another array uses the same disks"
    if sync.action == "resync":
        return f"building for the first time {far}: usable now" if first else f"resync {far}: usable now"
    doing = {
        "recover": "recovery",
        "check": "check of all members",
        "repair": "repair",
        "reshape": "reshape",
    }
    return f"{doing.get(sync.action, sync.action)} {far}: usable meanwhile"


def device(member: Member) -> str:
    """A member's kernel name: sdb1."""
    return harmless(member.path.removeprefix("/dev/"))


def member_state(member: Member, array: Array) -> tuple[str, str]:
    """A member's state in words, and its style."""
    if "faulty" in member.state:
        return "FAILED", BAD
    errors = f", {member.errors} errors" if member.errors else ""
    if member.slot is None:
        return ("journal" if "journal" in member.state else f"spare{errors}"), PLAIN
    if "in_sync" in member.state:
        if "want_replacement" in member.state:
            return "to be replaced", WARN
        return f"in sync{errors}", WARN if errors else PLAIN
    if array.initial_build:
        return "being filled", PLAIN
    return ("rebuilding" if array.sync else "not in sync"), WARN


def called(array: Array) -> str:
    """Its name, as it is shown."""
    return harmless(array.name or array.node)


def events(before: Array, after: Array | None) -> tuple[tuple[str, str], ...]:
    """What happened between two readings of the same array, a sentence each with its style, in order of weight."""
    if after is None:
        return ((f"{called(before)} was stopped: it is no running array any more", BAD),)
    found = _member_events(before, after)
    if is_failed(after) and not is_failed(before):
        found.insert(0, (f"{called(after)} FAILED: it lost more members than it survives", BAD))
    elif after.state == "inactive" and before.state != "inactive":
        found.insert(0, (f"{called(after)} does not run any more", BAD))
    was, now = before.sync, after.sync
    if is_paused(after) and not is_paused(before):
        found.append(("the sync is paused", WARN))
    elif is_paused(before) and not is_paused(after):
        found.append((f"the {sync_name(after)} goes on" if now else "the sync is not paused any more", PLAIN))
    elif now is not None and (was is None or was.action != now.action):
        found.append((f"the {sync_name(after)} began", PLAIN))
    elif was is not None and now is None and not is_paused(after):
        whole = not (after.degraded or 0)
        found.append(
            (
                f"the {sync_name(before)} ended{': all members are in sync' if whole else ''}",
                GOOD if whole else WARN,
            )
        )
    return tuple(found)


def _member_events(before: Array, after: Array) -> list[tuple[str, str]]:
    old = {member.path: member for member in before.members}
    new = {member.path: member for member in after.members}
    found = []
    for path, member in new.items():
        was = old.get(path)
        name = f"{device(member)} ({harmless(member.disk or 'no identity')})"
        if "faulty" in member.state and (was is None or "faulty" not in was.state):
            found.append((f"{name} FAILED", BAD))
        elif was is None:
            found.append((f"{name} was added", PLAIN))
        elif was.slot is None and member.slot is not None and "faulty" not in was.state:
            found.append((f"the spare {name} takes over slot {member.slot}", WARN))
        elif "in_sync" in member.state and "in_sync" not in was.state:
            found.append((f"{name} is in sync", GOOD))
    for path, member in old.items():
        if path not in new:
            name = f"{device(member)} ({harmless(member.disk or 'no identity')})"
            gone = "was taken out" if "faulty" in member.state or member.slot is None else "is GONE"
            found.append((f"{name} {gone}", PLAIN if gone == "was taken out" else BAD))
    return sorted(found, key=lambda event: event[1] != BAD)  # what failed is the cause of the rest


def is_rotational(array: Array, machine: Machine | None) -> bool:
    """Whether a member turns, and so gets slower towards its end; what is not known is taken to turn."""
    disks = {disk.identity: disk for disk in machine.disks} if machine else {}
    known = [disks[member.disk] for member in array.members if member.disk in disks]
    return not known or any(disk.rotational for disk in known)


def time_left(sync: Sync, *, rotational: bool) -> str:
    """When a sync ends, as a range: "3 h 20 min to 5 h 10 min left"."""
    from raidtui.advice.time import finish_range

    least, most = finish_range(sync, rotational=rotational)
    if math.isinf(most):
        return "it does not move"
    soon, late = duration(least), duration(most)
    return f"{soon} left" if soon == late else f"{soon} to {late} left"


def limits_moved(array: Array, machine: Machine | None) -> bool:
    """Whether its sync has other limits than the system's."""
    if machine is None:
        return False
    system = (machine.system.raid_speed_min, machine.system.raid_speed_max)
    own = (array.sync_speed_min, array.sync_speed_max)
    return None not in own and None not in system and own != system
