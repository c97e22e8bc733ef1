"""The base class of every screen: computer and step rail, title, body, message line, and a footer with the keys."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.text import count_of
from raidtui.model.unit import Unit
from raidtui.ui.shell.lifecycle import InFront, in_thread, later, while_there
from raidtui.ui.shell.tui import Tui
from raidtui.ui.shell.where import rail
from raidtui.ui.shell.world import Access, World
from raidtui.ui.widgets.keys import Keys
from raidtui.ui.widgets.rail import BUILD
from raidtui.ui.widgets.rows import Rows

T = TypeVar("T")


class Page(InFront, Screen[None]):
    """One screen, one decision. A new object each time; it reads ``self.tui.draft`` and the state of the app.

    A subclass implements `body`, sets `STEP` (its step of `STEPS`, or empty), `TITLE` and `HELP`, and overrides
    `machine_changed` and `units_changed` if it shows those. Both are called once after the first refresh, if there
    is a reading by then, and again on every change.
    """

    _news_row = ""  # the row that was highlighted when the last message was shown
    _offered: tuple[bool | None, ...] = ()  # state of each binding when the footer was last refreshed
    STEP: ClassVar[str] = ""
    STEPS: ClassVar[Sequence[str]] = BUILD
    TITLE: ClassVar[str | None] = ""
    HELP: ClassVar[str] = ""  # paragraphs for F1: the decision on this screen, and why it matters
    STARTS: ClassVar[bool] = False  # its main key starts something: a recording says at once that it cannot

    @property
    def explained(self) -> str:
        """What F1 shows now."""
        return self.HELP

    def body(self) -> ComposeResult:
        """The widgets between title and footer: at least 80 columns and 20 lines."""
        yield from ()

    def machine_changed(self, machine: Machine) -> None:
        """Called when the machine was read again."""

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        """Called when a unit changed: every second during a sync."""

    def allowed(self) -> dict[str, bool]:
        """Whether each action can be taken now: the keys of the others are not offered. One not named always can be."""
        return {}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not self.is_mounted or self.allowed().get(action, True)

    @property
    def shown_job(self) -> str:
        """Id of the job that the page follows; empty if none."""
        return ""

    @property
    def steps(self) -> Sequence[str]:
        """The steps of the task that the screen belongs to, for the first line."""
        return self.STEPS if self.STEP else ()

    @property
    def tui(self) -> Tui:
        """The app, as seen by screens."""
        return cast("Tui", self.app)

    @property
    def world(self) -> World:
        """The world behind the screen."""
        return self.tui.world

    @property
    def is_covered(self) -> bool:
        """Whether the terminal is too small, so that the page is hidden."""
        return self.has_class("-too-narrow") or self.has_class("-too-low")

    def compose(self) -> ComposeResult:
        yield rail(self.world, self.steps, self.STEP)
        yield Static(self._heading(), id="heading")
        with Vertical(id="body"):
            yield from self.body()
        yield Static(id="news")
        yield Keys()
        yield Static(
            "raidtui needs 80x24: enlarge the terminal, or press q and use raidtui --help", id="too-small"
        )

    def on_mount(self) -> None:
        # After the first refresh: a table filled before it is painted twice.
        later(self, self._listen)

    def _listen(self) -> None:
        self.watch(self.app, "machine", self._machine_read)
        self.watch(self.app, "units", self._units_read)
        if self.STARTS and self.world.access is Access.RECORDED:
            self.say("A recording: nothing can be started here.")

    @while_there
    def _machine_read(self, machine: Machine | None) -> None:
        if machine is not None:
            self.machine_changed(machine)

    @while_there
    def _units_read(self, units: tuple[Unit, ...]) -> None:
        self.units_changed(units)

    @property
    def panes(self) -> int:
        """How many columns of text fit side by side: two from 120 cells, three from 180."""
        return 3 if self.size.width >= 180 else 2 if self.size.width >= 120 else 1

    def head(self, title: str) -> None:
        if title != self.title:
            self.title = title
            self.query_one("#heading", Static).update(self._heading())

    def offer_keys(self) -> None:
        """Refresh the footer if a binding's state changed: refreshing it every second repaints the whole line."""
        actions = [one.action.partition("(")[0] for one in self.BINDINGS if isinstance(one, Binding)]
        offered = tuple(self.check_action(one, ()) and not self.is_idle(one) for one in actions)
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def put(self, where: str, text: Content) -> None:
        """Show ``text`` in the `Static` at ``where``, without repainting it if unchanged."""
        shown = self.query_one(where, Static)
        if not (isinstance(shown.content, Content) and shown.content.is_same(text)):
            shown.update(text)

    def _heading(self) -> Content:
        return Content.assemble((self.title or "", "bold"))

    def keys_from_now(self, where: Widget | None) -> None:
        """Focus ``where``, which is new, and take the keys that were typed ahead."""
        self.set_focus(where)
        self.since = monotonic()
        self.ready = True

    def copy(self, text: str) -> None:
        """Copy ``text`` to the terminal's clipboard, and say so."""
        if self.tui.in_console:
            self.complain("the Linux console has no clipboard; over SSH from a terminal, y copies")
            return
        self.app.copy_to_clipboard(text)
        lines = text.splitlines()
        self.say(f"{count_of(lines, 'line')} sent to the terminal's clipboard (if it accepts OSC 52)")

    def say(self, text: str) -> None:
        """Show a message on the line above the keys; an empty text clears it."""
        self._news(text, "")

    def complain(self, text: str) -> None:
        """Show an error, and what to do about it, on the line above the keys."""
        self.ready = True  # what it waited for will not come
        self._news(text, "! ")

    @on(Rows.Moved)
    @while_there
    def _leave_row(self, message: Rows.Moved) -> None:
        """Clear a message about another row."""
        if message.by_hand and message.key != self._news_row:
            self.say("")

    def _news(self, text: str, sign: str) -> None:
        self._news_row = next((rows.key for rows in self.query(Rows)), "")
        news = self.query_one("#news", Static)
        news.update(Content(sign + text))
        news.set_class(bool(sign), "-wrong")
        news.set_class(bool(text), "-shown")
        self.offer_keys()

    def action_visit(self, name: str) -> None:
        self.tui.go(name)

    def may_order(self, why: str) -> bool:
        """Whether the user may give orders; if not root, ask to continue as root, with the reason ``why``."""
        if self.world.access is Access.USER:
            self.tui.ask_for_root(why)
            return False
        return True

    def ask_for(self, dialog: ModalScreen[T], then: Callable[[T], object]) -> None:
        """Open ``dialog``, and call ``then`` with its answer unless it is no, empty, or canceled."""
        self.say("")  # a refusal from before would stand there as if it were about the answer

        def answered(answer: T | None) -> None:
            if answer:
                then(answer)

        self.app.push_screen(dialog, answered)

    def order(self, what: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run ``what`` in a thread, then call ``done`` here with its result.

        For orders to the world: quitting waits for them. An error is shown on the message line.
        """
        self.work_out(lambda: self.tui.orders.carry_out(what), done)

    def work_out(
        self, what: Callable[[], T], done: Callable[[T], object], failed: Callable[[], None] | None = None
    ) -> None:
        """Like `order`, for calculations and slow reads: quitting does not wait for them. After an error call ``failed``."""
        self.run_worker(self._order(what, done, failed), group="order", exclusive=True)

    async def _order(
        self, what: Callable[[], T], done: Callable[[T], object], failed: Callable[[], None] | None
    ) -> None:
        try:
            answer = await in_thread(self, what)
        except RaidtuiError as error:
            self.complain(str(error))
            if failed:
                failed()
        else:
            done(answer)
