"""The missing members of an md array, and those not in sync yet. Pure."""

from raidtui.model.machine import Array, Member
from raidtui.model.md_levels import loses_all_with_one, may_lose


def is_failed(array: Array) -> bool:
    """Whether it has lost more members than it survives."""
    if array.state == "broken":
        return True
    if loses_all_with_one(array.level) or not array.raid_disks:  # md reports these as broken
        return False
    most = may_lose(array.level, array.raid_disks)
    return most is not None and (array.degraded or 0) > most


def rebuilding(array: Array) -> tuple[Member, ...]:
    """The members with a slot that are not in sync yet."""
    return tuple(
        m
        for m in array.members
        if m.slot is not None and "in_sync" not in m.state and "faulty" not in m.state
    )


def missing(array: Array) -> int:
    """The number of slots without a member."""
    if array.state == "inactive":
        return max(0, array.raid_disks - len({m.slot for m in array.members} - {None}))
    return max(0, (array.degraded or 0) - len(rebuilding(array)))
