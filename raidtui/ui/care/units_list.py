"""A list that follows the units and the reading of this computer: findings, or the scrubs of each unit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual.content import Content

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.widgets.rail import CARE
from raidtui.ui.widgets.rows import Rows

if TYPE_CHECKING:
    from raidtui.model.procedure import Procedure

_UNIT_SECONDS: Final = 1.0  # between checks whether the poll interval of units has passed
_MOST_ROWS: Final = 0.45  # of the height, for the list; what is known about the highlighted row has the rest


class UnitsList(ListPage):
    """Calls `look` on every change, once both the units and the computer have been read."""

    STEP = "care"
    STEPS = CARE
    LIST_SHARE = 0.5
    HEADING: ClassVar[int] = 0  # lines above the rows
    READY_AT_ONCE = False
    CSS_PATH = "units_list.tcss"

    def __init__(self) -> None:
        super().__init__()
        self._explanation = Content("Reading this computer...")
        self._planned: tuple[Procedure, Machine, Sequence[str]] | None = None

    def plan_ahead(self, procedure: "Procedure | None") -> list[Content]:
        """The steps of the plan that Enter shows, under a title; nothing without a procedure."""
        from raidtui.ui.wizard.wanted import step_lines

        machine = self.tui.machine
        if procedure is None or machine is None:
            return []
        known = self._planned
        if known is None or known[0] != procedure or known[1] is not machine:
            known = self._planned = procedure, machine, _steps(procedure, machine, self.tui.draft.seed)
        lines = map(Content, step_lines(known[2], self.beneath_width))
        return [Content.assemble(("The plan", "bold $text-primary")), *lines]

    def look(self, machine: Machine) -> None:
        """Called on every change: show what there is now, and call `shown_now`."""

    def explain_row(self) -> None:
        """Called when another row is highlighted, or what is known about it has changed."""

    def on_mount(self) -> None:
        super().on_mount()
        later(self, lambda: self.watch(self.app, "units_known", self._look))
        self.set_interval(_UNIT_SECONDS, lambda: self.tui.look_at_units())

    def machine_changed(self, machine: Machine) -> None:
        self._look()

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        self._look()

    def on_resize(self) -> None:
        self._look()

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        self.explain_row()
        self.refresh_bindings()

    def _look(self) -> None:
        machine = self.tui.machine
        if machine is not None and self.tui.units_known:
            self.look(machine)

    def shown_now(self, *, alone: bool = False) -> None:
        """Fit the list, which is filled now; ``alone``: nothing is known about its rows that needs room."""
        most = self.size.height - 2 if alone else int(self.size.height * _MOST_ROWS)
        self.table.styles.height = (
            None if self.is_wide else min(most, self.HEADING + max(1, self.table.lines))
        )
        self.explain_row()
        if not self.ready:
            self.ready = True
            self.table.focus_list()
        self.refresh_bindings()


def _steps(procedure: "Procedure", machine: Machine, seed: str) -> Sequence[str]:
    """The steps of a plan, or why there is none now."""
    from raidtui.plan.care import make_care
    from raidtui.ui.wizard.wanted import step_titles

    try:
        return step_titles(make_care(procedure, machine, seed=seed).steps)
    except RaidtuiError as error:
        return [f"It cannot be done now: {error}."]
