"""What a volume group needs the administrator to do: activate it, or replace a missing disk. Pure.

Nothing is executed here. At boot LVM does not activate a group with a missing disk, and it replaces a disk by itself
only if dmeventd is configured to (raid_fault_policy, lvmraid(7)).
"""

import shlex
from collections.abc import Callable, Iterator

from raidtui.backends.care import Care, called, free_disk, prepared, room_of
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import VolumeGroup
from raidtui.backends.lvm.units import main_volume, others, survives
from raidtui.model.machine import Machine
from raidtui.model.unit import Health, Unit
from raidtui.model.units import decimal
from raidtui.steps.partitions import LINUX_LVM


def care_for(unit: Unit, machine: Callable[[], Machine]) -> tuple[Care, ...]:
    """What ``unit`` needs; nothing if it is healthy, busy, exported or of another system."""
    if unit.health not in {Health.INACTIVE, Health.DEGRADED} or unit.activity is not None:
        return ()
    whole = machine()
    reading = reading_in(whole)
    group = next((one for one in reading.known.groups if one.uuid == unit.uuid), None) if reading else None
    if reading is None or group is None or group.exported or others(group, reading):
        return ()
    volume = main_volume(group, reading.known)
    if volume is None or reading.known.half_made(volume):
        return ()
    if unit.health is Health.INACTIVE:
        return tuple(_activate(unit, group))
    return tuple(_replace(unit, group, whole)) if group.missing else ()


def _activate(unit: Unit, group: VolumeGroup) -> Iterator[Care]:
    name = shlex.quote(group.name)
    if not group.missing:
        yield Care(text="activate it", commands=(f"vgchange -ay {name}",))
        return
    connect = f"connect the missing {'disks' if group.missing > 1 else 'disk'}"
    level = LEVELS.get(unit.level)
    if level is None or not level.redundant or group.missing > survives(unit.level, unit.raid_disks):
        yield Care(
            text=f"{connect}: {unit.level} cannot be activated without {'them' if group.missing > 1 else 'it'}"
        )
        return
    yield Care(
        text=f"{connect}, or activate it degraded",
        commands=(f"vgchange -ay --activationmode degraded {name}",),
    )


def _replace(unit: Unit, group: VolumeGroup, machine: Machine) -> Iterator[Care]:
    here = next((one for one in unit.members if one.path and one.disk), None)
    least = next((disk.size_bytes for disk in machine.disks if here and disk.path == here.path), 0)
    room = room_of(here.path, machine, least=least) if here else None
    if room is None:
        return
    disk = free_disk(room, machine)
    if disk is None:
        yield Care(
            text=f"replace the missing disk: connect one of {decimal(room.least)} or more, none is free here"
        )
        return
    prepare, path = prepared(disk, room, kind=LINUX_LVM)
    name = shlex.quote(group.name)
    yield Care(
        text=f"replace the missing disk with the free disk {called(disk)}, {decimal(disk.size_bytes)}",
        commands=(
            *prepare,
            f"vgextend {name} {path}",
            f"lvconvert --yes --repair {shlex.quote(unit.path.removeprefix('/dev/'))} {path}",
            *((f"vgreduce --removemissing {name}",) if group.missing == 1 else ()),
        ),
    )
