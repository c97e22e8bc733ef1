"""A family of cards: the tool that reads them, and its commands."""

from collections.abc import Callable, Sequence

from raidtui.backends.cards.records import Adapter, CardReading, Drive, reading_in
from raidtui.backends.cards.wording import Wording
from raidtui.machine.ask import Ask, ask_card
from raidtui.machine.cards import read_cards
from raidtui.machine.tree import HERE
from raidtui.model.machine import Card, Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Record


class Family(Record, frozen=True, kw_only=True):
    """One family."""

    name: Backend
    drivers: frozenset[str]
    """The kernel's drivers of these cards."""

    wording: Wording
    """The commands of its tool for a person to type."""

    read: Callable[[Sequence[Card], Ask], CardReading]
    """Read cards of this family."""

    tool_for: Callable[[Card], str]
    """The program that reads a card.

    Raises:
        ToolMissing: none is installed.
    """

    smart_words: Callable[[Drive, Adapter, Sequence[Card]], tuple[str, ...]]
    """smartctl's arguments for a drive behind a card; empty if it cannot reach it."""

    def kept(self, machine: Machine) -> CardReading | None:
        """These cards in a reading, recorded or not; None without any.

        Raises:
            BadInput: the recorded file is damaged.
        """
        return reading_in(machine, self.name)

    def ours(self, cards: Sequence[Card]) -> list[Card]:
        return [card for card in cards if card.driver in self.drivers]

    def read_ours(self, cards: Sequence[Card], ask: Ask) -> CardReading | None:
        """Read those of ``cards`` that are of this family; None if none is."""
        ours = self.ours(cards)
        return self.read(ours, ask) if ours else None

    def reading_here(self) -> CardReading | None:
        """Read the cards of this computer now; None without any of this family."""
        return self.read_ours(read_cards(HERE), ask_card)
