"""Which disks of a unit can be found, and the search for one."""

from raidtui.model.errors import RaidtuiError
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.shell.locating import Locating
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.chooser import Chooser


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

    def chosen(shown: str | None) -> None:
        if not shown or machine is None:
            return
        try:
            search = page.world.search(disks[shown][0], machine, page.tui.units)
        except RaidtuiError as error:
            page.complain(str(error))
        else:
            page.app.push_screen(Locating(search))

    offers = [(shown, why) for shown, (_, why) in disks.items()]
    page.app.push_screen(Chooser("Which disk is to be found?", offers, column="Disk"), chosen)
