"""The texts of the Build screen: progress of the steps, what was built, and what to do next. Pure."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from textual.content import Content

from raidtui.backends.registry import backend
from raidtui.jobs.progress import last_run
from raidtui.model.journal import Entry, Event, JobKind, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Grow
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import Health, Unit
from raidtui.model.units import both, duration
from raidtui.plan.words import command_line, replaced_disk
from raidtui.ui.care.step_progress import progress
from raidtui.ui.care.step_words import current_step
from raidtui.ui.care.unit_styles import BAD, style_of
from raidtui.ui.shell import clock
from raidtui.ui.widgets.bars import percent_bar


def running(
    plan: Plan,
    entries: Sequence[Entry],
    known: Mapping[str, float],
    unit: Unit | None,
    *,
    width: int,
    lasted: float = 0.0,
) -> list[Content]:
    """A bar over all steps, the current step, and when they end.

    Args:
        known: seconds of each step in an earlier job.
        unit: the unit that the plan creates, if it already exists: a step may take as long as its initialization.
        lasted: how far that was when it was read last in this step: the step ends a moment after it.
    """
    far = progress(plan, entries, Outcome.RUNNING, known, max(lasted, fraction_of(unit)))
    lines = [Content.assemble((percent_bar(min(0.99, far.share), width), "$primary"))]
    at = current_step(last_run(entries))
    step = next((one for one in plan.steps if one.id == at), None)
    if step is not None:
        begun = next(e.at for e in reversed(entries) if e.step == step.id and e.event is Event.STEP)
        doing = "Undoing" if far.undoing else "Now"
        lines.append(
            Content.assemble((f"{doing}: {step.title}", "bold"), f", {duration(clock.since(begun))}")
        )
    if far.undoing:
        where = f"{far.left_steps} step{'s'[: far.left_steps != 1]} to undo"
    elif not far.number:
        where = f"Starting: {far.count} steps"
        if len(f"{where}, {far.words}") > width:
            where = f"{far.count} steps"
    else:
        where = f"Step {far.number} of {far.count}"
    lines.append(Content(f"{where}, {far.words}"))
    return lines


def fraction_of(unit: Unit | None) -> float:
    """How far it is with what it does, 0 to 1."""
    return unit.activity.fraction if unit is not None and unit.activity is not None else 0.0


def as_before(unit: Unit, running: Unit) -> Unit:
    """A paused unit with its progress from before the pause, which md does not report any more.

    Args:
        running: the last reading of the same unit in which it was not paused.
    """
    now, before = unit.activity, running.activity
    if now is None or not now.paused or now.fraction or before is None:
        return unit
    filled = {member.path: member.filled for member in running.members if member.path}
    members = (replace(one, filled=filled.get(one.path, one.filled)) for one in unit.members)
    return replace(unit, activity=replace(before, paused=True, waiting=""), members=tuple(members))


def ended(
    job: JobState, plan: Plan, unit: Unit | None, *, built: bool, gone: bool, machine: Machine | None
) -> Content:
    """The result of a job; empty while it runs, and if it failed: then its step shows the error.

    Args:
        unit: the current reading of what was built; None if it is not there.
        built: whether all steps of a build are done.
        gone: whether the unit was there once, and is not any more.
        machine: where the old disk of a replacement is; None if it was not read.
    """
    name, place = harmless(plan.spec.name), plan.spec.filesystem.mountpoint
    if job.outcome is Outcome.DONE and job.request.kind is JobKind.TEARDOWN:
        return Content.assemble(
            ("Done: ", "bold $text-success"),
            f"{name} is removed and its disks are free (not overwritten). Esc goes back.",
        )
    if job.outcome is Outcome.DONE and job.request.kind.is_care:
        old = harmless(replaced_disk(plan, machine))
        leaves = f" {old} may leave the computer." if old else ""
        names = "" if unit is None else f" {harmless(unit.name)}: {harmless(unit.state)}."
        style = style_of(unit) if unit is not None else ""
        proof = (
            "it has grown, and every step was verified"
            if isinstance(job.request.procedure, Grow)
            else "full redundancy again"
            if any(step.id == "prove" for step in plan.steps)
            else "every step was verified"
        )
        return Content.assemble(
            ("Done: ", "bold $text-success"),
            f"{proof}.",
            (names, style),
            f"{leaves} Enter shows what is left to do.",
        )
    if job.outcome is Outcome.ROLLED_BACK:
        return Content.assemble(("Rolled back: ", "bold"), harmless(job.sentence) or "every step was undone")
    if not built:
        return Content("")
    if gone:
        return Content.assemble((f"{name} has been stopped. ", BAD), _started_again(plan))
    where = f", mounted at {harmless(place)}" if place and plan.spec.filesystem.type != "none" else ""
    made = f"{name}, {_shape(plan)}, {both(plan.array_bytes)}{where}"
    if unit is not None and unit.health is Health.FAILED:
        return Content.assemble(
            ("Do not write to its disks now. ", BAD),
            f"{made}. Enter shows what can still be tried.",
        )
    return Content.assemble(("Done: ", "bold $text-success"), made)


def _started_again(plan: Plan) -> str:
    """How to activate the unit again, from the plan that built it."""
    commands = [command_line(command) for step in plan.steps for command in step.activate]
    start = f": '{harmless(' && '.join(commands))}' starts it again." if commands else "."
    return f"Its members are intact{start}"


def _shape(plan: Plan) -> str:
    """The result of a plan: "RAID5 of 4 disks", "volume group, raid5 of 4 disks"."""
    spec = plan.spec
    if spec.alone:
        return "single disk"
    known = backend(spec.backend)
    level = known.levels.get(spec.level)
    shown = level.shown if level is not None else ""
    return f"{shown or f'{known.noun}, {spelled(spec.level)}'} of {len(spec.members)} disks"


def following(plan: Plan, unit: Unit | None, *, unwatched: bool = False) -> Content:
    """What to do next with what was built.

    Args:
        unit: its current reading.
        unwatched: no proven alert watches it.
    """
    files = plan.spec.filesystem
    place = harmless(files.mountpoint if files.type != "none" else plan.array_path)
    doing = unit.activity if unit is not None else None
    if doing is not None and doing.paused:
        what = f"p resumes the {doing.what}; {place} can be used meanwhile."
    elif doing is not None:
        lasts = "" if doing.is_scrub else ", also after a reboot"
        what = (
            f"{place} can be used now; the {doing.what} continues{lasts}. "
            "Enter benchmarks it, best once that is done."
        )
    else:
        what = f"Enter benchmarks {place}, Esc goes to the overview."
    tell = "\nm: set alerts, for when a disk fails." if unwatched else ""
    return Content.assemble(("Next: ", "bold"), what, (tell, "$text-warning"))
