"""Teardown: what taking an array away does, step by step, before anything has happened."""

from typing import ClassVar

from textual.content import Content

from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.text import harmless
from raidtui.ui.screens.review import ReviewScreen


class TeardownScreen(ReviewScreen):
    """The plan of a teardown, as Review shows that of a build."""

    STEP = ""
    TITLE = "Take an array away"
    HELP = """
    Nothing has happened yet. These are the steps that take the array away and leave its disks blank: it is unmounted
    and stopped, its metadata is erased from every member, and what would bring it back after a reboot is taken out
    of mdadm.conf and fstab. What is stored on it is gone then. On the next screen every disk is named by its serial
    number.

    c shows the exact commands. What the fixes of an earlier plan set right is about this computer and stays.
    """
    SAVES: ClassVar[bool] = False

    def __init__(self, array: str = "") -> None:
        """``array``: its UUID; of one disk alone its identity."""
        super().__init__()
        self._array = array

    def derive(self, machine: Machine) -> Plan:
        from raidtui.plan.teardown import make_teardown

        return make_teardown(self._array, machine, seed=self.tui.draft.seed)

    def headline(self, plan: Plan) -> str:
        return (
            f"Take {harmless(plan.spec.name)} away: {len(plan.steps)} steps, all that is stored on it is lost"
        )

    def refusal(self, why: str) -> Content:
        return Content.assemble(
            ("It cannot be taken away here: ", "bold $text-error"), why, "\n\nEsc leads back."
        )

    def confirm(self) -> None:
        self.tui.go("confirm", teardown=self._array)
