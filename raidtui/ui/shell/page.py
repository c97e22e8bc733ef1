"""The base of every screen: a rail that says where you are, a title, a body, a line for news, a footer of keys."""

from collections.abc import Callable
from time import monotonic
from typing import ClassVar, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit
from raidtui.ui.shell.lifecycle import InFront, in_thread, later, while_there
from raidtui.ui.shell.tui import Tui
from raidtui.ui.shell.world import Access, World
from raidtui.ui.widgets.keys import Keys
from raidtui.ui.widgets.rail import Rail
from raidtui.ui.widgets.rows import Rows

T = TypeVar("T")

_ACCESS = {
    Access.ROOT: "",
    Access.USER: "(not root: F2)",
    Access.RECORDED: "(recorded machine)",
}


class Page(InFront, Screen[None]):
    """One screen, one decision. Made anew each time; reads ``self.tui.draft`` and what the app knows.

    A subclass writes `body`, sets `STEP` (its place on the rail, or nothing), `TITLE` and `HELP`, and overrides
    `machine_changed` and `units_changed` where it shows those. They are called once after the first picture, if
    something is known then, and again whenever it changes.
    """

    _told_at = ""  # the row that was highlighted when the last news was shown
    _offered: tuple[bool | None, ...] = ()  # what each key could do when the footer was last asked for
    STEP: ClassVar[str] = ""
    TITLE: ClassVar[str | None] = ""
    HELP: ClassVar[str] = ""  # paragraphs for F1: what is decided here, and why it matters

    def body(self) -> ComposeResult:
        """The widgets between title and footer: 20 lines of 80 columns at the least."""
        yield from ()

    def machine_changed(self, machine: Machine) -> None:
        """The machine was read anew."""

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        """A unit changed: each second while one syncs."""

    @property
    def tui(self) -> Tui:
        """The app, as screens know it."""
        return cast("Tui", self.app)

    @property
    def world(self) -> World:
        """What this screen may ask and order."""
        return self.tui.world

    @property
    def is_covered(self) -> bool:
        """Whether the terminal is too small, so that nothing of the page is seen."""
        return self.has_class("-too-narrow") or self.has_class("-too-low")

    def compose(self) -> ComposeResult:
        yield Rail(self.STEP)
        yield Static(self._heading(), id="heading")
        with Vertical(id="body"):
            yield from self.body()
        yield Static(id="news")
        yield Keys()
        yield Static(
            "raidtui needs 80x24: enlarge the terminal, or press q and use raidtui --help", id="too-small"
        )

    def on_mount(self) -> None:
        # After the first picture: a table that is filled before it is painted twice as often.
        later(self, self._listen)

    def _listen(self) -> None:
        self.watch(self.app, "machine", self._machine_read)
        self.watch(self.app, "units", self._units_read)

    @while_there
    def _machine_read(self, machine: Machine | None) -> None:
        if machine is not None:
            self.machine_changed(machine)

    @while_there
    def _units_read(self, units: tuple[Unit, ...]) -> None:
        self.units_changed(units)

    def head(self, title: str) -> None:
        """Change the title."""
        if title != self.title:
            self.title = title
            self.query_one("#heading", Static).update(self._heading())

    def offer_keys(self) -> None:
        """Have the footer show what the keys do now, if that changed: to ask for it each second costs a whole line."""
        bindings = (one for one in self.BINDINGS if isinstance(one, Binding))
        offered = tuple(self.check_action(one.action.partition("(")[0], ()) for one in bindings)
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def put(self, where: str, text: Content) -> None:
        """Have the `Static` at ``where`` show ``text``; nothing is painted if it does so already."""
        shown = self.query_one(where, Static)
        if not (isinstance(shown.content, Content) and shown.content.is_same(text)):
            shown.update(text)

    def _heading(self) -> Content:
        note = _ACCESS[self.world.access] + (" (lab)" if self.world.in_lab else "")
        return Content.assemble(
            (self.title or "", "bold"), ("   " + note.strip() if note else "", "$text-warning")
        )

    def keys_from_now(self, where: Widget | None) -> None:
        """Give the keys to ``where``, which was not there before: what was typed until now was not meant for it."""
        self.set_focus(where)
        self.since = monotonic()

    def say(self, text: str) -> None:
        """Show good news, or none with an empty text, on the line above the keys."""
        self._news(text, "")

    def complain(self, text: str) -> None:
        """Show what is wrong and what to do, on the line above the keys."""
        self._news(text, "! ")

    @on(Rows.Moved)
    @while_there
    def _leave_row(self, message: Rows.Moved) -> None:
        """News from another row are not about this one."""
        if message.by_hand and message.key != self._told_at:
            self.say("")

    def _news(self, text: str, sign: str) -> None:
        self._told_at = next((rows.key for rows in self.query(Rows)), "")
        news = self.query_one("#news", Static)
        news.update(Content(sign + text))
        news.set_class(bool(sign), "-wrong")
        news.set_class(bool(text), "-told")

    def may_order(self, why: str) -> bool:
        """Whether orders can be given here; asks once to continue as root, because of ``why``, where that is missing."""
        if self.world.access is Access.USER:
            self.tui.ask_for_root(why)
            return False
        return True

    def order(
        self, what: Callable[[], T], done: Callable[[T], None], failed: Callable[[], None] | None = None
    ) -> None:
        """Have ``what`` done in a thread, then call ``done`` here with its answer.

        For orders to the world, which are not cut off when raidtui ends. An error is shown as a sentence, after
        which ``failed`` is called.
        """
        self.work_out(lambda: self.tui.orders.carry_out(what), done, failed)

    def work_out(
        self, what: Callable[[], T], done: Callable[[T], None], failed: Callable[[], None] | None = None
    ) -> None:
        """The same for calculations and slow readings, which nobody waits for when raidtui ends."""
        self.run_worker(self._order(what, done, failed), group="order", exclusive=True)

    async def _order(
        self, what: Callable[[], T], done: Callable[[T], None], failed: Callable[[], None] | None
    ) -> None:
        try:
            answer = await in_thread(self, what)
        except RaidtuiError as error:
            self.complain(str(error))
            if failed:
                failed()
        else:
            done(answer)
