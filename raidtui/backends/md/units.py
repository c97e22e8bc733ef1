"""Arrays of md as units."""

from raidtui.machine.sync_limits import SpeedLimits
from raidtui.machine.words import (
    check_words,
    health,
    is_paused,
    member_state,
    share,
    state,
    sync_name,
    waiting_words,
)
from raidtui.model.machine import Array, Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Limits, Unit, UnitMember


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every array of ``machine``."""
    system = machine.system
    usual = (system.raid_speed_min, system.raid_speed_max)
    return tuple(unit_of(array, usual) for array in machine.arrays)


def unit_of(array: Array, usual: SpeedLimits = (None, None)) -> Unit:
    """An array as a unit; ``usual``: the system's limits of a sync, as far as they are known."""
    return Unit(
        backend=Backend.MDADM,
        name=array.name,
        uuid=array.uuid,
        marks=(array.uuid,),
        level=array.level,
        size_bytes=array.size_bytes,
        path=array.path or array.node,
        node=array.node,
        health=health(array),
        state=state(array),
        members=tuple(
            UnitMember(path=one.path, disk=one.disk, slot=one.slot, state=member_state(one, array))
            for one in array.members
        ),
        activity=_activity(array),
        limits=_limits(array, usual),
        scrubbed=check_words(array),
        signatures=array.signatures,
        read_only=array.state == "readonly",
        unread=array.unread,
        mountpoints=array.mountpoints,
    )


def measured(array: Array) -> MeasuredUnit:
    """What a result keeps of an array."""
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
    return Limits(least=array.sync_speed_min, most=array.sync_speed_max, own=own != usual)


def _activity(array: Array) -> Activity | None:
    sync = array.sync
    if sync is None:
        return Activity(what=sync_name(array), paused=True) if is_paused(array) else None
    return Activity(
        what=sync_name(array),
        fraction=share(sync),
        done_bytes=sync.done_bytes,
        total_bytes=sync.total_bytes,
        bytes_per_second=sync.bytes_per_second,
        seconds_left=sync.finish_seconds,
        paused=is_paused(array),
        waiting=waiting_words(sync) if sync.waiting else "",
    )
