"""Teardown: the plan that removes a unit, before anything is written."""

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.text import harmless
from raidtui.ui.shell.whose import called
from raidtui.ui.widgets.rail import REMOVAL
from raidtui.ui.wizard.danger import with_contents
from raidtui.ui.wizard.review import ReviewScreen


class TeardownScreen(ReviewScreen):
    """Shows the plan of a teardown as Review shows that of a build."""

    STEP = "remove"
    TITLE = "Remove"
    HELP = """
    Nothing has been written yet. These steps remove what was built and leave its disks free. They unmount and stop
    it, erase the metadata on every member, and remove its lines from the files in /etc. Everything stored on it will
    be lost, though it is not overwritten. The next screen asks for the serial number of every disk.

    c shows the exact commands. Fixes that an earlier plan made belong to this computer and stay.
    """
    SAVES: ClassVar[bool] = False

    def __init__(self, array: str = "") -> None:
        """``array``: the UUID of the unit, or the identity of a single disk."""
        super().__init__()
        self._array = array

    @property
    def steps(self) -> Sequence[str]:
        return REMOVAL

    def derive(self, machine: Machine) -> Plan:
        from raidtui.plan.teardown import make_teardown

        return make_teardown(self._array, machine, seed=self.tui.draft.seed)

    def to_rehearse(self) -> JobRequest:
        from raidtui.jobs.rehearsed import order_of

        return order_of(array=self._array, seed=self.tui.draft.seed)

    def headline(self, plan: Plan) -> str:
        from raidtui.backends.registry import backend

        noun = backend(plan.spec.backend).noun
        return f"Remove {noun} {harmless(plan.spec.name)} on {called(self.world)}: everything on it is lost"

    def also_lost(self, plan: Plan, machine: Machine) -> str:
        from raidtui.backends.units import find_unit

        unit = find_unit(self._array, machine)  # None for a single disk
        return with_contents(unit) if unit is not None else ""

    def refusal(self, why: str) -> Content:
        return Content.assemble(("Cannot remove it: ", "bold $text-error"), why, "\n\nPress Esc to go back.")

    def confirm(self) -> None:
        self.tui.go("confirm", teardown=self._array)
