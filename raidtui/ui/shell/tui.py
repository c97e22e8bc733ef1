"""What the screens share: the world, the answers so far, the one reading of the machine, and how to go elsewhere.

The app is one of these. Screens know this and not the app, which knows the screens.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message
from textual.reactive import var

from raidtui.model.machine import Machine
from raidtui.model.unit import Unit
from raidtui.ui.shell.answers import Answers
from raidtui.ui.shell.orders import Orders
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.private import PlainCrash
from raidtui.ui.shell.world import World
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.level_view import LevelView

if TYPE_CHECKING:
    from raidtui.model.journal import BenchRequest


class Tui(PlainCrash[int]):
    """What a screen may ask of the app."""

    machine: var[Machine | None] = var(None)
    units: var[tuple[Unit, ...]] = var(())  # of every backend, as last seen

    world: World
    draft: Draft
    bench: "BenchRequest | None"  # what was last asked of a benchmark
    level_view: LevelView
    orders: Orders
    run_as_root: Answers | None  # set when the user asked to continue as root
    on_leave: Callable[[], None]  # called when the app begins to close

    class Trouble(Message):
        """Something that was asked in the background failed; the text is a sentence for the user."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    @property
    @abstractmethod
    def place(self) -> Place:
        """Where the user is."""

    @abstractmethod
    def go(self, name: str, **about: str) -> None:
        """Go to a place; Escape leads back here, except from the overview, where every way begins."""

    @abstractmethod
    def go_from_overview(self, name: str, **about: str) -> None:
        """Go to a place from which Escape leads to the overview: after something that cannot be gone back over."""

    @abstractmethod
    def remember(self, **about: str) -> None:
        """Whoever comes back to this place finds this there."""

    @abstractmethod
    def action_go_back(self) -> None:
        """Go back to the place before this one; the first has none."""

    @abstractmethod
    def ask_for_root(self, why: str) -> None:
        """Ask once whether to open again as root, with the answers given so far."""

    @abstractmethod
    def read_units(self, *, fresh: bool = False) -> None:
        """Look again how the units are whose changes nobody reports; nothing where that is being done.

        ``fresh``: then once more after that, for it may have begun before what is to be seen.
        """

    @abstractmethod
    def take_reported(self, units: tuple[Unit, ...]) -> None:
        """Show the units whose changes the kernel reports as they are in a new reading of these."""

    @abstractmethod
    def look_at_units(self) -> None:
        """The same once it is time: a backend says how often its units are to be looked at."""

    @abstractmethod
    def read_machine(self) -> None:
        """Read the machine anew; if it is being read already, once more after that."""
