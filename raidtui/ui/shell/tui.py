"""What all screens share: the world, the answers so far, the reading of the machine, and navigation.

The app subclasses `Tui`. Screens import `Tui` and not the app, which imports the screens.
"""

import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from textual.geometry import Offset
from textual.message import Message
from textual.reactive import var

from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.unit import Unit
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.private import PlainCrash
from raidtui.ui.shell.spot import HOME, spot_on
from raidtui.ui.shell.world import World
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.level_view import LevelView

if TYPE_CHECKING:
    from raidtui.model.journal import BenchRequest, JobState


T = TypeVar("T")


class Orders:
    """Counts the orders that threads are executing, such as starting a job: quitting must not interrupt them."""

    def __init__(self) -> None:
        self._count, self._lock = 0, threading.Lock()

    @property
    def under_way(self) -> bool:
        """Whether one is being executed."""
        return self._count > 0

    def carry_out(self, order: Callable[[], T]) -> T:
        """Execute ``order`` in this thread."""
        with self._lock:
            self._count += 1
        try:
            return order()
        finally:
            with self._lock:
                self._count -= 1


class Answers(Record, frozen=True):
    """The answers so far, and the screens that led to the current one."""

    draft: Draft
    places: tuple[str, ...] = ("overview",)


class Tui(PlainCrash[int]):
    """The interface of the app to its screens."""

    machine: var[Machine | None] = var(None)
    units: var[tuple[Unit, ...]] = var(())  # of all backends, as last read
    units_known: var[bool] = var(
        False
    )  # whether they were read: until then none does not mean that there is none

    jobs: var["tuple[JobState, ...] | None"] = var(None)  # newest first; None until they are read

    world: World
    draft: Draft
    bench: "BenchRequest | None"  # the last benchmark that was requested
    level_view: LevelView
    orders: Orders
    run_as_root: Answers | None  # set if the user chose to continue as root
    on_leave: Callable[[], None]  # called when the app begins to close

    class Trouble(Message):
        """Something in the background failed; ``sentence`` is the error for the user."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    @property
    def cursor_position(self) -> Offset:
        """Where the terminal's cursor stands after each drawing."""
        return spot_on(self.screen) if self.screen_stack else HOME

    @cursor_position.setter
    def cursor_position(self, place: Offset) -> None:
        """Textual's fields set it; the focus decides."""

    @property
    @abstractmethod
    def place(self) -> Place:
        """The current place."""

    @abstractmethod
    def go(self, name: str, **about: str) -> None:
        """Go to a place; Escape returns here, except from the overview, which is always the first."""

    @abstractmethod
    def go_from_overview(self, name: str, **about: str) -> None:
        """Go to a place from which Escape leads to the overview, such as a job that was started."""

    @abstractmethod
    def remember(self, **about: str) -> None:
        """Store ``about`` in the current place, for when the user returns to it."""

    @abstractmethod
    def action_go_back(self) -> None:
        """Go back to the previous place; do nothing in the first."""

    @abstractmethod
    def ask_for_root(self, why: str) -> None:
        """Ask whether to reopen as root, with the answers so far."""

    @abstractmethod
    def read_units(self, *, fresh: bool = False) -> None:
        """Poll the units whose changes the kernel does not report; do nothing if that is already running.

        ``fresh``: in that case poll once more afterwards, as the running poll may have begun before the change.
        """

    @abstractmethod
    def take_reported(self, units: tuple[Unit, ...]) -> None:
        """Show a new reading of the units whose changes the kernel reports."""

    @abstractmethod
    def look_at_units(self) -> None:
        """Like `read_units`, but only if the poll interval of the backends has passed."""

    @abstractmethod
    def read_machine(self) -> None:
        """Read the machine again; if it is being read already, once more after that."""
