"""The plan of a procedure, before anything is written."""

from textual.content import Content

from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Procedure
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.text import harmless
from raidtui.ui.shell import explained
from raidtui.ui.shell.whose import called
from raidtui.ui.widgets.rail import CARE
from raidtui.ui.wizard.review import ReviewScreen
from raidtui.ui.wizard.wanted import Purpose


class ProcedureScreen(ReviewScreen):
    """Shows the plan of any procedure as Review shows that of a build."""

    STEP = "plan"
    STEPS = CARE
    TITLE = "The plan"
    HELP = explained.for_screen(explained.PROCEDURE)

    def __init__(self, order: str = "") -> None:
        """``order``: the procedure, as `words_of` writes it."""
        super().__init__()
        self._words = order
        self._read_again = False

    @property
    def purpose(self) -> Purpose:
        return Purpose(procedure=procedure_of(self._words))

    def machine_changed(self, machine: Machine) -> None:
        super().machine_changed(machine)
        if self._plan is None and not self._read_again:
            # What stands against it may have ended since the reading: a sync.
            self._read_again = True
            self.tui.read_machine()

    def headline(self, plan: Plan) -> str:
        from raidtui.plan.care import title_of

        title = harmless(title_of(procedure_of(self._words), plan))
        return self.with_time(f"{title} on {called(self.world)}")

    def refusal(self, why: str) -> Content:
        return Content.assemble(
            ("This cannot be done now: ", "bold $text-error"), harmless(why), "\n\nPress Esc to go back."
        )

    def confirm(self) -> None:
        self.tui.go("confirm", order=self._words)


class _Order(Record, frozen=True, kw_only=True):
    procedure: Procedure


def words_of(procedure: Procedure) -> dict[str, str]:
    return {"order": to_json(_Order(procedure=procedure), pretty=False)}


def procedure_of(order: str) -> Procedure:
    """The procedure in the words of a place. Raises BadInput: there is none."""
    if not order:
        raise BadInput("nothing was chosen: choose it on Care")
    return from_json(order, _Order, origin="the order").procedure
