"""Teardown: the plan that removes a unit, before anything is written."""

from typing import ClassVar

from textual.content import Content

from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.ui.shell import explained
from raidtui.ui.shell.whose import called
from raidtui.ui.widgets.rail import REMOVAL
from raidtui.ui.wizard.danger import lost_with, removal
from raidtui.ui.wizard.rehearsed_words import order_to_rehearse
from raidtui.ui.wizard.review import ReviewScreen
from raidtui.ui.wizard.wanted import Purpose


class TeardownScreen(ReviewScreen):
    """Shows the plan of a teardown as Review shows that of a build."""

    STEP = "remove"
    STEPS = REMOVAL
    TITLE = "Remove"
    HELP = explained.for_screen(explained.REMOVAL)
    SAVES: ClassVar[bool] = False

    def __init__(self, array: str = "") -> None:
        """``array``: the UUID of the unit, or the identity of a single disk."""
        super().__init__()
        self._array = array

    def derive(self, machine: Machine) -> Plan:
        from raidtui.plan.teardown import make_teardown

        return make_teardown(self._array, machine, seed=self.tui.draft.seed)

    def to_rehearse(self) -> JobRequest:
        return order_to_rehearse(Purpose(teardown=self._array), self.tui.draft)

    def headline(self, plan: Plan) -> str:
        return removal(plan, called(self.world))

    def also_lost(self, plan: Plan, machine: Machine) -> str:
        return lost_with(self._array, machine)

    def refusal(self, why: str) -> Content:
        return Content.assemble(("Cannot remove it: ", "bold $text-error"), why, "\n\nPress Esc to go back.")

    def confirm(self) -> None:
        self.tui.go("confirm", teardown=self._array)
