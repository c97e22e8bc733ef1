"""The world behind the screens: everything that they read from the computer, and every order they give.

Screens use only `World`, which passes each call to the room that implements it. `RecordedWorld` answers from a recorded
machine and refuses all orders. Reading calls may take seconds: screens make them in a thread.
"""

from __future__ import annotations  # do not load the records of jobs and results for the first picture

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from raidtui.machine import whereabouts
from raidtui.model.errors import Refused, StepFailed

if TYPE_CHECKING:
    from raidtui.backends.control import Control
    from raidtui.backends.reading import Readings
    from raidtui.backends.units_now import Polling
    from raidtui.bench.session import Live
    from raidtui.jobs.recovering.process import RecoveryProcess
    from raidtui.jobs.rehearsed import RehearsalProcess
    from raidtui.jobs.search import Search
    from raidtui.jobs.sending.proof import Tried
    from raidtui.jobs.unit_journal import UnitJournal
    from raidtui.machine.counters import Counters
    from raidtui.machine.space import Space
    from raidtui.model.history import SmartRow
    from raidtui.model.journal import BenchRequest, Entry, JobRequest, JobState
    from raidtui.model.machine import Disk, Machine
    from raidtui.model.plan import Plan
    from raidtui.model.procedure import Procedure, RestoreMetadata, StartTried
    from raidtui.model.recovery import Recovery
    from raidtui.model.result import Result
    from raidtui.model.unit import Unit
    from raidtui.results.store import Summary
    from raidtui.sweep.prepare import Preview


class Access(StrEnum):
    """What the user may do."""

    ROOT = "root"  # everything
    USER = "user"  # view only, and not everything: changes need root
    RECORDED = "recorded"  # view a recorded machine


class Watching(Protocol):
    """A watch that calls back from its own thread until it is stopped."""

    def stop(self) -> None:
        """Stop calling back."""


class World:
    """This computer. Every method may raise a `RaidtuiError` with a message for the user.

    Rooms are imported on first use, so that the first picture does not wait for them.
    """

    @property
    def access(self) -> Access:
        """What the user may do."""
        return Access.ROOT if os.geteuid() == 0 else Access.USER

    @property
    def hostname(self) -> str:
        """The name of the computer."""
        return whereabouts.hostname()

    @cached_property
    def over_ssh(self) -> bool:
        """Whether the user is connected to it over SSH."""
        return whereabouts.over_ssh()

    @property
    def in_lab(self) -> bool:
        """Whether this computer is the lab: its disks are virtual, and are lost when it ends."""
        return whereabouts.in_lab()

    def machine(self) -> Machine:
        """Read the computer."""
        from raidtui.jobs.reserved import with_reserved

        return with_reserved(self._readings.read())

    @cached_property
    def _readings(self) -> Readings:
        from raidtui.backends.reading import Readings

        return Readings()

    def reported(self) -> tuple[Unit, ...]:
        """Read the units whose changes the kernel reports; cheap."""
        from raidtui.backends.units_now import reported_units

        return self._journal.look(reported_units())

    def polled(self, *, fresh: bool = True) -> tuple[Unit, ...]:
        """Read all other units; unless ``fresh``, only those that were there at the last reading and are due."""
        return self._journal.look(self._polling.look(monotonic(), fresh=fresh).units)

    @cached_property
    def _polling(self) -> Polling:
        from raidtui.backends.units_now import Polling

        return Polling()

    def acknowledge(self, unit: Unit) -> None:
        """Acknowledge the lost members of ``unit``: do not show them any more."""
        self._journal.acknowledge(unit)

    def spaces(self, targets: Sequence[str]) -> Mapping[str, Space]:
        """The space of the filesystems mounted at ``targets``; without those that cannot be read."""
        from raidtui.machine.space import read_spaces

        return read_spaces(targets)

    @cached_property
    def _journal(self) -> UnitJournal:
        from raidtui.jobs.unit_journal import UnitJournal

        return UnitJournal()

    def counters(self) -> Mapping[str, Counters]:
        """The bytes and I/Os of each disk since it appeared, by kernel name."""
        from raidtui.machine.counters import read_counters

        return read_counters()

    def is_there(self, disk: Disk) -> bool:
        """Whether the kernel has this disk now; cheap. After a pull a reading has it for about a second more."""
        from raidtui.machine.tree import HERE

        return HERE.exists(f"/sys/block/{disk.name}")

    def watch_disks(self, changed: Callable[[], None]) -> Watching:
        """Call ``changed`` from a thread whenever a disk appears or disappears."""
        from raidtui.machine.watch import watch_disks

        return watch_disks(changed)

    def watch_units(self, changed: Callable[[tuple[Unit, ...]], None]) -> Watching:
        """Call ``changed`` from a thread with the reported units: now, on every event, every few seconds in a sync."""
        from raidtui.backends.units_now import watch_units

        return watch_units(lambda units: changed(self._journal.look(units)))

    def list_jobs(self) -> tuple[JobState, ...]:
        """All jobs that can be read, newest first."""
        from raidtui.jobs.store import list_jobs

        return list_jobs()

    def smart_rows(self, disk: str) -> tuple[SmartRow, ...] | None:
        """Every row of SMART values that is recorded of a disk; None: those that the reading carries are all."""
        from raidtui.machine.history import HistoryFile
        from raidtui.model.history import SmartRow

        return HistoryFile().of(SmartRow, disk)

    def damaged_jobs(self) -> tuple[str, ...]:
        """A sentence for each job that `list_jobs` leaves out, and why."""
        from raidtui.jobs.store import damaged_requests

        return damaged_requests()

    def job_state(self, job: str) -> JobState:
        """The current state of a job; ``job`` is its id or the start of it."""
        from raidtui.jobs.store import job_state

        return job_state(job)

    def watch_jobs(self, changed: Callable[[tuple[JobState, ...]], None]) -> Watching:
        """Call ``changed`` from a thread with all jobs, newest first: now, and whenever one changes."""
        from raidtui.ui.care.jobs_watch import watch_jobs

        return watch_jobs(changed)

    def read_plan(self, state: JobState) -> Plan:
        """The plan that a build or teardown executes."""
        from raidtui.jobs.store import read_plan

        return read_plan(state)

    def read_journal(self, state: JobState) -> tuple[Entry, ...]:
        """The journal entries so far."""
        from raidtui.jobs.journal import read_journal

        return read_journal(Path(state.folder))

    def follow(self, state: JobState, stop: Callable[[], bool]) -> Iterator[Entry]:
        """All entries from the first, then new ones until the job ends or ``stop()``; blocks, so only in a thread."""
        from raidtui.jobs.journal import follow

        return follow(Path(state.folder), stop=stop)

    def start(
        self,
        plan: Plan,
        machine: Machine,
        *,
        array: str = "",
        procedure: Procedure | None = None,
        erase: Sequence[str],
        accepted: Sequence[str],
    ) -> JobRequest:
        """Start the job that executes ``plan``: the removal of ``array``, or ``procedure``, or else a build.

        ``erase`` are the disks as the user confirmed them.
        """
        from raidtui.jobs.start import planned_request, start_planned

        request = planned_request(
            plan, machine, array=array, procedure=procedure, erase=erase, accepted=accepted
        )
        return start_planned(request, plan, machine)

    def rehearse(self, order: JobRequest) -> RehearsalProcess:
        """Start the rehearsal of what ``order`` would do, in a process of its own."""
        from raidtui.jobs.rehearsed import RehearsalProcess

        return RehearsalProcess(order)

    def rehearsed(self, plan: Plan) -> str:
        """How ``plan`` was rehearsed, in words."""
        from raidtui.jobs.rehearsed import rehearsed_words

        return rehearsed_words(plan)

    def last_recovery(self) -> Recovery | None:
        """The list of the last recovery trial, and what of it is mounted; None if there was none."""
        from raidtui.jobs.recovering.record import read_last

        return read_last()

    def for_real(self, number: int, *, name: str, unit: str) -> StartTried | RestoreMetadata:
        """What does to the members what number ``number`` of the last list was on overlays; see `order_for_real`."""
        from raidtui.jobs.recovering.for_real import order_for_real
        from raidtui.jobs.recovering.record import read_last

        return order_for_real(read_last(), number, name=name, unit=unit)

    def recover(self, words: Sequence[str]) -> RecoveryProcess:
        """Start a recovery trial, in a process of its own; ``words`` are those of the command."""
        from raidtui.jobs.recovering.process import RecoveryProcess

        return RecoveryProcess(words)

    def order_alerts(self, to: str, quiet: str, *, monthly: bool) -> Procedure:
        """What sets alerts to these values; see `order_from_form`."""
        from raidtui.jobs.alert_orders import order_from_form

        return order_from_form(to, quiet, monthly=monthly)

    def test_alerts(self, machine: Machine) -> tuple[Tried, ...]:
        """Send a test on every path; takes up to a minute each."""
        from raidtui.jobs.sending.proof import send_tests
        from raidtui.machine.alert_settings import read_settings
        from raidtui.machine.history import HistoryFile
        from raidtui.machine.tree import HERE
        from raidtui.model.alerts import AlertSettings

        return send_tests(read_settings() or AlertSettings(), machine, HistoryFile(), tree=HERE)

    def confirm_alerts(self, code: str) -> tuple[str, ...]:
        """Record that a test with this code arrived; return its ways."""
        from raidtui.jobs.sending.proof import confirm
        from raidtui.machine.history import HistoryFile

        return confirm([code], HistoryFile())

    def start_sweep(
        self, seen: Preview, machine: Machine, *, seed: str, erase: Sequence[str], accepted: Sequence[str]
    ) -> JobRequest:
        """Start the sweep in ``seen``; ``erase`` are the disks as the user confirmed them."""
        from raidtui.sweep.prepare import begin

        return begin(seen, machine, seed=seed, erase=erase, accepted=accepted)

    def resume(self, job: str) -> JobRequest:
        from raidtui.jobs.start import resume

        return resume(job)

    def rollback(self, job: str) -> JobRequest:
        """Roll back a job as far as possible."""
        from raidtui.jobs.start import rollback

        return rollback(job)

    def cancel(self, job: str) -> None:
        """Ask a running job to stop after the current step; a benchmark stops at once."""
        from raidtui.jobs.start import cancel

        cancel(job)

    def start_bench(self, request: BenchRequest) -> JobRequest:
        from raidtui.bench.preflight import preflight
        from raidtui.jobs.start import start_bench

        preflight(request)
        return start_bench(request)

    def start_burn_in(self, disks: Sequence[str], machine: Machine) -> JobRequest:
        """Start the burn-in of disks, which only reads them; ``disks`` are their identities."""
        from raidtui.bench.burnin.disks import disks_to_read, request_for
        from raidtui.bench.fio import MINIMUM
        from raidtui.jobs.start import start_burn_in
        from raidtui.machine.tools import require

        require("fio", MINIMUM)
        return start_burn_in(request_for(disks_to_read(disks, machine)), machine)

    def read_room(self, target: str) -> int | None:
        """Most bytes for the test file of a benchmark in a directory; None if that is not known."""
        from raidtui.bench.target import room_at

        return room_at(target)

    def read_live(self, state: JobState) -> Live | None:
        """The current values of a running benchmark."""
        from raidtui.bench.session import read_live

        return read_live(Path(state.folder))

    def list_results(self) -> tuple[Summary, ...]:
        """All stored results, newest first."""
        from raidtui.results.store import Store

        return Store().list()

    def get_result(self, word: str) -> Result:
        """The result with this id, start of an id, or label."""
        from raidtui.results.store import Store

        return Store().get(word)

    def result_document(self, word: str) -> str:
        """The JSON document of a result, as stored or imported; this is what is exported."""
        from raidtui.results.store import Store

        return Store().document(word)

    def remove_result(self, word: str) -> None:
        from raidtui.results.store import Store

        Store().remove(word)

    def control(self, unit: Unit, control: Control) -> str:
        """Order a scrub of ``unit``, a pause, another speed; return a message about it."""
        from raidtui.jobs.orders import give

        return give(unit, control)

    def break_disk(self, fault: str, serial: str) -> str:
        """Do one of ``FAULTS`` to a virtual disk of the lab, or without a serial number; return what was done."""
        from raidtui.machine.ask import ask_patiently

        done = ask_patiently(["lab", fault, *([serial] if serial else [])])
        if done.returncode != 0:
            raise StepFailed(done.stderr.strip().removeprefix("lab: "))
        return f"{done.stdout.strip()}."

    def search(self, disk: str, machine: Machine, units: Sequence[Unit]) -> Search:
        """A search for a disk in the case, which makes its light blink; ``disk`` is its identity."""
        from raidtui.jobs.search import Search

        if os.geteuid() != 0:
            raise Refused("only root can read the disk to make it blink")
        return Search(disk, machine, units)
