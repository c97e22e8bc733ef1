"""Suggest what to do next: a sentence, and the screen to do it on. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from raidtui.model.journal import JobKind, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.ui.care import job_words
from raidtui.ui.care.unit_styles import called

if TYPE_CHECKING:
    from raidtui.backends.care import Care
    from raidtui.results.summary import Summary


class Suggestion(Record, frozen=True, kw_only=True):
    """A sentence, shell commands if needed, and the place that Enter opens."""

    text: str
    place: str
    about: dict[str, str] = msgspec.field(default_factory=dict)
    commands: tuple[str, ...] = ()


def suggest(
    units: Sequence[Unit],
    jobs: Sequence[JobState],
    results: Sequence["Summary"],
    machine: Machine | None,
    *,
    plan_only: bool = False,
) -> Suggestion:
    """The most urgent first: lost redundancy, a running or unfinished job, a sync, a missing benchmark.

    ``plan_only``: suggest only planning, as nothing can be executed.
    """
    if plan_only:
        return _about_faults(units, machine) or Suggestion(
            text="choose disks and see the plan of an array on them", place="disks"
        )
    return (
        _about_faults(units, machine)
        or _about_jobs(jobs)
        or _about_syncs(units, jobs)
        or _about_measuring(units, results)
        or Suggestion(
            text=f"build {'an' if jobs or results else 'your first'} array: choose its disks. "
            "Nothing is written before you confirm",
            place="disks",
        )
    )


def _about_faults(units: Sequence[Unit], machine: Machine | None) -> Suggestion | None:
    care = _care(units, machine)
    for unit, some in zip(units, care, strict=True):
        if unit.health is Health.FAILED:
            danger = f"{called(unit)} FAILED: write nothing to its disks"
            for one in some:
                return Suggestion(text=f"{danger}; {one.text}", place="disks", commands=one.commands)
            return Suggestion(text=f"{danger}. F1 says what can still be tried", place="jobs")
    # What is not started first. Of several units that need one new disk, the commands are at the most urgent.
    every = [(unit, one) for unit, some in zip(units, care, strict=True) for one in some[:1]]
    for unit, one in sorted(
        every, key=lambda pair: (pair[0].health is not Health.INACTIVE, not pair[1].commands)
    ):
        warned = f" ({'; '.join(one.warnings)})" if one.warnings else ""
        return Suggestion(text=f"{called(unit)}: {one.text}{warned}", place="disks", commands=one.commands)
    for bad in (Health.DEGRADED, Health.ERRORS):
        for unit in units:
            # A degraded unit with an activity is already being rebuilt.
            if unit.health is bad and (unit.activity is None or bad is Health.ERRORS):
                text = f"see the disks of {called(unit)}: {harmless(unit.state)}"
                return Suggestion(text=text, place="disks")
    return None


def _care(units: Sequence[Unit], machine: Machine | None) -> tuple[tuple["Care", ...], ...]:
    """The care that each unit needs; none if the machine is not read yet."""
    if machine is None:
        return ((),) * len(units)
    from raidtui.advice.care import care_of

    return care_of(units, lambda: machine)


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
        text = f"{_named(unit)} can be used now; benchmark it when its {what} is done"
        return Suggestion(text=text, place="jobs")
    return Suggestion(
        text=f"watch the {what} of {_named(unit)}. It can be used now; benchmark it when the {what} is done",
        place="build",
        about={"job": build.request.id},
    )


def _named(unit: Unit) -> str:
    """Noun and name: a name alone may be any word, such as "data", the wizard's default."""
    from raidtui.backends.registry import backend

    return f"{backend(unit.backend).noun} {called(unit)}"


def _built(job: JobState, unit: Unit) -> bool:
    spec = job.request.spec
    return job.request.kind is JobKind.BUILD and spec is not None and spec.name == unit.spec_name


def _about_measuring(units: Sequence[Unit], results: Sequence["Summary"]) -> Suggestion | None:
    measured = {result.target for result in results}
    for unit in units:
        if unit.mountpoints and not measured & set(unit.mountpoints):
            text = f"benchmark {_named(unit)} to see whether the choice was worth it"
            return Suggestion(text=text, place="benchmark", about={"target": unit.mountpoints[0]})
    if len(results) >= 2:
        return Suggestion(text="compare the results side by side", place="compare")
    if units:
        return Suggestion(text="build and benchmark another layout, then compare", place="disks")
    return None
