"""What all questions share: the computer, the answers so far, and how to ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.commands._look import Look, look_at
from raidtui.commands.plain.asking import Asking
from raidtui.commands.terminal.pace import Pace
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Unit
from raidtui.ui.shell.explained import in_words
from raidtui.ui.shell.whose import access_words, called
from raidtui.ui.shell.world import Access, World
from raidtui.ui.wizard.draft import Draft, new_draft, taken_names


@dataclass
class Session:
    """One run of the wizard in plain lines."""

    asking: Asking
    world: World
    pace: Pace
    look: Look
    draft: Draft
    code: int = 0  # exit code of the last job, or refusal

    @property
    def machine(self) -> Machine:
        """The last reading of the computer."""
        return self.look.machine

    @property
    def place(self) -> str:
        """The computer, and how it was reached: ``nas-keller (root, ssh)``."""
        return f"{called(self.world)} ({', '.join(access_words(self.world))})"

    def choose_unit(self, question: str, units: Sequence[Unit], page: str) -> Unit:
        """Ask for one of ``units``; ``page``: the help of the question."""
        states = (", ".join(filter(None, (spelled(unit.level), unit.state))) for unit in units)
        items = [harmless(f"{unit.shown}: {state}") for unit, state in zip(units, states, strict=True)]
        return units[self.asking.choose(question, items, explain=lambda: in_words(page))]

    def read(self) -> None:
        """Read the computer again; raises the errors of that."""
        self.look = read(self.world)

    def fresh_draft(self) -> None:
        """Begin another array, with a free name."""
        self.draft = new_draft(taken_names(self.machine, self.look.units) | {self.draft.spec.name})


def read(world: World) -> Look:
    """Read the computer behind ``world``, and judge it."""
    return look_at(world.machine(), recorded=world.access is Access.RECORDED)
