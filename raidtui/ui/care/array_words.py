"""The words of `raidtui.machine.words` with their styles, and what happened between two readings. Pure.

Every text that came from the disks passes `harmless` here. Styles are never needed to understand the words.
"""

from typing import Final

from raidtui.machine import words
from raidtui.machine.words import is_failed as is_failed
from raidtui.machine.words import is_paused as is_paused
from raidtui.machine.words import sync_name
from raidtui.model.machine import Array, Machine, Member, Sync
from raidtui.model.md_levels import loses_all_with_one
from raidtui.model.text import harmless
from raidtui.model.unit import Health

GOOD: Final = "$text-success"
WARN: Final = "$text-warning"
BAD: Final = "bold $text-error"
PLAIN: Final = ""

STYLES: Final = {
    Health.OK: GOOD,
    Health.SYNCING: PLAIN,
    Health.BUILDING: WARN,
    Health.ERRORS: WARN,
    Health.DEGRADED: WARN,
    Health.FAILED: BAD,
    Health.INACTIVE: BAD,
}


def state(array: Array, *, first: bool = False) -> tuple[str, str]:
    """How an array is, and its style. ``first``: its resync is known to be the first one."""
    return harmless(words.state(array, first=first)), style(array)


def style(array: Array) -> str:
    """The style of an array's state."""
    found = words.health(array)
    if found is Health.OK and loses_all_with_one(array.level):
        return PLAIN
    return WARN if found is Health.SYNCING and is_paused(array) else STYLES[found]


def device(member: Member) -> str:
    """A member's kernel name: sdb1."""
    return harmless(member.path.removeprefix("/dev/"))


def member_state(member: Member, array: Array) -> tuple[str, str]:
    """A member's state, and its style."""
    said = words.member_state(member, array)
    if "faulty" in member.state:
        return said, BAD
    if said in {"in sync", "spare", "journal"} or (array.initial_build and said == "rebuilding"):
        return said, PLAIN
    return said, WARN


def called(array: Array) -> str:
    """Its name, as it is shown."""
    return harmless(array.name or array.node)


def events(before: Array, after: Array | None) -> tuple[tuple[str, str], ...]:
    """What happened between two readings of the same array, a sentence each with its style, in order of weight."""
    if after is None:
        return ((f"{called(before)} was stopped", BAD),)
    found = _member_events(before, after)
    if is_failed(after) and not is_failed(before):
        found.insert(0, (f"{called(after)} FAILED: more members are missing than it survives", BAD))
    elif after.state == "inactive" and before.state != "inactive":
        found.insert(0, (f"{called(after)} is inactive", BAD))
    was, now = before.sync, after.sync
    if is_paused(after) and not is_paused(before):
        found.append(("sync paused", WARN))
    elif is_paused(before) and not is_paused(after):
        found.append((f"{sync_name(after)} resumed" if now else "sync no longer paused", PLAIN))
    elif now is not None and (was is None or was.action != now.action):
        found.append((f"{sync_name(after)} started", PLAIN))
    elif was is not None and now is None and not is_paused(after):
        whole = not (after.degraded or 0)
        found.append(
            (
                f"{sync_name(before)} {'finished: all members are in sync' if whole else 'stopped'}",
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
            found.append((f"spare {name} takes over slot {member.slot}", WARN))
        elif "in_sync" in member.state and "in_sync" not in was.state:
            found.append((f"{name} is in sync", GOOD))
    for path, member in old.items():
        if path not in new:
            name = f"{device(member)} ({harmless(member.disk or 'no identity')})"
            removed = "faulty" in member.state or member.slot is None
            found.append((f"{name} was removed", PLAIN) if removed else (f"{name} is GONE", BAD))
    return sorted(found, key=lambda event: event[1] != BAD)  # what failed is the cause of the rest


def is_rotational(array: Array, machine: Machine | None) -> bool:
    """Whether a member turns, and so gets slower towards its end; what is not known is taken to turn."""
    disks = {disk.identity: disk for disk in machine.disks} if machine else {}
    known = [disks[member.disk] for member in array.members if member.disk in disks]
    return not known or any(disk.rotational for disk in known)


def time_left(array: Array, sync: Sync, machine: Machine | None) -> str:
    """When a sync of ``array`` ends, as a range: "3 h 20 min to 5 h 10 min left"."""
    from raidtui.advice import time_left as advice  # half a dozen modules that the first picture does without

    return advice.time_left(sync, rotational=is_rotational(array, machine))
