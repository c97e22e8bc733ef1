"""Describe the state of arrays, members and syncs: one set of words for the CLI, the screens and JSON. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.machine.md.health import (
    IN_NO_VOLUME,
    can_still_be_read,
    empty_slots,
    is_container,
    is_failed,
    left_in,
    missing,
    rebuilding,
    takes_all,
    troubled,
)
from raidtui.machine.md.sync_limits import LEAST
from raidtui.model import chance
from raidtui.model.machine import STOPPED, Array, Member, Sync
from raidtui.model.md_levels import loses_all_with_one, may_lose
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.unit import INITIAL, Health
from raidtui.model.units import KIB, SECTOR, duration, rate

_DOING: Final = {
    "resync": "resync",
    "recover": "rebuild",
    "check": "check",
    "repair": "repair",
    "reshape": "reshape",
}
# Flags that the role says, and one of every member of a firmware RAID: md does not keep its log of bad blocks.
_SAID: Final = frozenset({"faulty", "in_sync", "spare", "journal", "external_bbl", IN_NO_VOLUME})
_DELAYED: Final = "delayed by {} on these disks"
# What a sync without progress waits for. "pending": the array has not been written to since it was started
# (array_state "read-auto"), and md starts no sync before that, md(4).
_WAITING: Final = {
    "delayed": _DELAYED.format("another array"),
    "pending": "pending: starts with the first write",
    "remote": "run by another node of the cluster",
}


def share(sync: Sync) -> float:
    """Progress of a sync, 0 to 1."""
    return sync.done_bytes / sync.total_bytes if sync.total_bytes else 0.0


def percent(sync: Sync) -> str:
    """Progress of a sync: "43.2 %"."""
    return chance.share(share(sync))


def is_paused(array: Array) -> bool:
    """Whether its sync is paused: md starts no sync on this array until it is resumed."""
    return array.sync_action == "frozen"


def is_held(array: Array) -> bool:
    """Whether something holds its syncs up: they are paused, or limited to a part of the members."""
    return is_paused(array) or array.sync_part[1] is not None


def left_out(array: Array) -> float:
    """The part of each member that a check would leave out now, 0 to 1: one that was stopped leaves its place behind."""
    waits = (
        array.started and array.sync is None and array.sync_action == "idle" and array.degraded is not None
    )
    first = array.sync_part[0] * SECTOR if waits else 0
    return min(1.0, first / array.component_bytes) if array.component_bytes else float(first > 0)


def fastest(array: Array) -> int | None:
    """The rate that a sync of ``array`` may reach, bytes a second of each member; None if it is not known.

    md syncs as fast as the lower limit allows, whatever the upper one is (md_do_sync() in drivers/md/md.c).
    """
    if array.sync_speed_min is None or array.sync_speed_max is None:
        return None
    return max(array.sync_speed_min, array.sync_speed_max)


def is_slowed(array: Array) -> bool:
    """Whether its syncs may only run at less than md's default lower limit."""
    most = fastest(array)
    return array.started and array.degraded is not None and most is not None and most < LEAST


def slowed_words(array: Array) -> str:
    """How slow, and how long a whole member takes: "at most 102 kB/s, 453 days for a whole member"."""
    most = fastest(array) or KIB
    size = array.component_bytes
    return f"at most {rate(most)}" + (f", {duration(size / most)} for a whole member" if size else "")


def is_reshaped(array: Array) -> bool:
    """Whether it is being reshaped; also if that is paused, or waits for the first write."""
    return array.sync is not None and array.sync.action == "reshape"


def misread(array: Array) -> tuple[Member, ...]:
    """The members of a running array that md reads where their data was before a reshape that has ended."""
    return tuple(one for one in array.members if one.moved_to_bytes and one.slot is not None)


def misread_words(array: Array) -> str:
    """What a job says that waited for the reshape; empty if there are none."""
    names = listed([one.disk or one.path for one in misread(array)])
    return names and (
        f"md reads {names} where the data began before the reshape, whose end a power cut interrupted. Write nothing to the array: "
        "'raidtui care' shows what to do"
    )


def shown_name(array: Array) -> str:
    return harmless(array.shown)


def survives(array: Array) -> int | None:
    """How many more members may fail, no matter which; None if that depends on which ones."""
    most = may_lose(array.level, array.raid_disks)
    return None if most is None else max(0, most - (array.degraded or 0))


def health(array: Array) -> Health:
    """The health of ``array`` in one word."""
    if is_container(array) and array.volumes:
        return Health.OK
    if not array.started:
        return Health.INACTIVE
    if is_failed(array):
        return Health.FAILED
    if array.initial_build:
        return Health.BUILDING
    if missing(array) or rebuilding(array):
        return Health.DEGRADED
    if array.sync is not None or is_paused(array):
        return Health.SYNCING
    return Health.ERRORS if troubles(array) or errors(array) else Health.OK


def troubles(array: Array) -> str:
    """What is wrong with an array that has all its members in sync, in words; empty if nothing is."""
    if not array.started or is_container(array):
        return ""
    return "; ".join(f"{name_of(one)}: {', '.join(_trouble(one))}" for one in troubled(array))


def name_of(member: Member) -> str:
    """A member by its disk, with its name in the kernel: "WD-WCC7K1A (sda1)"."""
    kernel = member.path.removeprefix("/dev/")
    return f"{member.disk} ({kernel})" if member.disk else kernel


def _trouble(member: Member) -> Iterator[str]:
    if "faulty" in member.state:
        yield "failed"
        return
    if "write_error" in member.state:
        yield "write errors"
    if "want_replacement" in member.state:
        yield "to be replaced"
    if member.errors:
        yield f"read errors in {count_of(member.errors, 'sector')}, corrected"


def state(array: Array) -> str:
    """The state of ``array``, the worst first: "degraded, not redundant: 1 of 4 members missing"."""
    match health(array):
        case Health.INACTIVE:
            return _inactive(array)
        case Health.FAILED:
            return _failed(array)
        case Health.BUILDING:
            return f"not redundant yet: a disk failure now loses data ({_sync_state(array, 'sync')})"
        case Health.DEGRADED:
            return _degraded(array)
        case Health.SYNCING:
            return f"{_sync_state(array)}, usable now"
    if is_container(array):
        inside = ", ".join(node.removeprefix("/dev/") for node in array.volumes)
        return f"firmware RAID, its disks hold {inside}"
    if wrong := "; ".join(filter(None, (troubles(array), errors(array)))):
        running = "running, no redundancy" if _alone(array) else "all members in sync"
        return f"{wrong}; {running}"
    return _well(array) + _kept_empty(array)


def _well(array: Array) -> str:
    if misread(array):
        return "started, and not every member is read where its data is"
    if _alone(array):
        return "running, no redundancy"
    if disk := takes_all(array):
        return f"in sync, but no redundancy: the failure of {disk} alone loses it"
    return {"readonly": "in sync, read-only", "read-auto": "in sync, auto-read-only"}.get(
        array.state, "in sync"
    )


def _kept_empty(array: Array) -> str:
    """The slots that a NAS keeps for disks to come: they lack nothing."""
    kept = empty_slots(array) - missing(array) if array.level == "raid1" else 0
    return f"; {kept} of its {array.raid_disks} slots are empty, as in the system of a NAS" if kept else ""


def _alone(array: Array) -> bool:
    """Whether the loss of one member loses it: by its level, or as a mirror of one disk: made so (--force), or by a NAS."""
    filled = array.raid_disks - (array.degraded or 0)
    return loses_all_with_one(array.level) or (array.level == "raid1" and filled == 1)


def lacks_journal(array: Array) -> bool:
    """Whether its write journal has failed or is gone: then md lets every write fail (log_failed in drivers/md/raid5.c)."""
    works = any("journal" in one.state and "faulty" not in one.state for one in array.members)
    return array.started and array.consistency == "journal" and not works


def with_bad_blocks(array: Array) -> list[Member]:
    """The members whose lists of bad blocks count: not those that failed."""
    return [one for one in array.members if one.bad_sectors and "faulty" not in one.state]


def errors(array: Array) -> str:
    """What its members do not agree on or cannot read, in words; empty if nothing is known of it."""
    bad = with_bad_blocks(array)
    found = ["its write journal is lost, so every write fails"] if lacks_journal(array) else []
    if bad:
        most = count_of(max(one.bad_sectors for one in bad), "sector")
        names = ", ".join(one.path.removeprefix("/dev/") for one in bad)
        found.append(f"bad blocks are recorded on {names}: {most}")
    if mismatches(array) and not has_copies(array):
        found.append(f"the last check found mismatches in {count_of(mismatches(array), 'sector')}")
    return "; ".join(found)


def mismatches(array: Array) -> int:
    """The sectors in which its last check found that the members do not agree."""
    return (array.mismatch_sectors or 0) if array.checked and array.sync is None else 0


def has_copies(array: Array) -> bool:
    """Whether it has copies, not parity: these may differ where swap or a memory map was written, without harm."""
    return array.level in {"raid1", "raid10"}


def _inactive(array: Array) -> str:
    if is_container(array):
        return f"firmware RAID, {'stopped' if array.state == STOPPED else 'none of its volumes is started'}"
    lost = missing(array) if array.raid_disks and any(m.slot is not None for m in array.members) else 0
    if array.state == STOPPED:  # from every superblock that is here
        # One that was still being rebuilt may be here too.
        whole = array.raid_disks - lost == len(array.members)
        return "stopped, not assembled" + (
            f": {_members(lost, array)} {'not here' if whole else 'missing or not complete'}" if lost else ""
        )
    # Only those that something has put into it: others may be connected all the same.
    return "inactive, not started" + (
        f": it has {array.raid_disks - lost} of its {count_of(array.raid_disks, 'member')}" if lost else ""
    )


def _failed(array: Array) -> str:
    if loses_all_with_one(array.level):
        return f"FAILED: a member is missing, and {spelled(array.level)} has no redundancy"
    if can_still_be_read(array):
        return "FAILED: takes no more writes, after an error on the last copy of some data"
    return (
        f"FAILED: {_members(array.degraded or 0, array)} missing, more than {spelled(array.level)} survives"
    )


def _degraded(array: Array) -> str:
    lost, renewed = missing(array), rebuilding(array)
    faulty = ", ".join(m.path.removeprefix("/dev/") for m in array.members if "faulty" in m.state)
    parts = [f"{_members(lost, array)} missing{f' ({faulty} faulty)' if faulty else ''}"] if lost else []
    if renewed:
        names = ", ".join(member.path.removeprefix("/dev/") for member in renewed)
        parts.append(f"{names} {'rebuilding' if array.sync else 'not in sync'}{_far(array)}")
    return f"{left_in(array)}: {', '.join(parts)}"


def _members(count: int, array: Array) -> str:
    return f"{count} of {array.raid_disks} members"


def _far(array: Array) -> str:
    if is_paused(array):
        return " (paused)"
    if array.sync is None:
        return ""
    return f" ({_WAITING[array.sync.waiting]})" if array.sync.waiting else f" {percent(array.sync)}"


def _sync_state(array: Array, named: str = "") -> str:
    """Its sync and progress: "resync 12.5 %", "initial sync paused", "check delayed by …"."""
    name = named or sync_name(array)
    if is_paused(array):
        return f"{name} paused"
    if array.sync is None:
        return name
    return f"{name} {waiting_words(array.sync) if array.sync.waiting else percent(array.sync)}"


def member_state(member: Member, array: Array) -> str:
    """The state of a member: "in sync", "rebuilding", "spare", "faulty", then md's other flags and its errors."""
    known = set(member.state)
    if "faulty" in known:
        role = "faulty journal" if "journal" in known else "faulty"
    elif "journal" in known:
        role = "journal"
    elif IN_NO_VOLUME in known:
        role = "in no volume: a spare, or it failed"
    elif is_container(array):
        role = "in use" if array.volumes else "not started"
    elif not array.started:
        role = "not started"
    elif "in_sync" in known:
        role = "in sync"
    elif member.slot is None:
        role = "spare"
    else:
        role = "rebuilding" if array.sync is not None else "not in sync"
    rest = (w.replace("_", " ") for w in member.state if w not in _SAID)
    errors = f"{member.errors} errors" if member.errors else ""
    bad = count_of(member.bad_sectors, "bad sector") if member.bad_sectors else ""
    return ", ".join(filter(None, [role, *rest, errors, bad]))


def sync_name(array: Array) -> str:
    """The name of its sync; "initial sync" where md reports "recover" although no member was lost."""
    if array.initial_build:
        return INITIAL
    action = array.sync.action if array.sync is not None else array.sync_action
    return "sync" if action in {"frozen", "idle"} else _DOING.get(action, action)


def waiting_words(sync: Sync) -> str:
    """Why a sync has not started: "pending: starts with the first write"."""
    return _WAITING[sync.waiting]


def check_words(array: Array) -> str:
    """The result of the last check since the array was started."""
    if array.sync is not None:
        return ""
    if array.mismatch_sectors:
        return f"last check: mismatches in {count_of(array.mismatch_sectors, 'sector')}"
    return "last check: no mismatches found" if array.checked else ""


def delayed_by(names: Sequence[str]) -> str:
    """What a delayed sync waits for, where the other arrays are known: "delayed by photos on these disks"."""
    return _DELAYED.format(harmless(listed(names)))
