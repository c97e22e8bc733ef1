"""What the Build screen says: how far the steps are, what was built, and what to do next. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from textual.content import Content

from raidtui.backends.registry import backend
from raidtui.machine.words import sync_name
from raidtui.model.journal import Entry, Event, JobKind, JobState, Outcome
from raidtui.model.machine import Array
from raidtui.model.plan import Plan
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.units import both, duration
from raidtui.ui.care import array_words
from raidtui.ui.care.step_progress import progress
from raidtui.ui.care.step_words import current_step
from raidtui.ui.shell import clock
from raidtui.ui.widgets.bars import bar

_ENDS_WITH_A_REBOOT: Final = frozenset({"check", "repair", "scrub"})
_PERCENT: Final = 7  # cells of "  100 %"


def running(plan: Plan, entries: Sequence[Entry], known: Mapping[str, float], *, width: int) -> list[Content]:
    """A bar over all steps, what is done now, and when they end.

    Args:
        known: seconds of each step in an earlier job.
    """
    far = progress(plan, entries, Outcome.RUNNING, known)
    lines = [
        Content.assemble(
            (bar(far.share, max(10, width - _PERCENT)), "$primary"), f"{100 * far.share:>5.0f} %"
        )
    ]
    step = next((one for one in plan.steps if one.id == current_step(entries)), None)
    if step is not None:
        begun = next(e.at for e in reversed(entries) if e.step == step.id and e.event is Event.STEP)
        doing = "Undoing" if far.undoing else "Now"
        lines.append(
            Content.assemble((f"{doing}: {step.title}", "bold"), f", {duration(clock.since(begun))}")
        )
    if far.undoing:
        where = f"{far.left_steps} step{'s'[: far.left_steps != 1]} to undo"
    else:
        where = f"Step {far.number} of {far.count}"
    lines.append(Content(f"{where}, {far.words}"))
    return lines


def ended(
    job: JobState, plan: Plan, array: Array | None, unit: Unit | None, *, built: bool, gone: bool
) -> Content:
    """What came of a job; nothing while it runs, and nothing of one that failed, whose step says it.

    Args:
        array: what was built, as it is now; None where it is not seen.
        unit: the same of another backend than md.
        built: whether every step of a build is done.
        gone: whether the array was seen once and does not run any more.
    """
    name, place = harmless(plan.spec.name), plan.spec.filesystem.mountpoint
    if job.outcome is Outcome.DONE and job.request.kind is JobKind.TEARDOWN:
        return Content.assemble(
            ("Done: ", "bold $text-success"), f"{name} is removed and its disks are blank. Esc goes back."
        )
    if job.outcome is Outcome.ROLLED_BACK:
        return Content.assemble(("Rolled back: ", "bold"), harmless(job.sentence) or "every step was undone")
    if not built:
        return Content("")
    if gone:
        return Content.assemble(
            (f"{name} has been stopped. ", array_words.BAD),
            f"Its members are intact: 'mdadm --assemble {plan.array_path}' starts it again.",
        )
    where = f", mounted at {harmless(place)}" if place and plan.spec.filesystem.type != "none" else ""
    shape = (
        "single disk"
        if plan.spec.alone
        else f"{plan.spec.level.upper()} of {len(plan.spec.members)} disks"
        if array is not None or unit is None
        else f"{backend(unit.backend).noun}, {plan.spec.level} of {len(plan.spec.members)} disks"
    )
    made = f"{name}, {shape}, {both(plan.array_bytes)}{where}"
    if (
        array_words.is_failed(array)
        if array is not None
        else unit is not None and unit.health is Health.FAILED
    ):
        return Content.assemble(
            ("Do not write to its disks now. ", array_words.BAD),
            f"{made}. F1 on the overview says what can still be tried.",
        )
    return Content.assemble(("Done: ", "bold $text-success"), made)


def following(plan: Plan, array: Array | None, unit: Unit | None) -> Content:
    """What to do with what was built; ``array`` or ``unit``: as it is now."""
    files = plan.spec.filesystem
    place = harmless(files.mountpoint if files.type != "none" else plan.array_path)
    if array is not None and array_words.is_paused(array):
        what = f"p resumes the resync; {place} can be used meanwhile."
    elif doing := _doing(array, unit):
        lasts = "" if doing in _ENDS_WITH_A_REBOOT else ", also after a reboot"
        what = (
            f"{place} can be used now; the {doing} continues{lasts}. "
            "Enter benchmarks it, best once that is done."
        )
    else:
        what = f"Enter benchmarks {place}, Esc goes to the overview."
    return Content.assemble(("Next: ", "bold"), what)


def _doing(array: Array | None, unit: Unit | None) -> str:
    """What it is at, if anything."""
    if array is not None:
        return sync_name(array) if array.sync is not None else ""
    return unit.activity.what if unit is not None and unit.activity is not None else ""
