"""Grow: what a unit can become with the disks that are free, and what is never done to it."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, spelled
from raidtui.model.units import both
from raidtui.ui.care import unit_styles
from raidtui.ui.care.unit_offers import joining
from raidtui.ui.care.units_list import UnitsList
from raidtui.ui.shell import explained
from raidtui.ui.widgets.chooser import Chooser
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.procedure import words_of

if TYPE_CHECKING:
    from raidtui.advice.growths import Growth


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
    LIST_SHARE = 0.6  # as the style says
    CSS = """
    GrowScreen #header { display: block; }
    GrowScreen.-wide #detail { width: 40%; }
    """
    TITLE = "Grow"
    HELP = explained.for_screen(explained.GROW)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "plan", "Plan", tooltip="Show the plan of this line; nothing is written yet"),
    ]

    def __init__(self, unit: str = "") -> None:
        """``unit``: its UUID."""
        super().__init__()
        self._uuid = unit
        self._growths: dict[str, Growth] = {}
        self._why = ""

    def look(self, machine: Machine) -> None:
        from raidtui.advice.growths import table_of

        self._growths, self._why = {}, "It is not there any more. Esc goes back."
        unit = next((one for one in self.tui.units if one.uuid == self._uuid), None)
        if unit is not None:
            self.head(
                f"Grow {unit_styles.called(unit)}, which is {harmless(unit.health)}: choose what it becomes"
            )
            try:
                self._growths = {one.shape.change: one for one in table_of(unit, machine).rows}
            except Refused as error:
                self._why = f"{str(error)[:1].upper()}{str(error)[1:]}."
        # Enter does nothing on today: begin on the first shape that can be reached, and is worth it.
        reachable = (
            key
            for key, one in self._growths.items()
            if one.shape.procedure is not None and not one.shape.reserve_bytes
        )
        first = "" if self.table.key in self._growths else next(reachable, "")
        self.table.show([_row(key, one) for key, one in self._growths.items()], highlight=first)
        self.shown_now()

    @property
    def _growth(self) -> "Growth | None":
        return self._growths.get(self.table.key)

    def explain_row(self) -> None:
        from raidtui.advice.growths import sentences_about, shape_words

        growth = self._growth
        if growth is None:
            self.explain(Content(harmless(self._why)))
            return
        shape = growth.shape
        lines = [harmless(line) for line in sentences_about(growth)]
        if not shape.refused:
            lines.insert(0, f"{shape_words(shape)}: {shape.unit_bytes:,} bytes, {both(shape.unit_bytes)}.")
        if shape.add:
            lines.insert(1, harmless(f"With {', '.join(shape.add)}."))
        self.explain(Content("\n".join(lines)))

    def beneath(self, room: int) -> Content:
        """Its members, and all disks."""
        from raidtui.ui.care.overview_disks import unit_page

        unit = next((one for one in self.tui.units if one.uuid == self._uuid), None)
        plan = self.plan_ahead(self._growth.shape.procedure if self._growth is not None else None)
        return unit_page(unit, self.tui.units, self.tui.machine, plan, width=self.beneath_width, room=room)

    # The keys.

    def allowed(self) -> dict[str, bool]:
        return {"plan": self._growth is not None and self._growth.shape.procedure is not None}

    def action_plan(self) -> None:
        """Show the plan; if one disk joins and several would fit, choose it first."""
        growth = self._growth
        order = growth.shape.procedure if growth is not None else None
        if growth is None or order is None:
            return
        machine = self.tui.machine
        offers = joining(growth, machine) if machine is not None else {}
        if not offers:
            self.tui.go("procedure", **words_of(order))
            return
        known = {harmless(one): one for one in offers}

        choices = [(harmless(one), about) for one, about in offers.items()]
        self.ask_for(
            Chooser("Which disk joins?", choices, column="Disk"),
            lambda shown: self.tui.go("procedure", **words_of(replace(order, add=(known[shown],)))),
        )


def _short(needs: str) -> str:
    """What is lacking, for the column; how to get it stands in the sentences beside the table."""
    return needs.partition(":")[0].partition(" (")[0].removesuffix(" or more")


def _row(key: str, growth: "Growth") -> Row:
    from raidtui.advice.growths import shape_words, size_words, survives_words, time_words

    shape = growth.shape
    if shape.refused:
        why = harmless(shape.refused)
        if not why.startswith("not "):
            why = f"not done: {why}"  # or "it lost data" reads as if it had happened
        return Row(key, (spelled(shape.change), why), ("$text-muted", "$text-muted"))
    takes = _short(harmless(shape.needs)) if shape.needs else time_words(growth)
    styles = ("bold" if shape.procedure is not None else "", *[""] * 5)
    cells = (
        spelled(shape.change),
        shape_words(shape),
        size_words(shape),
        "",
        survives_words(shape),
        takes,
    )
    return Row(key, cells, styles)
