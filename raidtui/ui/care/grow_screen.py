"""Grow: what a unit can become with the disks that are free, and what is never done to it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, spelled
from raidtui.model.units import both, decimal
from raidtui.ui.care import unit_styles
from raidtui.ui.care.units_list import UnitsList
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.widgets.chooser import Chooser
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.procedure import words_of

if TYPE_CHECKING:
    from raidtui.advice.growths import Growth
    from raidtui.model.procedure import Grow


class GrowScreen(UnitsList):
    """One line for today and for each shape that it can take; the explanation is about the highlighted one."""

    COLUMNS = (
        Column("Change", 16),
        Column("Then", 14),
        Column("Usable", 8, right=True),
        Column("", 1),
        Column("Survives", 8),
        Column("Takes", 12, share=1),
    )
    HEADING = 1
    CSS = """
    GrowScreen #header { display: block; }
    """
    TITLE = "Grow"
    HELP = """
    What this unit can become. Usable is its size then, to the byte below the list. Survives counts the disks that can
    fail, whichever they are. Takes is the time with the check at the end, on disks that do nothing else. The unit can
    be used meanwhile, which makes that longer.

    Enter shows the plan of the highlighted line; nothing is written before you confirm it. The last lines are never
    done, each with its reason: it was measured that they lose data, or they have not been measured.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "plan", "Plan", tooltip="Show the plan of this line; nothing is written yet"),
    ]

    def __init__(self, unit: str = "") -> None:
        """``unit``: its UUID."""
        super().__init__()
        self._uuid = unit
        self._growths: dict[str, Growth] = {}
        self._why = ""
        self._explanation = Content("Reading this computer...")

    def look(self, machine: Machine) -> None:
        from raidtui.advice.growths import table_of

        self._growths, self._why = {}, "It is not there any more. Esc goes back."
        unit = next((one for one in self.tui.units if one.uuid == self._uuid), None)
        if unit is not None:
            self.head(f"Grow {unit_styles.called(unit)}: {harmless(unit.health)}")
            try:
                self._growths = {one.shape.change: one for one in table_of(unit, machine).rows}
            except Refused as error:
                self._why = f"{str(error)[:1].upper()}{str(error)[1:]}."
        # Enter does nothing on today: begin on the first shape that can be reached.
        reachable = (key for key, one in self._growths.items() if one.shape.procedure is not None)
        first = "" if self.table.key in self._growths else next(reachable, "")
        self.table.show([_row(key, one) for key, one in self._growths.items()], highlight=first)
        self.shown_now()

    @while_there
    def on_rows_moved(self) -> None:
        self.explain_row()
        self.refresh_bindings()

    @property
    def _growth(self) -> "Growth | None":
        return self._growths.get(self.table.key)

    def explain_row(self) -> None:
        from raidtui.advice.growths import about_lines, shape_words

        growth = self._growth
        if growth is None:
            self.explain(Content(harmless(self._why)))
            return
        shape = growth.shape
        lines = [harmless(f"{line[:1].upper()}{line[1:]}.") for line in about_lines(growth)]
        if not shape.refused:
            lines.insert(0, f"{shape_words(shape)}: {shape.unit_bytes:,} bytes, {both(shape.unit_bytes)}.")
        if shape.add:
            lines.insert(1, harmless(f"With {', '.join(shape.add)}."))
        self.explain(Content("\n".join(lines)))

    # The keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "plan":
            return self._growth is not None and self._growth.shape.procedure is not None
        return super().check_action(action, parameters)

    def action_plan(self) -> None:
        """Show the plan; if one disk joins and several would fit, choose it first."""
        growth = self._growth
        order = growth.shape.procedure if growth is not None else None
        if growth is None or order is None:
            return
        if len(order.add) == 1 and len(growth.shape.fits) > 1:
            self._choose(order, growth.shape.fits)
        else:
            self.tui.go("procedure", **words_of(order))

    def _choose(self, order: "Grow", fits: Sequence[str]) -> None:
        machine = self.tui.machine
        if machine is None:
            return
        disks = {disk.identity: disk for disk in machine.disks}
        offers = {
            harmless(one): harmless(
                f"{decimal(disks[one].size_bytes)}, {disks[one].model or 'model unknown'}"
            )
            for one in fits
            if one in disks
        }
        known = {harmless(one): one for one in fits}

        def chosen(shown: str | None) -> None:
            if shown:
                self.tui.go("procedure", **words_of(replace(order, add=(known[shown],))))

        self.app.push_screen(Chooser("Which disk joins?", list(offers.items()), column="Disk"), chosen)


def _row(key: str, growth: "Growth") -> Row:
    from raidtui.advice.growths import shape_words, survives_words, time_words

    shape = growth.shape
    if shape.refused:
        return Row(key, (spelled(shape.change), harmless(shape.refused)), ("$text-muted", "$text-muted"))
    takes = time_words(growth) or ("needs larger disks" if shape.needs else "")
    styles = ("bold" if shape.procedure is not None else "", *[""] * 5)
    cells = (
        spelled(shape.change),
        shape_words(shape),
        decimal(shape.unit_bytes),
        "",
        survives_words(shape),
        takes,
    )
    return Row(key, cells, styles)
