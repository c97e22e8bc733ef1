"""What an array can become, and what is never done to it. Pure.

By what was measured on real kernels with power cuts, not by what mdadm accepts: it destroys a RAID10 with exit code 0.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.arithmetic.copies import copies_of
from raidtui.backends.arithmetic.disks import data_disks
from raidtui.backends.arithmetic.survival import guaranteed_failures
from raidtui.backends.care import Place, places_at
from raidtui.backends.growing import Shape, Way
from raidtui.backends.md.geometry import MOST_DEVICES, raid10_rows
from raidtui.backends.md.growing.easing import shift_bytes
from raidtui.backends.md.growing.growable import why_level_stays
from raidtui.backends.md.growing.relevel import BECOMES, as_level, has_one_disk_q, why_not_level
from raidtui.backends.md.procedures.scrubs import refuse_busy
from raidtui.backends.md.states import has_copies, mismatches, name_of
from raidtui.backends.room import fitting, least_disk, member_bytes, reserve_taken
from raidtui.machine.md.health import empty_slots, is_spare, troubled
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import loses_all_with_one, parity_of
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.units import KIB, SECTOR, both, decimal

MOST_ADDED: Final = 4  # rows of the table
RESHAPE: Final = (
    "every block moves; until the end no member can be replaced. After a power cut it continues from "
    "where it was; keep a backup all the same"
)
_COPIED: Final = "none: the members that it has stay as they are"
_SYNCED: Final = (
    "the bitmap is off until the new space is in sync: after a power cut all of it is synced again"
)
_UNTIL_COPIED: Final = "until the new disks are members"
UNTIL_ADDED: Final = f"{_UNTIL_COPIED}; a reshape is not turned back"
_SECOND_PARITY: Final = (
    "nothing moves: the second parity is on the new disk alone (layout left-symmetric-6). Each small write goes to it too, so "
    "these are slower than on a RAID6 built anew"
)
_UNTIL_SIZED: Final = "until the size is set"
_METADATA: Final = 256 * KIB  # before the data: superblock, bitmap and bad-block log take at most 168 KiB
_CUT: Final = "lost data in 4 of 4 power cuts (mdadm 4.2, Linux 6.1)"


def shapes_of(array: Array, machine: Machine) -> Iterator[Shape]:
    """The rows of the table: today, what is possible with the free disks, and what is never done."""
    yield _shape(array, "today", array.raid_disks, array.size_bytes)
    yield from _more(array, array.level, machine)
    if level := BECOMES.get(array.level):
        yield from _more(array, level, machine)
    yield _larger(array, machine)
    yield from _never(array)


def why_not_now(array: Array) -> str:
    """Why nothing of this array can grow now; empty if it can."""
    if array.metadata.startswith("external:"):
        return "a firmware RAID grows in its own setup program"
    if not array.started or not array.uuid:
        return "it is not started"
    if array.state == "readonly":
        return "it is set read-only"
    try:
        refuse_busy(array)
    except Refused as error:
        return str(error)
    if empty_slots(array):
        return f"it lacks {count_of(empty_slots(array), 'member')}: replace what is missing first"
    if bad := troubled(array):
        return f"{listed([harmless(name_of(one)) for one in bad])} has errors: replace it first"
    if bad := tuple(one for one in array.members if one.bad_sectors):
        names = listed([harmless(name_of(one)) for one in bad])
        return f"bad blocks are recorded on {names}, and growing would take them along: restore what is there first"
    if mismatches(array) and not has_copies(array):
        return "its last check found mismatches, and growing would make what is wrong permanent: find the cause first"
    if array.consistency in {"ppl", "journal"}:
        return f"md neither reshapes nor enlarges an array with a {'partial parity log' if array.consistency == 'ppl' else 'journal'}"
    if array.consistency == "lockless":
        return "its bitmap is lockless, which is experimental: growing with one has not been measured"
    return ""


def why_no_disk(array: Array, level: str, added: int) -> str:
    """Why this array takes no further members as ``level``, whatever the disks; empty if it does."""
    why = why_level_stays(level) if level == array.level else why_not_level(array, level, added)
    if why:
        return why
    if level != "raid1" and array.metadata not in {"1.1", "1.2"}:
        return (
            f"a reshape with metadata {array.metadata}, whose superblock is at the end, has not been measured"
        )
    most = MOST_DEVICES.get(array.metadata, 0)
    if array.raid_disks + added > most:
        return f"metadata {array.metadata} holds at most {most} members"
    if spares := [one for one in array.members if is_spare(one)]:
        names = listed([harmless(name_of(one)) for one in spares])
        return f"md might take its hot spare {names} in place of a new disk: remove the spare first (--do remove-spare)"
    return ""


def why_not_larger(array: Array) -> str:
    """Why the members of this array are never enlarged; empty if they are."""
    if loses_all_with_one(array.level):
        return f"{spelled(array.level)} cannot use more of its members"
    if array.level == "raid10" and not array.layout.startswith("n"):
        return f"the kernel does not enlarge the members of a RAID10 with the layout {array.layout}"
    if array.metadata not in {"1.1", "1.2"}:
        return f"with metadata {array.metadata} md no longer finds a member whose partition has grown: its superblock is at the end"
    return ""


def size_with(array: Array, members: int, component: int) -> int:
    """The bytes that the array holds with this number of members if it uses ``component`` bytes each."""
    if array.level == "raid10":
        copies, chunk = copies_of(array.layout), array.chunk_bytes
        return raid10_rows(component // chunk, copies, members) * chunk
    return int(component * data_disks(array.level, members, array.layout))


def largest_component(array: Array, machine: Machine) -> int:
    """The bytes of each member that it can use at most, if the partitions take what is free after them.

    What it uses now, if the gain would be less than a hundredth; 0: not known.
    """
    rooms = [_room(place, array) for place in _places(array, machine)]
    if len(rooms) != array.raid_disks:
        return 0
    room = min(rooms)
    if array.level == "raid10":
        copies, chunk, disks = copies_of(array.layout), array.chunk_bytes, array.raid_disks
        rows = raid10_rows(room // chunk, copies, disks)
        most = -(-rows * copies.total // disks) * chunk
    else:
        unit = max(array.chunk_bytes, SECTOR)
        most = room // unit * unit
    return most if most - array.component_bytes >= array.component_bytes // 100 else array.component_bytes


def member_places(array: Array, machine: Machine) -> list[Place]:
    """The places of its members in sync, in slot order."""
    return list(_places(array, machine))


def _places(array: Array, machine: Machine) -> Iterator[Place]:
    return places_at((one.path for one in array.members if one.slot is not None), machine)


def _room(place: Place, array: Array) -> int:
    offset = max(one.offset_bytes for one in array.members)
    return member_bytes(place) - offset


def least_member(array: Array) -> int:
    """The least bytes of a member."""
    return max((one.offset_bytes for one in array.members), default=0) + array.component_bytes


def stripe_memory(array: Array, members: int) -> int:
    """The bytes of kernel memory that a reshape of parity needs for its stripe cache: four chunks of each member."""
    return 4 * array.chunk_bytes * members if parity_of(array.level) else 0


def _why_no_memory(array: Array, members: int, machine: Machine) -> str:
    """Why the kernel lacks the memory for a reshape; empty if it has it, or that is not known."""
    need, memory = stripe_memory(array, members), machine.system.memory_bytes
    if not memory or need <= memory // 4:
        return ""
    return f"with chunks of {array.chunk_bytes // KIB} KiB the reshape needs {both(need)} of memory, and here are {both(memory)}"


def why_no_reshape(array: Array, later: Array, members: int, machine: Machine) -> str:
    """Why the kernel lacks the memory for a reshape, or the members the room; empty if neither, or that is not known."""
    return _why_no_memory(later, members, machine) or _why_no_room(array, later, members)


def _why_no_room(array: Array, later: Array, members: int) -> str:
    """Without room before the data mdadm lets the reshape run, and copies the first stripes too late (mdadm 4.4, Linux 6.12)."""
    begins = min((one.offset_bytes for one in array.members), default=0)
    shift = 0 if is_copied(array, later.level) else shift_bytes(array, later, members)
    if not begins or shift + _METADATA <= begins:
        return ""
    return (
        f"its data moves {both(shift)} towards the start of each member, and too little is free there: a power cut could "
        "lose its first stripes"
    )


def is_copied(array: Array, level: str) -> bool:
    """Whether only the new members are written when it gets further ones as ``level``; else all data moves."""
    return level == "raid1" or level != array.level == "raid5"


def _more(array: Array, level: str, machine: Machine) -> Iterator[Shape]:
    """One row for each number of free disks that fit; without one, what is lacking."""
    places, later = member_places(array, machine), as_level(array, level)
    disks = fitting(places, least_member(array), machine)
    most = 1 if level != array.level == "raid5" else min(len(disks), MOST_ADDED)
    for count in range(1, max(1, most) + 1):
        members = array.raid_disks + count
        change = f"+{count_of(count, 'disk')}"
        if level != array.level:
            change = f"to {level}" if count == 1 else f"to {level} of {members}"
        refused = (
            why_not_now(array)
            or why_no_disk(array, level, count)
            or why_no_reshape(array, later, members, machine)
        )
        if refused:
            yield _refused(array, change, refused, members)
            return
        copies = is_copied(array, level)
        chosen = tuple(one.identity for one in disks[:count]) if len(disks) >= count else ()
        least = least_disk(places, least_member(array)) if places else 0
        yield _shape(
            later,
            change,
            members,
            size_with(later, members, array.component_bytes),
            way=Way.COPY if copies else Way.MOVE,
            moved_bytes=array.component_bytes,
            checked_bytes=array.component_bytes,
            risk=_COPIED if copies else RESHAPE,
            needs="" if chosen else f"a free disk of {decimal(least)} or more" if least else "a free disk",
            note=_note(array, later),
            undo=_UNTIL_COPIED if copies else UNTIL_ADDED,
            fits=tuple(one.identity for one in disks),
            add=chosen,
            procedure=Grow(unit=array.uuid, add=chosen, level=level if level != array.level else "")
            if chosen
            else None,
        )


def _note(array: Array, later: Array) -> str:
    if has_one_disk_q(later) and not has_one_disk_q(array):
        return _SECOND_PARITY
    if later.chunk_bytes != array.chunk_bytes:
        return f"with chunks of {later.chunk_bytes // KIB} KiB"
    return ""


def _larger(array: Array, machine: Machine) -> Shape:
    change = "larger members"
    if refused := why_not_now(array) or why_not_larger(array):
        return _refused(array, change, refused, array.raid_disks)
    component = largest_component(array, machine)
    if not component:
        return _refused(array, change, "not every member is on a disk of this computer", array.raid_disks)
    gains = component > array.component_bytes
    small = min(_places(array, machine), key=lambda place: _room(place, array))
    return _shape(
        array,
        change,
        array.raid_disks,
        size_with(array, array.raid_disks, component) if gains else array.size_bytes,
        way=Way.SYNC,
        moved_bytes=max(0, component - array.component_bytes),
        checked_bytes=component,
        risk=_SYNCED,
        reserve_bytes=reserve_taken(tuple(_places(array, machine))) if gains else 0,
        needs=""
        if gains
        else f"every member on a larger disk: replace one after the other (raidtui replace). The smallest is {harmless(small.disk.identity)}",
        undo=_UNTIL_SIZED,
        procedure=Grow(unit=array.uuid, to_largest=True) if gains else None,
    )


def _never(array: Array) -> Iterator[Shape]:
    """What mdadm accepts and what is not done, with the reason."""
    level = array.level
    rows: list[tuple[str, str]] = []
    if level == "raid10":
        rows.append(
            ("another layout", "mdadm --layout destroys a RAID10, with exit code 0 (measured: 4 of 4)")
        )
    if level == "raid1":
        rows.append(("to RAID0", "mdadm drops all disks but one at once, and asks nothing"))
    if level == "raid6":
        rows.append(("to RAID5", f"a change of the level that moves data {_CUT}"))
    if parity_of(level):
        rows.append(("another chunk", f"it {_CUT}"))
    if not loses_all_with_one(level):
        rows.append(
            ("smaller members", "mdadm --size cuts a mounted array below its filesystem, and asks nothing")
        )
    rows.append(
        ("fewer members", "the filesystem would have to shrink first: copy the data to a smaller array")
    )
    for change, why in rows:
        yield _refused(array, change, why, array.raid_disks)


def _shape(array: Array, change: str, members: int, size: int, **more: object) -> Shape:
    return Shape(
        change=change,
        level=array.level,
        layout=array.layout if array.level == "raid10" else "",
        members=members,
        unit_bytes=size,
        survives=guaranteed_failures(array.level, members, array.layout if array.level == "raid10" else ""),
        **more,  # type: ignore[arg-type]  # the optional fields
    )


def _refused(array: Array, change: str, why: str, members: int) -> Shape:
    return Shape(change=change, level=array.level, members=members, refused=why)
