"""The dialog in which the plan under review is rehearsed on copies of its disks."""

from threading import Thread
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.text import harmless
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import in_thread
from raidtui.ui.shell.modal import Over
from raidtui.ui.wizard.rehearsed_words import not_rehearsed, result_parts

if TYPE_CHECKING:
    from raidtui.jobs.rehearsed import RehearsalProcess


class Rehearsing(Over[bool]):
    """Shows the steps as they run in the lab, then the result; answers whether Esc stopped it."""

    HELP = explained.for_screen(explained.REHEARSAL)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Stop")]

    def __init__(self, process: "RehearsalProcess", name: str, begins: str) -> None:
        """``begins`` is what is said first."""
        super().__init__()
        self._process, self._unit = process, name
        self._lines = [begins]
        self._ended = False

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog") as box:
            box.border_title = Content(f"Rehearse {harmless(self._unit)} on copies of its disks")
            box.border_subtitle = Content("Esc stops")
            yield Static(self._lines[0], id="said")

    def on_mount(self) -> None:
        self.run_worker(self._follow())

    async def _follow(self) -> None:
        try:
            shown = await in_thread(self, self._process.follow, self._told)
        except RaidtuiError as error:
            self._end(Content.assemble(*not_rehearsed(str(error))))
        else:
            self._end(Content.assemble(*result_parts(shown)))

    def _told(self, line: str) -> None:
        self.app.call_from_thread(self._say, line)

    def _say(self, line: str) -> None:
        if self.is_mounted and not self._ended:
            self._lines.append(line)
            self._show(Content("\n").join(Content(one) for one in self._lines))

    def _end(self, text: Content) -> None:
        self._ended = True
        self.query_one(".dialog", VerticalScroll).border_subtitle = Content("Esc closes")
        self._show(text)
        self.app.bell()

    def _show(self, text: Content) -> None:
        self.query_one("#said", Static).update(text)
        self.query_one(".dialog", VerticalScroll).scroll_end(animate=False)

    def action_leave(self) -> None:
        if not self._ended:
            Thread(target=self._process.stop).start()
        self.dismiss(not self._ended)
