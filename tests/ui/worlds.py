"""A world for tests: it answers, and records orders without executing them."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from raidtui.bench.burnin.disks import request_for
from raidtui.jobs.search import Search
from raidtui.machine.space import Space
from raidtui.model.journal import BenchRequest, JobKind, JobRequest, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Procedure, Replace, word_of
from raidtui.model.unit import Unit
from raidtui.plan.care import title_of
from raidtui.sweep.prepare import Preview
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.world import Access, Watching


class _Watch:
    def stop(self) -> None:
        pass


class PretendWorld(RecordedWorld):
    """Records every order in ``orders``; ``become`` changes the machine, as hot-plugging would."""

    def __init__(self, machine: Machine, *, access: Access = Access.ROOT) -> None:
        super().__init__(machine)
        self.orders: list[tuple[str, object]] = []
        self.filled: dict[str, Space] = {}  # mount point → space
        self.groups: tuple[Unit, ...] = ()  # units of backends other than md
        self.connected = {disk.identity: disk.path for disk in machine.disks}
        self._access = access
        self._disks_changed: Callable[[], None] | None = None
        self._units_changed: Callable[[tuple[Unit, ...]], None] | None = None

    @property
    def access(self) -> Access:
        return self._access

    def watch_disks(self, changed: Callable[[], None]) -> Watching:
        self._disks_changed = changed
        return _Watch()

    def watch_units(self, changed: Callable[[tuple[Unit, ...]], None]) -> Watching:
        self._units_changed = changed
        return super().watch_units(changed)

    def spaces(self, targets: Sequence[str]) -> Mapping[str, Space]:
        return {target: self.filled[target] for target in targets if target in self.filled}

    def polled(self, *, fresh: bool = True) -> tuple[Unit, ...]:
        return (*super().polled(fresh=fresh), *self.groups)

    def acknowledge(self, unit: Unit) -> None:
        self.orders.append(("acknowledge", unit.name))
        arrays = (
            msgspec.structs.replace(one, lost=()) if one.is_called(unit.name) else one
            for one in self._machine.arrays
        )
        self._machine = msgspec.structs.replace(self._machine, arrays=tuple(arrays))

    def become_silently(self, machine: Machine) -> None:
        """Change the machine without an event, as when a process releases a disk."""
        self._machine = machine

    def become(self, machine: Machine) -> None:
        """Change the machine, and notify watchers."""
        self._machine = machine
        if self._units_changed:
            self._units_changed(self.reported())
        if self._disks_changed:
            self._disks_changed()

    def search(self, disk: str, machine: Machine, units: Sequence[Unit]) -> Search:
        return Search(disk, machine, units, connected=lambda: dict(self.connected))

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
        request = JobRequest(
            id="20261121-040312-data",
            kind=JobKind.BUILD,
            title=f"Build {plan.spec.name}",
            created="2026-11-21T04:03:12Z",
            spec=plan.spec,
            seed=plan.seed,
            fingerprint=plan.fingerprint,
            erase=tuple(erase),
            accepted=tuple(accepted),
        )
        word = "build"
        if array:
            word = "teardown"
            request = msgspec.structs.replace(
                request,
                id="20261121-070000-tank",
                kind=JobKind.TEARDOWN,
                title=f"Remove {plan.spec.name}",
                created="2026-11-21T07:00:00Z",
                spec=None,
                array=array,
            )
        elif procedure is not None:
            word = word_of(procedure)
            request = msgspec.structs.replace(
                request,
                id=f"20261121-080000-{word}-tank",
                kind=JobKind.REPLACE if isinstance(procedure, Replace) else JobKind.CARE,
                title=title_of(procedure, plan),
                created="2026-11-21T08:00:00Z",
                spec=None,
                procedure=procedure,
            )
        self.orders.append((word, request))
        self._jobs = (JobState(request=request, outcome=Outcome.RUNNING, step=plan.steps[0].id), *self._jobs)
        self._plans[request.id] = plan
        return request

    def start_sweep(
        self, seen: Preview, machine: Machine, *, seed: str, erase: Sequence[str], accepted: Sequence[str]
    ) -> JobRequest:
        request = JobRequest(
            id="20261121-060000-sweep",
            kind=JobKind.SWEEP,
            title=f"Sweep {seen.sweep.name}",
            created="2026-11-21T06:00:00Z",
            sweep=seen.sweep,
            seed=seed,
            erase=tuple(erase),
            accepted=tuple(accepted),
        )
        self.orders.append(("sweep", request))
        self._jobs = (JobState(request=request, outcome=Outcome.RUNNING), *self._jobs)
        return request

    def start_burn_in(self, disks: Sequence[str], machine: Machine) -> JobRequest:
        request = JobRequest(
            id="20261121-090000-burn-in",
            kind=JobKind.BURN_IN,
            title=f"Burn in {len(disks)} disks",
            created="2026-11-21T09:00:00Z",
            burn_in=request_for([machine.disk(disk) for disk in disks]),
        )
        self.orders.append(("burn-in", request))
        self._jobs = (JobState(request=request, outcome=Outcome.RUNNING), *self._jobs)
        return request

    def start_bench(self, request: BenchRequest) -> JobRequest:
        self.orders.append(("bench", request))
        return JobRequest(
            id="20261121-050000-bench",
            kind=JobKind.BENCH,
            title=f"Benchmark {request.target}",
            created="2026-11-21T05:00:00Z",
            bench=request,
        )
