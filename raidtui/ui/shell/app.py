"""The app: the current screen, the answers so far, and the reading of the machine that all screens share."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.scrollbar import ScrollBar

from raidtui.machine.installation import REPLACED, was_replaced
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit
from raidtui.ui.shell.console import HarmlessText, PlainBars, glyph_filters
from raidtui.ui.shell.first_picture import collect_again
from raidtui.ui.shell.job_ended import Reported, ended_elsewhere
from raidtui.ui.shell.keyboard import KEY_NAMES, LEAVE, Handled, Keyboard
from raidtui.ui.shell.modal import Over
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.places import PLACES, screen_of
from raidtui.ui.shell.private import ParsedOnce, keep_units_with_numbers, measure_after_each_change
from raidtui.ui.shell.theme import CONSOLE, RICH
from raidtui.ui.shell.tui import Orders, Tui
from raidtui.ui.shell.units_reader import UnitsReader
from raidtui.ui.shell.whose import jobs_then
from raidtui.ui.shell.world import Access, Watching, World
from raidtui.ui.wizard.draft import Draft, new_draft, taken_names
from raidtui.ui.wizard.level_view import LevelView

if TYPE_CHECKING:
    from raidtui.model.journal import BenchRequest, JobState
    from raidtui.ui.shell.tui import Answers


class RaidtuiApp(UnitsReader):
    """raidtui's screens on one `World`."""

    TITLE = "raidtui"
    CSS_PATH = ["shell.tcss", "list_page.tcss"]  # noqa: RUF012
    HORIZONTAL_BREAKPOINTS = [(0, "-too-narrow"), (80, "-normal"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-too-low"), (24, "-short"), (34, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "explain", "Help", priority=True),
        Binding(
            "f2", "as_root", "As root", show=False, tooltip="Reopen raidtui as root and keep your answers"
        ),
        Binding("escape", "go_back", "Back"),
        Binding("q", "quit", "Quit"),
        Binding("f10", "quit", "Quit", show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False),
    ]

    class MachineNotRead(Message):
        """A reading of the machine failed."""

    class MachineRead(Message):
        """The machine was read again."""

        def __init__(self, machine: Machine) -> None:
            super().__init__()
            self.machine = machine

    class DisksMoved(Message):
        """A disk appeared or disappeared."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, RaidtuiApp.DisksMoved)

    def __init__(
        self,
        world: World,
        console: bool,
        *,
        places: Sequence[Place] = (),
        draft: Draft | None = None,
        trouble: str = "",
        palette: bool = False,
    ) -> None:
        """Open on the last of ``places``; Escape goes back through the others.

        Args:
            console: draw for the Linux console: its glyphs, and its palette.
            trouble: an error to show there.
            palette: draw with the terminal's own sixteen colors. NO_COLOR implies it: other colors become grays.
        """
        palette = palette or console or "NO_COLOR" in os.environ
        # Set the color system here, not with the theme: with NO_COLOR, Textual chooses its filter by it.
        super().__init__(ansi_color=True if palette else None)
        self.world = world
        self.in_console = console
        self._drawn_by = [
            HarmlessText(),
            *glyph_filters(console=console),
        ]  # once: Textual caches lines by filter
        self.draft = draft or new_draft()
        self.run_as_root: Answers | None = None
        self.bench: BenchRequest | None = None
        self.orders = Orders()
        self.on_leave: Callable[[], None] = lambda: None
        self.level_view = LevelView()
        self._way = list(places) or [Place("overview")]
        self.keyboard = Keyboard(self, self._act_on)
        self._trouble = trouble
        self._watching: list[Watching] = []
        self._reading = False
        self._read_again = False
        ScrollBar.renderer = PlainBars
        measure_after_each_change()
        keep_units_with_numbers()
        theme = CONSOLE if palette else RICH
        self.register_theme(theme)
        self.theme = theme.name
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.set_class(palette, "-console")

    # The current place.

    @property
    def place(self) -> Place:
        return self._way[-1]

    def go(self, name: str, **about: str) -> None:
        self._visit([*(self._way if name != "overview" else ()), Place(name, about)])

    def _visit(self, way: list[Place]) -> None:
        """Show the last place of a way, unless its screen may be of another version."""
        if was_replaced():
            self.post_message(self.Trouble(REPLACED))
            return
        self._way = way
        self.switch_screen(screen_of(self.place))

    def remember(self, **about: str) -> None:
        self._way[-1] = Place(self.place.name, about)

    def go_from_overview(self, name: str, **about: str) -> None:
        self._visit([Place("overview"), Place(name, about)])

    def action_go_back(self) -> None:
        if len(self._way) > 1:
            self._visit(self._way[:-1])

    def ask_for_root(self, why: str) -> None:
        from raidtui.ui.shell.elevate import answers_to_keep, way_to_root, what_it_asks
        from raidtui.ui.widgets.dialog import Question

        program = way_to_root()
        if not program:
            self.post_message(
                self.Trouble(
                    f"{why} There is no sudo, pkexec or su here: become root and start raidtui again"
                )
            )
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.run_as_root = answers_to_keep(self.draft, [place.name for place in self._way])
                self.exit(0)

        self.push_screen(
            Question(
                "This needs root",
                f"{why} raidtui can open again as root ({what_it_asks(program)}): it keeps your answers, "
                "reads the disks again and shows the plan again before anything is done.",
                yes="Open as root",
            ),
            answered,
        )

    def action_as_root(self) -> None:
        self.ask_for_root("Only root can read and change the disks.")

    def action_explain(self) -> None:
        """Show the help of the page or dialog; if it is already open, close it."""
        from raidtui.ui.shell.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.action_leave()
        elif isinstance(self.screen, (Page, Over)):
            self.push_screen(HelpScreen(self.screen))

    def action_command_palette(self) -> None:
        from raidtui.ui.widgets.palette import Palette  # loaded late: seldom used

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_help_quit(self) -> None:
        """Ctrl-C does not quit: show the key that does."""
        if isinstance(self.screen, Page):
            then = jobs_then(in_lab=self.world.in_lab)
            self.screen.say(f"q leaves raidtui, or F10 from within a field; {then}.")

    async def action_quit(self) -> None:
        """Quit; in the lab, ask first if arrays, results or a running job would be lost."""
        if self.world.in_lab:
            from raidtui.ui.shell.leaving import leave_the_lab

            self.run_worker(leave_the_lab(self), group="leave", exclusive=True)
        else:
            self.exit()

    def action_suspend_process(self) -> None:
        """Suspend and return to the shell; in the lab, which has none, open one."""
        from raidtui.ui.shell.suspending import a_shell_waits, open_shell

        if a_shell_waits():
            super().action_suspend_process()
        elif self.world.in_lab:
            with self.suspend():
                open_shell()
        else:
            self.post_message(
                self.Trouble("Ctrl-Z returns to the shell that started raidtui; there is none here")
            )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "go_back":
            return len(self._way) > 1
        if action == "as_root":
            return self.world.access is Access.USER
        return super().check_action(action, parameters)

    # Keys.

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, (events.Key, events.Paste)):
            await super().on_event(event)
        elif not event.is_forwarded:
            await self.keyboard.take(event)
        elif not self.keyboard.is_too_late(event):
            # No widget of its screen handled it, and that screen is still in front.
            await super().on_event(event)

    async def _act_on(self, key: events.Key | events.Paste) -> None:
        if not self._is_unseen(key):
            await super().on_event(key)

    async def on_keyboard_handled(self, message: Handled) -> None:
        await self.keyboard.arrived(message)

    def _is_unseen(self, event: events.Key | events.Paste) -> bool:
        """Whether the page is hidden, as the terminal is too small: only F1 and the quit keys work then, even in a field."""
        if not (isinstance(self.screen, Page) and self.screen.is_covered):
            return False
        key = event.key if isinstance(event, events.Key) else ""
        if key in LEAVE:
            self.call_later(self.run_action, "quit")
        return key != "f1"

    # The machine, read in the background and passed to the current screen.

    def on_mount(self) -> None:
        self.app_suspend_signal.subscribe(self, lambda _: self._clear_console(), immediate=True)
        self.app_resume_signal.subscribe(self, lambda _: self._come_back())
        self.push_screen(screen_of(self.place))
        if self._trouble:
            self.call_after_refresh(self.post_message, self.Trouble(self._trouble))
        self.read_machine()
        self._watch()

    def _clear_console(self) -> None:
        """Clear the screen before Ctrl-Z: before Linux 6.18 consoles have no alternate screen for the shell."""
        if self.in_console and self._driver is not None:
            self._driver.write("\x1b[0m\x1b[2J\x1b[H")

    def _come_back(self) -> None:
        """Read the machine again after Ctrl-Z: the kernel does not report a disk that the user has freed."""
        self.screen.refresh(layout=True)  # it is empty after "fg" (Textualize/textual#6298)
        self.read_machine()

    def on_unmount(self) -> None:
        self.on_leave()
        for watching in self._watching:
            watching.stop()

    def read_machine(self) -> None:
        if self._reading:
            self._read_again = True
        else:
            self._reading = True
            self._read_machine()

    @work(thread=True, group="machine", exit_on_error=True)
    def _read_machine(self) -> None:
        try:
            machine = self.world.machine()
        except RaidtuiError as error:
            self.post_message(self.Trouble(str(error)))
            self.post_message(self.MachineNotRead())
        else:
            self.post_message(self.MachineRead(machine))

    @work(thread=True, group="watch", exit_on_error=True)
    def _watch(self) -> None:
        begins: tuple[Callable[[], Watching], ...] = (
            lambda: self.world.watch_disks(self._post_disks_moved),
            lambda: self.world.watch_units(self._post_units),
            lambda: self.world.watch_jobs(self._post_jobs),
        )
        for begin in begins:
            try:
                self._watching.append(begin())
            except RaidtuiError as error:
                self.post_message(self.Trouble(str(error)))

    def _post_disks_moved(self) -> None:
        self.post_message(self.DisksMoved())

    def _post_units(self, units: tuple[Unit, ...]) -> None:
        self.post_message(self.UnitsReported(units))

    def _post_jobs(self, jobs: "tuple[JobState, ...]") -> None:
        self.post_message(Reported(jobs))

    def on_jobs_reported(self, message: Reported) -> None:
        before, self.jobs = self.jobs or (), message.jobs
        page = [screen for screen in self.screen_stack if isinstance(screen, Page)][-1]
        # Between two screens a page may know its job only by its place.
        shown = page.shown_job or self.place.about.get("job", "")
        if ended := ended_elsewhere(before, message.jobs, shown=shown):
            self.bell()
            page.say(ended)

    def on_raidtui_app_machine_not_read(self) -> None:
        self._reading_ended()

    def _reading_ended(self) -> None:
        self.call_after_refresh(collect_again)
        self._reading = False
        if self._read_again:
            self._read_again = False
            self.read_machine()

    def on_raidtui_app_machine_read(self, message: MachineRead) -> None:
        self._reading_ended()
        self._refresh_draft(message.machine, self.units)
        self.machine = message.machine
        self.read_units(fresh=True)

    def show_units(self, units: tuple[Unit, ...]) -> None:
        self._refresh_draft(self.machine, units)
        super().show_units(units)

    def _refresh_draft(self, machine: Machine | None, units: tuple[Unit, ...]) -> None:
        """Give an untouched draft the first free name: its name may be taken now, or a better one free."""
        taken = taken_names(machine, units)
        draft, fresh = self.draft, new_draft(taken)
        if draft.spec.name != fresh.spec.name and (
            draft.as_made or (draft.untouched and draft.spec.name in taken)
        ):
            self.draft = fresh

    def on_raidtui_app_disks_moved(self) -> None:
        self.read_machine()

    def on_tui_trouble(self, message: Tui.Trouble) -> None:
        if isinstance(self.screen, Page):
            self.screen.complain(message.sentence)

    # Appearance.

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self._drawn_by]

    def get_key_display(self, binding: Binding) -> str:
        key = binding.key_display or binding.key
        if len(key) > 1 and key[0] == "f" and key[1:].isdigit():
            return key.upper()
        return KEY_NAMES.get(key) or super().get_key_display(binding)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for name in ("overview", "care", "scrubs", "disks", "benchmark", "sweep", "compare", "jobs"):
            title, _, text = PLACES[name][2].partition(": ")
            yield SystemCommand(title, text, partial(self.go, name))
        yield SystemCommand(
            "Read the disks again",
            "When something changed that the kernel does not report",
            self.read_machine,
        )
        if self.world.access is Access.USER:
            yield SystemCommand(
                "Open as root", "With your answers; asks for your password", self.action_as_root
            )
        if self.world.in_lab:
            yield SystemCommand(
                "Shell", "In the lab, as root; exit returns here", self.action_suspend_process
            )
        yield SystemCommand("Help", "What this screen is for, and its keys", self.action_explain)

        then = jobs_then(in_lab=self.world.in_lab)
        yield SystemCommand("Quit", f"Leave raidtui; {then}", self.action_quit)
