"""The missing members of an md array, and those not in sync yet. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.model.machine import Array, Member
from raidtui.model.md_levels import (
    MD_LEVELS,
    Left,
    left,
    loses_all_with_one,
    may_lose,
    raid10_layout,
    runs_with,
)

_WORN = frozenset({"write_error", "want_replacement"})


_MANY: Final = 8  # slots, from which nobody makes a mirror for the sake of copies

IN_NO_VOLUME: Final = "in_no_volume"
"""Of a disk of a container that no volume of it uses: a spare, or one that failed. mdadm alone knows which."""


def is_container(array: Array) -> bool:
    """Whether it is the set of disks of a firmware RAID; the arrays on it are its volumes."""
    return array.metadata.startswith("external:") and array.metadata[9:10] not in {"/", "-"}


def with_volumes(array: Array, arrays: Iterable[Array]) -> Array:
    """Add the volumes of a container: their metadata is ``external:/md127/0``, with a dash while md may not write."""
    if not is_container(array):
        return array
    name = array.node.removeprefix("/dev/")
    inside = [
        one
        for one in arrays
        if one is not array and one.metadata.removeprefix("external:")[1:].partition("/")[0] == name
    ]
    used = {member.path for one in inside for member in one.members}
    members = tuple(
        one if one.path in used or not inside else replace(one, state=(*one.state, IN_NO_VOLUME))
        for one in array.members
    )
    return replace(array, level="container", volumes=tuple(one.node for one in inside), members=members)


def arrays_under(array: Array, arrays: Iterable[Array]) -> tuple[Array, ...]:
    """Those of ``arrays`` that the members of ``array`` are directly on."""
    nodes = {*array.below, *(member.path for member in array.members)} - {""}
    return tuple(one for one in arrays if one.node in nodes)


def topmost(array: Array, arrays: Sequence[Array]) -> Array:
    """The array that is built on ``array``, directly or not; ``array`` itself if none is."""
    others = [one for one in arrays if one is not array]
    above = next((one for one in others if arrays_under(one, [array])), None)
    return array if above is None else topmost(above, others)


def with_all_under(array: Array, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """``array`` and the arrays under it, topmost first."""
    others = [one for one in arrays if one is not array]
    return (
        array,
        *(one for lower in arrays_under(array, others) for one in with_all_under(lower, others)),
    )


def is_failed(array: Array) -> bool:
    """Whether it has lost more members than it survives."""
    if array.state == "broken":
        return True
    if loses_all_with_one(array.level) or not array.raid_disks:  # md reports these as broken
        return False
    most = may_lose(array.level, array.raid_disks)
    return most is not None and (array.degraded or 0) > most


def rebuilding(array: Array) -> tuple[Member, ...]:
    """The members with a slot that are not in sync yet; not one that is to replace a member in sync."""
    kept = {m.slot for m in array.members if "in_sync" in m.state}
    return tuple(
        m
        for m in array.members
        if m.slot is not None and m.slot not in kept and not {"in_sync", "faulty"} & set(m.state)
    )


def troubled(array: Array) -> tuple[Member, ...]:
    """The members that an array with full redundancy should be without: failed, or with errors that md counted."""
    replaced = {m.slot for m in array.members if "replacement" in m.state}
    return tuple(
        m
        for m in array.members
        if "faulty" in m.state or ((_WORN & set(m.state) or m.errors) and m.slot not in replaced)
    )


def can_still_be_read(array: Array) -> bool:
    """Whether an array that takes no more writes still has all its data: md keeps the last copy after a write error."""
    slots = {m.slot for m in array.members if m.slot is not None and "in_sync" in m.state}
    layout = raid10_layout(array.layout)
    copied = array.level == "raid1" or (array.level == "raid10" and layout != 0)
    return copied and bool(slots) and runs_with(array.level, layout, array.raid_disks, slots)


def missing(array: Array) -> int:
    """The number of slots without a member, but for those that a NAS keeps for disks to come."""
    empty = empty_slots(array)
    return 0 if has_room_for_more(array.level, array.raid_disks, array.raid_disks - empty) else empty


def empty_slots(array: Array) -> int:
    """The number of slots without a member."""
    if not array.started:
        return max(0, array.raid_disks - len({m.slot for m in array.members} - {None}))
    return max(0, (array.degraded or 0) - len(rebuilding(array)))


def has_room_for_more(level: str, raid_disks: int, filled: int) -> bool:
    """Whether it is a mirror as a NAS makes it for its own system: with a slot for every disk that it could ever hold."""
    return level == "raid1" and raid_disks >= _MANY and 2 * filled <= raid_disks


def lacking(degraded: int | None, level: str, raid_disks: int, members: Sequence[Member]) -> int | None:
    """md's own count of slots without a member in sync, ``degraded``; if it could not be read, that of ``members``.

    None if the level has no such count, or no member could be read either.
    """
    known = MD_LEVELS.get(level)
    if degraded is not None or not members or known is None or not known.redundant:
        return degraded
    return max(0, raid_disks - len({one.slot for one in members if "in_sync" in one.state} - {None}))


def not_taken_over(array: Array) -> tuple[Member, ...]:
    """Replacements in sync that are alone in their slot, where md counts that slot as missing.

    A power cut leaves them so, after the copy and before md has removed the old member. Linux from 6.8 on does not make them
    members at the next start (raid5_run() in drivers/md/raid5.c), and fails the array with the next member.
    """
    alone = [m for m in array.members if {"in_sync", "replacement"} <= set(m.state)]
    slots = Counter(m.slot for m in array.members)
    return tuple(m for m in alone if array.degraded and m.slot is not None and slots[m.slot] == 1)


def left_in(array: Array) -> Left:
    """What one more failure does to it. A member that is not in sync yet counts as missing."""
    here = {m.slot for m in array.members if m.slot is not None and "in_sync" in m.state}
    here -= {m.slot for m in not_taken_over(array)}
    layout = raid10_layout(array.layout)
    if array.level == "raid10" and not layout:
        return Left.CHANCE
    if not here:  # its members are not known, only their number
        here = set(range(array.raid_disks - (array.degraded or 0)))
    return left(here, lambda slots: runs_with(array.level, layout, array.raid_disks, slots))


def takes_all(array: Array) -> str:
    """The disk whose failure alone loses an array of a redundant level: several members are on it; empty if there is none."""
    layout = raid10_layout(array.layout)
    by_slot = {m.slot: m.disk for m in array.members if m.slot is not None and "in_sync" in m.state}

    def runs(slots: set[int]) -> bool:
        return runs_with(array.level, layout, array.raid_disks, slots)

    if array.level not in MD_LEVELS or len({*by_slot.values()}) == len(by_slot) or not runs({*by_slot}):
        return ""
    disks = dict.fromkeys(filter(None, by_slot.values()))
    return next((one for one in disks if not runs({s for s, disk in by_slot.items() if disk != one})), "")


def is_spare(member: Member) -> bool:
    """Whether it waits for a member to fail."""
    return member.slot is None and "spare" in member.state
