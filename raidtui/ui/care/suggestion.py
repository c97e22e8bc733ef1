"""What to do next, judged by what is here: one sentence, and the place where it is done. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from raidtui.backends.md.care import care_for
from raidtui.machine.words import health, is_failed, is_paused
from raidtui.model.journal import JobKind, JobState, Outcome
from raidtui.model.machine import Array, Machine
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.ui.care import array_words, job_words

if TYPE_CHECKING:
    from raidtui.results.summary import Summary


class Suggestion(Record, frozen=True, kw_only=True):
    """One sentence, commands for a shell if it needs any, and where Enter leads."""

    text: str
    place: str
    about: dict[str, str] = msgspec.field(default_factory=dict)
    commands: tuple[str, ...] = ()


def suggest(
    arrays: Sequence[Array],
    units: Sequence[Unit],
    jobs: Sequence[JobState],
    results: Sequence["Summary"],
    machine: Machine | None,
    *,
    plan_only: bool = False,
) -> Suggestion:
    """The most urgent thing first: lost redundancy, an unfinished job, what runs, what was not measured yet.

    ``units`` are those of other backends than md. ``plan_only``: nothing can be executed here, so what would have to be is not suggested.
    """
    if plan_only:
        return (
            _about_faults(arrays, machine)
            or _about_units(units)
            or Suggestion(text="choose disks and see the plan of an array on them", place="disks")
        )
    return (
        _about_faults(arrays, machine)
        or _about_units(units)
        or _about_jobs(jobs)
        or _about_syncs(arrays, units, jobs)
        or _about_measuring(arrays, units, results)
        or Suggestion(
            text=f"build {'an' if jobs or results else 'your first'} array: choose its disks. "
            "Nothing is written before you confirm",
            place="disks",
        )
    )


def _about_faults(arrays: Sequence[Array], machine: Machine | None) -> Suggestion | None:
    for array in arrays:
        name = array_words.called(array)
        if is_failed(array):
            text = f"{name} FAILED: write nothing to its disks. F1 says what can still be tried"
            return Suggestion(text=text, place="jobs")
    for array in sorted(arrays, key=lambda one: health(one) is not Health.INACTIVE):
        for care in care_for(array, machine) if machine is not None else ():
            text = f"{array_words.called(array)}: {care.text}"
            return Suggestion(text=text, place="disks", commands=care.commands)
    return None


def _about_units(units: Sequence[Unit]) -> Suggestion | None:
    """Faults of units of other backends than md: what is wrong, and the disks that it is about."""
    for bad in (Health.FAILED, Health.DEGRADED, Health.ERRORS):
        for unit in units:
            if unit.health is bad:
                text = f"see the disks of {harmless(unit.name)}: {harmless(unit.state)}"
                return Suggestion(text=text, place="disks")
    return None


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


def _about_syncs(
    arrays: Sequence[Array], units: Sequence[Unit], jobs: Sequence[JobState]
) -> Suggestion | None:
    busy: list[Array | Unit] = [array for array in arrays if array.sync is not None or is_paused(array)]
    busy += [unit for unit in units if unit.activity is not None]
    for one in busy:
        name = harmless(one.name) if isinstance(one, Unit) else array_words.called(one)
        build = next((job for job in jobs if _built(job, one)), None)
        text = f"{name} can be used now; benchmark it when its sync is done"
        if build is not None:
            return Suggestion(
                text=f"watch the sync of {name}; {text}", place="build", about={"job": build.request.id}
            )
        return Suggestion(text=text, place="jobs")
    return None


def _built(job: JobState, array: Array | Unit) -> bool:
    spec = job.request.spec
    return job.request.kind is JobKind.BUILD and spec is not None and spec.name == array.name


def _about_measuring(
    arrays: Sequence[Array], units: Sequence[Unit], results: Sequence["Summary"]
) -> Suggestion | None:
    measured = {result.target for result in results}
    every: list[Array | Unit] = [*arrays, *units]
    for one in every:
        if one.mountpoints and not measured & set(one.mountpoints):
            text = f"benchmark {harmless(one.name or one.node)} to see whether the choice was worth it"
            return Suggestion(text=text, place="benchmark", about={"target": one.mountpoints[0]})
    if len(results) >= 2:
        return Suggestion(text="compare the results side by side", place="compare")
    if arrays or units:
        return Suggestion(text="build and benchmark another layout, then compare", place="disks")
    return None
