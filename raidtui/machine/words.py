"""The state of an array and its sync in plain words."""

from typing import Final

from raidtui.model.machine import Array, Member, Sync
from raidtui.model.units import rate

_DOING: Final = {
    "resync": "making the members agree",
    "recover": "rebuilding a member",
    "check": "comparing the members",
    "repair": "making the members agree where they differ",
    "reshape": "changing the shape of the array",
}
# What a sync that md reports without progress waits for. "pending": the array was not written to since it was
# started (array_state "read-auto"), and md begins nothing before that, md(4).
_WAITING: Final = {
    "delayed": "another array on the same disks goes first",
    "pending": "it begins with the first write",
    "remote": "another computer of the cluster does it",
}
_STATES: Final = {
    "clean": "clean",
    "active": "active",
    "active-idle": "active",
    "write-pending": "active",
    "read-auto": "clean, not written to since it was started",
    "readonly": "read-only",
    "suspended": "suspended",
    "inactive": "not running: members are missing or it was not started",
    "broken": "broken: a member is gone and its data with it",
}


def array_state(array: Array) -> str:
    """How an array is: "clean", "initial build", "degraded: 1 of 4 members missing, 1 rebuilding"."""
    state = _STATES.get(array.state, array.state)
    if array.initial_build:
        return f"initial build, {state}: no fault, but one disk may not fail yet"
    if not array.degraded:
        return state
    rebuilding = sum(m.slot is not None and "in_sync" not in m.state for m in array.members)
    missing = array.degraded - rebuilding
    words = [
        f"{missing} of {array.raid_disks} members missing" if missing > 0 else "",
        f"{rebuilding} rebuilding" if rebuilding else "",
    ]
    return f"degraded, {state}: {', '.join(filter(None, words))}"


def member_state(member: Member) -> str:
    """What a member is to its array: "in sync", "rebuilding", "spare", "faulty", and what md adds to that."""
    state = set(member.state)
    if "faulty" in state:
        role = "faulty"
    elif "in_sync" in state:
        role = "in sync"
    elif "journal" in state:
        role = "journal"
    else:
        role = "spare" if member.slot is None else "rebuilding"
    rest = [
        word.replace("_", " ")
        for word in member.state
        if word not in {"faulty", "in_sync", "spare", "journal"}
    ]
    return ", ".join([role, *rest])


def sync_name(array: Array) -> str:
    """What the sync of ``array`` is called: md's file says "recover" even where nothing was lost yet."""
    action = array.sync.action if array.sync is not None else array.sync_action
    return "first sync" if array.initial_build else {"recover": "recovery"}.get(action, action)


def waiting_words(sync: Sync) -> str:
    """Why a sync that is due does nothing yet: ``pending: it begins with the first write``."""
    return f"{sync.waiting}: {_WAITING[sync.waiting]}"


def sync_words(array: Array) -> str:
    """What the sync of ``array`` does and how far it is: "recovery: rebuilding a member, 12.5 %, 55.0 MB/s"."""
    sync = array.sync
    if sync is None:
        return ""
    fills = array.initial_build and sync.action == "recover"
    what = "filling the last member" if fills else _DOING.get(sync.action, "")
    doing = ": ".join(filter(None, (sync_name(array), what)))
    if sync.waiting:
        return f"{doing}, {waiting_words(sync)}"
    percent = 100 * sync.done_bytes / sync.total_bytes if sync.total_bytes else 0.0
    return f"{doing}, {percent:.1f} %, {rate(sync.bytes_per_second)}"
