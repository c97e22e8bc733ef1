"""A world with activity: jobs with journals, syncing arrays, busy disks, results."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from raidtui.backends.control import Control
from raidtui.backends.controls import controls_of
from raidtui.bench.live import Live
from raidtui.machine.counters import Counters
from raidtui.model.journal import Entry, JobRequest, JobState
from raidtui.model.machine import Array, Machine
from raidtui.model.plan import Plan
from raidtui.model.result import Result
from raidtui.model.unit import Unit
from raidtui.results.summary import summarise
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.world import Access, Watching
from tests.ui.worlds import PretendWorld


class _Watch:
    def stop(self) -> None:
        pass


class BusyWorld(PretendWorld):
    """Records every order; its arrays and jobs can be changed, which notifies watchers."""

    def __init__(
        self,
        machine: Machine,
        *,
        access: Access = Access.ROOT,
        jobs: Sequence[JobState] = (),
        plans: Mapping[str, Plan] | None = None,
        journals: Mapping[str, Sequence[Entry]] | None = None,
        live: Mapping[str, Live] | None = None,
        results: Sequence[Result] = (),
    ) -> None:
        super().__init__(machine, access=access)
        RecordedWorld.__init__(
            self,
            machine,
            jobs=jobs,
            plans=plans,
            journals=journals,
            live=live,
            summaries=[summarise(result) for result in results],
            results=results,
        )
        # device → read, written, busy since the last reading
        self.rates: dict[str, tuple[float, float, float]] = {}
        self._counted: dict[str, Counters] = {}
        self._jobs_changed: Callable[[tuple[JobState, ...]], None] | None = None

    def counters(self) -> Mapping[str, Counters]:
        for name, (read, written, busy) in self.rates.items():
            old = self._counted.get(
                name, Counters(read_bytes=0, write_bytes=0, reads=0, writes=0, busy_seconds=0.0)
            )
            self._counted[name] = msgspec.structs.replace(
                old,
                read_bytes=old.read_bytes + int(read),
                write_bytes=old.write_bytes + int(written),
                busy_seconds=old.busy_seconds + busy,
            )
        return dict(self._counted)

    def watch_jobs(self, changed: Callable[[tuple[JobState, ...]], None]) -> Watching:
        self._jobs_changed = changed
        changed(self._jobs)
        return _Watch()

    def have_arrays(self, *arrays: Array) -> None:
        """Replace the arrays, and notify watchers, as the kernel would."""
        self._machine = msgspec.structs.replace(self._machine, arrays=arrays)
        if self._units_changed:
            self._units_changed(self.reported())

    def have_jobs(self, *jobs: JobState, journals: Mapping[str, Sequence[Entry]] | None = None) -> None:
        """Replace the jobs, and notify watchers."""
        self._jobs = jobs
        self._journals |= {job: tuple(entries) for job, entries in (journals or {}).items()}
        if self._jobs_changed:
            self._jobs_changed(jobs)

    def follow(self, state: JobState, stop: Callable[[], bool]) -> Iterator[Entry]:
        return iter(self.read_journal(state))

    def _order(self, what: str, about: object) -> None:
        self.orders.append((what, about))

    def resume(self, job: str) -> JobRequest:
        self._order("resume", job)
        return self.job_state(job).request

    def rollback(self, job: str) -> JobRequest:
        self._order("rollback", job)
        return self.job_state(job).request

    def cancel(self, job: str) -> None:
        self._order("cancel", job)

    def remove_result(self, word: str) -> None:
        self._order("remove", word)

    def control(self, unit: Unit, control: Control) -> str:
        self._order(control.value, unit.name)
        return controls_of(unit, (*self.reported(), *self.polled()))[control].message
