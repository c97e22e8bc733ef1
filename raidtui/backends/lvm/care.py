"""What a volume group needs the administrator to do: activate it, or replace a missing disk. Pure.

Nothing is executed here. At boot LVM does not activate a group with a missing disk, and it replaces a disk by itself
only if dmeventd is configured to (raid_fault_policy, lvmraid(7)).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import (
    AS_ROOT,
    Replacement,
    Room,
    about_mismatches,
    called_at,
    look_for_files,
    room_of,
)
from raidtui.backends.lvm.hidden import left_inactive, left_out
from raidtui.backends.lvm.label_gone import label_gone
from raidtui.backends.lvm.reading import group_in
from raidtui.backends.lvm.refused import active_alone, is_kept_down, is_unknown, unknown_words
from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.shrunk import smaller
from raidtui.backends.lvm.units import MARKED, absent_legs, clones_in, others, split_off
from raidtui.backends.lvm.unused_missing import lacks_only_unused
from raidtui.backends.lvm.volumes import (
    busy_in,
    copied_here,
    held_in,
    left_without,
    lost_in,
    lost_words,
    names_of,
    slowed_in,
    suspended_in,
    with_a_gap,
    with_integrity,
    with_redundancy,
)
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.md_levels import Left, parity_of
from raidtui.model.procedure import LetSync, ReAdd, Recover, RemoveMissing, Start
from raidtui.model.text import harmless, listed, spelled
from raidtui.model.unit import Health, Noted, Unit
from raidtui.steps.partitions import LINUX_LVM

_FULL: Final = {  # lvs(8), lv_health_status of a thin pool
    "out_of_data": "the thin pool is full, so writes to its volumes fail. Enlarge it (lvextend(8)) or delete files and run fstrim(8)",
    "metadata_read_only": "the metadata of the thin pool is read-only, so its volumes are too. Save its data, then see lvmthin(7)",
    "failed": "the thin pool has failed. Save what its volumes still read, then see lvmthin(7)",
}
_CACHED: Final = ("cache", "writecache")
_LACKING: Final = frozenset({Health.INACTIVE, Health.DEGRADED, Health.FAILED})


def care_for(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy, busy or of another system."""
    if unit.health is Health.INACTIVE and (theirs := of_others(unit, machine)):
        return (theirs,)
    marked = any(one.note == MARKED for one in unit.members)
    if unit.health is Health.ERRORS and not marked:
        seen = group_in(unit, machine)
        if seen is not None and (away := left_out(seen[1], seen[0], machine)):
            return (away,)
        if unit.scrub_found:
            return about_mismatches(unit.uuid, copies=not parity_of(unit.level))
        return tuple(beside(unit, machine))
    held = unit.noted is Noted.HELD and unit.health is not Health.FAILED
    slowed = unit.noted is Noted.SLOWED and unit.health not in {Health.FAILED, Health.INACTIVE}
    at_rest = unit.health is not Health.INACTIVE and unit.activity is not None
    if not held and not slowed and ((unit.health not in _LACKING and not marked) or at_rest):
        return ()
    if (found := group_in(unit, machine)) is None:
        return ()
    reading, group = found
    known, volumes = reading.known, reading.known.of(group)
    if (
        not volumes
        or any(map(known.half_made, volumes))
        or (
            not held and not slowed and not suspended_in(group, known) and busy_in(group, reading) is not None
        )
    ):
        return ()
    if why := doubtful(group, known.groups, machine):
        return (Remedy(text=why),)
    if away := left_out(group, reading, machine):
        return (away,)
    if waiting := suspended_in(group, known):
        return (_resume(unit, names_of(group, waiting)),)
    if held:
        return (_let_sync(unit, names_of(group, held_in(group, reading))),)
    if slowed:
        return (_unslow(unit, names_of(group, slowed_in(group, known))),)
    lost = lost_in(group, known)
    if (
        unit.health is Health.INACTIVE
        and not group.missing
        and (why := left_inactive(group, reading) or smaller(group, known, machine))
    ):
        return (Remedy(text=why),)
    if not marked and unit.health is Health.INACTIVE:
        found_here = label_gone(group, known, machine) if lost else ()
        trials = () if found_here else _trial(unit, lost) or _if_refused(unit, group, known)
        gone = (*_without_cache(group, lost, known), *_with_a_copy(group, lost, known))
        return (*found_here, activate(unit, group, lost, known), *gone, *trials)
    if not marked and lost and len(lost) < len(volumes):
        return (*label_gone(group, known, machine), *_connect(group, lost, known))
    if unit.health is Health.FAILED:
        # Enough of their disks are here, but LVM calls one failed and does not take it back.
        here = [one for one in volumes if one not in lost]
        trial = (look_for_files(unit.uuid),) if here else _trial(unit, lost)
        return label_gone(group, known, machine) or trial
    if not with_redundancy(group, known):
        return ()
    if split := [image for one in volumes for image in split_off(one, known)]:
        return (
            Remedy(
                text=f"take {names_of(group, split)} back when you do not need it by itself: --merge in lvconvert(8). What was written "
                "meanwhile is copied to it. Until then the mirror lacks it"
            ),
        )
    if not marked and (group.missing or with_a_gap(group, known)):
        return tuple(_replace(unit, group, known, machine))
    return tuple(_take_back(unit, group, volumes, machine))


def of_others(unit: Unit, machine: Machine) -> Remedy | None:
    """What to do about a group that is not this computer's; None if it is."""
    found = group_in(unit, machine)
    if found is None or not others(found[1], found[0]):
        return None
    group = found[1]
    if group.lock_type:
        return Remedy(text="leave it to the cluster, or start its lock manager here: see lvmlockd(8)")
    return Remedy(
        text=f"leave it to {harmless(group.system_id)} while that computer can reach its disks: two computers that write to one "
        "group destroy it. If it never will again, take the group over: --systemid in vgchange(8), and lvmsystemid(7)"
    )


def beside(unit: Unit, machine: Machine) -> Iterator[Remedy]:
    """What is wrong in a group beside its redundant volumes: a missing disk that they are not on, or a full thin pool."""
    found = group_in(unit, machine)
    if found is None:
        return
    reading, group = found
    if lost := lost_in(group, reading.known):
        yield from label_gone(group, reading.known, machine)
        yield from _connect(group, lost, reading.known)
    elif lacks_only_unused(group, reading.known):
        yield Remedy(
            text="connect the missing disk: nothing of this group is on it, but LVM refuses every change without it. If it is gone "
            "for good, remove it from the group",
            procedure=RemoveMissing(unit=unit.uuid),
        )
    if unknown := [one for one in reading.known.of(group) if is_unknown(one)]:
        yield Remedy(text=unknown_words(names_of(group, unknown), unknown))
    for one in reading.known.of(group):
        if is_kept_down(one, reading.known.of(group)):
            alone = _alone(group, reading.known)
            yield Remedy(
                text=f"activate {names_of(group, (one,))} and what is in it: other volumes of the group are active{alone}",
                procedure=Start(unit=unit.uuid),
            )
            yield _pool_refused(unit)
        if one.overflowed:
            yield Remedy(
                text=f"{names_of(group, (one,))}: what it was made of is not concerned. Remove the snapshot (lvremove(8)), and make the "
                "next one larger"
            )
        if one.health in _FULL:
            yield Remedy(text=f"{names_of(group, (one,))}: {_FULL[one.health]}")


def _alone(group: VolumeGroup, known: Reading) -> str:
    """What is in the way of an activation, and goes first; empty if nothing is."""
    parts = active_alone(known.volumes, group.uuid)
    return (
        f". {names_of(group, parts)} {'are' if len(parts) > 1 else 'is'} active alone, and deactivated first"
        if parts
        else ""
    )


def _connect(group: VolumeGroup, lost: tuple[LogicalVolume, ...], known: Reading) -> tuple[Remedy, ...]:
    """What to do about ``lost`` volumes of a group whose others are used."""
    copied = _with_a_copy(group, lost, known)
    if copied and lost == copied_here(lost, known):
        return (Remedy(text=f"connect the missing {'disks' if group.missing > 1 else 'disk'}"), *copied)
    return (Remedy(text=lost_words(group, lost)), *copied)


def _with_a_copy(group: VolumeGroup, lost: Sequence[LogicalVolume], known: Reading) -> tuple[Remedy, ...]:
    """What there is to know of mirrors of the older type: LVM calls them lost with their data here."""
    mirrors = copied_here(lost, known)
    if not mirrors:
        return ()
    return (
        Remedy(
            text=f"if it is gone for good: a whole copy of {names_of(group, mirrors)} is here. LVM activates it once --repair in "
            "lvconvert(8) has dropped the lost copy. Name a free physical volume there, which gets a new one"
        ),
    )


def _trial(unit: Unit, lost: Sequence[LogicalVolume]) -> tuple[Remedy, ...]:
    """A trial if a part of a volume can be read without the disk that is missing: one stripe less leaves no file."""
    return (look_for_files(unit.uuid),) if any(one.type == "linear" for one in lost) else ()


def _without_cache(group: VolumeGroup, lost: Sequence[LogicalVolume], known: Reading) -> tuple[Remedy, ...]:
    """What there is to know where the missing disk had nothing but the cache of a volume."""
    cached = [one for one in lost if one.type.startswith(_CACHED) and not absent_legs(one, known)]
    if not cached:
        return ()
    return (
        Remedy(
            text=f"if it is gone for good: of {names_of(group, cached)} only the cache was on it. In the mode writethrough nothing is "
            "lost; in writeback, and with a writecache, what it had not written yet. Copy the other disks first. See --uncache and --force in "
            "lvconvert(8)"
        ),
    )


def _if_refused(unit: Unit, group: VolumeGroup, known: Reading) -> tuple[Remedy, ...]:
    """A trial that needs no metadata of the images: damaged, it keeps a RAID volume down in every activation mode."""
    if group.missing or group.exported:
        return ()
    if any(one.type == "thin-pool" for one in known.of(group)):
        return (_pool_refused(unit),)
    if not with_redundancy(group, known):
        return ()
    return (
        Remedy(
            text="if LVM refuses that, an image may have lost its metadata: look for the files on overlays",
            procedure=Recover(unit=unit.uuid),
        ),
    )


def _pool_refused(unit: Unit) -> Remedy:
    return Remedy(
        text="if LVM refuses that, the metadata of the thin pool may be damaged. Write nothing to the group: look for the files on "
        "overlays, with a repaired copy of the metadata. To repair it, see 'Metadata check and repair' in lvmthin(7)",
        procedure=Recover(unit=unit.uuid),
    )


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


def _resume(unit: Unit, names: str) -> Remedy:
    return Remedy(
        text=f"resume {names}: what suspended it was interrupted, and every program that uses it hangs until then",
        procedure=Start(unit=unit.uuid),
    )


def _unslow(unit: Unit, names: str) -> Remedy:
    return Remedy(
        text=f"take back the speed limit of {names} (maxrecoveryrate): with it a rebuild hardly moves",
        procedure=LetSync(unit=unit.uuid),
    )


def _let_sync(unit: Unit, names: str) -> Remedy:
    """Before anything else: LVM refuses a check of a volume that is frozen, and no disk of it would be filled."""
    return Remedy(
        text=f"let the syncs of {names} run: the kernel may start none, so a replaced disk is not filled and no check starts",
        procedure=LetSync(unit=unit.uuid),
    )


def activate(unit: Unit, group: VolumeGroup, lost: Sequence[LogicalVolume], known: Reading) -> Remedy:
    """How one that is not active gets active; ``lost``: its volumes that cannot be read without what is missing."""
    text = "import and activate it" if group.exported else "activate it"
    if not group.missing:
        return Remedy(text=f"{text}{_alone(group, known)}", procedure=Start(unit=unit.uuid))
    if lacks_only_unused(group, known) and not group.exported:
        those = "disks" if group.missing > 1 else "disk"
        return Remedy(
            text=f"activate it: nothing of it is on the missing {those}", procedure=Start(unit=unit.uuid)
        )
    connect = f"connect the missing {'disks' if group.missing > 1 else 'disk'}"
    if group.exported:
        without = (
            ""
            if lost
            else ". If that cannot be: --force in vgimport(8) imports it without, and then it can be activated degraded"
        )
        return Remedy(text=f"{connect}, then {text}{without}")
    if lost:
        those = "them" if group.missing > 1 else "it"
        names = spelled(unit.level) if unit.level else names_of(group, lost)
        return Remedy(text=f"{connect}: {names} cannot be activated without {those}")
    if checked := with_integrity(group, known):
        return Remedy(
            text=f"{connect}. If that cannot be: LVM activates nothing degraded that has integrity. Remove that of {names_of(group, checked)} "
            "first, --raidintegrity n in lvconvert(8), which changes no data. Add it again when it is redundant"
        )
    return Remedy(text=f"{connect}, or activate it degraded", procedure=Start(unit=unit.uuid, degraded=True))


def _take_back(
    unit: Unit, group: VolumeGroup, volumes: Sequence[LogicalVolume], machine: Machine
) -> Iterator[Remedy]:
    """A disk that failed for a while is here again; LVM does not take it back by itself (vgextend(8), lvmraid(7)).

    What was written without it is copied from the others, by md's bitmap, once it is used.
    """
    marked = [one for one in unit.members if one.note == MARKED]
    if not marked and not any(one.health == "refresh needed" for one in volumes):
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


def _replace(
    unit: Unit, group: VolumeGroup, known: Reading, machine: Machine
) -> Iterator[Remedy | Replacement]:
    if not machine.complete:
        yield AS_ROOT
        return
    rooms = tuple(_rooms(unit, machine))
    if not rooms:
        return
    lefts = [left_without(one, known, absent_legs(one, known)) for one in with_a_gap(group, known)]
    yield Replacement(
        what="the missing disk",
        rooms=rooms,
        partition_type=LINUX_LVM,
        left=min(lefts, key=lambda one: one.urgency, default=Left.SOME),
        lost=frozenset(one.disk for one in unit.lost if one.disk),
        suspect=frozenset(one.disk for one in unit.lost if one.disk and "faulty" in one.state),
        model=next((one.model for one in unit.lost if one.model), ""),
        one_sector_size=True,  # vgextend refuses others: devices/allow_mixed_block_sizes, lvm.conf(5)
    )


def _rooms(unit: Unit, machine: Machine) -> Iterator[Room]:
    sizes = {disk.path: disk.size_bytes for disk in machine.disks}
    for one in unit.members:
        if one.path and one.disk:
            room = room_of(one.path, machine, least=sizes.get(one.path, 0))
            if room is not None:
                yield room
