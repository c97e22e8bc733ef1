"""The reader of one family of cards: virtual drives, drives behind the cards, warnings."""

import time
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.cards.care import care_for, replace_working
from raidtui.backends.cards.chosen import check_read, drive_of
from raidtui.backends.cards.disks import judged_again, with_drives
from raidtui.backends.cards.family import Family
from raidtui.backends.cards.findings import findings_on
from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume
from raidtui.backends.cards.units import units_in, volume_of
from raidtui.backends.cards.warnings import warnings_of
from raidtui.backends.cards.words import card_lines, properties, settings
from raidtui.backends.care import Replacement
from raidtui.backends.contract import CardReader
from raidtui.machine.ask import Ask
from raidtui.machine.cards import read_cards as read_here
from raidtui.machine.disks import disks_here
from raidtui.machine.locating import CardLight
from raidtui.machine.mounts import read_mounts
from raidtui.machine.smart import ask_behind
from raidtui.machine.tree import HERE
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import Card, ClaimKind, Disk, Machine
from raidtui.model.plan import Hazard
from raidtui.model.result import MeasuredUnit, measured_as
from raidtui.model.smart import Smart
from raidtui.model.unit import Health, Unit

_INTERVAL: Final = 10.0  # a card answers slowly and sends no notification


class _Reader:
    """Reads a family; it remembers its last reading."""

    _then: CardReading | None = None  # the last reading, and the disks at that time
    _disks_then: frozenset[tuple[str, str, int]] | None = None
    _ask_again = 0.0

    def __init__(self, family: Family) -> None:
        self.family = family

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        reading = self.family.kept(machine)
        return units_in(reading, machine.disks, machine.mounts, self.family.name) if reading else ()

    def now(self) -> tuple[Unit, ...]:
        """Every virtual drive; starts no process on a computer without such a card.

        The card is read at most once per interval, and whenever a disk appears or disappears: its tool takes a
        second or two per answer, and holds the card up meanwhile.

        Raises:
            StepFailed: no card could be read.
        """
        if not self.family.ours(read_here(HERE)):
            return ()
        disks = disks_here()
        here = frozenset((disk.path, disk.wwn, disk.sequence) for disk in disks)
        if here != self._disks_then or time.monotonic() >= self._ask_again:
            self._then = self.family.reading_here()
            self._disks_then, self._ask_again = here, time.monotonic() + _INTERVAL
        if self._then is None:
            return ()
        if not self._then.adapters and (why := self._then.unlisted):
            raise StepFailed("; ".join(why))
        return units_in(self._then, disks, read_mounts(HERE), self.family.name)

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        adapter, volume = self._volume_of(unit, machine) or (None, None)
        return replace(
            measured_as(unit),
            degraded=sum(member.state not in {"in sync", "spare"} for member in unit.members),
            card=settings(volume, adapter) if adapter and volume else "",
            properties=properties(volume, adapter) if adapter and volume else {},
        )

    def unlisted(self, machine: Machine) -> tuple[str, ...]:
        reading = self.family.kept(machine)
        return reading.unlisted if reading is not None else ()

    def care(self, unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
        if unit.health not in {Health.DEGRADED, Health.FAILED, Health.ERRORS}:
            return ()
        found = self._volume_of(unit, machine)
        if found is None:
            return ()
        adapter, volume = found
        return tuple(care_for(unit, volume, adapter, machine, self.family.wording))

    def while_it_works(
        self, unit: Unit, disk: Disk, why: str, machine: Machine
    ) -> Remedy | Replacement | None:
        found = self._volume_of(unit, machine)
        drive = drive_of(disk, found[0]) if found is not None else None
        if found is None or drive is None:
            return None
        adapter, volume = found
        return replace_working(unit, volume, adapter, machine, self.family.wording, drive, why)

    def with_drives(self, machine: Machine, ask: Ask, smart: bool) -> Machine:
        reading = self.family.kept(machine)
        if reading is None:
            return machine

        def words(drive: Drive, adapter: Adapter) -> tuple[str, ...]:
            return self.family.smart_words(drive, adapter, machine.cards)

        def health(disk: Disk, words: Sequence[str]) -> Smart | None:
            return ask_behind(disk, words, ask)

        asks = health if smart and "smartctl" in machine.tools else None
        return with_drives(machine, reading, self.family.wording, words, asks)

    def judged_again(self, machine: Machine) -> Machine:
        """Judge the drives of a recording again, which an older version may have recorded."""
        reading = self.family.kept(machine)
        return judged_again(machine, reading, self.family.wording) if reading is not None else machine

    def about(self, machine: Machine) -> tuple[str, ...]:
        reading = self.family.kept(machine)
        return tuple(card_lines(self.family.ours(machine.cards), reading)) if reading else ()

    def programs(self, cards: Sequence[Card]) -> tuple[str, ...]:
        return tuple(self._program(card) for card in self.family.ours(cards))

    def warnings(self, machine: Machine) -> tuple[Hazard, ...]:
        reading = self.family.kept(machine)
        return warnings_of(reading, self.family.wording) if reading else ()

    def findings(self, machine: Machine) -> tuple[Finding, ...]:
        reading = self.family.kept(machine)
        return tuple(findings_on(reading, machine, self.family)) if reading else ()

    def _program(self, card: Card) -> str:
        try:
            return f"RAID card {card.address}: {self.family.tool_for(card)} answers for it"
        except ToolMissing as error:
            return str(error)

    def _volume_of(self, unit: Unit, machine: Machine) -> tuple[Adapter, Volume] | None:
        return volume_of(unit, self.family.kept(machine), machine)

    def light(self, disk: Disk, machine: Machine) -> CardLight | None:
        reading = self.family.kept(machine)
        for adapter in reading.adapters if reading else ():
            drive = drive_of(disk, adapter)
            if drive is not None and drive.place:
                return self.family.wording.light(adapter, drive)
        return None


def card_reader(family: Family) -> CardReader:
    own = _Reader(family)
    return CardReader(
        interval=_INTERVAL,
        claims=frozenset({ClaimKind.CARD}),
        read=lambda machine, ask: family.read_ours(machine.cards, ask),
        units=own.units,
        now=own.now,
        measured=own.measured,
        unlisted=own.unlisted,
        care=own.care,
        while_it_works=own.while_it_works,
        findings=own.findings,
        with_drives=own.with_drives,
        judged_again=own.judged_again,
        about=own.about,
        programs=own.programs,
        check_read=lambda machine: check_read(family.kept(machine)),
        warnings=own.warnings,
        light=own.light,
    )
