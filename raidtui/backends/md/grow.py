"""Let an array grow: by further members, with or without another level, or into all the space that its members have.

The kernel moves the data by itself and continues after a power cut, so no step passes a backup file. With a bitmap the new
space of larger members would never be synced, so the bitmap is off until it is.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.growing import Grower, Grown, Shape
from raidtui.backends.md.array_names import address, entries_of
from raidtui.backends.md.conditions import ARRAY_WHOLE, MEMBER_IS
from raidtui.backends.md.diagnosis.no_bitmap import bitmap_on
from raidtui.backends.md.geometry import stripe_width
from raidtui.backends.md.growing.easing import eased, held_at_first
from raidtui.backends.md.growing.grow_conditions import (
    ARRAY_BITMAP,
    ARRAY_COUNTS,
    ARRAY_IN_SYNC,
    ARRAY_IS,
    ARRAY_LEVEL,
    ARRAY_RESHAPES,
)
from raidtui.backends.md.growing.relevel import as_level, has_one_disk_q
from raidtui.backends.md.growing.shapes import (
    is_copied,
    largest_component,
    member_places,
    shapes_of,
    size_with,
    why_no_disk,
    why_no_reshape,
    why_not_larger,
    why_not_now,
)
from raidtui.backends.md.hazards import late_boot
from raidtui.backends.md.procedures.managing import add_spare, added_again, rebuild_onto, regrown
from raidtui.backends.md.procedures.place_conditions import ARRAY_PLACED
from raidtui.backends.md.procedures.scrubs import check_steps, unhold, until_synced, waited, writable
from raidtui.backends.md.replace import MdNeed, need_of
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in
from raidtui.backends.replacing import Leaving, Naming
from raidtui.backends.room import widened, wider_partitions
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import (
    Check,
    Role,
    Run,
    Step,
    Undo,
    member_step,
    waiting_step,
)
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.unit import Unit
from raidtui.steps.files import line_step
from raidtui.steps.fstab import step_names
from raidtui.steps.initramfs import INITRAMFS_HAS, rebuilds

_COUNTED: Final = ("num-devices=", "devices=", "disks=")  # of an ARRAY line: what is not so any more
_LEVEL: Final = "level="


class MdGrower(Grower):
    """mdadm."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        return tuple(shapes_of(array_in(unit), machine))

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        array = array_in(unit)
        later, members = as_level(array, order.level or array.level), array.raid_disks + len(order.add)
        _check(order, array, later, members, machine)
        component = largest_component(array, machine) if order.to_largest else array.component_bytes
        if order.to_largest and component <= array.component_bytes:
            raise Refused(
                f"{shown_name(array)} already uses all that its smallest member has; replace every member by a larger disk first"
            )
        moves = bool(order.add) and not is_copied(array, later.level)
        return Grown(
            need=_need(array, machine),
            unit_bytes=size_with(later, members, component),
            chunk_bytes=later.chunk_bytes,
            width_bytes=stripe_width(later.level, later.layout, later.chunk_bytes, members)
            if later.chunk_bytes
            else 0,
            device=address(array),
            moves=moves,
            disks=tuple(widened(member_places(array, machine))) if order.to_largest else (),
            hazards=tuple(late_boot(later, members, machine)) if moves else (),
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Add the disks and reshape; or enlarge the members."""
        array = array_in(unit)
        grown = (
            _to_largest(array, machine)
            if order.to_largest
            else joined(array, order.level or array.level, new, machine)
        )
        return [*unhold(array), *grown]

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """Its level, members and bytes, and full redundancy."""
        members = unit.raid_disks + len(order.add)
        return (
            ARRAY_IS.of(unit.uuid, f"{order.level or unit.level} {members} {grown.unit_bytes}"),
            ARRAY_WHOLE.of(unit.uuid),
        )

    def last(self, unit: Unit) -> list[Step]:
        """A check, which must find no mismatch."""
        return list(check_steps(array_in(unit)))


def joined(array: Array, level: str, new: Sequence[Naming], machine: Machine) -> Iterator[Step]:
    """The steps by which the prepared members ``new`` join ``array``, which becomes ``level``; no sync of it is held up."""
    yield from _configured(array, machine, level=level != array.level)
    later = as_level(array, level)
    if is_copied(array, level):
        yield from _by_copies(array, later, new, machine)
        return
    yield from (add_spare(array, one, "It holds no data until the array grows onto it.") for one in new)
    yield from _by_reshape(array, later, new)


def _check(order: Grow, array: Array, later: Array, members: int, machine: Machine) -> None:
    """Check that the array can grow so now. Raises Refused: it cannot."""
    added, level = len(order.add), order.level
    if len(set(order.add)) != added or (order.to_largest if added or level else not order.to_largest):
        raise Refused("an array grows either by disks, each named once, or into its larger members")
    why = why_not_now(array) or (
        why_not_larger(array)
        if order.to_largest
        else why_no_disk(array, later.level, added) or why_no_reshape(array, later, members, machine)
    )
    if why:
        raise Refused(f"{shown_name(array)} cannot {f'become {spelled(level)}' if level else 'grow'}: {why}")


def _need(array: Array, machine: Machine) -> MdNeed:
    """A new disk is like a spare, and all that its partition is like is the member in the first slot."""
    return need_of(array, None, "", Leaving("", None, (), machine), spare=True)


def _configured(array: Array, machine: Machine, *, level: bool) -> Iterator[Step]:
    """Take the number of members, and the level, out of its ARRAY lines: with a wrong one mdadm does not assemble it at boot.

    Before the reshape, for a power cut may come during it.
    """
    old, new, system = [], [], machine.system
    outdated = (*_COUNTED, *((_LEVEL,) if level else ()))
    which = "the level and the number of members" if level else "the number of members"
    for entry in entries_of(array, machine):
        words = entry.text.split()
        kept = [word for word in words if not word.lower().startswith(outdated)]
        if kept != words:
            old += [(entry.file, line) for line in entry.lines]
            new.append((entry.file, " ".join(kept)))
    if not new:
        return
    files = list(dict.fromkeys(file for file, _ in new))
    yield line_step(
        "conf",
        title=f"Take {which} out of the line of {shown_name(array)} in {' and '.join(files)}",
        reason=f"With another {'level or number' if level else 'number'} there, mdadm does not assemble the array at boot.",
        new=new,
        old=old,
        undo_note="the line is as it was",
    )
    if not set(files) & set(system.copied_to_initramfs):
        return
    found = rebuilds(system)
    for name, (release, rebuild) in zip(step_names("initramfs", len(found)), found, strict=True):
        yield Step(
            id=name,
            role=Role.FIX,
            title=f"Rebuild the initramfs of kernel {harmless(release)}",
            reason="Its copy of mdadm.conf has the old line. This can take some minutes.",
            actions=(rebuild,),
            after=tuple(INITRAMFS_HAS.of(release, line) for _, line in new),
            undoable=Undo.NOTHING,
            undo_note="a line without the number is right before and after",
        )


def _by_copies(array: Array, later: Array, new: Sequence[Naming], machine: Machine) -> Iterator[Step]:
    """Make room for further copies, or for the second parity, and let md rebuild each of these on its disk.

    The slots come first: a spare that md takes at once has its superblock at the moment that `spare_forgotten` is about.
    """
    name, members, stable = shown_name(array), array.raid_disks + len(new), stable_in(machine.disks)
    own = [stable.get(one.path, one.path) for one in array.members if one.slot is not None]
    parity = later.level != array.level
    level = (f"--level={later.level}",) if parity else ()
    yield member_step(
        id="grow",
        title=f"Let {name} become {spelled(later.level)} of {members}"
        if parity
        else f"Let {name} grow by {count_of(len(new), 'disk')} to {members} members",
        reason="What is new lacks its disk until the next step; the others have their redundancy as before.",
        actions=(
            writable(array),
            added_again(array, *own),
            regrown(array, *level, *_to(later, members), "--force"),
        ),
        after=(ARRAY_COUNTS.of(array.uuid, str(members)), ARRAY_LEVEL.of(array.uuid, later.level)),
    )
    why = f"md writes {'the second parity' if parity else 'another copy'} on it; the array can be used meanwhile."
    yield from (rebuild_onto(array, one, why) for one in new)
    every = [*own, *(one.device for one in new)]
    yield _wait(
        array,
        later,
        new,
        title=f"Wait until {listed([one.new for one in new])} {'is' if len(new) == 1 else 'are'} in sync in {name}",
        actions=(added_again(array, *every), *until_synced(array)),
        before=tuple(MEMBER_IS.of(one.device, f"{array.uuid} syncing") for one in new),
        members=every,
    )


def _by_reshape(array: Array, later: Array, new: Sequence[Naming]) -> Iterator[Step]:
    """Change the level where it changes; then reshape."""
    name, members, disks = shown_name(array), array.raid_disks + len(new), count_of(len(new), "disk")
    are_members = tuple(MEMBER_IS.of(one.device, f"{array.uuid} member") for one in new)
    if later.level != array.level:
        yield member_step(
            id="level",
            title=f"Let {name} become {spelled(later.level)} of {array.raid_disks}",
            reason="Its members hold the same bytes as before: the parity of one block is its copy.",
            actions=(
                writable(array),
                regrown(array, f"--level={later.level}"),
            ),
            before=are_members,
            after=(ARRAY_LEVEL.of(array.uuid, later.level),),
        )
    yield member_step(
        id="grow",
        title=f"Let {name} grow by {disks} to {members} members",
        reason="md moves the data onto all members, and can be used meanwhile. The first stripes move in steps, so that a power "
        "cut loses nothing.",
        actions=(
            writable(array),
            held_at_first(array, later, members),
            regrown(array, *_to(later, members)),
        ),
        before=are_members,
        after=(ARRAY_COUNTS.of(array.uuid, str(members)), ARRAY_LEVEL.of(array.uuid, later.level)),
    )
    yield _wait(
        array,
        later,
        new,
        title=f"Wait until {name} has grown onto {disks}",
        actions=(writable(array), eased(array, later, members), waited(array)),
        before=(ARRAY_RESHAPES.of(array.uuid),),
        members=[one.device for one in new],
        reshapes=True,
    )


def _wait(
    array: Array,
    later: Array,
    new: Sequence[Naming],
    *,
    title: str,
    actions: tuple[Run, ...],
    before: tuple[Check, ...],
    members: Sequence[str],
    reshapes: bool = False,
) -> Step:
    """Wait until it is what it becomes, with ``members`` in sync."""
    count = array.raid_disks + len(new)
    size = size_with(later, count, array.component_bytes)
    return waiting_step(
        id="wait",
        title=title,
        reason="md continues if raidtui ends, and after a power cut from where it was.",
        actions=actions,
        before=before,
        after=(
            ARRAY_IS.of(array.uuid, f"{later.level} {count} {size}"),
            # A power cut at its end may leave members that md reads at the wrong place: nothing may be written then.
            *((ARRAY_PLACED.of(array.uuid),) if reshapes else ()),
            *(MEMBER_IS.of(one, f"{array.uuid} in-sync") for one in members),
        ),
        as_long_as="reading and writing every member" if reshapes else "writing the whole new member",
        sync_bytes=array.component_bytes,
        reshapes=reshapes,
    )


def _to(later: Array, members: int) -> Iterator[str]:
    """The words of mdadm --grow: without ``preserve`` it would move all data to another layout."""
    yield f"--raid-devices={members}"
    if has_one_disk_q(later):
        yield "--layout=preserve"


def _to_largest(array: Array, machine: Machine) -> Iterator[Step]:
    name = shown_name(array)
    component = largest_component(array, machine)
    yield from wider_partitions(member_places(array, machine))
    yield from _bitmap_off(array)
    size = size_with(array, array.raid_disks, component)
    is_it = ARRAY_IS.of(array.uuid, f"{array.level} {array.raid_disks} {size}")
    yield member_step(
        id="grow",
        title=f"Let {name} use all of its members",
        reason="The new space is synced; the array can be used meanwhile.",
        actions=(
            writable(array),
            regrown(array, "--size=max"),
        ),
        before=(ARRAY_BITMAP.of(array.uuid, "off"),),
        after=(is_it,),
    )
    yield _wait_for_sync(array, is_it, component - array.component_bytes)
    yield from _bitmap_on(array)


def _bitmap_off(array: Array) -> Iterator[Step]:
    if array.consistency != "bitmap":
        return
    yield Step(
        id="bitmap-off",
        role=Role.MEMBER,
        title=f"Turn the bitmap of {shown_name(array)} off",
        reason="With it, md would never sync the new space, and say that all is well.",
        actions=(
            writable(array),
            regrown(array, "--bitmap=none"),
        ),
        after=(ARRAY_BITMAP.of(array.uuid, "off"),),
        undo=(regrown(array, "--bitmap=internal"),),
        undo_note="the bitmap is on again",
    )


def _bitmap_on(array: Array) -> Iterator[Step]:
    if array.consistency == "bitmap":
        yield bitmap_on(array, f"Turn the bitmap of {shown_name(array)} on again")


def _wait_for_sync(array: Array, is_it: Check, size: int) -> Step:
    return waiting_step(
        id="sync",
        title=f"Wait until the new space of {shown_name(array)} is in sync",
        reason="md continues if raidtui ends, and after a power cut from where it was.",
        actions=until_synced(array),
        before=(is_it,),
        after=(ARRAY_IN_SYNC.of(array.uuid),),
        as_long_as="writing the new space of every member",
        sync_bytes=size,
    )


GROWER: Final = MdGrower()
