"""Show the arrays with their state and sync, what each member does, what to do, and the jobs that run.

With --watch it runs until Ctrl-C and prints only what changed, at most once a second. A member that is gone stays
listed with its serial number and last place until --acknowledge.
"""

import argparse
import queue
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

from raidtui.backends.care import Care
from raidtui.backends.md.care import care_for
from raidtui.backends.md.units import unit_of
from raidtui.backends.reading import seconds_to_wait, units_now, units_of
from raidtui.backends.unit_words import unit_lines, within
from raidtui.commands._redraw import Redraw
from raidtui.jobs.array_journal import ArrayJournal
from raidtui.machine.arrays import is_rotational, read_arrays
from raidtui.machine.counters import Counters, read_counters
from raidtui.machine.words import check_words, health, lost_words, member_state, state
from raidtui.model.errors import BadInput
from raidtui.model.journal import JobState, Outcome
from raidtui.model.machine import Array, Machine, Member, Sync
from raidtui.model.struct import Record, to_json
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.units import both, decimal, duration, rate

_SAMPLE_SECONDS: Final = 1.0  # between two readings of the counters, when there is only one look
_SHORTEST_SECONDS: Final = 1.0  # between two pictures of --watch
_JOBS_SECONDS: Final = 5.0  # between two looks at the jobs of --watch, which are files
_LIVE: Final = frozenset({Outcome.RUNNING, Outcome.INTERRUPTED})


class Activity(Record, frozen=True, kw_only=True):
    """What a member does now. Rates are bytes a second."""

    path: str
    disk: str
    read_bytes_per_second: int
    write_bytes_per_second: int
    busy_percent: float


class ArrayStatus(Record, frozen=True, kw_only=True):
    """An array, in words, and what is not in the reading itself."""

    array: Array
    health: Health
    words: str
    finish_least_seconds: int | None  # of the sync under way; None if nothing syncs or it is not known yet
    finish_most_seconds: int | None
    activity: tuple[Activity, ...]
    care: tuple[Care, ...] = ()  # what it needs from a person


class Status(Record, frozen=True, kw_only=True):
    """The document of ``--json``, or one line of it with ``--watch``."""

    arrays: tuple[ArrayStatus, ...]
    units: tuple[Unit, ...]  # of every backend; what md's arrays have besides is in `arrays`
    jobs: tuple[JobState, ...]  # those that run, and those that were interrupted


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options."""
    parser.add_argument("--watch", action="store_true", help="run until Ctrl-C, print what changes")
    parser.add_argument(
        "--acknowledge",
        metavar="ARRAY",
        help="stop listing the lost members of ARRAY; its name, UUID or device",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document; with --watch one a line")


def run(args: argparse.Namespace) -> int:
    """Print the status once, or until Ctrl-C."""
    if args.machine:
        if args.watch:
            raise BadInput("a recorded machine does not change; leave --watch out")
        from raidtui.machine.reader import load_machine

        if args.acknowledge:
            raise BadInput("a recorded machine cannot be changed; leave --acknowledge out")
        machine = load_machine(args.machine)
        turning = {disk.identity for disk in machine.disks if disk.rotational}
        arrays = tuple(
            _status(a, any(m.disk in turning for m in a.members), (), machine) for a in machine.arrays
        )
        _print(
            Status(arrays=arrays, units=tuple(unit.document for unit in units_of(machine)), jobs=()),
            as_json=args.json,
        )
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
    found = [array for array in read_arrays() if array.is_called(word)]
    if len(found) != 1:
        known = ", ".join(array.name for array in read_arrays())
        raise BadInput(f"{len(found)} arrays are called {word!r}; the arrays here are {known or 'none'}")
    for lost in ArrayJournal().acknowledge(unit_of(found[0])):
        print(harmless(f"acknowledged: {lost_words(lost)}"))


def _look() -> Status:
    journal = ArrayJournal()
    arrays = journal.look(read_arrays())
    before, begin = read_counters(), time.monotonic()
    if any(array.sync for array in arrays):
        time.sleep(_SAMPLE_SECONDS)
        arrays = journal.look(read_arrays())
    found = _gather(arrays, before, read_counters(), time.monotonic() - begin, _machine_for(arrays))
    return Status(arrays=found, units=_units(arrays), jobs=_live_jobs())


def _units(arrays: tuple[Array, ...]) -> tuple[Unit, ...]:
    """Those of md from what was read of them already, and those of every other backend as they are now."""
    return tuple(unit.document for unit in (*map(unit_of, arrays), *units_now()))


def _machine_for(arrays: tuple[Array, ...]) -> Machine | None:
    """The whole computer, which takes a while to read, only where an array may need something."""
    if not any(health(array) is not Health.OK or array.state == "read-auto" for array in arrays):
        return None
    from raidtui.backends.reading import read_whole

    return read_whole(smart=False)


def _gather(
    arrays: tuple[Array, ...],
    before: Mapping[str, Counters],
    now: Mapping[str, Counters],
    seconds: float,
    machine: Machine | None = None,
) -> tuple[ArrayStatus, ...]:
    return tuple(
        _status(array, _turns(array), _activity(array.members, before, now, seconds), machine)
        for array in arrays
    )


def _turns(array: Array) -> bool:
    return array.sync is not None and is_rotational(array)


def _live_jobs() -> tuple[JobState, ...]:
    from raidtui.jobs.store import list_jobs

    return tuple(job for job in list_jobs() if job.outcome in _LIVE)


def _status(
    array: Array, rotational: bool, activity: tuple[Activity, ...], machine: Machine | None
) -> ArrayStatus:
    least = most = None
    if array.sync is not None:
        from raidtui.advice.time_left import left_range

        if (left := left_range(array.sync, rotational=rotational)) is not None:
            least, most = round(left[0]), round(left[1])
    return ArrayStatus(
        array=array,
        health=health(array),
        words=state(array),
        finish_least_seconds=least,
        finish_most_seconds=most,
        activity=activity,
        care=_care(array, machine) if machine is not None else (),
    )


def _care(array: Array, machine: Machine) -> tuple[Care, ...]:
    """By the machine's own reading of the array, which has the signatures on it too."""
    return next((care_for(one, machine) for one in machine.arrays if one.uuid == array.uuid), ())


def _activity(
    members: tuple[Member, ...], before: Mapping[str, Counters], now: Mapping[str, Counters], seconds: float
) -> tuple[Activity, ...]:
    names = {member.path.removeprefix("/dev/"): member for member in members}
    found = []
    for name, member in names.items():
        if name in before and name in now and seconds > 0:
            old, new = before[name], now[name]
            found.append(
                Activity(
                    path=member.path,
                    disk=member.disk,
                    read_bytes_per_second=round((new.read_bytes - old.read_bytes) / seconds),
                    write_bytes_per_second=round((new.write_bytes - old.write_bytes) / seconds),
                    busy_percent=round(min(100.0, 100 * (new.busy_seconds - old.busy_seconds) / seconds), 1),
                )
            )
    return tuple(found)


def _print(status: Status, *, as_json: bool) -> None:
    print(to_json(status) if as_json else "\n".join(describe(status)))


def describe(status: Status) -> list[str]:
    """The status in lines for people, without control characters."""
    lines: list[str] = []
    for one in status.arrays:
        array = one.array
        size = both(array.size_bytes) if array.size_bytes else ""
        places = (f"mounted at {p}" for p in array.mountpoints)
        about = ", ".join(filter(None, (array.level, size, *places, within(array, status.units))))
        lines += [f"{array.name} ({array.node}): {about}", f"  {one.words}"]
        if array.sync is not None and not array.sync.waiting:
            lines.append(f"  {_progress(one, array.sync)}")
        if said := check_words(array):
            lines.append(f"  {said}")
        doing = {activity.path: activity for activity in one.activity}
        lines += [_member(member, array, doing.get(member.path)) for member in array.members]
        lines += _wrapped("   !  lost: ", (lost_words(lost) for lost in array.lost))
        if array.lost:
            lines.append(f"      'raidtui status --acknowledge {array.name}' removes it from this list")
        for care in one.care:
            lines += _wrapped("  to do: ", [care.text])
            lines += [f"      {command}" for command in care.commands]
    # The arrays of md are shown above with what a unit does not have: lost members, their traffic, what to do.
    shown = {one.array.uuid for one in status.arrays}
    for unit in status.units:
        if unit.uuid not in shown:
            lines += unit_lines(unit)
    for job in status.jobs:
        what = f"job {job.request.id}: {job.request.title}, {job.outcome.value}"
        lines.append(f"{what}{f', at step {job.step}' if job.step else ''}")
    return [harmless(line) for line in lines] or ["no arrays, and no jobs"]


def _wrapped(begin: str, texts: Iterable[str]) -> list[str]:
    """Each text after ``begin``, in lines of at most 80 characters."""
    further = " " * len(begin)
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            f"{begin}{text}", 80, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
        )
    ]


def _progress(one: ArrayStatus, sync: Sync) -> str:
    done = f"{decimal(sync.done_bytes)} of {decimal(sync.total_bytes)}, {rate(sync.bytes_per_second)}"
    least, most = one.finish_least_seconds, one.finish_most_seconds
    if least is None or most is None:
        return (
            f"{done}, {'stalled' if sync.bytes_per_second <= 0 < sync.done_bytes else 'estimating time left'}"
        )
    soon, late = duration(least), duration(most)
    return f"{done}, {soon} left" if soon == late else f"{done}, {soon} to {late} left"


def _member(member: Member, array: Array, activity: Activity | None) -> str:
    slot = "-" if member.slot is None else str(member.slot)
    line = f"  {slot:>2}  {member.path}  {member.disk:<12}  {member_state(member, array):<10}"
    if activity is None or not (activity.read_bytes_per_second or activity.write_bytes_per_second):
        return line.rstrip()
    read, written = activity.read_bytes_per_second / 1e6, activity.write_bytes_per_second / 1e6
    return f"{line}  read {read:.1f}, write {written:.1f} MB/s, {activity.busy_percent:.0f} % busy"


def _watch(*, as_json: bool) -> None:
    """Print each change until Ctrl-C. Slower than once a second if the picture is large: a line may be slow."""
    from raidtui.machine.watch import watch_arrays

    journal = ArrayJournal()
    latest: queue.SimpleQueue[tuple[Array, ...]] = queue.SimpleQueue()
    redraw = Redraw(sys.stdout, shutil.get_terminal_size) if sys.stdout.isatty() and not as_json else None
    watcher = watch_arrays(latest.put)
    before, begin = read_counters(), time.monotonic()
    jobs, jobs_read = _live_jobs(), begin
    last = ""
    machine: Machine | None = None
    states: tuple[tuple[str, Health, tuple[Member, ...]], ...] = ()

    def show(status: Status) -> int:
        """Print it, if it is not what is shown; how many bytes that took."""
        nonlocal last
        text = to_json(status, pretty=False) if as_json else "\n".join(describe(status))
        before, last = last, text
        if redraw is not None:
            return redraw.show(text.split("\n"))
        if text == before:
            return 0
        print(text, flush=True)
        return len(text)

    arrays = latest.get()
    units: tuple[Unit, ...] = ()
    try:
        while True:
            with suppress(queue.Empty):  # the kernel reports changes of arrays, and of nothing else
                arrays = latest.get(timeout=min(_JOBS_SECONDS, seconds_to_wait(units) or _JOBS_SECONDS))
            while not latest.empty():
                arrays = latest.get()
            now, end = read_counters(), time.monotonic()
            if end - jobs_read >= _JOBS_SECONDS:
                jobs, jobs_read = _live_jobs(), end
            arrays = journal.look(arrays)
            found = tuple((one.uuid, health(one), one.members) for one in arrays)
            machine = machine if found == states else None
            units = _units(arrays)
            gathered = _gather(arrays, before, now, end - begin, machine)
            status = Status(arrays=gathered, units=units, jobs=jobs)
            sent = show(status)
            if found != states and (machine := _machine_for(arrays)) is not None:
                # What is wrong is shown at once, and what can be done when the whole computer has been read.
                gathered = _gather(arrays, before, now, end - begin, machine)
                status = Status(arrays=gathered, units=units, jobs=jobs)
                sent += show(status)
            states, before, begin = found, now, end
            time.sleep(max(_SHORTEST_SECONDS, sent / 1024))
    finally:
        watcher.stop()
