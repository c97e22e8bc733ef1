"""A member's md superblock, and what the superblocks of an array's members say together. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from raidtui.model.md_levels import parity_of, runs_with
from raidtui.model.struct import Record
from raidtui.model.uuids import same_uuid

MARGIN = 1  # md takes a member one event behind as current (super_1_validate() in drivers/md/md.c)


class Superblock(Record, frozen=True, kw_only=True):
    """The fields of a superblock that raidtui uses."""

    path: str = ""  # the device it was read from: /dev/sda1
    metadata: str = ""  # 0.90, 1.0, 1.1 or 1.2: where on the device it is
    uuid: str  # of the array, 8-4-4-4-12
    device: str = ""  # UUID of this member; a clone has that of its original. 0.90 has none
    name: str  # lab:tank, as stored; 0.90 stores a number only: md0
    level: str  # raid5; empty if md's number for it is unknown
    layout: int  # md's number; of raid10: near copies | far copies << 8; of raid0 0 if it is not said
    raid_disks: int
    created: int  # seconds since 1970
    events: int
    bitmap_cleared: int | None  # event count when a bitmap bit was last cleared; None without a bitmap
    bitmap_damaged: bool = False  # there is none where it should be: md does not start the array then
    lockless: bool = False  # the bitmap is a lockless one, which Linux before 6.18 does not know
    sector_bytes: int = (
        0  # the sector size that Linux stores from 6.19 on, and before takes for damage; 0: none
    )
    rebuilding: bool = False  # only part of its data was valid
    synced_bytes: int = (
        0  # of each member: how far its rebuild, or the array's resync, had come; 0: not begun, or not known
    )
    reshaping: bool = False  # a reshape was not finished
    adds_members: bool = False  # that reshape only adds members: level, layout and chunk stay
    clean: bool = True  # no write was under way, and no resync
    journal: bool = False  # the array has a journal device, with writes that may be on no other member
    is_journal: bool = False  # this device is the journal
    logged: bool = False  # has a journal or PPL: it starts degraded even if it is not clean
    slot: int | None = None  # this device's slot when written; None for spares and failed members
    # Its geometry, without which an array cannot be read by hand; 0 in readings of an older version.
    chunk_bytes: int = 0
    component_bytes: int = 0  # of each member that the array uses; 0 for levels that use members as they are
    data_offset_bytes: int = 0  # where the data begins on this member
    data_bytes: int = 0  # of the data on this member
    active: tuple[int, ...] = ()  # the slots that had a working member when this was written
    head: str = (
        ""  # a checksum of where filesystems begin, of a mirror's member that can be mounted by itself
    )


def of_array(uuid: str, superblocks: Iterable[Superblock]) -> dict[str, Superblock]:
    """The superblocks of one array, by path."""
    return {one.path: one for one in superblocks if same_uuid(one.uuid, uuid)}


def newest_of(members: Iterable[Superblock]) -> Superblock:
    """The superblock written last: one of a member that left before a reshape has another number of members."""
    return max(members, key=lambda one: one.events)


def is_enough(members: Iterable[Superblock]) -> bool:
    """Whether an array runs with these members, each in a slot of its own."""
    every = tuple(members)
    if not every:
        return False
    newest = newest_of(every)
    here = {one.slot for one in every if one.slot is not None}
    return runs_with(newest.level, newest.layout, newest.raid_disks, here)


def complete(stored: Mapping[str, Superblock]) -> dict[str, Superblock]:
    """The newest member of each slot, by path, without spares and those that were still being rebuilt."""
    found: dict[int, str] = {}
    for path, one in stored.items():
        if one.slot is None or one.rebuilding:
            continue
        if one.slot not in found or one.events > stored[found[one.slot]].events:
            found[one.slot] = path
    return {path: stored[path] for path in found.values()}


def current(by_slot: Mapping[str, Superblock]) -> dict[str, Superblock]:
    """The members of ``by_slot`` with the newest data: not behind, and not missing in the newest one's view."""
    top = max(by_slot.values(), key=lambda one: one.events, default=None)
    if top is None:
        return {}
    return {
        path: one
        for path, one in by_slot.items()
        if one.events + MARGIN >= top.events and (one.slot in top.active or not top.active)
    }


def reshapes(stored: Mapping[str, Superblock]) -> tuple[Superblock, ...]:
    """The superblocks of an unfinished reshape; md writes no end of it to members that left before."""
    fresh = tuple(current(complete(stored)).values())
    top = max((one.events for one in fresh), default=0)
    over = not any(one.reshaping for one in fresh if one.events == top)
    return () if over else tuple(one for one in fresh if one.reshaping)


def missed_end(stored: Mapping[str, Superblock]) -> dict[str, Superblock]:
    """The members, by path, that have the superblock of before the end of a reshape, and that md takes as current all the same.

    The end is one write of all superblocks, which a power cut interrupted. If the reshape moved the data, md reads such a
    member where its data began before (super_1_load() in drivers/md/md.c; seen with Linux 6.1).
    """
    fresh = current(complete(stored))
    return {path: one for path, one in fresh.items() if one.reshaping and not reshapes(stored)}


def only_adds(stored: Mapping[str, Superblock]) -> bool:
    """Whether it is in a reshape that only adds members, which a power cut does not harm."""
    found = reshapes(stored)
    return bool(found) and all(one.adds_members for one in found)


def clones(stored: Mapping[str, Superblock]) -> tuple[tuple[str, ...], ...]:
    """The devices that have one superblock: a clone beside its original, or two paths to one disk.

    Two members of one slot and with one event count may be such a pair where superblocks have no UUIDs of their own.
    """
    by_device: dict[object, list[str]] = {}
    for path, one in stored.items():
        if one.device:
            by_device.setdefault(one.device, []).append(path)
        elif one.metadata == "0.90" and one.slot is not None:
            by_device.setdefault((one.uuid, one.slot, one.events), []).append(path)
    return tuple(tuple(paths) for paths in by_device.values() if len(paths) > 1)


def lacks_bitmap(stored: Mapping[str, Superblock]) -> bool:
    """Whether a bitmap is damaged, so that md does not start the array: it reads that of one member, no matter which."""
    return any(one.bitmap_damaged and one.slot is not None for one in stored.values())


def used_apart(by_slot: Mapping[str, Superblock]) -> tuple[str, str] | None:
    """Two members that ran without each other, so that both have writes which the other lacks; None if none did."""
    every = {path: one for path, one in by_slot.items() if one.active}
    return _pair(every, lambda one, other: one.slot not in other.active and other.slot not in one.active)


def written_alone(by_slot: Mapping[str, Superblock]) -> tuple[str, str] | None:
    """Two members that md calls equal and that are not, as one was written without the array; None if none was.

    A mirror whose data begins where its members begin, metadata 0.90 or 1.0, can be mounted by one member: md never knows.
    """
    every = {path: one for path, one in by_slot.items() if one.head and one.clean}
    return _pair(every, lambda one, other: one.events == other.events and one.head != other.head)


def _pair(
    members: Mapping[str, Superblock], apart: Callable[[Superblock, Superblock], bool]
) -> tuple[str, str] | None:
    """The paths of the first two of which ``apart`` is true."""
    pairs = combinations(members.items(), 2)
    return next(((path, with_path) for (path, one), (with_path, other) in pairs if apart(one, other)), None)


def starts_only_by_force(members: Sequence[Superblock]) -> bool:
    """Whether md refuses to start it without some members as it is not clean: its parity may be wrong.

    From raid5_run() in drivers/md/raid5.c: "cannot start dirty degraded array".
    """
    if not members:
        return False
    newest = max(members, key=lambda one: one.events)
    slots = {one.slot for one in members}
    return (
        parity_of(newest.level) > 0
        and len(slots) < newest.raid_disks
        and not newest.clean
        and not newest.logged
    )


def geometry(one: Superblock) -> tuple[object, ...]:
    """Where the array's data is on its members, except where it begins, which each member says for itself."""
    return one.level, one.layout, one.raid_disks, one.chunk_bytes, one.component_bytes


def can_be_readded(own: Superblock, running: Superblock, in_sync: Iterable[int]) -> bool:
    """Whether a former member may return to its slot and get only what was written meanwhile.

    md accepts it if the bitmap has recorded everything since it left (super_1_validate() in drivers/md/md.c). md
    does not notice a member that was used without the others; such a one says that they were missing. Nor does it notice
    that the array was reshaped or grown meanwhile: the bitmap records no reshape, so what such a member holds is in other
    places, and md reads it as current (measured with Linux 6.1: nearly every stripe wrong, no error).

    Args:
        own: the superblock of the former member.
        running: that of a member in sync.
        in_sync: the slots of the members in sync.
    """
    slots = set(in_sync)
    return (
        own.uuid == running.uuid
        and own.slot is not None
        and not own.rebuilding
        and not own.reshaping
        and geometry(own) == geometry(running)
        and own.slot not in slots
        and running.bitmap_cleared is not None
        and running.bitmap_cleared <= own.events <= running.events
        and slots <= set(own.active)
    )
