"""Conditions on virtual drives and their drives. The subject begins with the tool and the card's number."""

import os
from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Final, NamedTuple

from raidtui.backends.cards.options import FULL
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.backends.cards.units import disk_of
from raidtui.machine.devices import device_number
from raidtui.machine.disks import disks_here
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.chance import share
from raidtui.model.errors import RaidtuiError
from raidtui.model.plan import Check
from raidtui.model.text import harmless, listed, spelled
from raidtui.steps.condition import Condition, Held


def subject(adapter: Adapter, rest: str) -> str:
    """The subject of a condition: the tool, the card's number and ``rest``."""
    return f"{adapter.tool} {adapter.number} {rest}"


def slots_and_serials(drives: Iterable[Drive]) -> str:
    """The expected drives of a condition: each slot with its serial number, blanks replaced by underscores."""
    return " ".join(f"{one.slot}={_spelled(one.serial)}" for one in drives)


def _spelled(serial: str) -> str:
    return serial.replace(" ", "_")


class OfCard(Condition):
    """A condition answered by a card's tool, which differs by family. ``says`` has {card} and {about}."""

    def words(self, check: Check) -> str:
        tool, _, rest = check.subject.partition(" ")
        number, _, about = rest.partition(" ")
        words = self.says.format(card=f"card {number} of {tool}", about=about, expect=check.expect)
        return harmless(words)

    needs_all: ClassVar[bool] = False
    """Whether it holds only if all of the card could be read."""

    @abstractmethod
    def read(self, tool: str, number: int) -> Adapter:
        """Read the part of a card that the condition needs; each answer of the tool may take seconds.

        Raises:
            RaidtuiError: the tool does not answer.
        """

    def ask(self, check: Check, held: Held) -> Answer:
        tool, number, rest = check.subject.split(" ", 2)
        try:
            found = self.read(tool, int(number))
        except RaidtuiError as error:
            return unknown(str(error))
        if found.unread:
            return unknown(found.unread)
        answer = self.judge(check, found, rest)
        if not found.problems or (answer.holds and not self.needs_all):
            return answer
        # What could not be read may be what is missing.
        return unknown("; ".join((answer.text, found.problems[0])))

    @abstractmethod
    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        """Answer ``check`` from a reading of the card."""


class DrivesAre(OfCard):
    """Each slot holds the drive with the expected serial number, in one of the states set by a subclass."""

    states: ClassVar[frozenset[DriveState]]

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        for wanted in check.expect.split():
            slot, _, serial = wanted.partition("=")
            drive = adapter.drive(slot)
            if drive is None:
                return no(f"there is no drive in slot {slot}")
            if _spelled(drive.serial) != serial:
                return no(
                    f"slot {slot} holds {drive.serial or 'a drive without a serial number'}, not {serial}"
                )
            if drive.state not in self.states:
                return no(f"the drive in slot {slot} is {drive.state} ({drive.state_word})")
        return yes("they are")


class DrivesFree(DrivesAre):
    """The drives are free, and no drive of the card is foreign."""

    says = "{card} has these drives free, by slot and serial number: {expect}"
    may_be_older = True
    states = frozenset({DriveState.FREE})

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        if adapter.foreign:
            return no(f"the drives in {', '.join(adapter.foreign)} hold a foreign configuration")
        return super().judge(check, adapter, rest)


class DrivesServe(DrivesAre):
    """The drives are hot spares, or the card rebuilds onto them, or has done so."""

    says = "{card} has these drives as hot spares, rebuilding or online, by slot and serial number: {expect}"
    can_be_lost = True
    states = frozenset({DriveState.SPARE, DriveState.REBUILDING, DriveState.ONLINE})


class VolumeOptimal(OfCard):
    """The virtual drive with this name, WWN or serial number is optimal: the card is done with it."""

    says = "{card} has the virtual drive {about}, and it is optimal"
    can_be_lost = True

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        doing = ", ".join(f"{one.what} {share(one.fraction)}" for one in volume.operations)
        return either(
            holds=volume.state is VolumeState.OPTIMAL,
            text=f"{rest} is {volume.state} ({volume.state_word}){doing and f', {doing}'}",
        )


class VolumeIs(OfCard):
    """The virtual drive with this name exists, in the card and in the kernel, with the expected level, bytes and slots."""

    says = "{card} has the virtual drive {about}, by level, bytes and slots: {expect}"
    runs_unit = True
    off_by: ClassVar[float] = 0  # tolerance of the size, as a fraction of the planned one
    has_disk: ClassVar[bool] = True  # whether the kernel must have a disk for it

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        disk = disk_of(volume, adapter, disks_here()) if self.has_disk else None
        slots = ",".join(sorted(volume.slots))
        text = (
            f"{rest} is {spelled(volume.level)} of {slots} with {volume.size_bytes:,} bytes, {volume.state}"
        )
        if disk is None and self.has_disk:
            return no(f"{text}; the kernel has no disk for it yet")
        level, size, wanted = check.expect.split(" ")
        holds = volume.level == level and ",".join(sorted(wanted.split(","))) == slots
        is_size = disk.size_bytes if disk is not None else volume.size_bytes
        fits = abs(is_size - int(size)) <= self.off_by * int(size)
        return either(holds=holds and fits, text=f"{text} ({disk.path})" if disk is not None else text)


class Initialized(OfCard):
    """No initialization of the virtual drive is running; if ``full`` is expected, all of it was initialized."""

    says = "{card} has initialized the virtual drive {about}: {expect}"
    may_be_older = True

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        if any(one.what == "initialization" for one in volume.operations):
            return no(f"{rest} is being initialized")
        if check.expect == FULL and volume.consistent is False:
            return no(f"{rest} was not initialized as a whole")
        return yes(f"{rest} is initialized")


class VolumeGone(OfCard):
    """No virtual drive has this name or WWN."""

    says = "{card} has no virtual drive {about}"

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        return no(f"{volume.place} is there") if volume else yes("it is gone")


class LinkIs(Condition):
    """The path leads to a block device. The link is in memory: a reboot removes it."""

    kind = "virtual-drive-path"
    says = "{subject} leads to the virtual drive"
    source = r"""
is_there_by_link() { [ -b "$1" ]; }"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        if not os.path.islink(check.subject):
            return no(f"there is no {check.subject}")
        number = device_number(check.subject)
        return yes(f"it leads to {number}") if number else no(f"{check.subject} leads to no device yet")


def find_volume(adapter: Adapter, key: str) -> Volume | None:
    """The virtual drive with this name, WWN or serial number."""
    return next((one for one in adapter.volumes if key in {one.name, one.naa, one.serial} - {""}), None)


LINK: Final = LinkIs()


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
        if adapter.foreign:
            return no(f"the drives in {listed(adapter.foreign)} hold a foreign configuration")
        return yes(f"{rest} is optimal")


_OTHERS = frozenset(
    {"rebuild", "copyback", "consistency check", "initialization", "background initialization"}
)


class Changing(OfCard):
    """The card changes the virtual drive, or has done so: it has the expected level and slots."""

    says = "{card} changes the virtual drive {about}, or has done so, to level, bytes and slots: {expect}"
    can_be_lost = True

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        doing = next((one for one in volume.operations if one.what not in _OTHERS), None)
        if doing is not None:
            return yes(f"{rest}: {doing.what} {share(doing.fraction)}")
        level, _, slots = check.expect.split(" ")
        if volume.level == level and sorted(volume.slots) == sorted(slots.split(",")):
            return yes(f"{rest} is {level} of {len(volume.slots)} drives")
        return no(f"{rest} is {volume.level} of {len(volume.slots)} drives, and nothing changes it")


class VolumeGrown(VolumeIs):
    """The virtual drive has the expected level, slots and bytes, is optimal, and nothing changes it."""

    says = "{card} is done with the virtual drive {about}, by level, bytes and slots: {expect}"
    runs_unit = False
    off_by = 0.01  # the card may keep a little

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        if volume.operations:
            doing = volume.operations[0]
            return no(f"{rest}: {doing.what} {share(doing.fraction)}")
        if volume.state is not VolumeState.OPTIMAL:
            return no(f"{rest} is {volume.state} ({volume.state_word})")
        return super().judge(check, adapter, rest)


class Kinds(NamedTuple):
    """The conditions of one family."""

    free: DrivesFree
    volume: VolumeIs
    gone: VolumeGone
    serve: DrivesServe
    online: DrivesOnline
    optimal: VolumeOptimal
    whole: CardWhole
    changing: Changing
    on_card: VolumeGrown  # it has grown, before the kernel has read the new size
    grown: VolumeGrown
    copied: DrivesCopied | None = None  # None: its tool copies no drive that works
    out: DrivesOut | None = None

    @property
    def every(self) -> tuple[Condition, ...]:
        return tuple(one for one in self if one is not None)
