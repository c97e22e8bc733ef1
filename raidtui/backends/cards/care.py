"""What a virtual drive needs the administrator to do: a new drive for one that it lost. Pure.

A card rebuilds by itself, onto a hot spare or onto a new drive in the slot of the lost one. Never import, clear, delete
or initialize anything while drives are missing.
"""

from collections.abc import Iterator

from raidtui.backends.cards.chosen import check_drives, drive_of
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.redundancy import redundancy_words
from raidtui.backends.cards.wording import Wording
from raidtui.backends.care import Replacement, Room
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.procedure import AddSpare, ReAdd
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.units import decimal

_LOST = frozenset({DriveState.FAILED, DriveState.OFFLINE, DriveState.MISSING})


def care_for(
    unit: Unit, volume: Volume, adapter: Adapter, machine: Machine, wording: Wording
) -> Iterator[Remedy | Replacement]:
    """What ``unit``, this virtual drive of ``adapter``, needs; nothing if it is healthy or being rebuilt."""
    if unit.health not in {Health.DEGRADED, Health.FAILED} or unit.activity is not None:
        return
    foreign = [one.slot for one in adapter.drives if one.state is DriveState.FOREIGN]
    if foreign:
        yield Remedy(
            text=f"the drives in {harmless(listed(foreign))} hold a foreign configuration, perhaps what it lost: look at it with "
            f"'{wording.look_at_foreign(adapter)}' before you import, clear or replace anything"
        )
        return
    if unit.health is Health.FAILED or volume.state is VolumeState.OFFLINE:
        yield Remedy(text="connect its drives again; import, clear, delete and initialize nothing until then")
        return
    drives = [one for one in map(adapter.drive, volume.slots) if one is not None]
    if any(one.state is DriveState.REBUILDING for one in drives):
        return
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
    known = {one.slot: disk for disk in machine.disks if (one := drive_of(disk, adapter)) is not None}
    online = [one for one in drives if one.state is DriveState.ONLINE]
    members = [known[one.slot] for one in online if one.slot in known]
    least = min((one.size_bytes for one in online), default=0)
    if not members or not least:
        return
    free = {
        known[one.slot].key: one
        for one in adapter.drives
        if one.state is DriveState.FREE and one.slot in known
    }
    fitting = {
        key: one
        for key, one in free.items()
        if _are_alike([*members, known[one.slot]], adapter) and wording.add_spare(adapter, one, volume)
    }
    what, slot = ("the missing drive", "its slot")
    if lost is not None:
        serial = f" ({harmless(lost.serial)})" if lost.serial else ""
        what = f"the {'missing' if lost.state is DriveState.MISSING else 'failed'} drive in {harmless(lost.slot)}{serial}"
        slot = "the same slot"
    yield Replacement(
        what=what,
        rooms=tuple(Room(least, 0, None, disk) for disk in members),
        partition_type="",
        left=_left(volume, adapter),
        by=lambda disk: AddSpare(unit=unit.uuid, disk=disk.identity),
        lost=frozenset({lost.serial} if lost is not None and lost.serial else ()),
        model=lost.model if lost is not None else "",
        one_sector_size=True,
        among=frozenset(fitting),
        otherwise=(
            Remedy(
                text=f"replace {what}: put a drive of {decimal(least)} or more in {slot}; the card rebuilds onto it unless that is "
                "turned off"
            ),
        ),
    )


def _left(volume: Volume, adapter: Adapter) -> Left:
    if volume.state is VolumeState.PARTLY_DEGRADED:
        return Left.SOME
    return Left.NOTHING if redundancy_words(volume, adapter) == "not redundant" else Left.CHANCE


def _are_alike(disks: list[Disk], adapter: Adapter) -> bool:
    try:
        check_drives(disks, adapter, see_foreign="")
    except (BadInput, Refused):
        return False
    return True
