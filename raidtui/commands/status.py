"""Show arrays and other units: their state and sync, the activity of each member, and what to do. Show running jobs.

With --watch it runs until Ctrl-C and prints only changes, at most once a second. A lost member stays listed with its
serial number and last slot until --acknowledge.
"""

import argparse
import queue
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

from msgspec.structs import asdict

from raidtui.backends.care import Care
from raidtui.backends.registry import reader
from raidtui.backends.unit_words import head_line, lost_words, member_line, reported_time_left, within
from raidtui.backends.units import is_rotational as is_turning
from raidtui.backends.units import units_of
from raidtui.backends.units_now import (
    every_unit_now,
    polled_units,
    seconds_to_wait,
    watch_units,
)
from raidtui.commands._redraw import Redraw
from raidtui.commands._tell import tell
from raidtui.jobs.unit_journal import UnitJournal
from raidtui.machine.arrays import is_rotational
from raidtui.machine.counters import Counters, read_counters
from raidtui.model.errors import BadInput
from raidtui.model.journal import JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.problem import Problem
from raidtui.model.struct import Record, to_json
from raidtui.model.text import harmless
from raidtui.model.unit import Activity, Health, Unit, UnitMember
from raidtui.model.units import decimal, duration, rate

_SAMPLE_SECONDS: Final = 1.0  # between the two readings of the counters, without --watch
_SHORTEST_SECONDS: Final = 1.0  # between two updates of --watch
_JOBS_SECONDS: Final = 5.0  # between two readings of the jobs, which are files, with --watch
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
    care: tuple[Care, ...]  # what it needs from a person


class Status(NamedTuple):
    """All units and live jobs."""

    units: tuple[Seen, ...]
    jobs: tuple[JobState, ...]  # running or interrupted
    damaged: tuple[str, ...] = ()  # about jobs that cannot be read
    problems: tuple[Problem, ...] = ()  # what else cannot be read


class ArrayStatus(Record, frozen=True, kw_only=True):
    """An md array: its reading, its state in words, and what the reading does not contain."""

    array: Record  # as its backend reads it
    health: Health
    words: str
    finish_least_seconds: int | None  # of the running sync; None if nothing syncs or that is not known yet
    finish_most_seconds: int | None
    activity: tuple[Traffic, ...]
    care: tuple[Care, ...] = ()


class UnitStatus(Unit, frozen=True, kw_only=True):
    """A unit of any backend, with the time left, the traffic and the care that it needs."""

    finish_least_seconds: int | None  # until its activity ends; None if it is idle, or not known yet
    finish_most_seconds: int | None
    traffic: tuple[Traffic, ...]
    care: tuple[Care, ...]


class Document(Record, frozen=True, kw_only=True):
    """The document of ``--json``, or one line of it with ``--watch``."""

    arrays: tuple[ArrayStatus, ...]
    units: tuple[UnitStatus, ...]  # of every backend, md's too; `arrays` adds md's own reading
    jobs: tuple[JobState, ...]
    problems: tuple[Problem, ...]  # backends that cannot be read, so that their units are unknown


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--watch", action="store_true", help="run until Ctrl-C and print changes")
    parser.add_argument(
        "--acknowledge",
        metavar="UNIT",
        help="stop listing the lost members of UNIT, given by name, UUID or device",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document; with --watch one per line")


def run(args: argparse.Namespace) -> int:
    """Print the status once, or until Ctrl-C."""
    if args.machine:
        if args.watch:
            raise BadInput("a recorded machine does not change; leave --watch out")
        from raidtui.backends.reading import recorded_machine

        if args.acknowledge:
            raise BadInput("a recorded machine cannot be changed; leave --acknowledge out")
        machine = recorded_machine(args.machine)
        units = units_of(machine)
        seen = (_seen(one, is_turning(one, units, machine), (), lambda: machine) for one in units)
        _print(Status(tuple(seen), (), problems=machine.problems), as_json=args.json)
    elif args.acknowledge:
        _acknowledge(args.acknowledge)
    elif args.watch:
        _watch(as_json=args.json)
    else:
        _print(_look(), as_json=args.json)
    return 0


def _acknowledge(word: str) -> None:
    from raidtui.jobs.start import check_root

    check_root()
    units = every_unit_now().units
    found = [unit for unit in units if unit.is_called(word)]
    if len(found) != 1:
        known = ", ".join(unit.name for unit in units)
        raise BadInput(f"{len(found)} units are called {word!r}; the units here are {known or 'none'}")
    for lost in UnitJournal().acknowledge(found[0]):
        print(harmless(f"acknowledged: {lost_words(lost)}"))


def _look() -> Status:
    journal = UnitJournal()
    now = every_unit_now()
    units = journal.look(now.units)
    before, begin = read_counters(), time.monotonic()
    if any(unit.activity for unit in units):
        time.sleep(_SAMPLE_SECONDS)
        now = every_unit_now()
        units = journal.look(now.units)
    seen = _gather(units, before, read_counters(), time.monotonic() - begin, _whole_reading())
    from raidtui.jobs.store import damaged_requests

    return Status(seen, _live_jobs(), damaged_requests(), now.problems)


def _whole_reading() -> Callable[[], Machine]:
    """A function that reads the whole computer on its first call; that takes a while."""

    @cache
    def read() -> Machine:
        from raidtui.backends.reading import read_whole

        return read_whole(smart=False)

    return read


def _gather(
    units: tuple[Unit, ...],
    before: Mapping[str, Counters],
    now: Mapping[str, Counters],
    seconds: float,
    machine: Callable[[], Machine] | None = None,
) -> tuple[Seen, ...]:
    return tuple(
        _seen(
            unit,
            unit.activity is not None and is_rotational(unit),
            _traffic(unit, before, now, seconds),
            machine if unit.health is not Health.OK or unit.untouched else None,
        )
        for unit in units
    )


def _live_jobs() -> tuple[JobState, ...]:
    from raidtui.jobs.store import list_jobs

    return tuple(job for job in list_jobs() if job.outcome in _LIVE)


def _seen(
    unit: Unit, rotational: bool, traffic: tuple[Traffic, ...], machine: Callable[[], Machine] | None
) -> Seen:
    least = most = None
    if unit.activity is not None:
        from raidtui.advice.time_left import left_range

        if (left := left_range(unit.activity, rotational=rotational)) is not None:
            least, most = round(left[0]), round(left[1])
    care = reader(unit.backend).care(unit, machine) if machine is not None else ()
    return Seen(unit, least, most, traffic, care)


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


def _print(status: Status, *, as_json: bool) -> None:
    print(to_json(document(status)) if as_json else "\n".join(describe(status)))
    for sentence in status.damaged:
        tell(f"raidtui: {sentence}")


def document(status: Status) -> Document:
    """The status for programs."""
    arrays = tuple(
        ArrayStatus(
            array=array,
            health=one.unit.health,
            words=one.unit.state,
            finish_least_seconds=one.least,
            finish_most_seconds=one.most,
            activity=one.traffic,
            care=one.care,
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
            care=one.care,
        )
        for one in status.units
    )
    return Document(arrays=arrays, units=tuple(units), jobs=status.jobs, problems=status.problems)


def describe(status: Status) -> list[str]:
    """The status in lines for people, without control characters."""
    lines: list[str] = []
    units = [one.unit for one in status.units]
    for one in status.units:
        unit = one.unit
        lines += [head_line(unit, within(unit, units)), f"  {unit.state}"]
        lines += [f"  {line}" for line in (*unit.details, _progress(one), unit.scrubbed) if line]
        doing = {traffic.path: traffic for traffic in one.traffic}
        lines += [_member(member, doing.get(member.path)) for member in unit.members]
        if unit.unread:
            lines.append(f"  cannot read what is on it: {unit.unread}")
        lines += _wrapped("   !  lost: ", (lost_words(lost) for lost in unit.lost))
        if unit.lost:
            lines.append(f"      'raidtui status --acknowledge {unit.name}' removes it from this list")
        for care in one.care:
            lines += _wrapped("  to do: ", [care.text])
            lines += [f"      {command}" for command in care.commands]
    for job in status.jobs:
        what = f"job {job.request.id}: {job.request.title}, {job.outcome.words}"
        lines.append(f"{what}{f', at step {job.step}' if job.step else ''}")
    for problem in status.problems:
        lines += _wrapped("unknown: ", [problem.text])
    if not lines:
        lines = ["no arrays"] if status.damaged else ["no arrays, and no jobs"]
    return [harmless(line) for line in lines]


def _wrapped(begin: str, texts: Iterable[str]) -> list[str]:
    """Each text with ``begin`` before it, in lines of at most 80 characters."""
    further = " " * len(begin)
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            f"{begin}{text}", 80, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
        )
    ]


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
    soon, late = duration(one.least), duration(one.most)
    return f"{soon} left" if soon == late else f"{soon} to {late} left"


def _member(member: UnitMember, does: Traffic | None) -> str:
    line = member_line(member)
    if does is None or not (does.read_bytes_per_second or does.write_bytes_per_second):
        return line.rstrip()
    read, written = does.read_bytes_per_second / 1e6, does.write_bytes_per_second / 1e6
    return f"{line}  read {read:.1f}, write {written:.1f} MB/s, {does.busy_percent:.0f} % busy"


def _watch(*, as_json: bool) -> None:
    """Print each change until Ctrl-C: at most once a second, and less often if much was sent over a slow line."""
    journal = UnitJournal()
    latest: queue.SimpleQueue[tuple[Unit, ...]] = queue.SimpleQueue()
    redraw = Redraw(sys.stdout, shutil.get_terminal_size) if sys.stdout.isatty() and not as_json else None
    watcher = watch_units(latest.put)
    before, begin = read_counters(), time.monotonic()
    jobs, jobs_read = _live_jobs(), begin
    last = ""
    machine: Callable[[], Machine] | None = None
    states: list[tuple[object, ...]] = []

    def show(status: Status) -> int:
        """Print the status unless it is already shown; return the bytes sent."""
        nonlocal last
        text = to_json(document(status), pretty=False) if as_json else "\n".join(describe(status))
        before, last = last, text
        if redraw is not None:
            return redraw.show(text.split("\n"))
        if text == before:
            return 0
        print(text, flush=True)
        return len(text)

    reported = latest.get()
    polled: tuple[Unit, ...] = ()
    try:
        while True:
            with suppress(queue.Empty):  # the polled units report nothing
                wait = min(_JOBS_SECONDS, seconds_to_wait(polled) or _JOBS_SECONDS)
                reported = latest.get(timeout=wait)
            while not latest.empty():
                reported = latest.get()
            now, end = read_counters(), time.monotonic()
            if end - jobs_read >= _JOBS_SECONDS:
                jobs, jobs_read = _live_jobs(), end
            polled, problems = polled_units()
            units = journal.look((*reported, *polled))
            found = [_state_of(unit) for unit in units]
            machine = machine if found == states else None
            sent = show(Status(_gather(units, before, now, end - begin, machine), jobs, (), problems))
            if found != states:
                # Show what is wrong at once, and what to do about it when the whole computer has been read.
                machine = _whole_reading()
                sent += show(Status(_gather(units, before, now, end - begin, machine), jobs, (), problems))
            states, before, begin = found, now, end
            time.sleep(max(_SHORTEST_SECONDS, sent / 1024))
    finally:
        watcher.stop()


def _state_of(unit: Unit) -> tuple[object, ...]:
    """Everything that decides what the unit needs from a person."""
    members = tuple((member.path, member.disk, member.slot, member.state) for member in unit.members)
    return unit.uuid, unit.health, unit.untouched, members
