"""Scrub a unit in some hours of the night: each night it continues where it stopped the night before.

The place and what was found are in the history file. Nothing stays behind in the kernel that would cut a later check
or rebuild, also if this process is killed: then the scrub runs on, and the next start of this follows it again.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec.structs import replace

from raidtui.advice.mismatch_places import with_count
from raidtui.backends.control import Control, Nights
from raidtui.backends.registry import builder, reader
from raidtui.jobs.orders import carry_out, restore
from raidtui.jobs.scrub_records import logged_of, record_result
from raidtui.jobs.stopping import stop_requests
from raidtui.machine.history import HistoryFile
from raidtui.model.chance import in_percent
from raidtui.model.errors import Refused
from raidtui.model.history import ScrubPart, ScrubResult
from raidtui.model.hours import Hours
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.uuids import same_uuid

LOOK_SECONDS: Final = 10.0  # between two looks at the scrub
_NOTE_SECONDS: Final = 300.0  # between two records of its place
_AGAIN: Final = timedelta(days=27)  # after the last one; the timer starts this each night


def _local_now() -> datetime:
    return datetime.now().astimezone()


def scrub_in_hours(
    unit: Unit,
    hours: Hours,
    *,
    now: Callable[[], datetime] = _local_now,
    look_seconds: float = LOOK_SECONDS,
) -> str:
    """Scrub ``unit`` until all of it is read, or ``hours`` end; return what was done, a sentence.

    Args:
        now: the local time, aware.
        look_seconds: between two looks.

    Raises:
        Refused: it is another time of the day, or the unit is degraded, busy, or cannot continue a scrub; the scrub
            was stopped by another.
        BadInput, StepFailed, ToolMissing: as of `carry_out` and of the history file.
    """
    file, name = HistoryFile(), harmless(unit.shown)
    nights = builder(unit.backend).nights
    if nights is None:
        raise Refused(f"a scrub of {name} that was stopped begins anew, so it cannot keep hours")
    if not _is_in(hours, now()):
        raise Refused(f"{name} is scrubbed from {hours.shown} only")
    part = next(reversed(file.of(ScrubPart, unit.uuid, last=1)), None)
    if part is not None and part.running and _is_done(unit):
        return _finish(unit, part, file)
    if part is None or not part.running or not _is_scrubbed(unit):
        if part is None and (last := _last(unit, file)) and now() - last < _AGAIN:
            return f"{name} was scrubbed less than {_AGAIN.days} days ago"
        part = _begin(unit, part, nights, file)
    return _follow(unit, part, nights, file, lambda: _is_in(hours, now()), look_seconds)


def _is_in(hours: Hours, moment: datetime) -> bool:
    return hours.holds(moment.hour * 60 + moment.minute)


def _last(unit: Unit, file: HistoryFile) -> datetime | None:
    result = next(reversed(file.of(ScrubResult, unit.uuid, last=1)), None)
    return None if result is None else datetime.fromisoformat(result.at)


def _is_scrubbed(unit: Unit) -> bool:
    return unit.activity is not None and unit.activity.is_scrub and not unit.activity.paused


def _is_done(unit: Unit) -> bool:
    return unit.activity is None and unit.scrub_found is not None and not unit.resumable


def _begin(unit: Unit, part: ScrubPart | None, nights: Nights, file: HistoryFile) -> ScrubPart:
    """Start it, or continue it."""
    doing = unit.activity
    if unit.health not in {Health.OK, Health.ERRORS} or not (
        doing is None or (doing.is_scrub and doing.paused)
    ):
        raise Refused(f"{harmless(unit.shown)} is not scrubbed now: {harmless(unit.state)}")
    if part is None:
        part = ScrubPart(subject=unit.uuid, at=datetime.now(UTC).isoformat(timespec="milliseconds"))
    # Before it runs, or what regularly records results would take that of the last night for that of the whole.
    part = replace(part, nights=part.nights + 1, before=part.found, running=False)
    file.add([part])
    carry_out(nights.begin(unit, part.place), Control.SCRUB, unit)
    part = replace(part, running=True)
    file.add([part])
    return part


def _follow(
    unit: Unit,
    part: ScrubPart,
    nights: Nights,
    file: HistoryFile,
    may_run: Callable[[], bool],
    look_seconds: float,
) -> str:
    """Follow the scrub to its end, or to that of its hours."""
    noted = time.monotonic()
    with stop_requests() as stop_requested:
        while True:
            time.sleep(look_seconds)
            unit = _again(unit)
            if not _is_scrubbed(unit):
                if _is_done(unit):
                    return _finish(unit, part, file)
                if unit.activity is None or not unit.activity.is_scrub:
                    file.add([replace(part, running=False)])
                    restore(unit)
                    raise Refused(f"the scrub of {harmless(unit.shown)} was stopped: {harmless(unit.state)}")
            part = _seen(part, unit)
            if stop_requested() or not may_run():
                carry_out(nights.end(unit), Control.STOP, unit)
                file.add([replace(part, running=False, logged=(*part.logged, *logged_of(unit)))])
                share = unit.activity.fraction if unit.activity is not None else 0.0
                return f"{harmless(unit.shown)} continues in the next night, from {in_percent(share)}"
            if time.monotonic() - noted >= _NOTE_SECONDS:
                noted = time.monotonic()
                file.add([part])  # after a power cut it continues there


def _seen(part: ScrubPart, unit: Unit) -> ScrubPart:
    """``part`` as it is if the scrub stops now. All below the place is read by then."""
    if unit.scrub_so_far is None or unit.activity is None:
        return part
    doing, found = unit.activity, part.before + unit.scrub_so_far
    return replace(
        part,
        place=doing.done_bytes,
        found=found,
        total_bytes=doing.total_bytes,
        counts=with_count(part.counts, doing.done_bytes, found),
    )


def _again(unit: Unit) -> Unit:
    for one in reader(unit.backend).now():
        if one.backend is unit.backend and same_uuid(one.uuid, unit.uuid):
            return one
    raise Refused(f"{harmless(unit.shown)} is no longer here")


def _finish(unit: Unit, part: ScrubPart, file: HistoryFile) -> str:
    """Record what all nights found."""
    whole = unit
    if part.before:
        total = part.before + (unit.scrub_found or 0)
        words = f"mismatches in {count_of(total, 'sector')}"
        whole = replace(unit, scrub_found=total, scrubbed=words)
    record_result(whole, begun=part.at, reported=unit.scrubbed if part.before else "", part=part)
    file.remove([part])
    restore(unit)
    return f"{harmless(unit.shown)} is scrubbed, in {count_of(max(part.nights, 1), 'night')}"
