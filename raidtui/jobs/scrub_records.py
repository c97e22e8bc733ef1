"""Record the scrubs and syncs of units: their speed by position while they run, and what each scrub found.

Others start scrubs too, so each regular reading looks. A scrub that begins and ends between two readings is noticed only
if its result differs from the last one.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from raidtui.advice.mismatch_places import Span, places_of, spans, with_count
from raidtui.backends.registry import reader
from raidtui.backends.units import units_of
from raidtui.jobs.ending import words_of
from raidtui.jobs.journal import Journal, read_journal
from raidtui.machine.counters import read_counters
from raidtui.machine.history import HistoryFile
from raidtui.machine.kernel_log import CheckLogged, read_checks
from raidtui.machine.tree import HERE
from raidtui.model.errors import RaidtuiError
from raidtui.model.history import ReadCost, ScrubPart, ScrubResult, SyncRun
from raidtui.model.journal import Event
from raidtui.model.machine import Machine
from raidtui.model.procedure import Procedure, Scrub
from raidtui.model.unit import Activity, Unit
from raidtui.model.units import MIB
from raidtui.model.uuids import same_uuid

MOST_POINTS: Final = 128
_SCRUB_STEPS: Final = frozenset({"check", "scrub", "scrub-again"})
_AT_LEAST: Final = 0.5  # of the time that was left: limits of speed may have been raised meanwhile
_MOST_COSTS: Final = 32
_KEPT_RUNS: Final = 24  # of each unit


def record_scrubs(machine: Machine, units: Sequence[Unit]) -> None:
    """Record what runs on ``units`` now, and the results of scrubs that have ended since the last call.

    Raises:
        BadInput, Refused, StepFailed: the history file cannot be read or written.
    """
    now, file = datetime.now(UTC).isoformat(timespec="milliseconds"), HistoryFile()
    for unit in units:
        if not unit.uuid or unit.below:
            continue
        last = next(reversed(file.of(SyncRun, unit.uuid, last=1)), None)
        running = last if last is not None and not last.ended else None
        doing = unit.activity
        if running is not None and (doing is None or doing.what != running.what):
            last = running = replace(running, ended=now, stopped=_was_stopped(running, now))
            file.add([running])
        if doing is not None and not doing.waiting:
            _note_running(unit, doing, running, now, file)
        elif doing is None and not file.of(ScrubPart, unit.uuid):  # else only a part of it may be done
            _note_result(unit, last, running is not None, now, file)


@contextmanager
def recorded_scrub(
    procedure: Procedure | None, journal: Journal, read: Callable[[Mapping[str, str]], Machine]
) -> Iterator[None]:
    """Record what a scrub found that is carried out inside, also if the job fails because of it.

    A history that cannot be written is noted in the journal; the job has done its work.

    Args:
        read: reads the computer; given the versions of tools that are known.
    """
    try:
        yield
    finally:
        if isinstance(procedure, Scrub):
            _record_job(procedure.unit, journal, read)


def _record_job(uuid: str, journal: Journal, read: Callable[[Mapping[str, str]], Machine]) -> None:
    entries = read_journal(journal.folder)
    begun = [one.at for one in entries if one.event is Event.STEP and one.step in _SCRUB_STEPS]
    if not begun:
        return
    try:
        for unit in units_of(read({})):
            if same_uuid(unit.uuid, uuid) and unit.activity is None and unit.scrub_found is not None:
                record_result(unit, begun=begun[0])
    except (RaidtuiError, OSError) as error:
        journal.append(Event.NOTE, text=f"the result is not recorded: {words_of(error)}")


def record_result(unit: Unit, *, begun: str, reported: str = "", part: ScrubPart | None = None) -> None:
    """Record what a scrub of ``unit`` found that raidtui has carried out; it has just ended.

    Args:
        begun: when, in ISO 8601, UTC.
        reported: what the unit itself says, where ``unit`` has another result.
        part: what is known of it, where it ran in several nights.
    """
    file = HistoryFile()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    last = next(reversed(file.of(SyncRun, unit.uuid, last=1)), None)
    if last is not None and not last.ended:
        file.add([replace(last, ended=now)])
    made = _result(unit, begun, now, "last check: no mismatches found", part or last)
    file.add([replace(made, reported=reported)])


def with_point(points: Sequence[tuple[int, int]], place: int, rate: int) -> tuple[tuple[int, int], ...]:
    """``points`` with one more, the last; thinned to every second one when there are too many."""
    kept = [*points, (place, rate)]
    return tuple(kept if len(kept) <= MOST_POINTS else kept[1::2])


def _note_running(unit: Unit, doing: Activity, running: SyncRun | None, now: str, file: HistoryFile) -> None:
    same = running is not None and running.what == doing.what
    run = (
        running
        if running is not None and same
        else SyncRun(subject=unit.uuid, at=now, what=doing.what, scrub=doing.is_scrub, seen=now)
    )
    points = run.points
    if doing.bytes_per_second and not doing.paused:
        points = with_point(points, round(doing.fraction * 1000), doing.bytes_per_second)
    counts = run.counts
    if doing.is_scrub and unit.scrub_so_far is not None:
        counts = with_count(counts, doing.done_bytes, unit.scrub_so_far)
    file.add(
        [
            replace(
                run,
                seen=now,
                points=points,
                counts=counts,
                total_bytes=doing.total_bytes,
                left_seconds=_left(doing),
                costs=_costs(unit, run),
            )
        ]
    )
    if not same:
        file.remove(file.of(SyncRun, unit.uuid)[:-_KEPT_RUNS])


def _costs(unit: Unit, run: SyncRun) -> tuple[ReadCost, ...]:
    """What reading has cost each member since the last call; counters that went back are those of another boot."""
    counters, before = read_counters(), {one.disk: one for one in run.costs}
    found = []
    for member in unit.members:
        now = counters.get(member.path.removeprefix("/dev/"))
        if not member.disk or now is None:
            continue
        old = before.get(member.disk)
        costs = old.microseconds if old is not None else ()
        if (
            old is not None
            and now.read_bytes - old.read_bytes >= MIB
            and now.read_seconds >= old.read_seconds
        ):
            mib = (now.read_bytes - old.read_bytes) / MIB
            costs = (*costs, round((now.read_seconds - old.read_seconds) * 1e6 / mib))[-_MOST_COSTS:]
        found.append(
            ReadCost(
                disk=member.disk,
                microseconds=costs,
                read_seconds=now.read_seconds,
                read_bytes=now.read_bytes,
            )
        )
    return tuple(found)


def _left(doing: Activity) -> int | None:
    if doing.seconds_left is not None or not doing.bytes_per_second or not doing.total_bytes:
        return doing.seconds_left
    return round((doing.total_bytes - doing.done_bytes) / doing.bytes_per_second)


def _was_stopped(run: SyncRun, now: str) -> bool:
    """Whether ``run`` ended long before it could have been done: md and LVM do not say so of every stopped check."""
    if run.left_seconds is None:
        return False
    passed = (datetime.fromisoformat(now) - datetime.fromisoformat(run.seen)).total_seconds()
    return passed < run.left_seconds * _AT_LEAST


def _note_result(unit: Unit, run: SyncRun | None, just_ended: bool, now: str, file: HistoryFile) -> None:
    """Record the result of a scrub that was seen, or one that differs from the last; ``run`` is the last that was seen.

    After one that was stopped the unit may report a result that is none; it is not believed until another is seen.
    """
    last = next(reversed(file.of(ScrubResult, unit.uuid, last=1)), None)
    known = unit.scrub_found is not None
    if run is not None and run.scrub and run.stopped:
        return
    seen = run is not None and run.scrub and just_ended
    changed = known and unit.scrubbed and (last is None or (last.reported or last.words) != unit.scrubbed)
    if changed or (known and seen):
        this = run if seen else None
        file.add([_result(unit, this.at if this is not None else "", now, "scrub ended", this)])


def _result(
    unit: Unit, begun: str, now: str, otherwise: str, seen: SyncRun | ScrubPart | None
) -> ScrubResult:
    """The record.

    Args:
        otherwise: its words where the backend has none, as LVM, which may have been stopped before.
        seen: the scrub as it was seen to run.
    """
    where, where_all = _where(unit, seen)
    return ScrubResult(
        subject=unit.uuid,
        at=now,
        begun=begun,
        level=unit.level,
        found=unit.scrub_found,
        words=unit.scrubbed or otherwise,
        means=reader(unit.backend).scrub_means(unit),
        where=where,
        where_all=where_all,
    )


def logged_of(unit: Unit) -> tuple[Span, ...]:
    """Sectors that differ, which the kernel's log names of the last check of ``unit``."""
    return read_checks(HERE).get(os.path.basename(unit.node), CheckLogged()).differs


def _where(unit: Unit, seen: SyncRun | ScrubPart | None) -> tuple[tuple[Span, ...], bool]:
    found = unit.scrub_found
    if not found or unit.scrub_so_far is None:
        return (), False
    before = seen.logged if isinstance(seen, ScrubPart) else ()
    sampled = spans(seen.counts, seen.total_bytes, found) if seen is not None else ()
    return places_of((*before, *logged_of(unit)), sampled, found)
