"""What a virtual drive needs the administrator to do: a new drive for one that it lost or will lose, a good battery. Pure.

A card rebuilds by itself, onto a hot spare or onto a new drive in the slot of the lost one. Never import, clear, delete
or initialize anything while drives are missing.
"""

from collections.abc import Iterator, Sequence

from raidtui.backends.cards.chosen import check_drives, disks_by_slot
from raidtui.backends.cards.family import Wording
from raidtui.backends.cards.levels import WITHOUT
from raidtui.backends.cards.records import NO_SLOT, Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.redundancy import is_failing, redundancy_words, unprotected
from raidtui.backends.cards.words import battery_remedy, battery_words, drive_errors
from raidtui.backends.care import Replacement, Room
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.procedure import AddSpare, ReAdd, Replace
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.units import decimal

_LOST = frozenset({DriveState.FAILED, DriveState.OFFLINE, DriveState.MISSING})
_LACKING = frozenset({Health.DEGRADED, Health.FAILED})


def care_for(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, wording: Wording
) -> Iterator[Remedy | Replacement]:
    """What ``unit``, this virtual drive of ``adapter``, needs; nothing if it is healthy or being rebuilt."""
    if unit.health is Health.ERRORS:
        yield from _at_risk(unit, volume, adapter, machine, wording)
        return
    if unit.health not in _LACKING or unit.activity is not None:
        return
    if adapter.foreign:
        yield Remedy(
            text=f"the drives in {harmless(listed(adapter.foreign))} hold a foreign configuration, perhaps what it lost: look at it with "
            f"'{wording.look_at_foreign(adapter)}' before you import, clear or replace anything"
        )
        return
    if unit.health is Health.FAILED or volume.state is VolumeState.OFFLINE:
        yield Remedy(text="connect its drives again; import, clear, delete and initialize nothing until then")
        return
    drives = adapter.drives_of(volume)
    if any(one.state is DriveState.REBUILDING for one in drives):
        return
    if any(map(is_failing, drives)) and left_in(volume, adapter) is not Left.SOME:
        yield Remedy(
            text="copy its data to other disks now: it is not redundant, and a drive of it is failing"
        )
    offline = next((one for one in drives if one.state is DriveState.OFFLINE and one.serial), None)
    if offline is not None and wording.rebuild(adapter, offline):
        yield Remedy(
            text=f"{harmless(offline.serial)} in {harmless(offline.slot)} is offline: find out why (cable, power, smartctl), then "
            "rebuild it",
            procedure=ReAdd(unit=unit.uuid, disk=offline.serial),
        )
        return
    if any(one.state is DriveState.SPARE for one in adapter.drives):
        yield Remedy(
            text=f"a hot spare is there, and no rebuild runs: see why with '{wording.look(adapter)}'"
        )
        return
    yield from _replace(unit, volume, adapter, machine, wording, drives)


def _replace(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, wording: Wording, drives: list[Drive]
) -> Iterator[Remedy | Replacement]:
    lost = next((one for one in drives if one.state in _LOST), None)
    known = disks_by_slot(machine, adapter)
    online = [one for one in drives if one.state is DriveState.ONLINE]
    members = [known[one.slot] for one in online if one.slot in known]
    least = min((one.size_bytes for one in online), default=0)
    if not members or not least:
        return
    fitting = _fitting(members, adapter, machine)
    spares = frozenset(key for key, one in fitting.items() if wording.add_spare(adapter, one, volume))
    what, slot = ("the missing drive", "its slot")
    if lost is not None and not lost.slot.startswith(NO_SLOT):
        serial = f" ({harmless(lost.serial)})" if lost.serial else ""
        what = f"the {'missing' if lost.state is DriveState.MISSING else 'failed'} drive in {harmless(lost.slot)}{serial}"
        slot = "the same slot"
    yield Replacement(
        what=what,
        rooms=tuple(Room(least, 0, None, disk) for disk in members),
        partition_type="",
        left=left_in(volume, adapter),
        by=lambda disk: AddSpare(unit=unit.uuid, disk=disk.identity),
        lost=frozenset({lost.serial} if lost is not None and lost.serial else ()),
        model=lost.model if lost is not None else "",
        one_sector_size=True,
        among=spares,
        otherwise=(
            Remedy(
                text=f"replace {what}: put a drive of {decimal(least)} or more in {slot}; the card rebuilds onto it unless that is "
                "turned off"
            ),
        ),
    )


def _fitting(members: Sequence[Disk], adapter: Adapter, machine: Machine) -> dict[str, Drive]:
    """The free drives of the card that it would use beside ``members``, by the key of their disks."""
    known = disks_by_slot(machine, adapter)
    return {
        known[one.slot].key: one
        for one in adapter.drives
        if one.state is DriveState.FREE
        and one.slot in known
        and _are_alike([*members, known[one.slot]], adapter)
    }


def replace_working(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, wording: Wording, drive: Drive, why: str
) -> Remedy | Replacement | None:
    """The need to replace ``drive``, which still works, because of ``why``; None if nothing of it is known.

    The card copies it where its tool has a command for that; else a hot spare waits until it fails.
    """
    known = disks_by_slot(machine, adapter)
    online = [one for one in adapter.drives_of(volume) if one.slot in known]
    old = known.get(drive.slot)
    least = min((one.size_bytes for one in online), default=0)
    if old is None or not least or not drive.serial or adapter.foreign or volume.level in WITHOUT:
        return None
    where = f"{harmless(drive.serial)} in {harmless(drive.slot)}"
    fitting = _fitting([known[one.slot] for one in online], adapter, machine)
    copied = frozenset(key for key, one in fitting.items() if wording.copy(adapter, drive, one))
    spares = frozenset(key for key, one in fitting.items() if wording.add_spare(adapter, one, volume))
    if not copied and adapter.has_spare(volume):
        return Remedy(
            text=f"a hot spare is ready to take the place of {where} when it fails. Back up the data, and have a new drive at hand"
        )
    return Replacement(
        what=f"{where} while it still works ({why})"
        if copied or not spares
        else f"{where} when it fails ({why})",
        rooms=tuple(Room(least, 0, None, known[one.slot]) for one in online),
        partition_type="",
        left=Left.SOME,
        by=(lambda disk: Replace(old=drive.serial, new=disk.identity))
        if copied
        else (lambda disk: AddSpare(unit=unit.uuid, disk=disk.identity)),
        lost=frozenset({drive.serial}),
        model=drive.model,
        one_sector_size=True,
        among=copied or spares,
        otherwise=(
            Remedy(
                text=f"replace {where} while it still works ({why}): put a drive of {decimal(least)} or more in a free slot of the card"
            ),
        ),
    )


def _at_risk(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, wording: Wording
) -> Iterator[Remedy | Replacement]:
    """What a virtual drive needs that has all its drives."""
    if volume.bad_blocks:
        yield Remedy(
            text="copy what can be read, and restore the files that cannot: no rebuild or check brings that data back"
        )
    drives = adapter.drives_of(volume)
    failing = [one for one in drives if is_failing(one)]
    if failing:
        worst = max(
            failing,
            key=lambda one: (bool(one.smart_alert), one.predicted_failures or 0, one.media_errors or 0),
        )
        found = replace_working(unit, volume, adapter, machine, wording, worst, drive_errors(worst))
        if found is not None and unit.activity is None:
            yield found
    if adapter.preserved_cache:
        yield Remedy(
            text="connect the drives of the virtual drive that is gone: the card keeps writes of it that are nowhere else. "
            f"'{wording.look_at_preserved(adapter)}' shows which it is"
        )
    if unprotected(volume, adapter):
        todo = battery_remedy(adapter).rstrip(".")
        yield Remedy(
            text=f"let it write through until its cache is safe ({harmless(battery_words(adapter))}). {todo}",
            commands=(wording.write_through(adapter, volume),),
        )


def left_in(volume: Volume, adapter: Adapter) -> Left:
    """What one more failure does to a virtual drive."""
    if volume.state is VolumeState.OPTIMAL and volume.level and volume.level not in WITHOUT:
        return Left.SOME
    if volume.state is VolumeState.PARTLY_DEGRADED:
        return Left.SOME
    return Left.NOTHING if redundancy_words(volume, adapter) == "not redundant" else Left.CHANCE


def _are_alike(disks: list[Disk], adapter: Adapter) -> bool:
    try:
        check_drives(disks, adapter, see_foreign="")
    except (BadInput, Refused):
        return False
    return True
