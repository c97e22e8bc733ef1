"""Drives behind cards as disks of the machine: new disks without a device, and slots for those that have one."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.cards.chosen import drive_of
from raidtui.backends.cards.family import Wording
from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState, Volume
from raidtui.backends.cards.units import disk_of, is_offline
from raidtui.backends.cards.words import unit_name
from raidtui.model.controller import RAID_CLASS, Controller
from raidtui.model.machine import Card, Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.smart import Smart

SmartWords = Callable[[Drive, Adapter], tuple[str, ...]]
"""Returns smartctl's arguments for a drive behind its card; empty if it cannot reach it."""
AskSmart = Callable[[Disk, Sequence[str]], Smart | None]
"""Reads the health of a drive with these arguments."""

_UNSEEN: Final = "unknown contents, which only the card can read"


def with_drives(
    machine: Machine,
    reading: CardReading,
    wording: Wording,
    smart_words: SmartWords,
    ask_smart: AskSmart | None = None,
) -> Machine:
    """Add every drive behind the cards to ``machine``; a drive passed through keeps its device and gets its slot."""
    disks, several = list(machine.disks), len(reading.adapters) > 1  # two cards may both have a slot 252:0
    for adapter in reading.adapters:
        for drive in adapter.drives:
            if drive.state is DriveState.MISSING or not drive.place:
                continue
            place = _same_disk(drive, disks)
            slot = f"{adapter.called} {drive.slot}" if several else drive.slot
            if place is not None:
                disks[place] = replace(disks[place], slot=slot)
                continue
            words = smart_words(drive, adapter)
            disk = replace(_disk(drive, slot, adapter, machine, wording), smart_words=words)
            disks.append(replace(disk, smart=ask_smart(disk, words)) if ask_smart and words else disk)
    return replace(machine, disks=tuple(disks))


def judged_again(machine: Machine, reading: CardReading, wording: Wording) -> Machine:
    """Replace in ``machine`` what takes each drive behind the cards of ``reading``."""
    disks = list(machine.disks)
    for adapter in reading.adapters:
        for place, disk in enumerate(disks):
            drive = drive_of(disk, adapter)
            if drive is not None:
                claims = tuple(
                    replace(one, device=disk.shown) for one in _claims(drive, adapter, machine, wording)
                )
                disks[place] = replace(disk, free=not claims, taken_by=claims)
    return replace(machine, disks=tuple(disks))


def _same_disk(drive: Drive, disks: list[Disk]) -> int | None:
    """The index of the kernel's disk for a drive that the card passes through; None without one."""
    for place, disk in enumerate(disks):
        if not disk.has_device:
            continue
        if drive.wwn and disk.wwn.lower().removeprefix("0x") == drive.wwn:
            return place
        if drive.state is DriveState.RAW and drive.serial and disk.serial == drive.serial:
            return place
    return None


def _disk(drive: Drive, slot: str, adapter: Adapter, machine: Machine, wording: Wording) -> Disk:
    claims = tuple(replace(one, device=f"slot {slot}") for one in _claims(drive, adapter, machine, wording))
    return Disk(
        name="",
        path="",
        device_number="",
        size_bytes=drive.size_bytes,
        serial=drive.serial,
        wwn=f"0x{drive.wwn}" if drive.wwn else "",
        model=drive.model,
        vendor=drive.vendor,
        firmware=drive.firmware,
        transport=drive.transport,
        logical_sector_bytes=drive.logical_sector_bytes,
        physical_sector_bytes=drive.physical_sector_bytes,
        rotational=drive.rotational,
        controller=_controller(adapter, machine.cards),
        slot=slot,
        free=not claims,
        taken_by=claims,
    )


def _controller(adapter: Adapter, cards: tuple[Card, ...]) -> Controller:
    card = next((one for one in cards if one.address == adapter.address), None)
    return Controller(
        driver=card.driver if card else adapter.driver,
        pci_class=RAID_CLASS,
        pci_vendor=card.vendor if card else "",
        address=adapter.address,
    )


def _claims(drive: Drive, adapter: Adapter, machine: Machine, wording: Wording) -> Iterator[Claim]:
    if not drive.size_bytes:
        why = drive.problem or "its card does not report its size"
        yield _claim(ClaimKind.UNREADABLE, Weight.UNUSABLE, why, "find out what is wrong with the drive")
        return
    state = drive.state
    if state in {DriveState.FREE, DriveState.RAW} and adapter.volumes_on(drive):
        state = DriveState.ONLINE  # whatever the card calls it
    match state:
        case DriveState.FREE:
            yield _claim(ClaimKind.UNKNOWN_DATA, Weight.DATA, _UNSEEN, "")
        case DriveState.SPARE:
            how = wording.free_spare(adapter, drive)
            yield _claim(ClaimKind.CARD, Weight.BUSY, "hot spare of the card", how)
        case DriveState.FOREIGN:
            yield _claim(
                ClaimKind.CARD,
                Weight.BUSY,
                "holds a foreign configuration: an array that another card made, or this one before",
                f"look at it with '{wording.look_at_foreign(adapter)}'. Importing brings its data back; "
                "clearing it loses it",
            )
        case DriveState.FAILED | DriveState.UNKNOWN:
            detail = f"the card says {drive.state_word or 'nothing'}"
            failed = drive.state is DriveState.FAILED
            how = "replace the drive" if failed else f"see '{wording.look_at(adapter, drive)}'"
            yield _claim(ClaimKind.UNREADABLE, Weight.UNUSABLE, detail, how)
        case DriveState.RAW:
            detail = "passed through as a disk, but the kernel has no device for it"
            yield _claim(ClaimKind.CARD, Weight.BUSY, detail, "rescan the card, or check the kernel log")
        case _:
            yield _in_volume(drive, adapter, machine, wording)


def _in_volume(drive: Drive, adapter: Adapter, machine: Machine, wording: Wording) -> Claim:
    volumes = adapter.volumes_on(drive)
    if not volumes:
        detail = f"the card uses it ({drive.state_word})"
        how = f"see '{wording.look_at(adapter, drive)}'"
        return _claim(ClaimKind.CARD, Weight.BUSY, detail, how)
    disks = [(one, disk_of(one, adapter, machine.disks)) for one in volumes]
    system = any(
        claim.weight is Weight.SYSTEM for _, disk in disks if disk is not None for claim in disk.taken_by
    )
    names = ", ".join(_called(one, disk, adapter) for one, disk in disks)
    # A teardown would be refused of one that the system is on, or whose disk is not known.
    known = not system and all(disk is not None or is_offline(one) for one, disk in disks)
    free = (
        "; ".join(f"raidtui teardown {shlex.quote(unit_name(one, adapter))}" for one in volumes)
        if known
        else ""
    )
    weight = Weight.SYSTEM if system else Weight.BUSY
    return _claim(ClaimKind.CARD, weight, f"in virtual drive {names}", free)


def _called(volume: Volume, disk: Disk | None, adapter: Adapter) -> str:
    where = disk.path if disk is not None else "offline" if is_offline(volume) else "its disk is not known"
    return f"{unit_name(volume, adapter)} ({where})"


def _claim(what: ClaimKind, weight: Weight, detail: str, how: str) -> Claim:
    # The device, its slot, is set later.
    return Claim(what=what, weight=weight, device="", detail=detail, how_to_free=how)
