"""Break a virtual disk of the lab, to see what its array does: two lists, what happens and to which disk."""

from raidtui.model.faults import FAULTS
from raidtui.model.text import harmless
from raidtui.model.units import decimal
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.chooser import Chooser
from raidtui.ui.wizard.disk_words import obstacles, state


class BreakIt(Chooser):
    """A list of the dialog."""

    HELP = """
    The disks of the lab are virtual: break them, and see what the array, 'What to do' and a replacement do. Nothing
    outside the lab is touched. In a shell of the lab, 'lab pull LAB-0002' does the same; 'lab --help' lists the rest.

    A slow disk and one with bad sectors leave their array for a moment, as if they were pulled and plugged in again.
    """


def break_it(page: Page) -> None:
    """Ask what happens to which disk, and do it."""
    words = {fault.title: word for word, fault in FAULTS.items()}

    def what(title: str) -> None:
        word = words[title]
        if FAULTS[word].needs_disk:
            dialog = BreakIt(title, _disks(page), column="Disk")
            page.ask_for(dialog, lambda disk: _order(page, word, disk))
        else:
            _order(page, word, "")

    faults = [(fault.title, fault.text) for fault in FAULTS.values()]
    page.ask_for(BreakIt("Break it", faults, column="Fault"), what)


def _disks(page: Page) -> list[tuple[str, str]]:
    """The disks with what uses them, those in use first: to break a free one shows nothing."""
    machine = page.tui.machine
    if machine is None:
        return []
    here = [one for one in machine.disks if one.serial.startswith("LAB-") and page.world.is_there(one)]
    return [
        (
            disk.serial,
            f"{harmless(disk.path)}, {decimal(disk.size_bytes)}, {state(disk, machine)[0].partition(' (')[0]}",
        )
        for disk in sorted(here, key=lambda one: not obstacles(one))
    ]


def _order(page: Page, word: str, disk: str) -> None:
    page.order(lambda: page.world.break_disk(word, disk), page.say)
