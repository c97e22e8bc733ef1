"""md arrays as units."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from raidtui.backends.md.states import (
    check_words,
    delayed_by,
    has_copies,
    health,
    is_held,
    is_paused,
    is_reshaped,
    is_slowed,
    left_out,
    member_state,
    mismatches,
    share,
    state,
    sync_name,
    waiting_words,
)
from raidtui.machine.md.health import arrays_under, empty_slots, missing
from raidtui.machine.md.stopped import stopped_in
from raidtui.machine.md.sync_limits import SpeedLimits
from raidtui.model.config_lines import ArrayNames, group_in
from raidtui.model.machine import STOPPED, Array, Machine, Member
from raidtui.model.md_levels import loses_all_with_one
from raidtui.model.recovery_trial import ARRAYS
from raidtui.model.spec import Backend
from raidtui.model.system import ConfiguredArray
from raidtui.model.text import harmless
from raidtui.model.unit import Activity, Health, Limits, Noted, Unit, UnitMember
from raidtui.model.uuids import bare

if TYPE_CHECKING:
    from raidtui.model.result import MeasuredUnit


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every array of ``machine``, also those that are stopped."""
    system = machine.system
    usual = (system.raid_speed_min, system.raid_speed_max)
    return as_units((*machine.arrays, *stopped_in(machine)), usual, system.mdadm_conf_entries)


def as_units(
    arrays: Sequence[Array], usual: SpeedLimits, entries: Sequence[ConfiguredArray] = ()
) -> tuple[Unit, ...]:
    """All arrays of a computer as units, without those of a recovery trial.

    Args:
        usual: the system's sync speed limits, as far as known.
        entries: the ARRAY lines of mdadm.conf.
    """
    arrays = [one for one in arrays if not one.node.startswith(f"/dev/{ARRAYS}")]
    names = Counter(array.name for array in arrays)
    return tuple(
        replace(
            _on_arrays(_named_delay(unit_of(one, usual), one, arrays), one, arrays),
            shared_name=names[one.name] > 1,
            details=tuple(_details(one, entries)),
        )
        for one in arrays
    )


def _details(array: Array, entries: Sequence[ConfiguredArray]) -> Iterator[str]:
    """Its bitmap, if it is a lockless one, and its spare group."""
    if array.consistency == "lockless":
        yield LOCKLESS
    own = ArrayNames(
        uuid=bare(array.uuid),
        full=frozenset({array.full_name} - {""}),
        paths=frozenset({array.path, f"/dev/md/{array.full_name}"} - {"", "/dev/md/"}),
    )
    if group := group_in(one.text for one in entries if own.are_in(one.text)):
        yield f"spare group {harmless(group)}: mdadm's monitor moves a spare to the array of the group that needs it"


def _named_delay(unit: Unit, array: Array, arrays: Sequence[Array]) -> Unit:
    """Name in the unit of ``array`` the arrays that delay its sync: they share a disk with it, and sync."""
    if array.sync is None or unit.activity is None or array.sync.waiting != "delayed":
        return unit
    own = {one.disk for one in array.members if one.disk}
    first = [
        one.name
        for one in arrays
        if one.sync and not one.sync.waiting and own & {member.disk for member in one.members}
    ]
    if not first:
        return unit
    general, named = waiting_words(array.sync), delayed_by(first)
    return replace(
        unit,
        state=unit.state.replace(general, named),
        activity=replace(unit.activity, waiting=named),
    )


def _on_arrays(unit: Unit, array: Array, arrays: Sequence[Array]) -> Unit:
    """Add to the unit of ``array`` what is known of the arrays that its members are on."""
    under = arrays_under(array, arrays)
    if not under:
        return unit
    others = [one for one in arrays if one is not array]
    on = [_on_arrays(unit_of(one), one, others) for one in under]
    well = unit.health in {Health.OK, Health.SYNCING}
    bad = [one for one in on if one.health not in {Health.OK, Health.SYNCING}]
    redundant = not any(loses_all_with_one(one.level) for one in under)
    own = "running" if loses_all_with_one(array.level) and redundant and well else unit.state
    return replace(
        unit,
        health=Health.DEGRADED if well and bad else unit.health,
        state="; ".join([own, *(f"array {one.name} under it is {one.state}" for one in bad)]),
        members=tuple(replace(one, called=_called(one.path, under)) for one in unit.members),
        below=tuple(one.uuid for one in on),
    )


LOCKLESS: Final = (
    "lockless bitmap: parity and copies only of what was written, so no first sync, and a rebuild takes at most as long as "
    "estimated"
)


def _called(path: str, under: Sequence[Array]) -> str:
    """The array of ``under`` that the member at ``path`` is, or is a partition of, in words; empty for a disk."""
    on = next((one for one in under if path == one.node or path.startswith(f"{one.node}p")), None)
    return "" if on is None else f"array {on.name}"


def unit_of(array: Array, usual: SpeedLimits = (None, None)) -> Unit:
    """An array as a unit; ``usual``: the system's sync speed limits, as far as known."""
    return Unit(
        backend=Backend.MDADM,
        name=array.name,
        full_name=array.full_name,
        uuid=array.uuid,
        marks=(array.uuid,),
        level=array.level,
        size_bytes=array.size_bytes,
        raid_disks=array.raid_disks,
        chunk_bytes=array.chunk_bytes,
        path=array.path or array.node,
        node=array.node,
        health=health(array),
        state=state(array),
        members=tuple(_members(array)),
        lost=array.lost,
        activity=_activity(array),
        limits=_limits(array, usual),
        scrubbed=check_words(array),
        scrub_found=array.mismatch_sectors if array.sync is None and array.checked else None,
        scrub_so_far=array.mismatch_sectors,
        signatures=array.signatures,
        read_only=array.state == "readonly",
        stopped=array.state == STOPPED,
        untouched=array.state == "read-auto",
        noted=_noted(array),
        unread=array.unread,
        mountpoints=array.mountpoints,
        reading=array,
    )


def _noted(array: Array) -> Noted:
    if array.started and not is_reshaped(array) and is_held(array):
        return Noted.HELD
    if is_slowed(array):
        return Noted.SLOWED
    if left_out(array):
        return Noted.PART
    return Noted.MISMATCHES if mismatches(array) and has_copies(array) else Noted.NOTHING


def array_in(unit: Unit) -> Array:
    """The array from which `unit_of` made ``unit``, with the recorded disks of its members and its lost members."""
    assert isinstance(unit.reading, Array), "the unit is one of md"
    disks = {member.path: member.disk for member in unit.members}
    members = (replace(one, disk=disks.get(one.path, one.disk)) for one in unit.reading.members)
    return replace(unit.reading, members=tuple(members), lost=unit.lost)


def _members(array: Array) -> list[UnitMember]:
    """In slot order, then spares and failed members."""
    found = [*(_member(one, array) for one in array.members), *_missing(array)]
    return sorted(found, key=lambda one: (one.slot is None, one.slot or 0))


def _member(member: Member, array: Array) -> UnitMember:
    return UnitMember(
        path=member.path,
        disk=member.disk,
        slot=member.slot,
        state=member_state(member, array),
        filled=_filled(member, array),
    )


def _filled(member: Member, array: Array) -> float | None:
    """How much of a member is in sync. A recovery fills members not in sync; a resync passes over all in parallel."""
    if "faulty" in member.state or member.slot is None:
        return None
    passed = share(array.sync) if array.sync is not None else 0.0
    if "in_sync" not in member.state:
        return passed
    return passed if array.sync is not None and array.sync.action == "resync" else 1.0


def _missing(array: Array) -> Iterator[UnitMember]:
    """A member for each empty slot. For an array that is not started, md does not report which are empty."""
    if array.degraded is not None and missing(array) == empty_slots(array):
        filled = {member.slot for member in array.members}
        for slot in range(array.raid_disks):
            if slot not in filled:
                yield UnitMember(path="", slot=slot, state="missing")


def measured(array: Array) -> "MeasuredUnit":
    """What a benchmark result records about an array."""
    from raidtui.model.result import MeasuredUnit  # results are not loaded to look

    return MeasuredUnit(
        name=array.name,
        uuid=array.uuid,
        level=array.level,
        raid_disks=array.raid_disks,
        size_bytes=array.size_bytes,
        chunk_bytes=array.chunk_bytes,
        layout=array.layout,
        metadata=array.metadata,
        consistency=array.consistency,
        bitmap_chunk_bytes=array.bitmap_chunk_bytes,
        data_offset_bytes=max((one.offset_bytes for one in array.members), default=0),
        mismatch_sectors=array.mismatch_sectors,
        degraded=array.degraded,
    )


def _limits(array: Array, usual: SpeedLimits) -> Limits | None:
    own = (array.sync_speed_min, array.sync_speed_max)
    if None in own or None in usual:
        return None
    return Limits(
        least=array.sync_speed_min, most=array.sync_speed_max, own=own != usual, usual_most=usual[1]
    )


def _activity(array: Array) -> Activity | None:
    sync = array.sync
    if sync is None:
        name = sync_name(array)
        return Activity(what=name, bytes_per_second=0, paused=True) if is_paused(array) else None
    return Activity(
        what=sync_name(array),
        fraction=share(sync),
        done_bytes=sync.done_bytes,
        total_bytes=sync.total_bytes,
        bytes_per_second=sync.bytes_per_second,
        seconds_left=sync.finish_seconds,
        paused=is_paused(array),
        waiting=waiting_words(sync) if sync.waiting else "",
        # Redundant levels sync all members in parallel, over the same number of bytes on each.
        of_each=array.level != "raid10",
    )
