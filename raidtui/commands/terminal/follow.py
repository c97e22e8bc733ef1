"""Follow a job in a line-mode terminal: its progress on stderr, line by line, its outcome on stdout."""

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from raidtui.advice.time_left import Courses, time_left
from raidtui.backends.registry import reader
from raidtui.backends.unit_words import activity_words, progress_words
from raidtui.backends.units_now import every_unit_now
from raidtui.commands.terminal.after_replace import replaced
from raidtui.commands.terminal.output import terminal
from raidtui.commands.terminal.pace import Pace
from raidtui.commands.terminal.tell import tell
from raidtui.jobs.journal import data_of, follow, read_journal
from raidtui.jobs.store import job_state, read_plan
from raidtui.jobs.unit_journal import UnitJournal
from raidtui.jobs.waiting import wait_until_in_sync
from raidtui.machine.md.arrays import is_rotational
from raidtui.model.chance import share
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Entry, Event, JobRequest, JobState, Outcome
from raidtui.model.plan import Plan, PlanKind, Role, Run
from raidtui.model.struct import Record, to_json
from raidtui.model.text import count_of, harmless, spelled
from raidtui.model.unit import Unit
from raidtui.model.units import both
from raidtui.plan.words import command_line

if TYPE_CHECKING:
    from raidtui.commands.text.sweep_far import FarOfSweep

_ENDS_A_WAIT: Final = frozenset({Event.COMMAND, Event.STEP_DONE, Event.STEP_FAILED, Event.ENDED})
INTERRUPTED: Final = 130  # what a shell calls a command that Ctrl-C ended
_SECONDS_BETWEEN_LINES: Final = 10.0  # of sync progress when stderr is not a terminal


class JobDocument(Record, frozen=True, kw_only=True):
    """Outcome of a job: the document of ``--json``."""

    job: str
    outcome: Outcome
    exit_code: int
    sentence: str
    step: str
    steps_done: tuple[str, ...]
    array: Record | None  # an md array only: everything the kernel reports about it
    unit: Unit | None  # what was built, whichever backend built it


def follow_to_the_end(
    job: str,
    *,
    as_json: bool,
    since: int = 0,
    wait_sync: bool = False,
    quiet: bool = False,
    pace: Pace | None = None,
) -> int:
    """Follow ``job`` until it ends and return its exit code; Ctrl-C leaves it running.

    Args:
        since: sequence number of the first journal entry to show.
        wait_sync: after a build, wait until the array is in sync.
        quiet: do not print the outcome; the caller does.
        pace: show the progress in lines that stay, this often, and no commands.
    """
    state = job_state(job)
    plan = read_plan(state) if state.request.kind.has_plan else None
    try:
        tell = teller(plan, commands=pace is None)
        far = _far_of(state, plan, pace) if pace is not None else None
        with ExitStack() as copying:
            for entry in follow(Path(state.folder), stop=far.tell if far is not None else _goes_on):
                if far is not None:
                    far.entries.append(entry)
                if entry.event in _ENDS_A_WAIT:
                    copying.close()
                if entry.seq >= since:
                    tell(entry)
                # The wait itself may be the last of its commands.
                begins = entry.event in {Event.STEP, Event.COMMAND}
                if plan is not None and begins and entry.step in _waits(plan):
                    copying.enter_context(_telling_of(plan, pace))
        state = job_state(job)
        code = 4 if state.exit_code is None else state.exit_code
        sentence = ending_of(state)
        if wait_sync and plan is not None and plan.array_uuid and state.outcome is Outcome.DONE:
            code, sentence = follow_sync(plan, sentence, pace)
    except KeyboardInterrupt:
        leaves_it_running(state.request)
        return INTERRUPTED
    if not quiet:
        _report(state, plan, code, sentence, as_json=as_json)
    return code


def ending_of(state: JobState) -> str:
    """How the job ended, as a sentence; empty if it says nothing."""
    if state.outcome is not Outcome.INTERRUPTED:
        return state.sentence
    return (
        f"the job's process died unexpectedly; 'raidtui resume {state.request.id}' continues, "
        f"'raidtui rollback {state.request.id}' undoes it"
    )


def leaves_it_running(request: JobRequest) -> None:
    """Say, after Ctrl-C, that the job continues."""
    until = ", until the lab ends" if "RAIDTUI_LAB" in os.environ else ""
    tell(
        f"\nThe job keeps running without this terminal; 'raidtui attach {request.id}' follows it again{until}."
    )


def next_entry(job: str) -> int:
    """The sequence number that the job's next journal entry will have."""
    return len(read_journal(Path(job_state(job).folder)))


def _report(state: JobState, plan: Plan | None, code: int, sentence: str, *, as_json: bool) -> None:
    unit = _unit(plan)
    if as_json:
        report = JobDocument(
            job=state.request.id,
            outcome=state.outcome,
            exit_code=code,
            sentence=sentence,
            step=state.step,
            steps_done=state.steps_done,
            array=reader(unit.backend).document(unit) if unit is not None else None,
            unit=unit.document if unit is not None else None,
        )
        print(to_json(report))
    if code:
        tell(f"raidtui: {harmless(sentence)}")
    elif not as_json:
        print(f"{state.outcome.words}: {harmless(state.request.title)} ({state.request.id})")
        if plan is not None and plan.kind is PlanKind.REPLACE:
            print(replaced(plan))
        elif unit is not None and plan is not None:
            print(_about(unit, plan))
        elif plan is not None and plan.spec.alone and plan.kind is PlanKind.BUILD and not code:
            print(harmless(f"{plan.array_path}: single disk, mounted at {plan.spec.filesystem.mountpoint}"))
        elif sentence:
            print(harmless(sentence))


def _about(unit: Unit, plan: Plan) -> str:
    where = plan.spec.filesystem.mountpoint
    is_new = plan.kind is PlanKind.BUILD
    members = [disk for disk in plan.disks if is_new and disk.role == "member"]
    # A plan that starts a unit does not know its path; a group of several volumes has none, and no level.
    name, kind = plan.array_path or unit.path or unit.node or unit.name, spelled(unit.level)
    # A plan that tends a unit names only the disks that it erases.
    if members:
        told = [f"{kind} of {count_of(members, 'member')}", str(both(unit.size_bytes))]
    else:
        told = [kind, harmless(unit.state)]
    text = f"{harmless(name)}: {', '.join(filter(None, told))}"
    if where and plan.spec.filesystem.type != "none":
        text += f", mounted at {harmless(where)}"
    if unit.activity is not None:
        stands = unit.activity.paused or unit.activity.waiting
        how = (
            f"Not ended: {progress_words(unit.activity)}" if stands else f"The {unit.activity.what} continues"
        )
        text += f"\n{how}; 'raidtui status --watch' shows its progress."
    return text


def _unit(plan: Plan | None) -> Unit | None:
    """The unit that a plan builds or removes, as it is now."""
    if plan is None:
        return None
    # Record the members here too, for a build without a screen: a disk may be gone before anybody looks.
    units = UnitJournal().look(every_unit_now().units)
    return next(
        (
            one
            for one in units
            if plan.array_uuid and one.backend is plan.spec.backend and one.has_mark(plan.array_uuid)
        ),
        None,
    )


def follow_sync(plan: Plan, sentence: str, pace: Pace | None = None) -> tuple[int, str]:
    """Wait for the sync, with progress on stderr; return the exit code and the sentence on its outcome."""
    from raidtui.jobs.orders import restore

    tell, sees = _sync_teller(pace), reader(plan.spec.backend)
    try:
        unit = wait_until_in_sync(plan.array_uuid, tell, read=sees.now, every=sees.interval)
    except RaidtuiError as error:
        return error.exit_code, str(error)
    finally:
        if sys.stderr.isatty() and pace is None:
            print(file=sys.stderr)
    restore(unit)
    return 0, sentence


def _waits(plan: Plan) -> set[str]:
    return {step.id for step in plan.steps if step.role is Role.WAIT and step.actions}


@contextmanager
def _telling_of(plan: Plan, pace: Pace | None) -> Iterator[None]:
    """Show the progress of the syncs of the plan's units meanwhile."""
    ended = threading.Event()
    tellers: defaultdict[str, Callable[[Unit], None]] = defaultdict(lambda: _sync_teller(pace))

    def look() -> None:
        while not ended.wait(1.0):
            for unit in syncing(plan):
                tellers[unit.uuid](unit)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(5)
        if tellers and sys.stderr.isatty() and pace is None:
            print(file=sys.stderr)


def syncing(plan: Plan) -> Iterator[Unit]:
    """The units of the plan that sync now, whichever backends built them; without those that cannot be read."""
    for name in dict.fromkeys(one.spec.backend for one in plan.units):
        with suppress(RaidtuiError):
            for unit in reader(name).now():
                if unit.activity is not None and any(unit.has_mark(mark) for mark in plan.marks):
                    yield unit


def _sync_teller(pace: Pace | None) -> Callable[[Unit], None]:
    last, courses = float("-inf"), Courses()

    def tell(unit: Unit) -> None:
        nonlocal last
        (unit,) = courses.look((unit,), time.monotonic())
        on_terminal = sys.stderr.isatty() and pace is None
        if pace is not None:
            if not pace.due(unit.activity.fraction if unit.activity is not None else 1.0):
                return
        elif not on_terminal and time.monotonic() - last < _SECONDS_BETWEEN_LINES:
            return
        last = time.monotonic()
        text = harmless(spell_sync(unit))
        print(
            f"\r{text:<78}" if on_terminal else text,
            end="" if on_terminal else "\n",
            file=terminal(sys.stderr),
            flush=True,
        )

    return tell


def spell_sync(unit: Unit) -> str:
    """One line on the activity of ``unit``: progress, speed, time left."""
    doing = unit.activity
    if doing is None:
        return f"{harmless(unit.shown)}: {unit.state}"
    text = f"{harmless(unit.shown)}: {activity_words(doing)}"
    if doing.waiting or doing.paused:
        return text
    return ", ".join(filter(None, (text, time_left(doing, rotational=is_rotational(unit)))))


def _far_of(state: JobState, plan: Plan | None, pace: Pace) -> "_Far | FarOfSweep | None":
    if plan is not None:
        return _Far(plan, pace)
    if (sweep := state.request.sweep) is not None:
        from raidtui.commands.text.sweep_far import FarOfSweep

        return FarOfSweep(sweep, pace)
    return None


class _Far:
    """Tells at its pace how far the steps of a job are, each time that it is asked; never stops following."""

    def __init__(self, plan: Plan, pace: Pace) -> None:
        self._plan, self._pace = plan, pace
        self.entries: list[Entry] = []

    def tell(self) -> bool:
        from raidtui.ui.care.step_progress import progress

        far = progress(self._plan, self.entries, Outcome.RUNNING)
        # What a step waits for has lines of its own.
        waits = far.number and self._plan.steps[far.number - 1].id in _waits(self._plan) and not far.undoing
        if far.number and not waits and self._pace.due(far.share):
            doing = f"{far.left_steps} to undo" if far.undoing else f"step {far.number} of {far.count}"
            print(f"{share(far.share)}: {doing}, {far.words}", file=sys.stderr, flush=True)
        return False


def _goes_on() -> bool:
    return False


def _how_it_ended(entry: Entry) -> str:
    """Seconds and exit code of a command, in brackets; empty in a dry run, which runs none."""
    return f"  ({entry.seconds:.1f} s{entry.code_words})" if entry.seconds else ""


def teller(plan: Plan | None, *, commands: bool = True, conditions: bool = False) -> Callable[[Entry], None]:
    """A function that prints a journal entry; it numbers the steps.

    What fio measured is a line of its own, so its commands are not printed, of which there are dozens.

    Args:
        commands: with the commands that succeeded.
        conditions: with those that do not hold. Before a step that says only that it has still to be done, and the
            sentence on a failure has those that it is about.
    """
    order = [step.id for step in plan.steps] if plan is not None else []

    def show(entry: Entry) -> None:
        text = ""
        if entry.event is Event.STEP:
            count = f"[{order.index(entry.step) + 1}/{len(order)}] " if entry.step in order else ""
            text = f"{count}{entry.text}"
        elif entry.event is Event.COMMAND and (
            (entry.returncode and not entry.accepted) or (commands and entry.argv[:1] != ("fio",))
        ):
            text = f"    $ {command_line(Run(argv=entry.argv))}{_how_it_ended(entry)}"
        elif entry.event is Event.CHECK and conditions and not data_of(entry).get("holds"):
            text = f"    {entry.seen}"
        elif entry.event in {Event.EDIT, Event.NOTE, Event.CELL}:
            text = f"    {entry.text}" if entry.text else ""
        elif entry.event is Event.STARTED:
            text = entry.text
        if text and entry.event is Event.COMMAND:  # unbroken, to be copied
            print(harmless(text), file=sys.stderr, flush=True)
        elif text:
            tell(harmless(text))

    return show
