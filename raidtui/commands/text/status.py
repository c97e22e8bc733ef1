"""What `raidtui status` shows: the units with what they need and their traffic, as a document and as lines."""

import shlex
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec.structs import asdict

from raidtui.advice.diagnosis import name_of
from raidtui.advice.findings.pages import news_of
from raidtui.backends.registry import reader
from raidtui.backends.unit_words import head_line, lost_words, member_line, reported_time_left, within
from raidtui.backends.urgency import urgency
from raidtui.commands.text.findings import finding_lines, listed_lines, unknown_lines, wrapped
from raidtui.machine.counters import Counters
from raidtui.machine.md.arrays import is_rotational
from raidtui.model.chance import in_percent
from raidtui.model.finding import Finding
from raidtui.model.journal import JobState, Outcome
from raidtui.model.problem import Problem
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Activity, Health, Unit, UnitMember
from raidtui.model.units import decimal, duration_range, millions, rate

_LIVE: Final = frozenset({Outcome.RUNNING, Outcome.INTERRUPTED})


class Traffic(Record, frozen=True, kw_only=True):
    """Current I/O of a member. Rates are bytes a second."""

    path: str
    disk: str
    read_bytes_per_second: int
    write_bytes_per_second: int
    busy_percent: float


class Seen(NamedTuple):
    """A unit, with what its reading does not contain."""

    unit: Unit
    least: int | None  # seconds until its activity ends; None if it is idle or that is not known yet
    most: int | None
    traffic: tuple[Traffic, ...]


class Status(NamedTuple):
    """All units and live jobs."""

    units: tuple[Seen, ...]
    jobs: tuple[JobState, ...]  # running or interrupted
    damaged: tuple[str, ...] = ()  # about jobs that cannot be read
    problems: tuple[Problem, ...] = ()  # what else cannot be read
    findings: tuple[Finding, ...] = ()  # what is wrong, and what to do about it


class ArrayStatus(Record, frozen=True, kw_only=True):
    """An md array: its reading, its state in words, and what the reading does not contain."""

    array: Record  # as its backend reads it
    health: Health
    words: str
    finish_least_seconds: int | None  # of the running sync; None if nothing syncs or that is not known yet
    finish_most_seconds: int | None
    activity: tuple[Traffic, ...]


class UnitStatus(Unit, frozen=True, kw_only=True):
    """A unit of any backend, with the time left and the traffic."""

    finish_least_seconds: int | None  # until its activity ends; None if it is idle, or not known yet
    finish_most_seconds: int | None
    traffic: tuple[Traffic, ...]


class StatusDocument(Record, frozen=True, kw_only=True):
    """The document of ``--json``, or one line of it with ``--watch``."""

    arrays: tuple[ArrayStatus, ...]
    units: tuple[UnitStatus, ...]  # of every backend, md's too; `arrays` adds md's own reading
    findings: tuple[Finding, ...]  # what is wrong, most urgent first, and what to do about it
    jobs: tuple[JobState, ...]
    problems: tuple[Problem, ...]  # backends that cannot be read, so that their units are unknown


def gather(
    units: tuple[Unit, ...], before: Mapping[str, Counters], now: Mapping[str, Counters], seconds: float
) -> tuple[Seen, ...]:
    """Each unit with its traffic between two readings of the counters, ``seconds`` apart."""
    return tuple(
        seen(unit, unit.activity is not None and is_rotational(unit), _traffic(unit, before, now, seconds))
        for unit in units
    )


def live_jobs() -> tuple[JobState, ...]:
    from raidtui.jobs.store import list_jobs

    return tuple(job for job in list_jobs() if job.outcome in _LIVE)


def seen(unit: Unit, rotational: bool, traffic: tuple[Traffic, ...]) -> Seen:
    least = most = None
    if unit.activity is not None:
        from raidtui.advice.time_left import left_range

        if (left := left_range(unit.activity, rotational=rotational)) is not None:
            least, most = round(left[0]), round(left[1])
    return Seen(unit, least, most, traffic)


def _traffic(
    unit: Unit, before: Mapping[str, Counters], now: Mapping[str, Counters], seconds: float
) -> tuple[Traffic, ...]:
    names = {member.path.removeprefix("/dev/"): member for member in unit.members}
    found = []
    for name, member in names.items():
        if name in before and name in now and seconds > 0:
            old, new = before[name], now[name]
            found.append(
                Traffic(
                    path=member.path,
                    disk=member.disk,
                    read_bytes_per_second=round((new.read_bytes - old.read_bytes) / seconds),
                    write_bytes_per_second=round((new.write_bytes - old.write_bytes) / seconds),
                    busy_percent=round(min(100.0, 100 * (new.busy_seconds - old.busy_seconds) / seconds), 1),
                )
            )
    return tuple(found)


def document(status: Status) -> StatusDocument:
    arrays = tuple(
        ArrayStatus(
            array=array,
            health=one.unit.health,
            words=one.unit.state,
            finish_least_seconds=one.least,
            finish_most_seconds=one.most,
            activity=one.traffic,
        )
        for one in status.units
        if (array := reader(one.unit.backend).document(one.unit)) is not None
    )
    units = (
        UnitStatus(
            **asdict(one.unit.document),
            finish_least_seconds=one.least,
            finish_most_seconds=one.most,
            traffic=one.traffic,
        )
        for one in status.units
    )
    return StatusDocument(
        arrays=arrays,
        units=tuple(units),
        findings=status.findings,
        jobs=status.jobs,
        problems=status.problems,
    )


def describe(status: Status) -> list[str]:
    """The status in lines for people, without control characters."""
    lines: list[str] = []
    units = [one.unit for one in status.units]
    for one in sorted(status.units, key=lambda one: urgency(one.unit)):
        unit = one.unit
        lines += wrapped("", [head_line(unit, within(unit, units))], further=" " * 4)
        lines += wrapped("  ", [unit.state], further=" " * 4)
        lines += [f"  {line}" for line in (*unit.details, _progress(one), unit.scrubbed) if line]
        doing = {traffic.path: traffic for traffic in one.traffic}
        lines += [_member(member, doing.get(member.path)) for member in unit.members]
        if unit.unread:
            lines.append(f"  cannot read what is on it: {unit.unread}")
        lines += wrapped("   !  ", (lost_words(lost) for lost in unit.lost))
        if unit.lost:
            word = shlex.quote(name_of(unit, units))
            lines.append(f"      to remove it from this list: raidtui status --acknowledge {word}")
        for finding in status.findings:
            if finding.unit == unit.uuid and unit.uuid:
                lines += wrapped("  ", filter(None, [news_of(finding, unit)]))
                lines += finding_lines(finding)
    # What is about no unit that is here.
    lines += listed_lines(one for one in status.findings if not one.unit)
    for job in status.jobs:
        what = f"job {job.request.id}: {job.request.title}, {job.outcome.words}"
        lines.append(f"{what}{f', at step {job.step}' if job.step else ''}")
    lines += unknown_lines(status.problems)
    if not lines:
        lines = ["no arrays"] if status.damaged else ["no arrays, and no job is running"]
    return [harmless(line) for line in lines]


def _progress(one: Seen) -> str:
    """Bytes done, rate and time left of its activity, whose name and percentage are in the unit's state."""
    doing = one.unit.activity
    if doing is None or doing.waiting or doing.paused:
        return ""
    done = f"{decimal(doing.done_bytes)} of {decimal(doing.total_bytes)}" if doing.total_bytes else ""
    if doing.bytes_per_second is None:
        return ", ".join(filter(None, (done, reported_time_left(doing))))
    return ", ".join(filter(None, (done, rate(doing.bytes_per_second), _left(one, doing))))


def _left(one: Seen, doing: Activity) -> str:
    if one.least is None or one.most is None:
        return "estimating time left" if doing.bytes_per_second or not doing.done_bytes else "stalled"
    return f"{duration_range(one.least, one.most)} left"


def _member(member: UnitMember, does: Traffic | None) -> str:
    line = member_line(member)
    if does is None or not (does.read_bytes_per_second or does.write_bytes_per_second):
        return line.rstrip()
    read, written = does.read_bytes_per_second / 1e6, does.write_bytes_per_second / 1e6
    return f"{line}  read {millions(read)}, write {rate(written)}, {in_percent(does.busy_percent / 100)} busy"
