"""A sweep in the process of its job: build, wait for the sync, measure, remove, next; unattended.

Each part is a job of its own, with its own guard, journal and undo. So whatever ends the sweep, the state of a part
is known: the next start waits for it, rolls it back or finishes it, and continues with what is not measured yet.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from raidtui.backends.reading import read_whole
from raidtui.backends.registry import reader
from raidtui.backends.single.teardown import alone_on
from raidtui.backends.units import unit_on, units_of
from raidtui.bench.stop import Cancelled, StopRequests
from raidtui.jobs.disk_locks import lock_for_sweep
from raidtui.jobs.ending import record_start, to_the_end
from raidtui.jobs.folders import folders_made_by, has_built, remove_folders
from raidtui.jobs.journal import Journal, follow, read_journal
from raidtui.jobs.start import (
    build_request,
    cancel,
    resume,
    rollback,
    start_bench,
    start_planned,
    teardown_request,
)
from raidtui.jobs.store import job_state, list_jobs, read_request
from raidtui.jobs.waiting import wait_until_in_sync
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import BadInput, Refused, StepFailed, ToolMissing
from raidtui.model.journal import Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.machine import Disk, Machine
from raidtui.model.sweep import Sweep
from raidtui.model.text import listed, spelled
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from raidtui.steps.pieces import contents_of
from raidtui.steps.seeds import derive
from raidtui.sweep.matrix import (
    ARRAY,
    MOUNTPOINT,
    Turn,
    combinations_of,
    has_disks_for,
    spec_of,
    turns_of,
    why_not_bare,
)
from raidtui.sweep.measurement import Measurement, measurements_of, request_of
from raidtui.sweep.state import progress_of

CANCELLED: Final = 130  # what a shell calls a command that Ctrl-C ended
_OVER: Final = frozenset({Outcome.DONE, Outcome.ROLLED_BACK})


def run_sweep(folder: Path, *, undo: bool = False) -> int:
    """Run or resume the sweep of the job in ``folder`` and return its exit code.

    SIGTERM or SIGINT ends it with exit code 130 and leaves its disks blank.

    Args:
        undo: only remove what it left behind.
    """
    with Journal(folder) as journal, StopRequests() as stop:
        record_start(journal, "rollback" if undo else "run")

        def work() -> tuple[Outcome, str, int]:
            session = _Session(folder, journal, stop, read_request(folder))
            with session.reserved(undo=undo):
                if undo:
                    return Outcome.ROLLED_BACK, session.clean_up(), 0
                return Outcome.DONE, session.carry_out(), 0

        said = f"canceled, its disks are free; 'raidtui resume {folder.name}' continues"
        return to_the_end(journal, work, canceled=Cancelled, said=said, code=CANCELLED)


class _Session:
    """One run of the process of a sweep."""

    def __init__(self, folder: Path, journal: Journal, stop: StopRequests, request: JobRequest) -> None:
        if request.sweep is None:
            raise BadInput(f"the job {request.id} is not a sweep")
        self._folder = folder
        self._journal = journal
        self._stop = stop
        self._request = request
        self._sweep: Sweep = request.sweep
        self._results = progress_of(read_journal(folder)).results

    @contextmanager
    def reserved(self, *, undo: bool) -> Iterator[None]:
        """Reserve its disks until it ends: no other job uses one that is blank between two turns.

        Args:
            undo: what it built is only removed, which does not need all of them.

        Raises:
            Refused: one is not connected, or another job uses it.
        """
        machine = read_whole(smart=False)
        if not undo and (missing := self._missing(machine)):
            raise Refused(
                f"{listed(missing)} of this sweep is not connected; connect it, or remove what was built: "
                f"'raidtui rollback {self._request.id}'"
            )
        with ExitStack() as stack:
            for disk in self._disks(machine):
                stack.enter_context(lock_for_sweep(disk.identity))
            yield

    def _disks(self, machine: Machine) -> list[Disk]:
        """Its disks that are connected."""
        missing = self._missing(machine)
        return [machine.disk(word) for word in self._sweep.disks if word not in missing]

    def _missing(self, machine: Machine) -> list[str]:
        return [word for word in self._sweep.disks if not any(one.is_called(word) for one in machine.disks)]

    def carry_out(self) -> str:
        """Measure everything that is not measured yet; return a sentence on the outcome."""
        self._adopt()
        self.clean_up()
        self._make_blank()
        turns = turns_of(self._sweep)
        ended = progress_of(read_journal(self._folder)).ended
        for turn in turns:
            if turn.id not in ended:
                self._take(turn)
        after = progress_of(read_journal(self._folder))
        text = f"{len(after.results)} measurements are stored"
        return f"{text}; {len(after.failed)} of {len(turns)} could not be made" if after.failed else text

    def clean_up(self) -> str:
        """Leave the disks blank: finish or undo every unfinished part, and remove what is built.

        Raises:
            StepFailed: something is left that cannot be removed.
        """
        for part in self._parts():
            state = part
            if state.outcome is Outcome.RUNNING:
                self._note(state.request, "waiting for a part that an earlier run of this sweep started")
                state = self._end_of(state.request)
            if state.request.kind is JobKind.BENCH or state.outcome in _OVER or not state.steps_done:
                continue
            self._finish(state)
        machine = read_whole(smart=False)
        for word in self._built(machine):
            self._remove(word, machine)
        self._remove_mountpoint()
        missing = self._missing(machine)
        gone = f"; {listed(missing)} is not connected, and what is on it was left" if missing else ""
        return f"its disks are free{gone}"

    def _remove_mountpoint(self) -> None:
        """Remove the mount point, which a teardown leaves if a power cut had unmounted it."""
        made = [one for part in self._parts() for one in folders_made_by(Path(part.folder))]
        if made and os.path.isdir(MOUNTPOINT) and not os.path.ismount(MOUNTPOINT):
            self._journal.append(Event.NOTE, text=remove_folders(MOUNTPOINT, made))

    def _make_blank(self) -> None:
        """Erase the disk that is measured bare: a benchmark only writes to blank disks.

        Building an array erases its disks, with a capsule of what was there, and removing it leaves them blank.
        """
        machine = read_whole(smart=False)
        disk = machine.disk(self._sweep.disks[0])
        combinations = [one for one in combinations_of(self._sweep) if has_disks_for(self._sweep, one)]
        others = [one for one in combinations if not one.bare]
        if len(others) == len(combinations) or not contents_of(disk) or not others or not disk.has_device:
            return
        self._build(Turn(number=0, combination=others[0]))
        self.clean_up()

    def _take(self, turn: Turn) -> None:
        """One turn, from blank disks to blank disks; a failure is recorded and does not stop the sweep."""
        self._stop.check()
        self._journal.append(Event.STEP, step=turn.id, text=spelled(self._title(turn)))
        missing = [
            one
            for one in measurements_of(self._sweep, chunks=turn.combination.has_chunk)
            if turn.cell(one.name) not in self._results
        ]
        failure = ""
        try:
            if missing:
                target, named = self._build(turn)
                for measurement in missing:
                    self._measure(turn, measurement, target, named)
        except (Refused, StepFailed, BadInput, ToolMissing) as error:
            failure = str(error)
        finally:
            self.clean_up()
        if failure:
            self._journal.append(Event.STEP_FAILED, step=turn.id, text=failure)
        else:
            self._journal.append(Event.STEP_DONE, step=turn.id)

    def _build(self, turn: Turn) -> tuple[str, str]:
        """Build what a turn measures and wait until it is in sync; return the target, and its name for ``--erase``."""
        combination, machine = turn.combination, read_whole(smart=False)
        if combination.bare:
            disk = machine.disk(self._sweep.disks[0])
            if why := why_not_bare(disk):
                raise BadInput(why)
            return disk.path, disk.serial or disk.identity
        # A new seed for every attempt: a seed belongs to one job, and an earlier one may have been undone.
        seed = derive(self._request.seed, turn.id, str(len(self._parts())))
        plan = make_plan(spec_of(self._sweep, combination), machine, seed=seed)
        request = build_request(
            plan,
            machine,
            erase=[disk.named for disk in plan.disks],
            accepted=self._request.accepted,
            part_of=self._request.id,
        )
        start_planned(request, plan, machine)
        self._note(request, f"building {spelled(combination.title)}")
        self._wait_for_success(request)
        if not plan.spec.alone:
            self._journal.append(Event.NOTE, step=turn.id, text="waiting until it is in sync")
            sees = reader(plan.spec.backend)
            wait_until_in_sync(
                plan.array_uuid, lambda unit: self._stop.check(), read=sees.now, every=sees.interval
            )
        if combination.filesystem != "none":
            return MOUNTPOINT, ""
        return plan.array_path, ARRAY

    def _measure(self, turn: Turn, measurement: Measurement, target: str, named: str) -> None:
        self._stop.check()
        cell = turn.cell(measurement.name)
        name = f"{self._sweep.name}, quick" if self._sweep.quick else self._sweep.name
        title = spelled(self._title(turn)) + (", cached" if measurement.cached else "")
        request = start_bench(
            request_of(
                self._sweep,
                measurement,
                read_whole(smart=False),
                target=target,
                label=f"{title} ({name})",  # what differs first: lists cut the end
                erase=named,
            ),
            part_of=self._request.id,
            purpose=cell,
        )
        self._note(request, f"measuring {spelled(turn.combination.title)} with {measurement.name}")
        self._store(cell, self._wait_for_success(request))

    def _adopt(self) -> None:
        """Store results of benchmarks that an earlier run started and that ended without it."""
        for part in self._parts():
            cell = part.request.purpose
            if cell and cell not in self._results and part.outcome in {Outcome.DONE, Outcome.RUNNING}:
                state = self._end_of(part.request)
                if state.outcome is Outcome.DONE:
                    self._store(cell, state)

    def _store(self, cell: str, state: JobState) -> None:
        results = [e.text for e in read_journal(Path(state.folder)) if e.event is Event.RESULT]
        self._results[cell] = results[-1]
        self._journal.append(Event.RESULT, step=cell, text=results[-1])

    def _finish(self, state: JobState) -> None:
        """Roll back an unfinished build, or resume an unfinished teardown."""
        builds = state.request.kind is JobKind.BUILD
        self._note(
            state.request,
            "rolling back an unfinished build" if builds else "finishing an unfinished teardown",
        )
        (rollback if builds else resume)(state.request.id)
        self._wait_for_success(state.request, wanted=_OVER, heeds_stop=False)

    def _remove(self, word: str, machine: Machine) -> None:
        plan = make_teardown(word, machine, seed=derive(self._request.seed, "teardown", word))
        request = teardown_request(
            plan,
            machine,
            array=word,
            erase=[disk.named for disk in plan.disks],
            part_of=self._request.id,
        )
        start_planned(request, plan, machine)
        self._note(request, "removing what was built")
        self._wait_for_success(request, heeds_stop=False)

    def _built(self, machine: Machine) -> list[str]:
        """What this sweep has built and still exists, as words for a teardown: named `ARRAY` or from its seeds, on its disks only."""
        disks = self._disks(machine)
        own, identities = {disk.key for disk in disks}, {disk.identity for disk in disks}
        found = []
        units = units_of(machine)
        builds = [part.request for part in self._parts() if part.request.kind is JobKind.BUILD]
        for unit in units:
            # After a reboot md may call it "host:sweep"; its UUID stays.
            ours = unit.spec_name == ARRAY or any(has_built(one, unit.uuid) for one in builds)
            if not ours or unit.stopped or unit_on(unit, units) is not None:
                continue  # a unit below another is removed with it, a stopped one by the next build on its disks
            if identities.isdisjoint({disk.identity for disk in disks_of(unit, machine)}):
                continue
            plan = make_teardown(unit.uuid, machine, seed=self._request.seed)
            if {machine.disk(d.identity).key for d in plan.disks} <= own:
                found.append(unit.uuid)
        under = {disk.identity for unit in units for disk in disks_of(unit, machine)}
        for disk in disks:
            # A member of a Btrfs of several disks looks like a filesystem on one.
            alone = None if disk.identity in under else alone_on(disk, machine)
            if alone is not None and alone.files.label == ARRAY:
                found.append(disk.identity)
        return found

    def _parts(self) -> list[JobState]:
        """The jobs that this sweep has started, oldest first."""
        return [state for state in reversed(list_jobs()) if state.request.part_of == self._request.id]

    def _wait_for_success(
        self,
        request: JobRequest,
        *,
        wanted: frozenset[Outcome] = frozenset({Outcome.DONE}),
        heeds_stop: bool = True,
    ) -> JobState:
        """Wait until a part has ended, and check its outcome.

        Raises:
            StepFailed: it is not one of ``wanted``.
            Cancelled: this sweep was asked to stop.
        """
        state = self._end_of(request, heeds_stop=heeds_stop)
        if heeds_stop:
            self._stop.check()
        if state.outcome not in wanted:
            reason = state.sentence or f"it ended as {state.outcome.value}"
            raise StepFailed(f"{request.title}: {reason}")
        return state

    def _end_of(self, request: JobRequest, *, heeds_stop: bool = False) -> JobState:
        """Wait until a part has ended; with ``heeds_stop``, pass a stop request on to it."""
        passed_on = not heeds_stop

        def look() -> bool:
            nonlocal passed_on
            if self._stop.requested and not passed_on:
                passed_on = True
                _ask_to_stop(request.id)
            return False

        _exhaust(Path(job_state(request.id).folder), look)
        return job_state(request.id)

    def _note(self, part: JobRequest, text: str) -> None:
        self._journal.append(Event.NOTE, step=part.purpose, text=text, data={"job": part.id})

    def _title(self, turn: Turn) -> str:
        many = self._sweep.passes > 1
        return turn.combination.title + (f", pass {turn.number}" if many else "")


def _exhaust(folder: Path, look: Callable[[], bool]) -> list[Entry]:
    return list(follow(folder, stop=look))


def _ask_to_stop(job: str) -> None:
    try:
        cancel(job)
    except Refused:
        return  # it has ended in the meantime
