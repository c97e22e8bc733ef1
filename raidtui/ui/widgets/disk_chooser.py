"""A dialog to choose disks from a list."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from raidtui.machine.attachment import attachment
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless
from raidtui.model.units import decimal
from raidtui.ui.shell.lifecycle import later
from raidtui.ui.shell.modal import Over
from raidtui.ui.widgets.rows import Column, Row, Rows
from raidtui.ui.wizard import disk_words
from raidtui.ui.wizard.disk_columns import place_column

_COLUMNS = (
    Column("Disk", 7),
    Column("Model", 10, share=1),
    Column("Serial", 12, share=1, keep_end=True),
    Column("Size", 7, right=True),
    Column("State", 10, share=3),
)
_MOST_ROWS = 12
_NONE = "No disk can be chosen: all are in use. d on the Overview shows by what, and how to free them."


class DiskChooser(Over[tuple[str, ...]]):
    """Lists every disk that can be chosen; the answer is the names of the chosen disks, or None if canceled."""

    HELP = """
    The disks of this computer that are not in use. Space marks or unmarks one; Enter chooses the marked disks.
    Nothing is written yet: you confirm each disk by its serial number before anything is erased.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("space", "choose", "Choose", tooltip="Choose the disk, or clear it"),
        Binding("a", "all", "All free", tooltip="Choose every free disk"),
        Binding("enter", "take", "Next", tooltip="Use the marked disks"),
    ]

    def __init__(self, title: str, machine: Machine, chosen: Sequence[str]) -> None:
        """``chosen`` are the names of the disks that are marked at first."""
        super().__init__()
        self._title, self._machine = title, machine
        self._disks = {
            word: disk
            for disk in machine.disks
            if not disk_words.why_not(disk, machine) and (word := disk_words.spec_name(disk, machine))
        }
        self._chosen = [word for word in chosen if word in self._disks]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog disks") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("Space chooses, a all free, Enter next, Esc cancels")
            yield Rows((place_column(len(self._disks)), *_COLUMNS))
            yield Static(id="meaning")

    def on_mount(self) -> None:
        # Filled after the first layout, which sets the widths of the columns.
        later(self, self._fill)

    def _fill(self) -> None:
        table = self.query_one(Rows)
        table.styles.height = min(_MOST_ROWS, len(self._disks) + 2)
        self._show()
        table.focus_list()

    def _show(self) -> None:
        self.query_one(Rows).show([self._row(word, disk) for word, disk in self._disks.items()])
        total = decimal(sum(self._disks[word].size_bytes for word in self._chosen))
        text = f"{len(self._chosen)} chosen, {total}" if self._chosen else "None chosen"
        self.query_one("#meaning", Static).update(text if self._disks else _NONE)

    def _row(self, word: str, disk: Disk) -> Row:
        mark = f"[{self._chosen.index(word) + 1}]" if word in self._chosen else "[ ]"
        state, style = disk_words.state(disk, self._machine)
        model = " ".join(filter(None, (attachment(disk), harmless(disk.model))))
        cells = (mark, disk.name, model, harmless(disk.serial), disk_words.size(disk), state)
        return Row(word, cells, ("", "", "", "", "", style))

    def action_choose(self) -> None:
        table = self.query_one(Rows)
        word = table.key
        if word in self._chosen:
            self._chosen.remove(word)
        elif word:
            self._chosen.append(word)
        self._show()
        table.step_down()

    def action_all(self) -> None:
        free = [word for word, disk in self._disks.items() if disk.free and not attachment(disk)]
        self._chosen += [word for word in free if word not in self._chosen]
        self._show()

    def action_take(self) -> None:
        if self._chosen:
            self.dismiss(tuple(self._chosen))
        else:
            self.query_one("#meaning", Static).update(
                "Choose at least one disk with Space" if self._disks else _NONE
            )
