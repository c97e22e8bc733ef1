"""Show arrays and other units: their state and sync, the activity of each member, and what to do. Show running jobs.

With --watch it runs until Ctrl-C and prints only changes, at most once a second. A lost member stays listed with its
serial number and last slot until --acknowledge. --once is for monitoring systems and cron: one line, and exit code 0
well, 1 something to look at, 2 danger, 3 unknown. --prometheus writes metrics for node_exporter, atomically;
--prometheus-rules prints alerts for them. --alert is for a timer. It sends what has begun or
ended, as /etc/raidtui/alerts.toml says, and records what raidtui records regularly.
"""

import argparse
import queue
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from importlib import resources
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.unit_words import lost_words
from raidtui.backends.units import completed, units_of
from raidtui.backends.units import is_rotational as is_turning
from raidtui.backends.units_now import Polling, every_unit_now, reported_units, watch_units
from raidtui.commands._look import look, look_at
from raidtui.commands._recorded import refuse_recorded
from raidtui.commands.terminal.redraw import Redraw
from raidtui.commands.terminal.tell import tell
from raidtui.commands.text.status import Status, describe, document, gather, live_jobs, seen
from raidtui.jobs.durable import write_file
from raidtui.jobs.unit_journal import UnitJournal
from raidtui.machine.counters import read_counters
from raidtui.machine.watch import watch_disks
from raidtui.model.alerts import AlertSettings
from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed
from raidtui.model.machine import Machine
from raidtui.model.struct import to_json
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit, syncs_ended
from raidtui.model.unit_names import not_one_called
from raidtui.plan.asked import with_asked

_NOT_JSON: Final = ("acknowledge", "alert", "prometheus", "prometheus-rules")
_ALONE: Final = ("watch", "once", *_NOT_JSON)
_SAMPLE_SECONDS: Final = 1.0  # between the two readings of the counters, without --watch
_SHORTEST_SECONDS: Final = 1.0  # between two updates of --watch
_LONGEST_SECONDS: Final = 2.0  # of that: a disk that fails meanwhile must be seen
_JOBS_SECONDS: Final = 5.0  # between two readings of the jobs, which are files, with --watch


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="run until Ctrl-C and print changes")
    parser.add_argument(
        "--acknowledge",
        metavar="UNIT",
        help="stop listing the lost members of UNIT, given by name, UUID or device",
    )
    parser.add_argument(
        "--once", action="store_true", help="one line and an exit code, as a monitoring plugin"
    )
    parser.add_argument(
        "--alert", action="store_true", help="send what has begun or ended, as 'raidtui alerts' is set"
    )
    parser.add_argument(
        "--prometheus",
        metavar="FILE",
        type=Path,
        help="write metrics to FILE, named *.prom, in the folder of node_exporter's textfile collector",
    )
    parser.add_argument(
        "--prometheus-rules", action="store_true", help="print alerting rules for these metrics"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document; with --watch one per line")


def run(args: argparse.Namespace) -> int:
    """Print the status once, or until Ctrl-C."""
    given = [word for word in (*_ALONE, "json") if getattr(args, word.replace("-", "_"))]
    asked = [f"--{word}" for word in given if word != "json" or set(given) & set(_NOT_JSON)]
    if len(asked) > 1:
        raise BadInput(f"{listed(asked)} cannot be combined; give one of them")
    if args.once:
        return _once(args.machine, as_json=args.json)
    if args.alert:
        return _alert(args.machine)
    if args.prometheus is not None:
        return _write_metrics(args.prometheus, args.machine)
    if args.prometheus_rules:
        print(resources.files("raidtui.commands").joinpath("prometheus-rules.yml").read_text(), end="")
        return 0
    if args.machine:
        if args.watch:
            raise BadInput("a recorded machine does not change; leave --watch out")
        if args.acknowledge:
            refuse_recorded(args.machine)
        machine, units, findings = look(args.machine)
        shown = tuple(seen(one, is_turning(one, machine), ()) for one in units)
        _print(Status(shown, (), problems=machine.problems, findings=findings), as_json=args.json)
    elif args.acknowledge:
        _acknowledge(args.acknowledge)
    elif args.watch:
        _watch(as_json=args.json)
    else:
        _print(_look(), as_json=args.json)
    return 0


def _alert(recorded: str | None) -> int:
    """Look, record what is due, and send what has changed; exit code 4 if something could not be sent or recorded."""
    if recorded:
        raise BadInput("a recorded machine does not send alerts; leave --alert out")

    from raidtui.jobs.alerting import alert, alone
    from raidtui.jobs.kept_reading import read_sparingly
    from raidtui.jobs.regular import regular
    from raidtui.jobs.root import check_root
    from raidtui.machine.alert_settings import read_settings

    check_root()
    with alone():
        machine, units, findings = look_at(read_sparingly(), recorded=False)
        failed = regular(machine, units)
        settings = read_settings() or AlertSettings()
        said = alert(machine, units, findings, settings, now=datetime.now().astimezone(), problems=failed)
    for sentence in said:
        print(harmless(sentence))
    for sentence in failed:
        tell(f"raidtui: {sentence}")
    return StepFailed.exit_code if failed or any(one.startswith("not sent: ") for one in said) else 0


def _once(recorded: str | None, *, as_json: bool) -> int:
    """Print a line for a monitoring system; whatever goes wrong, its exit code says that the state is unknown."""
    from raidtui.commands.text.once import graded, line, not_known
    from raidtui.jobs.store import damaged_requests

    try:
        found = look(recorded)
        done = graded(found, () if recorded else live_jobs(), () if recorded else damaged_requests())
    except (RaidtuiError, OSError) as error:
        done = not_known(str(error))
    print(to_json(done) if as_json else line(done))
    return done.code


def _write_metrics(path: Path, recorded: str | None) -> int:
    from raidtui.commands.text.prometheus import metrics_text

    if path.suffix != ".prom":
        raise BadInput(f"node_exporter reads only files named *.prom, and {path.name!r} is not")
    text = metrics_text(look(recorded))
    try:
        write_file(path, text.encode(), mode=0o644)  # node_exporter is not root
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error
    return 0


def _acknowledge(word: str) -> None:
    from raidtui.jobs.root import check_root

    check_root()
    units = every_unit_now().units
    found = [unit for unit in units if unit.is_called(word)]
    if len(found) != 1:
        raise BadInput(not_one_called(word, len(found), units))
    for lost in UnitJournal().acknowledge(found[0]):
        print(harmless(f"acknowledged as {lost_words(lost)}"))


def _look(*, last: bool = False) -> Status:
    """The status now; ``last``: also if it changes meanwhile."""
    from raidtui.backends.reading import Readings
    from raidtui.jobs.container_records import note_containers

    journal = UnitJournal()
    now = every_unit_now()
    before, begin = read_counters(), time.monotonic()
    if any(unit.activity for unit in now.units):
        time.sleep(_SAMPLE_SECONDS)
        now = every_unit_now()
    after, seconds = read_counters(), time.monotonic() - begin
    machine = Readings().read()
    units = journal.look(_with_unknown_to_udev(now.units, machine))
    findings = with_asked(diagnose(units, machine), machine)
    if findings and not last:
        # The whole computer was read after its units, which udev may have started in between.
        again = journal.look(_with_unknown_to_udev(every_unit_now().units, machine))
        if [_state_of(one) for one in again] != [_state_of(one) for one in units]:
            return _look(last=True)
    note_containers(machine)
    shown = gather(units, before, after, seconds)
    from raidtui.jobs.store import damaged_requests

    known = {one.what for one in now.problems}
    problems = (*now.problems, *(one for one in machine.problems if one.what not in known))
    return Status(shown, live_jobs(), damaged_requests(), problems, findings)


def _with_unknown_to_udev(units: Sequence[Unit], machine: Machine) -> tuple[Unit, ...]:
    """``units`` and those of a whole reading that are not among them: udev misses a write that ends while it probes."""
    known = {one.uuid or one.name for one in units}
    return (
        *completed(units, machine),
        *(one for one in units_of(machine) if (one.uuid or one.name) not in known),
    )


def _print(status: Status, *, as_json: bool) -> None:
    print(to_json(document(status)) if as_json else "\n".join(describe(status)))
    for sentence in status.damaged:
        tell(f"raidtui: {sentence}")


def _watch(*, as_json: bool) -> None:
    """Print each change until Ctrl-C: at most once a second, and less often if much was sent over a slow line."""
    from raidtui.advice.time_left import Courses
    from raidtui.backends.reading import Readings

    journal, courses = UnitJournal(), Courses()
    latest: queue.SimpleQueue[tuple[Unit, ...] | None] = queue.SimpleQueue()  # None: disks have changed
    redraw = Redraw(sys.stdout, shutil.get_terminal_size) if sys.stdout.isatty() and not as_json else None
    watchers = (watch_units(latest.put), watch_disks(lambda: latest.put(None)))
    whole = Beside(Readings().read)
    before, begin = read_counters(), time.monotonic()
    jobs, jobs_read = live_jobs(), begin
    last = ""
    states: list[tuple[object, ...]] = []
    seen: tuple[Unit, ...] = ()

    def show(status: Status) -> int:
        """Print the status unless it is already shown; return the bytes sent to a terminal, whose line may be slow."""
        nonlocal last
        text = to_json(document(status), pretty=False) if as_json else "\n".join(describe(status))
        before, last = last, text
        if redraw is not None:
            return redraw.show(text.split("\n"))
        if text == before:
            return 0
        print(text, flush=True)
        return len(text) if sys.stdout.isatty() else 0

    reported: tuple[Unit, ...] = ()
    polling = Polling()
    news: list[tuple[Unit, ...] | None] = [latest.get()]
    try:
        while True:
            while not latest.empty():
                news.append(latest.get())
            moved = None in news
            # A disk that was plugged in may have a stopped array on it.
            reported = (
                reported_units()
                if moved
                else next((one for one in reversed(news) if one is not None), reported)
            )
            now, end = read_counters(), time.monotonic()
            if end - jobs_read >= _JOBS_SECONDS:
                before_jobs, jobs, jobs_read = jobs, live_jobs(), end
                moved = moved or [job.request.id for job in jobs] != [job.request.id for job in before_jobs]
            polled, problems = polling.look(end, fresh=moved)
            units = courses.look(journal.look((*reported, *polled)), end)
            found = [_state_of(unit) for unit in units]
            if not whole.begun or found != states or moved or syncs_ended(seen, units):
                whole.begin()
            # What is wrong is shown at once, and what to do about it when the whole computer has been read.
            reading = whole.pending  # asked first: it may end in between
            findings = with_asked(diagnose(units, whole.machine()), whole.machine())
            sent = show(Status(gather(units, before, now, end - begin), jobs, (), problems, findings))
            states, seen, before, begin = found, units, now, end
            time.sleep(min(max(_SHORTEST_SECONDS, sent / 1024), _LONGEST_SECONDS))
            news = []
            wait = 0.1 if reading else polling.wait(time.monotonic())
            with suppress(queue.Empty):  # the polled units report nothing
                news = [latest.get(timeout=min(_JOBS_SECONDS, wait))]
    finally:
        for watcher in watchers:
            watcher.stop()


def _state_of(unit: Unit) -> tuple[object, ...]:
    """Everything that decides what the unit needs from a person."""
    members = tuple((member.path, member.disk, member.slot, member.state) for member in unit.members)
    return unit.uuid, unit.health, unit.untouched, unit.noted, unit.lost, members


class Beside:
    """Readings in threads, one after the other; Ctrl-C waits for none."""

    def __init__(self, read: Callable[[], Machine]) -> None:
        self._read = read
        self._one_at_a_time = Lock()
        self._reading: Future[Machine] | None = None

    @property
    def begun(self) -> bool:
        """Whether a reading was begun."""
        return self._reading is not None

    @property
    def pending(self) -> bool:
        """Whether a reading is under way."""
        return self._reading is not None and not self._reading.done()

    def begin(self) -> None:
        """Read again: what the former reading says holds no more."""
        reading: Future[Machine] = Future()
        self._reading = reading
        Thread(target=self._fill, args=(reading,), daemon=True).start()

    def _fill(self, reading: "Future[Machine]") -> None:
        with self._one_at_a_time:
            try:
                reading.set_result(self._read())
            except Exception as error:
                reading.set_exception(error)

    def machine(self) -> Machine | None:
        """What was read, for `diagnose`; None while it is read. Raises RaidtuiError: it could not be read."""
        if self._reading is None or not self._reading.done():
            return None
        return self._reading.result()
