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
from raidtui.ui.shell.lifecycle import in_thread
from raidtui.ui.shell.modal import Over

if TYPE_CHECKING:
    from raidtui.jobs.rehearsed import RehearsalProcess
    from raidtui.model.rehearsal import Rehearsal


class Rehearsing(Over[None]):
    """Shows the steps as they run in the lab, then the result. Esc stops it and removes the copies."""

    HELP = """
    The lab starts with a sparse copy of each disk of the plan. It has the same serial number, size, partition table,
    signatures and superblocks, but no files. The real disks are opened read-only. The same commands run there with
    this computer's own tools. Then the lab reboots, and the filesystem must be mounted again with the same file.

    For a removal, a replacement or a growth the lab assembles the array from its members' superblocks. It makes a volume
    group or a Btrfs anew, with the same names and UUIDs. Members and volumes are small there, so that a sync takes
    seconds, and the filesystem is a new one.

    What a rehearsal does not show: the running kernel, the controller, and how fast the real disks are.

    It takes about a minute and some GB in /var/tmp. Esc stops it. The Confirm screen says that it was rehearsed.
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Stop")]

    def __init__(self, process: "RehearsalProcess", name: str) -> None:
        super().__init__()
        self._process, self._unit = process, name
        self._lines: list[str] = []
        self._ended = False

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog") as box:
            box.border_title = Content(f"Rehearse {harmless(self._unit)} on copies of its disks")
            box.border_subtitle = Content("Esc stops")
            yield Static("Nothing on the real disks is written. Reading them...", id="said")

    def on_mount(self) -> None:
        self.run_worker(self._follow())

    async def _follow(self) -> None:
        try:
            shown = await in_thread(self, self._process.follow, self._told)
        except RaidtuiError as error:
            self._end(Content.assemble(("Not rehearsed: ", "bold $text-error"), harmless(str(error))))
        else:
            self._end(result_text(shown))

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
        """Stop, or close."""
        if not self._ended:
            Thread(target=self._process.stop).start()
        self.dismiss(None)


def result_text(shown: "Rehearsal") -> Content:
    """The result: passed or not first, then what was seen."""
    from raidtui.jobs.rehearsed import seen_words

    good = Content.assemble(("PASSED ", "bold $text-success"), f"{shown.done} of {len(shown.steps)} steps")
    bad = Content.assemble(("DID NOT PASS ", "bold $text-error"), harmless(shown.sentence))
    lines = [good if shown.passed else bad]
    failed = next((step for step in shown.steps if step.error), None)
    if failed is not None:
        lines.append(Content(harmless(f"Failed: {failed.title}")))
    lines += [Content(line) for line in seen_words(shown)]
    return Content("\n").join(lines)
