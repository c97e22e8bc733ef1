"""Detect whether a RAID4 or RAID5 with one member missing is only in its initial sync.

``mdadm --create`` leaves the last slot of such an array empty and adds its device as a spare, which md then
rebuilds: faster than computing all parity (Create.c of mdadm). The kernel shows this as degraded and recovering,
just as when a spare replaces a failed disk. It is a first build if all of these hold:

1. One member is rebuilding, it has the last slot, every other slot is in sync and nothing is faulty.
2. Its descriptor number, the ``[N]`` in ``/proc/mdstat``, is not less than the number of members: mdadm numbers it
   after the last spare. A replacement has such a number too, hence the third condition.
3. The array was never complete. Its superblock shows that in one of three ways, measured on kernel 6.1:

   * It has a bitmap in which no bit was ever cleared: ``events_cleared`` is 0. md clears bits only after a write to
     a complete array, so the rebuild of an array that was never written to also counts as a first build; this does
     no harm.
   * Its event count is at most 17. The first build by itself adds more: md records its progress every sixteenth.
   * It is so new that a build at about the present speed can have started when it was created.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final, Self

from raidtui.model.machine import Member, Sync
from raidtui.model.struct import Record
from raidtui.model.superblock import Superblock

_EVENTS_OF_A_BUILD: Final = 17
_SLOWDOWN: Final = 1.5  # a build slows down towards the inner tracks, and while the disks are in use
_SLACK_SECONDS: Final = 10


class Rebuilding(Record, frozen=True, kw_only=True):
    """The member being rebuilt in the last slot, and one in sync whose superblock can be read."""

    member: Member
    healthy: Member

    @classmethod
    def of(cls, members: Sequence[Member], numbers: Mapping[str, int], raid_disks: int) -> Self | None:
        """Check conditions 1 and 2; ``None`` if they do not hold. ``numbers`` are descriptor numbers by path."""
        in_slots = {member.slot: member for member in members if member.slot is not None}
        last = in_slots.get(raid_disks - 1)
        healthy = [member for member in in_slots.values() if "in_sync" in member.state]
        if last is None or "in_sync" in last.state or len(healthy) != raid_disks - 1:
            return None
        if any("faulty" in member.state for member in members) or numbers.get(last.path, 0) < raid_disks:
            return None
        return cls(member=last, healthy=healthy[0])


def is_first_build(superblock: Superblock, sync: Sync | None, now: float | None = None) -> bool:
    """Check condition 3, that the array was never complete. ``now`` is in seconds since 1970."""
    if superblock.bitmap_cleared is not None:
        return superblock.bitmap_cleared == 0
    if superblock.events <= _EVENTS_OF_A_BUILD:
        return True
    if sync is None or not sync.bytes_per_second:
        return False
    age = (time.time() if now is None else now) - superblock.created
    return age <= sync.done_bytes / sync.bytes_per_second * _SLOWDOWN + _SLACK_SECONDS
