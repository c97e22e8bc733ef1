"""Teardown: the plan that removes a unit, before anything is written."""

from textual.content import Content

from raidtui.model.plan import Plan
from raidtui.ui.shell import explained
from raidtui.ui.shell.whose import called
from raidtui.ui.widgets.rail import REMOVAL
from raidtui.ui.wizard.danger import removal
from raidtui.ui.wizard.review import ReviewScreen
from raidtui.ui.wizard.wanted import Purpose


class TeardownScreen(ReviewScreen):
    """Shows the plan of a teardown as Review shows that of a build."""

    STEP = "remove"
    STEPS = REMOVAL
    TITLE = "Remove"
    HELP = explained.for_screen(explained.REMOVAL)

    def __init__(self, array: str = "") -> None:
        """``array``: the UUID of the unit, or the identity of a single disk."""
        super().__init__()
        self._array = array

    @property
    def purpose(self) -> Purpose:
        return Purpose(teardown=self._array)

    def headline(self, plan: Plan) -> str:
        return removal(plan, called(self.world))

    def refusal(self, why: str) -> Content:
        return Content.assemble(("Cannot remove it: ", "bold $text-error"), why, "\n\nPress Esc to go back.")

    def confirm(self) -> None:
        self.tui.go("confirm", teardown=self._array)
