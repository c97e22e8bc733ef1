"""A family of cards: the tool that reads them, and its commands, for a person to type and for plans."""

import shlex
from collections.abc import Callable, Sequence

from raidtui.backends.cards.records import Adapter, CardReading, Drive, Volume, reading_in
from raidtui.machine.ask import Ask, ask_card
from raidtui.machine.cards import read_cards
from raidtui.machine.locating import CardLight
from raidtui.machine.tree import HERE
from raidtui.model.machine import Card, Machine
from raidtui.model.plan import Run
from raidtui.model.spec import Backend
from raidtui.model.struct import Record

_ANY = tuple(range(256))  # the exit status means nothing; the conditions check the result


class Wording(Record, frozen=True, kw_only=True):
    """The commands of one family."""

    guide: str  # the vendor's manual
    bad_blocks: str  # the family's term for lost data of a virtual drive

    silent: tuple[str, ...]  # what makes a command ask nothing, and answer in the form that is read

    look: Callable[[Adapter], str]  # show the card
    look_at: Callable[[Adapter, Drive], str]  # show a drive
    look_at_foreign: Callable[[Adapter], str]  # show a foreign configuration
    look_at_preserved: Callable[[Adapter], str]  # show which virtual drives have unwritten data in the card
    free_spare: Callable[[Adapter, Drive], str]  # turn a spare into a free drive
    # Make a free drive a hot spare of a virtual drive, or of all; empty if that is not certain for this card.
    add_spare: Callable[[Adapter, Drive, Volume | None], str]
    # Copy a drive that works onto a free one, which takes its place; empty if the tool cannot, or not for certain.
    copy: Callable[[Adapter, Drive, Drive], str]
    # Pause or resume (the second argument) what is done at a place: a rebuild, a copyback …; empty if the tool cannot.
    pause: Callable[[Adapter, str, str, str], str]
    write_back: Callable[[Adapter, Volume], str]  # set it to write-back while the battery is good
    write_through: Callable[[Adapter, Volume], str]
    drive_cache_off: Callable[[Adapter, Volume], str]
    rebuild: Callable[
        [Adapter, Drive], str
    ]  # rebuild an offline drive in its place; empty if it cannot be told to
    light: Callable[[Adapter, Drive], CardLight]  # make a drive's locate light blink
    checks_on: Callable[[Adapter], str]  # turn on whichever of patrol read and consistency check is off

    def run(self, command: str) -> Run:
        """One of the commands above, for a plan."""
        return Run(argv=(*shlex.split(command), *self.silent), timeout_seconds=300, ok=_ANY)


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
