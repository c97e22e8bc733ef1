"""The reader of one family of cards: virtual drives, drives behind the cards, warnings."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from raidtui.backends.cards.care import care_for
from raidtui.backends.cards.chosen import check_read
from raidtui.backends.cards.disks import judged_again, with_drives
from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume, reading_in
from raidtui.backends.cards.units import units_in
from raidtui.backends.cards.warnings import warnings_of
from raidtui.backends.cards.wording import Wording
from raidtui.backends.cards.words import card_lines, properties, settings
from raidtui.backends.care import Care, Replacement
from raidtui.backends.contract import CardReader
from raidtui.machine.ask import Ask, ask_card
from raidtui.machine.cards import read_cards as read_here
from raidtui.machine.disks import disks_here
from raidtui.machine.mounts import read_mounts
from raidtui.machine.smart import ask_behind
from raidtui.machine.tree import HERE
from raidtui.model.errors import ToolMissing
from raidtui.model.machine import Card, ClaimKind, Disk, Machine, Smart
from raidtui.model.plan import Hazard
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit


class FamilyReader(CardReader, ABC):
    """The reader of a family of cards; a subclass runs the family's tools."""

    _then: CardReading | None = None  # the last reading, and the disks at that time
    _disks_then: frozenset[tuple[str, str, int]] | None = None
    _ask_again = 0.0

    name: Backend
    drivers: frozenset[str]  # the kernel's drivers of these cards
    wording: Wording
    claims = frozenset({ClaimKind.CARD})
    interval = 10.0  # a card answers slowly and sends no notification

    @abstractmethod
    def read_cards(self, cards: Sequence[Card], ask: Ask) -> CardReading | None:
        """Read those of ``cards`` that are of this family; None if none is."""

    @abstractmethod
    def tool_for(self, card: Card) -> str:
        """The program that reads a card.

        Raises:
            ToolMissing: none is installed.
        """

    @abstractmethod
    def smart_words(self, drive: Drive, adapter: Adapter, cards: Sequence[Card]) -> tuple[str, ...]:
        """smartctl's arguments for a drive behind a card; empty if it cannot reach it."""

    def read(self, machine: Machine, ask: Ask) -> CardReading | None:
        """Read the cards; None on a computer without any of this family."""
        return self.read_cards(machine.cards, ask)

    def kept(self, machine: Machine) -> CardReading | None:
        """These cards in a reading, recorded or not; None without any.

        Raises:
            BadInput: the recorded file is damaged.
        """
        return reading_in(machine, self.name)

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every virtual drive."""
        reading = self.kept(machine)
        return units_in(reading, machine.disks, machine.mounts, self.name) if reading else ()

    def now(self) -> tuple[Unit, ...]:
        """Every virtual drive; starts no process on a computer without such a card.

        The card is read at most once per ``interval``, and whenever a disk appears or disappears: its tool takes a
        second or two per answer, and holds the card up meanwhile.
        """
        if not self._ours(read_here(HERE)):
            return ()
        disks = disks_here()
        here = frozenset((disk.path, disk.wwn, disk.sequence) for disk in disks)
        if here != self._disks_then or time.monotonic() >= self._ask_again:
            self._then = self.reading_here()
            self._disks_then, self._ask_again = here, time.monotonic() + self.interval
        return units_in(self._then, disks, read_mounts(HERE), self.name) if self._then else ()

    def reading_here(self) -> CardReading | None:
        """Read the cards of this computer now; None without any of this family."""
        cards = read_here(HERE)
        if not any(card.driver in self.drivers for card in cards):
            return None
        return self.read_cards(cards, ask_card)

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """The properties of the virtual drive and its card."""
        adapter, volume = self._volume_of(unit, machine) or (None, None)
        return MeasuredUnit(
            backend=self.name,
            name=unit.name,
            uuid=unit.uuid,
            level=unit.level,
            raid_disks=unit.raid_disks,
            size_bytes=unit.size_bytes,
            chunk_bytes=unit.chunk_bytes,
            degraded=sum(member.state not in {"in sync", "spare"} for member in unit.members),
            card=settings(volume, adapter) if adapter and volume else "",
            properties=properties(volume, adapter) if adapter and volume else {},
        )

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care | Replacement, ...]:
        """A new drive for a lost one."""
        if unit.health not in {Health.DEGRADED, Health.FAILED}:
            return ()
        whole = machine()
        found = self._volume_of(unit, whole)
        if found is None:
            return ()
        adapter, volume = found
        return tuple(care_for(unit, volume, adapter, whole, self.wording))

    def with_drives(self, machine: Machine, ask: Ask, *, smart: bool) -> Machine:
        """Add the drives behind the cards to ``machine``."""
        reading = self.kept(machine)
        if reading is None:
            return machine

        def words(drive: Drive, adapter: Adapter) -> tuple[str, ...]:
            return self.smart_words(drive, adapter, machine.cards)

        def health(disk: Disk, words: Sequence[str]) -> Smart | None:
            return ask_behind(disk, words, ask, machine.tools.get("smartctl", ""))

        asks = health if smart and "smartctl" in machine.tools else None
        return with_drives(machine, reading, self.wording, words, asks)

    def judged_again(self, machine: Machine) -> Machine:
        """Judge the drives of a recording again, which an older version may have recorded."""
        reading = self.kept(machine)
        return judged_again(machine, reading, self.wording) if reading is not None else machine

    def about(self, machine: Machine) -> tuple[str, ...]:
        """Every card in lines."""
        reading = self.kept(machine)
        return tuple(card_lines(self._ours(machine.cards), reading)) if reading else ()

    def programs(self, cards: Sequence[Card]) -> tuple[str, ...]:
        """The program for each card, or what is missing."""
        return tuple(self._program(card) for card in self._ours(cards))

    def warnings(self, machine: Machine) -> tuple[Hazard, ...]:
        """The faults of the cards and their virtual drives."""
        reading = self.kept(machine)
        return warnings_of(reading, self.wording) if reading else ()

    def check_read(self, machine: Machine) -> None:
        """Check what their tools answered."""
        check_read(self.kept(machine))

    def _ours(self, cards: Sequence[Card]) -> list[Card]:
        return [card for card in cards if card.driver in self.drivers]

    def _program(self, card: Card) -> str:
        try:
            return f"RAID card {card.address}: {self.tool_for(card)} answers for it"
        except ToolMissing as error:
            return str(error)

    def _volume_of(self, unit: Unit, machine: Machine) -> tuple[Adapter, Volume] | None:
        """The card and virtual drive of ``unit``."""
        reading = self.kept(machine)
        for adapter in reading.adapters if reading else ():
            units = units_in(CardReading(adapters=(adapter,)), machine.disks, machine.mounts, self.name)
            for one, volume in zip(units, adapter.volumes, strict=True):
                if one.uuid == unit.uuid:
                    return adapter, volume
        return None
