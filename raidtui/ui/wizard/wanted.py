"""What Confirm asks for: the disks of a plan, and how its job is started."""

from collections.abc import Callable, Sequence

from raidtui.backends.registry import backend
from raidtui.backends.units import find_unit
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import FORMER, Plan, PlannedDisk, Step
from raidtui.model.procedure import Procedure
from raidtui.model.struct import Record, to_json
from raidtui.model.text import harmless
from raidtui.ui.shell.world import World
from raidtui.ui.wizard.danger import SAFE, lost_with
from raidtui.ui.wizard.draft import Draft


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
    then: str = ""  # what it does then, a line for each step
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


def wanted_for(purpose: Purpose, machine: Machine, draft: Draft, world: World) -> Wanted:
    """Make the plan of ``purpose`` on this machine; raises the errors of the functions that do."""
    if (procedure := purpose.procedure) is not None:
        from raidtui.plan.care import make_care, title_of

        care = make_care(procedure, machine, seed=draft.seed)
        return Wanted(
            care.erased,
            care.fingerprint,
            lambda now, erase: world.start_care(
                care, now, procedure=procedure, erase=erase, accepted=draft.accepted
            ),
            title=harmless(title_of(procedure, care)),
            then=step_titles(care.steps),
            rehearsed=_if_rehearsed(care, world),
        )
    if purpose.teardown:
        from raidtui.plan.teardown import make_teardown

        away = make_teardown(purpose.teardown, machine, seed=draft.seed)
        unit = find_unit(purpose.teardown, machine)  # None for a single disk
        part = f"its part of {backend(away.spec.backend).noun} {harmless(away.spec.name)}"
        return Wanted(
            away.disks,
            away.fingerprint,
            lambda now, erase: world.start_teardown(away, now, array=purpose.teardown, erase=erase),
            then=step_titles(away.steps),
            rehearsed=_if_rehearsed(away, world),
            lost=part if unit is not None else "",
            also=lost_with(purpose.teardown, machine),
        )
    if not purpose.sweep:
        from raidtui.plan.build import make_plan

        plan = make_plan(draft.spec, machine, seed=draft.seed)
        return Wanted(
            plan.disks,
            plan.fingerprint,
            lambda now, erase: world.start_build(plan, now, erase=erase, accepted=draft.accepted),
            then=step_titles(plan.steps),
            rehearsed="" if world.in_lab else world.rehearsed(plan),
        )
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


def _if_rehearsed(plan: Plan, world: World) -> str:
    """How ``plan`` was rehearsed; empty if it was not, as not every plan of this kind can be."""
    from raidtui.model.rehearsal import NEVER

    words = "" if world.in_lab else world.rehearsed(plan)
    return "" if words == NEVER else words


def step_titles(steps: Sequence[Step]) -> str:
    """The titles of ``steps``, numbered, with a line above the first that destroys something."""
    first = next((number for number, step in enumerate(steps) if step.destroys), None)
    titles = [f"{number:>2} {step.title}" for number, step in enumerate(steps, 1)]
    return "\n".join([*titles[:first], SAFE, *titles[first:]] if first else titles)
