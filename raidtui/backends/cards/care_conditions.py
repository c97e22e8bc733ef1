"""Conditions on drives of a card that change their place, and what proves that a virtual drive is redundant again."""

from typing import NamedTuple

from raidtui.backends.cards.conditions import (
    DrivesAre,
    DrivesFree,
    DrivesServe,
    OfCard,
    VolumeOptimal,
    find_volume,
)
from raidtui.backends.cards.records import Adapter, DriveState, VolumeState
from raidtui.model.answer import Answer, no, yes
from raidtui.model.plan import Check
from raidtui.model.text import listed
from raidtui.steps.condition import Condition

_OUT = frozenset({DriveState.FREE, DriveState.SPARE, DriveState.RAW, DriveState.FAILED})
_WRITTEN = {DriveState.REBUILDING: "rebuilt", DriveState.COPYING: "copied onto"}


class DrivesCopied(DrivesAre):
    """The card copies onto the drives, or has done so."""

    says = "{card} copies onto these drives or has done so, by slot and serial number: {expect}"
    can_be_lost = True
    states = frozenset({DriveState.COPYING, DriveState.ONLINE})


class DrivesOnline(DrivesAre):
    """The drives are online in a virtual drive."""

    says = "{card} has these drives online, by slot and serial number: {expect}"
    can_be_lost = True
    states = frozenset({DriveState.ONLINE})


class DrivesOut(OfCard):
    """The drives are in no virtual drive: they have left it, or the card."""

    says = "{card} has these drives in no virtual drive, by slot and serial number: {expect}"
    needs_all = True  # a drive that is not listed has left

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        for wanted in check.expect.split():
            slot, _, serial = wanted.partition("=")
            drive = adapter.drive(slot)
            if drive is None or drive.serial.replace(" ", "_") != serial:
                continue  # pulled
            if drive.state not in _OUT or (drive.group and drive.state is not DriveState.SPARE):
                return no(f"the drive in slot {slot} is {drive.state} ({drive.state_word})")
        return yes("they are in none")


class CardWhole(OfCard):
    """The virtual drive is optimal, the card writes no drive, and no drive holds a foreign configuration."""

    says = (
        "{card} has the virtual drive {about} optimal, no drive that is rebuilt, and no foreign configuration"
    )
    needs_all = True

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        if volume.state is not VolumeState.OPTIMAL:
            return no(f"{rest} is {volume.state} ({volume.state_word})")
        for one in adapter.drives:
            if one.state in _WRITTEN:
                return no(f"the drive in slot {one.slot} is being {_WRITTEN[one.state]}")
        foreign = [one.slot for one in adapter.drives if one.state is DriveState.FOREIGN]
        if foreign:
            return no(f"the drives in {listed(foreign)} hold a foreign configuration")
        return yes(f"{rest} is optimal")


class Kinds(NamedTuple):
    """The conditions of one family that its procedures need."""

    free: DrivesFree
    serve: DrivesServe
    online: DrivesOnline
    optimal: VolumeOptimal
    whole: CardWhole
    copied: DrivesCopied | None = None  # None: its tool copies no drive that works
    out: DrivesOut | None = None

    @property
    def every(self) -> tuple[Condition, ...]:
        return tuple(one for one in self if one is not None)
