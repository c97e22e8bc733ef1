"""Replace: the plan that replaces a disk, before anything is written."""

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Replace
from raidtui.model.text import harmless
from raidtui.ui.shell.where import called
from raidtui.ui.widgets.rail import REPLACING
from raidtui.ui.wizard.review import ReviewScreen


class ReplaceScreen(ReviewScreen):
    """Shows the plan of a replacement as Review shows that of a build."""

    STEP = "replace"
    TITLE = "Replace a disk"
    HELP = """
    Nothing has been written yet. These steps bring a new disk into every array that the old one is or was in. A disk
    that still works is copied and stays a member until then, so redundancy does not drop. A disk that is gone is
    rebuilt from the others. The last steps check that every array has full redundancy, and erase the superblock of
    the old disk. Only the new disk is erased; the next screen asks for its serial number.

    Read the HIGH hazards and accept each with Space. c shows the exact commands. Leave the old disk connected
    until the job is done, if it still answers: it is a copy.
    """
    SAVES: ClassVar[bool] = False

    def __init__(self, old: str = "", new: str = "", missing: str = "") -> None:
        """For the arguments see `order_of`."""
        super().__init__()
        self._about = {"old": old, "new": new, "missing": missing}

    @property
    def steps(self) -> Sequence[str]:
        return REPLACING

    def derive(self, machine: Machine) -> Plan:
        from raidtui.plan.replace import make_replace

        return make_replace(order_of(**self._about), machine, seed=self.tui.draft.seed)

    def headline(self, plan: Plan) -> str:
        order = order_of(**self._about)
        old = harmless(order.old) or "the missing disk"
        name = harmless(plan.spec.name)
        return self.with_time(f"Replace {old} of {name} with {harmless(order.new)} on {called(self.world)}")

    def refusal(self, why: str) -> Content:
        return Content.assemble(("Cannot replace it: ", "bold $text-error"), why, "\n\nPress Esc to go back.")

    def confirm(self) -> None:
        self.tui.go("confirm", **self._about)


def order_of(old: str, new: str, missing: str) -> Replace:
    """The order in the words of a place: identities, and the UUIDs of the units that lack the old disk, with commas."""
    return Replace(old=old, new=new, missing_from=tuple(filter(None, missing.split(","))))


def words_of(order: Replace) -> dict[str, str]:
    """``order`` in the words of a place."""
    return {"old": order.old, "new": order.new, "missing": ",".join(order.missing_from)}
