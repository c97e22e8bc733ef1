"""A recorded machine behind the screens: it can be viewed, and a build rehearsed; every other order is refused."""

from __future__ import annotations  # do not load the records of jobs and results for the first picture

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from raidtui.model.errors import BadInput, Refused
from raidtui.ui.shell.world import Access, Watching, World

if TYPE_CHECKING:
    from raidtui.bench.session import Live
    from raidtui.jobs.rehearsed import RehearsalProcess
    from raidtui.machine.counters import Counters
    from raidtui.machine.space import Space
    from raidtui.model.history import SmartRow
    from raidtui.model.journal import Entry, JobRequest, JobState
    from raidtui.model.machine import Disk, Machine
    from raidtui.model.plan import Plan
    from raidtui.model.recovery import Recovery
    from raidtui.model.result import Result
    from raidtui.model.unit import Unit
    from raidtui.results.store import Summary


class _Nothing:
    def stop(self) -> None:
        """Do nothing."""


class RecordedWorld(World):
    """A recorded machine, with jobs and results. Every order is refused, but not a rehearsal."""

    def __init__(
        self,
        machine: Machine,
        *,
        file: str = "",
        jobs: Sequence[JobState] = (),
        plans: Mapping[str, Plan] | None = None,
        journals: Mapping[str, Sequence[Entry]] | None = None,
        live: Mapping[str, Live] | None = None,
        summaries: Sequence[Summary] = (),
        results: Sequence[Result] = (),
    ) -> None:
        """The keys of ``plans``, ``journals`` and ``live`` are job ids; ``file`` is that of ``machine``, for rehearsals."""
        self._machine = machine
        self._file = file
        self._jobs = tuple(jobs)
        self._plans = dict(plans or {})
        self._journals = {job: tuple(entries) for job, entries in (journals or {}).items()}
        self._live = dict(live or {})
        self._summaries = tuple(summaries)
        self._results = tuple(results)

    @property
    def access(self) -> Access:
        return Access.RECORDED

    @property
    def hostname(self) -> str:
        return self._machine.system.hostname

    @property
    def over_ssh(self) -> bool:
        return False

    @property
    def in_lab(self) -> bool:
        return False

    def machine(self) -> Machine:
        return self._machine

    def reported(self) -> tuple[Unit, ...]:
        machine = self._machine
        signed = (one.type for disk in machine.disks for one in disk.every_signature)
        if not (machine.arrays or machine.superblocks or any(one.endswith("_raid_member") for one in signed)):
            return ()  # the others are not reported
        from raidtui.backends.units import reported_in

        return reported_in(machine)

    def polled(self, *, fresh: bool = True) -> tuple[Unit, ...]:
        if not self._machine.readings:  # no other backend has units: load none
            return ()
        from raidtui.backends.units import polled_in

        return polled_in(self._machine)

    def spaces(self, targets: Sequence[str]) -> Mapping[str, Space]:
        return {}

    def counters(self) -> Mapping[str, Counters]:
        return {}

    def is_there(self, disk: Disk) -> bool:
        return True

    def watch_disks(self, changed: Callable[[], None]) -> Watching:
        return _Nothing()

    def watch_units(self, changed: Callable[[tuple[Unit, ...]], None]) -> Watching:
        changed(self.reported())
        return _Nothing()

    def list_jobs(self) -> tuple[JobState, ...]:
        return self._jobs

    def smart_rows(self, disk: str) -> tuple[SmartRow, ...] | None:
        return None

    def damaged_jobs(self) -> tuple[str, ...]:
        return ()

    def job_state(self, job: str) -> JobState:
        found = [state for state in self._jobs if state.request.id.startswith(job)]
        if len(found) != 1:
            raise BadInput(f"no single job is called {job!r} in this recording")
        return found[0]

    def watch_jobs(self, changed: Callable[[tuple[JobState, ...]], None]) -> Watching:
        changed(self._jobs)
        return _Nothing()

    def read_plan(self, state: JobState) -> Plan:
        plan = self._plans.get(state.request.id)
        if plan is None:
            raise BadInput(f"this recording has no plan of the job {state.request.id}")
        return plan

    def read_journal(self, state: JobState) -> tuple[Entry, ...]:
        return self._journals.get(state.request.id, ())

    def follow(self, state: JobState, stop: Callable[[], bool]) -> Iterator[Entry]:
        return iter(self.read_journal(state))

    def read_room(self, target: str) -> int | None:
        return None

    def read_live(self, state: JobState) -> Live | None:
        return self._live.get(state.request.id)

    def list_results(self) -> tuple[Summary, ...]:
        return self._summaries

    def get_result(self, word: str) -> Result:
        found = [r for r in self._results if r.id.startswith(word) or r.label == word]
        if len(found) != 1:
            raise BadInput(f"no single result is called {word!r} in this recording")
        return found[0]

    def rehearse(self, order: JobRequest) -> RehearsalProcess:
        from raidtui.jobs.rehearsed import RehearsalProcess

        if not self._file:
            raise Refused("the file of this recording is not known, so it cannot be rehearsed")
        return RehearsalProcess(order, machine_file=self._file)

    def rehearsed(self, plan: Plan) -> str:
        return ""

    def last_recovery(self) -> Recovery | None:
        return None

    def result_document(self, word: str) -> str:
        from raidtui.model.struct import to_json

        return to_json(self.get_result(word), pretty=False)


def _refuse(*order: object, **more: object) -> NoReturn:
    raise Refused("a recorded machine cannot be changed: nothing can be carried out on it")


for _order in (
    "acknowledge",
    "break_disk",
    "cancel",
    "control",
    "recover",
    "remove_result",
    "resume",
    "rollback",
    "search",
    "start",
    "start_bench",
    "start_burn_in",
    "order_alerts",
    "test_alerts",
    "confirm_alerts",
    "for_real",
    "start_sweep",
):
    setattr(RecordedWorld, _order, _refuse)
