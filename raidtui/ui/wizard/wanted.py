"""What Confirm asks for: the disks of a plan, and how its job is started."""

from collections.abc import Callable, Sequence
from typing import Final

from raidtui.backends.registry import backend
from raidtui.backends.units import find_unit
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import FORMER, Plan, PlanKind, PlannedDisk, Step
from raidtui.model.procedure import Procedure, word_of
from raidtui.model.struct import Record, to_json
from raidtui.model.text import fold, harmless
from raidtui.ui.shell.world import World
from raidtui.ui.wizard.danger import SAFE, lost_with
from raidtui.ui.wizard.draft import Draft

_NUMBER: Final = 3  # cells before the title of a step


class Purpose(Record, frozen=True):
    """What is confirmed: one of these, or else the draft's array."""

    sweep: str = ""  # the name of a study
    quick: bool = False  # reduced
    teardown: str = ""  # the unit to remove
    procedure: Procedure | None = None


class Wanted(Record, frozen=True):
    """What to confirm: the disks, a mark that changes with any other part of the plan, and the function to start it."""

    disks: tuple[PlannedDisk, ...]
    mark: str
    start: Callable[[Machine, Sequence[str]], JobRequest]
    title: str = ""  # what it does, where it may erase no disk
    then: tuple[str, ...] = ()  # the titles of its steps
    rehearsed: str = ""  # whether this very plan was rehearsed; empty for what cannot be
    lost: str = ""  # lost with each of them
    also: str = ""  # lost with all of them together

    @property
    def former(self) -> int:
        """How many disks are former members of what is removed."""
        return sum(disk.role == FORMER for disk in self.disks)

    def lost_with(self, disk: PlannedDisk) -> str:
        """What is lost with ``disk``: its part, or an old copy of it."""
        return f"an old copy of {self.lost}" if disk.role == FORMER and self.lost else self.lost


def plan_of(purpose: Purpose, machine: Machine, draft: Draft) -> Plan:
    """Make the plan of a removal, of a procedure or else of the draft's array; raises the errors of that."""
    if purpose.procedure is not None:
        from raidtui.plan.care import make_care

        return make_care(purpose.procedure, machine, seed=draft.seed)
    if purpose.teardown:
        from raidtui.plan.teardown import make_teardown

        return make_teardown(purpose.teardown, machine, seed=draft.seed)
    from raidtui.plan.build import make_plan

    return make_plan(draft.spec, machine, seed=draft.seed)


def script_of(purpose: Purpose, plan: Plan) -> tuple[str, str]:
    """The default name of a file for the script of ``plan``, which is that of ``purpose``, and its text."""
    from raidtui.plan.script import as_script

    if (procedure := purpose.procedure) is not None:
        from raidtui.plan.care import title_of

        return f"{plan.file_stem}-{word_of(procedure)}.sh", as_script(plan, title_of(procedure, plan))
    return f"{plan.file_stem}{'-teardown' if purpose.teardown else ''}.sh", as_script(plan)


def also_lost(purpose: Purpose, machine: Machine) -> str:
    """What is lost besides the disks: the unit to remove."""
    return lost_with(purpose.teardown, machine) if purpose.teardown else ""


def wanted_for(purpose: Purpose, machine: Machine, draft: Draft, world: World) -> Wanted:
    """Make the plan of ``purpose`` on this machine; raises the errors of the functions that do."""
    if purpose.sweep:
        return _sweep(purpose, machine, draft, world)
    plan, array, procedure = plan_of(purpose, machine, draft), purpose.teardown, purpose.procedure
    title, lost = "", ""
    if procedure is not None:
        from raidtui.plan.care import title_of

        title = harmless(title_of(procedure, plan))
    elif array and find_unit(array, machine) is not None:  # none: a single disk
        lost = f"its part of {backend(plan.spec.backend).noun} {harmless(plan.spec.name)}"
    return Wanted(
        plan.erased,
        plan.fingerprint,
        lambda now, erase: world.start(
            plan, now, array=array, procedure=procedure, erase=erase, accepted=draft.accepted
        ),
        title=title,
        then=step_titles(plan.steps),
        rehearsed=_rehearsed(plan, world),
        lost=lost,
        also=also_lost(purpose, machine),
    )


def _sweep(purpose: Purpose, machine: Machine, draft: Draft, world: World) -> Wanted:
    from raidtui.sweep.prepare import preview, with_disks

    seen = preview(
        with_disks(purpose.sweep, draft.spec.members, quick=purpose.quick), machine, seed=draft.seed
    )
    return Wanted(
        seen.disks,
        to_json(seen.disks),
        lambda now, erase: world.start_sweep(
            seen, now, seed=draft.seed, erase=erase, accepted=draft.accepted
        ),
    )


def _rehearsed(plan: Plan, world: World) -> str:
    """How ``plan`` was rehearsed; of a build also that it was not: not every other plan can be."""
    from raidtui.model.rehearsal import NEVER

    words = "" if world.in_lab else world.rehearsed(plan)
    return "" if words == NEVER and plan.kind is not PlanKind.BUILD else words


def step_titles(steps: Sequence[Step]) -> tuple[str, ...]:
    """The titles of ``steps``, numbered, with a line above the first that destroys something."""
    first = next((number for number, step in enumerate(steps) if step.destroys), None)
    titles = tuple(f"{number:>{_NUMBER - 1}} {step.title}" for number, step in enumerate(steps, 1))
    return (*titles[:first], SAFE, *titles[first:]) if first else titles


def step_lines(titles: Sequence[str], width: int) -> list[str]:
    """``titles`` in lines of at most ``width`` cells, the further ones of a title indented as its first word is."""
    return [line for title in titles for line in fold(harmless(title), width, then=" " * _NUMBER)]
