"""Suggest what to do next: a sentence, and the screen to do it on. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from raidtui.backends.registry import backend
from raidtui.model.journal import JobKind, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.care import job_words
from raidtui.ui.care.unit_styles import called

if TYPE_CHECKING:
    from raidtui.model.finding import Finding
    from raidtui.results.summary import Summary


class Suggestion(Record, frozen=True, kw_only=True):
    """A sentence, and the place that Enter opens."""

    text: str
    place: str
    about: dict[str, str] = msgspec.field(default_factory=dict)
    urgent: bool = False  # a finding needs it soon
    unit: str = ""  # UUID of the unit that it is about


def suggest(
    findings: "Sequence[Finding]",
    units: Sequence[Unit],
    jobs: Sequence[JobState],
    results: Sequence["Summary"],
    *,
    plan_only: bool = False,
) -> tuple[Suggestion, ...]:
    """Everything to do, most urgent first: what units need, a running or unfinished job; else one next step.

    ``plan_only``: suggest only planning, as nothing can be executed.
    """
    every = _about_faults(findings)
    found, notes = [one for one in every if one.urgent], [one for one in every if not one.urgent]
    if plan_only:
        plan = Suggestion(text="choose disks and see the plan of an array on them", place="disks")
        return (*found, *notes) if found else (*notes, plan)
    job = _about_jobs(jobs)
    if found or job:
        return (*found, *((job,) if job else ()), *notes)
    step = (
        _about_syncs(units, jobs)
        or _about_measuring(units, results)
        or Suggestion(
            text=f"build {'an' if jobs or results else 'your first'} array: choose its disks. "
            "Nothing is written before you confirm",
            place="disks",
        )
    )
    # A note may be about the disks that a new array would erase.
    return (*notes, step) if step.place == "disks" else (step, *notes)


def _about_faults(findings: "Sequence[Finding]") -> tuple[Suggestion, ...]:
    """What to do about each finding, in the words and the order of status and Care; one without advice says what it is."""
    from raidtui.advice.findings.pages import PAGES
    from raidtui.model.finding import Urgency

    return tuple(
        Suggestion(
            text=harmless(f"{finding.name}: {text}" if finding.remedies else text),
            place="care",
            about={"at": key_of(finding, number)},
            urgent=PAGES[finding.kind].urgency is not Urgency.NOTE,
            unit=finding.unit,
        )
        for finding in findings
        for number, text in enumerate([one.text for one in finding.remedies] or [finding.what])
    )


def key_of(finding: "Finding", number: int) -> str:
    """The name of a thing to do about ``finding`` for the screen of Care; it stays the same from reading to reading."""
    return f"{finding.kind} {finding.name} {number}"


def findings_of(units: Sequence[Unit], machine: Machine | None) -> "tuple[Finding, ...]":
    """What is wrong, most urgent first; of the units only that they are at fault while the machine is not read yet."""
    from raidtui.advice.diagnosis import diagnose

    return diagnose(units, machine)


def _about_jobs(jobs: Sequence[JobState]) -> Suggestion | None:
    for job in jobs:
        about = {"job": job.request.id}
        title = job_words.title(job)
        if job.outcome is Outcome.RUNNING:
            return Suggestion(
                text=f"watch '{title}', which is running", place=job_words.place(job.request), about=about
            )
    newest = jobs[0] if jobs else None
    if job_words.can_resume(newest) and newest is not None:
        text = f"'{job_words.title(newest)}' did not finish: see why, then resume it or roll it back"
        return Suggestion(text=text, place=job_words.place(newest.request), about={"job": newest.request.id})
    return None


def _about_syncs(units: Sequence[Unit], jobs: Sequence[JobState]) -> Suggestion | None:
    unit = next((one for one in units if one.activity is not None), None)
    if unit is None or unit.activity is None:
        return None
    what = "scrub" if unit.activity.is_scrub else unit.activity.what
    build = next((job for job in jobs if _built(job, unit)), None)
    if build is None:
        text = f"watch the {what} of {_named(unit)}. It can be used now; benchmark it when the {what} is done"
        return Suggestion(text=text, place="unit", about={"unit": unit.uuid}, unit=unit.uuid)
    return Suggestion(
        text=f"watch the {what} of {_named(unit)}. It can be used now; benchmark it when the {what} is done",
        place="build",
        about={"job": build.request.id},
        unit=unit.uuid,
    )


def _named(unit: Unit) -> str:
    """Noun and name: a name alone may be any word, such as "data"."""
    return f"{backend(unit.backend).noun} {called(unit)}"


def _built(job: JobState, unit: Unit) -> bool:
    spec = job.request.spec
    return job.request.kind is JobKind.BUILD and spec is not None and spec.name == unit.spec_name


def _about_measuring(units: Sequence[Unit], results: Sequence["Summary"]) -> Suggestion | None:
    measured = {result.target for result in results}
    for unit in units:
        if unit.mountpoints and not measured & set(unit.mountpoints):
            text = f"benchmark {_named(unit)}"
            return Suggestion(text=text, place="benchmark", about={"target": unit.mountpoints[0]})
    if len(results) >= 2:
        return Suggestion(text="compare the results side by side", place="compare")
    if units:
        return Suggestion(text="build and benchmark another layout, then compare", place="disks")
    return None
