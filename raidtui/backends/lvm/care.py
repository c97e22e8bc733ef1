"""What a volume group needs the administrator to do: activate it, or replace a missing disk. Pure.

Nothing is executed here. At boot LVM does not activate a group with a missing disk, and it replaces a disk by itself
only if dmeventd is configured to (raid_fault_policy, lvmraid(7)).
"""

from collections.abc import Callable, Iterator, Sequence

from raidtui.backends.care import Replacement, Room, about_mismatches, called_at, room_of
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import LogicalVolume, VolumeGroup
from raidtui.backends.lvm.units import MARKED, clones_in, left_in, main_volume, others, survives
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.md_levels import parity_of
from raidtui.model.procedure import ReAdd, Start
from raidtui.model.text import harmless, listed, spelled
from raidtui.model.unit import WELL, Health, Unit
from raidtui.steps.partitions import LINUX_LVM


def care_for(unit: Unit, machine: Callable[[], Machine]) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy, busy or of another system."""
    marked = any(one.note == MARKED for one in unit.members)
    if unit.health is Health.ERRORS and not marked:
        return about_mismatches(unit.uuid, copies=not parity_of(unit.level)) if unit.scrub_found else ()
    if (unit.health not in {Health.INACTIVE, Health.DEGRADED} and not marked) or unit.activity is not None:
        return ()
    whole = machine()
    reading = reading_in(whole)
    group = next((one for one in reading.known.groups if one.uuid == unit.uuid), None) if reading else None
    if reading is None or group is None or others(group, reading):
        return ()
    volume = main_volume(group, reading.known)
    if volume is None or reading.known.half_made(volume):
        return ()
    if why := doubtful(group, reading.known.groups, whole):
        return (Remedy(text=why),)
    if not marked and unit.health is Health.INACTIVE:
        return (_activate(unit, group),)
    if not marked and group.missing:
        return tuple(_replace(unit, group, whole))
    return tuple(_take_back(unit, group, volume, whole))


def doubtful(group: VolumeGroup, groups: Sequence[VolumeGroup], machine: Machine) -> str:
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


def _activate(unit: Unit, group: VolumeGroup) -> Remedy:
    text = "import and activate it" if group.exported else "activate it"
    if not group.missing:
        return Remedy(text=text, procedure=Start(unit=unit.uuid))
    connect = f"connect the missing {'disks' if group.missing > 1 else 'disk'}"
    if group.exported:
        return Remedy(text=f"{connect}, then {text}")
    level = LEVELS.get(unit.level)
    if level is None or not level.redundant or group.missing > survives(unit.level, unit.raid_disks):
        those = "them" if group.missing > 1 else "it"
        return Remedy(text=f"{connect}: {spelled(unit.level)} cannot be activated without {those}")
    return Remedy(text=f"{connect}, or activate it degraded", procedure=Start(unit=unit.uuid, degraded=True))


def _take_back(unit: Unit, group: VolumeGroup, volume: LogicalVolume, machine: Machine) -> Iterator[Remedy]:
    """A disk that failed for a while is here again; LVM does not take it back by itself (vgextend(8), lvmraid(7)).

    What was written without it is copied from the others, by md's bitmap, once it is used.
    """
    marked = [one for one in unit.members if one.note == MARKED]
    if not marked and volume.health != "refresh needed":
        return
    found = marked or [one for one in unit.members if one.state == "faulty" and one.path]
    those = "them" if len(found) > 1 else "it"
    why = f"find out why {'they' if len(found) > 1 else 'it'} failed (cable, power, smartctl), then take {those} back and check"
    names = listed(called_at((one.path for one in found), machine)) or "a disk that failed"
    still = f", but LVM still marks {those} as missing" if marked else ""
    yield Remedy(
        text=f"{names} {'are' if len(found) > 1 else 'is'} connected again{still}: {why}",
        procedure=ReAdd(unit=unit.uuid, disk=found[0].disk)
        if found and found[0].disk and group.missing == len(marked)
        else None,
    )


def _replace(unit: Unit, group: VolumeGroup, machine: Machine) -> Iterator[Remedy | Replacement]:
    if not machine.complete:
        yield Remedy(text="run raidtui as root: without it, nobody can see which disk is free")
        return
    rooms = tuple(_rooms(unit, machine))
    if not rooms:
        return
    yield Replacement(
        what="the missing disk",
        rooms=rooms,
        partition_type=LINUX_LVM,
        left=left_in(unit.level, unit.raid_disks, _working(unit)),
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
