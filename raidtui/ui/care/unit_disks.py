"""Which disks of a unit can be found, and the search for one."""

from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.shell.lifecycle import in_thread
from raidtui.ui.shell.modal import Over
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.chooser import Chooser

if TYPE_CHECKING:
    from raidtui.jobs.search import Said, Search


def findable(unit: Unit) -> dict[str, tuple[str, str]]:
    """The disks of a unit that can be searched for: as shown, then the identity, and how each is found."""
    here = {
        f"{harmless(one.disk)} ({harmless(one.path.removeprefix('/dev/'))}, {harmless(one.state)})": (
            one.disk,
            "Its light blinks.",
        )
        for one in unit.members
        if one.disk and one.path
    }
    gone = {
        f"{harmless(one.disk)} (not connected)": (one.disk, "The others blink, and its light stays dark.")
        for one in unit.lost
        if one.disk and not one.here
    }
    return gone | here


def choose_and_find(page: Page, unit: Unit) -> None:
    """Ask which disk of ``unit`` is meant, and make its light blink."""
    disks, machine = findable(unit), page.tui.machine

    def chosen(shown: str) -> None:
        if machine is None:
            return
        try:
            search = page.world.search(disks[shown][0], machine, page.tui.units)
        except RaidtuiError as error:
            page.complain(str(error))
        else:
            page.app.push_screen(Locating(search))

    offers = [(shown, why) for shown, (_, why) in disks.items()]
    page.ask_for(Chooser("Which disk is to be found?", offers, column="Disk"), chosen)


_LOOK_SECONDS: Final = 1.0


class Locating(Over[None]):
    """Says what pulling the disk does, which light blinks, and at once if another disk is pulled."""

    HELP = """
    The disk is read for one second and left alone for the next, so its activity light blinks evenly. Where ledctl can, its
    locate light is on as well. Nothing is written.

    A disk that is gone cannot blink. The other disks of its array do, and it is the one that stays dark.

    Pull the disk while this is open: raidtui says whether it was the right one. If it was the wrong one, put that back
    before anything else.
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Stop")]

    def __init__(self, search: "Search") -> None:
        super().__init__()
        self._search = search
        self._lines: list[Content] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog") as box:
            box.border_title = Content(f"Find the disk {harmless(self._search.wanted)}")
            box.border_subtitle = Content("Esc stops")
            yield Static(id="said")

    def on_mount(self) -> None:
        self.run_worker(self._begin(), group="look")

    async def _begin(self) -> None:
        self._say(await in_thread(self, self._enter))
        self.set_interval(_LOOK_SECONDS, self._look)

    def _enter(self) -> list["Said"]:
        self._search.__enter__()
        return list(self._search.begin())

    def _look(self) -> None:
        if not self._search.found and all(one.is_finished for one in self.workers if one.group == "look"):
            self.run_worker(self._say_more(), group="look")

    async def _say_more(self) -> None:
        self._say(await in_thread(self, lambda: list(self._search.look())))

    def on_unmount(self) -> None:
        # A disk that hangs in a read, or a slow ledctl, keeps nobody waiting.
        Thread(target=self._search.__exit__, args=(None, None, None)).start()

    def _say(self, more: Sequence["Said"]) -> None:
        if not more:
            return
        self._lines += [
            Content.assemble((one.text, "bold $text-error" if one.danger else "")) for one in more
        ]
        self.query_one("#said", Static).update(Content("\n").join(self._lines))
        self.query_one(".dialog", VerticalScroll).scroll_end(animate=False)
        if any(one.danger for one in more):
            self.app.bell()
