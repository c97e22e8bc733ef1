"""What a volume group needs the administrator to do: activate it, or replace a missing disk. Pure.

Nothing is executed here. At boot LVM does not activate a group with a missing disk, and it replaces a disk by itself
only if dmeventd is configured to (raid_fault_policy, lvmraid(7)).
"""

import shlex
from collections.abc import Callable, Iterator, Sequence

from raidtui.backends.care import Replacement, Room, called_at, room_of
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.names import escaped
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import LogicalVolume, VolumeGroup
from raidtui.backends.lvm.units import MARKED, clones_in, left_in, main_volume, others, survives
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.text import harmless, listed, spelled
from raidtui.model.unit import WELL, Health, Unit
from raidtui.steps.partitions import LINUX_LVM


def care_for(unit: Unit, machine: Callable[[], Machine]) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy, busy, exported or of another system."""
    marked = [one.path for one in unit.members if one.note == MARKED]
    if (unit.health not in {Health.INACTIVE, Health.DEGRADED} and not marked) or unit.activity is not None:
        return ()
    whole = machine()
    reading = reading_in(whole)
    group = next((one for one in reading.known.groups if one.uuid == unit.uuid), None) if reading else None
    if reading is None or group is None or group.exported or others(group, reading):
        return ()
    volume = main_volume(group, reading.known)
    if volume is None or reading.known.half_made(volume):
        return ()
    if doubtful := _doubtful(group, reading.known.groups, whole):
        return (Remedy(text=doubtful),)
    if marked:
        return (_restore(group, volume, marked, whole),)
    if unit.health is Health.INACTIVE:
        return tuple(_activate(unit, group))
    if group.missing:
        return tuple(_replace(unit, group, whole))
    return tuple(_refresh(group, volume))


def _doubtful(group: VolumeGroup, groups: Sequence[VolumeGroup], machine: Machine) -> str:
    """Why LVM would refuse the commands, or take the wrong disks; empty if it would not."""
    if (same := next(iter(clones_in(machine).values()), None)) is not None:
        return (
            f"{listed(called_at(same, machine))} have the same physical volume: a clone beside its original, or two paths to "
            "one disk. Disconnect the one that does not belong here; until then LVM activates neither"
        )
    if sum(one.name == group.name for one in groups) > 1:
        return (
            f"another volume group is called {harmless(group.name)} too, so LVM does not know which one is meant. Rename one by "
            f"its UUID first, see vgrename(8); this one has {group.uuid}"
        )
    return ""


def _activate(unit: Unit, group: VolumeGroup) -> Iterator[Remedy]:
    name = shlex.quote(group.name)
    if not group.missing:
        yield Remedy(text="activate it", commands=(f"vgchange -ay {name}",))
        return
    connect = f"connect the missing {'disks' if group.missing > 1 else 'disk'}"
    level = LEVELS.get(unit.level)
    if level is None or not level.redundant or group.missing > survives(unit.level, unit.raid_disks):
        yield Remedy(
            text=f"{connect}: {spelled(unit.level)} cannot be activated without {'them' if group.missing > 1 else 'it'}"
        )
        return
    yield Remedy(
        text=f"{connect}, or activate it degraded",
        commands=(f"vgchange -ay --activationmode degraded {name}",),
    )


def _restore(group: VolumeGroup, volume: LogicalVolume, marked: Sequence[str], machine: Machine) -> Remedy:
    """LVM changed the group while disks were missing: it does not use them again by itself (vgextend(8)).

    What was written without them is copied from the others, by md's bitmap, once they are used.
    """
    stable = {path: place for disk in machine.disks for path, place in stable_paths(disk).items()}
    paths = [shlex.quote(stable.get(path, path)) for path in marked]
    many = len(marked) > 1
    name, whole = shlex.quote(group.name), shlex.quote(f"{group.name}/{volume.name}")
    then = () if group.missing > len(marked) else (f"vgchange -ay {name}",)
    return Remedy(
        text=f"{listed(called_at(marked, machine))} {'are' if many else 'is'} connected again, but LVM still marks "
        f"{'them' if many else 'it'} as missing: find out why {'they' if many else 'it'} failed (cable, power, smartctl), take "
        f"{'them' if many else 'it'} back, then scrub",
        commands=(
            f"vgextend --restoremissing {name} {' '.join(paths)}",
            *((f"lvchange --refresh {whole}",) if volume.active else then),
        ),
    )


def _refresh(group: VolumeGroup, volume: LogicalVolume) -> Iterator[Remedy]:
    """A disk that failed for a while is connected again; LVM does not take it back by itself (lvmraid(7))."""
    if volume.health == "refresh needed":
        name = shlex.quote(f"{group.name}/{volume.name}")
        yield Remedy(
            text="a disk that failed is connected again: find out why it failed (cable, power, smartctl), take it back, then scrub",
            commands=(f"lvchange --refresh {name}",),
        )


def _replace(unit: Unit, group: VolumeGroup, machine: Machine) -> Iterator[Remedy | Replacement]:
    if not machine.complete:
        yield Remedy(text="run raidtui as root: without it, nobody can see which disk is free")
        return
    rooms = tuple(_rooms(unit, machine))
    if not rooms:
        return
    name = shlex.quote(group.name)
    yield Replacement(
        what="the missing disk",
        rooms=rooms,
        partition_type=LINUX_LVM,
        left=left_in(unit.level, unit.raid_disks, _working(unit)),
        add=lambda path: (
            f"vgextend {name} {path}",
            f"lvconvert --yes --repair {shlex.quote(unit.path.removeprefix('/dev/'))} "
            f"{shlex.quote(escaped(*shlex.split(path)))}",
            *((f"vgreduce --removemissing {name}",) if group.missing == 1 else ()),
        ),
        lost=frozenset(one.disk for one in unit.lost if one.disk),
        suspect=frozenset(one.disk for one in unit.lost if one.disk and "faulty" in one.state),
        model=next((one.model for one in unit.lost if one.model), ""),
        one_sector_size=True,  # vgextend refuses others: devices/allow_mixed_block_sizes, lvm.conf(5)
    )


def _working(unit: Unit) -> frozenset[int]:
    return frozenset(one.slot for one in unit.members if one.slot is not None and one.state in WELL)


def _rooms(unit: Unit, machine: Machine) -> Iterator[Room]:
    sizes = {disk.path: disk.size_bytes for disk in machine.disks}
    for one in unit.members:
        if one.path and one.disk:
            room = room_of(one.path, machine, least=sizes.get(one.path, 0))
            if room is not None:
                yield room
