"""Start jobs: check permission, write the job's folder, and start a process that outlives this one."""

import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from raidtui.backends.registry import backend
from raidtui.jobs.confirm import check_erase, check_hazards
from raidtui.jobs.journal import LOCK, read_journal
from raidtui.jobs.launch import launch
from raidtui.jobs.lock import holder
from raidtui.jobs.recovering.held import refuse_held
from raidtui.jobs.root import check_root
from raidtui.jobs.store import (
    check_seed_is_new,
    is_rolling_back,
    job_state,
    new_id,
    starting,
    write_job,
)
from raidtui.machine.installation import REPLACED, was_replaced
from raidtui.machine.own_files import refusing
from raidtui.machine.tools import require
from raidtui.model.errors import Refused
from raidtui.model.journal import BenchRequest, BurnInRequest, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Procedure, Replace, word_of
from raidtui.model.sweep import Sweep
from raidtui.model.text import count_of, listed, spelled
from raidtui.plan.care import title_of

_WHY_NOT: Final = {
    Outcome.RUNNING: "is running; follow it with 'raidtui attach', or stop it with 'raidtui attach --stop'",
    Outcome.DONE: "is done",
    Outcome.ROLLED_BACK: "was rolled back",
}
_CARRY_ON: Final = frozenset({Outcome.INTERRUPTED, Outcome.FAILED, Outcome.CANCELLED, Outcome.REFUSED})


def start_planned(request: JobRequest, plan: Plan, machine: Machine) -> JobRequest:
    """Start the job that executes ``plan``; ``request`` is what one of the next four functions made for it.

    Raises:
        StepFailed: the process could not be started.
    """
    return _start(request, machine=machine, plan=plan)


def build_request(
    plan: Plan, machine: Machine, *, erase: Sequence[str], accepted: Sequence[str] = (), part_of: str = ""
) -> JobRequest:
    """Make the request for the job that executes ``plan``; ``machine`` is the reading the plan was made from.

    Args:
        erase: every disk of the plan, named as for `check_erase`.
        accepted: ids of the acknowledged hazards.
        part_of: id of the sweep it belongs to.

    Raises:
        Refused: not root, a disk too many or too few, a hazard that blocks or was not acknowledged, or a recovery trial
            holds one of the disks.
        BadInput: another job has used the plan's seed.
        ToolMissing: a program that the plan needs is missing.
    """
    check_seed_is_new(plan.seed)
    _check(plan, machine, erase, accepted)
    job, created = _new(plan.spec.name)
    return JobRequest(
        id=job,
        kind=JobKind.BUILD,
        title=f"Build {spelled(plan.spec.kind)} {plan.spec.name}",
        created=created,
        spec=plan.spec,
        seed=plan.seed,
        fingerprint=plan.fingerprint,
        erase=tuple(erase),
        accepted=tuple(accepted),
        part_of=part_of,
    )


def teardown_request(
    plan: Plan,
    machine: Machine,
    *,
    array: str,
    also: Sequence[str] = (),
    erase: Sequence[str],
    part_of: str = "",
) -> JobRequest:
    """Make the request for the job that removes ``array``, and the units ``also``; otherwise like `build_request`."""
    _check(plan, machine, erase, ())
    job, created = _new(plan.spec.name)
    return JobRequest(
        id=job,
        kind=JobKind.TEARDOWN,
        title=plan.leftover or f"Remove {listed([_with_noun(one) for one in plan.units])}",
        created=created,
        array=array,
        also=tuple(also),
        seed=plan.seed,
        fingerprint=plan.fingerprint,
        erase=tuple(erase),
        part_of=part_of,
    )


def care_request(
    plan: Plan, machine: Machine, *, procedure: Procedure, erase: Sequence[str], accepted: Sequence[str] = ()
) -> JobRequest:
    """Make the request for the job that does ``procedure``; otherwise like `build_request`."""
    check_seed_is_new(plan.seed)
    _check(plan, machine, erase, accepted)
    job, created = _new(f"{word_of(procedure)}-{plan.spec.name}")
    return JobRequest(
        id=job,
        kind=JobKind.REPLACE if isinstance(procedure, Replace) else JobKind.CARE,
        title=title_of(procedure, plan),
        created=created,
        procedure=procedure,
        seed=plan.seed,
        fingerprint=plan.fingerprint,
        erase=tuple(erase),
        accepted=tuple(accepted),
    )


def _with_noun(unit: Plan) -> str:
    name = unit.spec.name
    return name if unit.spec.alone else f"{backend(unit.spec.backend).noun} {name}"


def planned_request(
    plan: Plan,
    machine: Machine,
    *,
    array: str = "",
    also: Sequence[str] = (),
    procedure: Procedure | None = None,
    erase: Sequence[str],
    accepted: Sequence[str] = (),
) -> JobRequest:
    """Make the request for the job that removes ``array``, or does ``procedure``, or else builds."""
    if array:
        return teardown_request(plan, machine, array=array, also=also, erase=erase)
    if procedure is not None:
        return care_request(plan, machine, procedure=procedure, erase=erase, accepted=accepted)
    return build_request(plan, machine, erase=erase, accepted=accepted)


def start_bench(request: BenchRequest, *, part_of: str = "", purpose: str = "") -> JobRequest:
    """Start a benchmark job. A benchmark of a directory does not need root.

    Args:
        part_of: id of the sweep it belongs to.
        purpose: which of the sweep's measurements this is.
    """
    job, created = _new(f"bench-{Path(request.target).name or 'root'}")
    return _start(
        JobRequest(
            id=job,
            kind=JobKind.BENCH,
            title=f"Benchmark {request.target}",
            created=created,
            bench=request,
            part_of=part_of,
            purpose=purpose,
        )
    )


def start_burn_in(request: BurnInRequest, machine: Machine, *, erase: Sequence[str] = ()) -> JobRequest:
    """Start the burn-in of disks of ``machine``, which is a reading of this computer.

    Args:
        erase: the disks as the user named them, if they are written.

    Raises:
        Refused: this process does not run as root.
        StepFailed: the process could not be started.
    """
    check_machine(machine)
    job, created = _new("burn-in")
    made = JobRequest(
        id=job,
        kind=JobKind.BURN_IN,
        title=f"Burn in {count_of(request.disks, 'disk')}",
        created=created,
        burn_in=request,
        erase=tuple(erase),
    )
    return _start(made, machine=machine)


def start_sweep(sweep: Sweep, *, seed: str, erase: Sequence[str], accepted: Sequence[str]) -> JobRequest:
    """Start a sweep, which builds, measures and tears down; each of these is a job with its own checks."""
    check_root()
    check_seed_is_new(seed)
    job, created = _new(f"sweep-{sweep.name}")
    return _start(
        JobRequest(
            id=job,
            kind=JobKind.SWEEP,
            title=f"Sweep {sweep.name}",
            created=created,
            sweep=sweep,
            seed=seed,
            erase=tuple(erase),
            accepted=tuple(accepted),
        )
    )


def resume(job: str) -> JobRequest:
    """Resume a job that was interrupted, failed, refused or canceled; ``job`` is its id.

    Raises:
        BadInput: there is no such job.
        Refused: it is running, done, or being rolled back.
    """
    state = job_state(job)
    request = state.request
    if request.kind is JobKind.BENCH:
        raise Refused(f"the benchmark {request.id} cannot be resumed; start it again")
    if state.outcome not in _CARRY_ON:
        raise Refused(f"the job {request.id} {_WHY_NOT[state.outcome]}")
    folder = Path(state.folder)
    if is_rolling_back(read_journal(folder)):
        raise Refused(
            f"the job {request.id} is being rolled back; continue with 'raidtui rollback {request.id}'"
        )
    check_root()
    _start_again(folder, "run")
    return request


def rollback(job: str) -> JobRequest:
    """Roll a job back as far as possible; ``job`` is its id.

    Raises:
        BadInput: there is no such job.
        Refused: it is running, rolled back already, or done (a finished array is removed with a teardown).
    """
    state = job_state(job)
    request = state.request
    if request.kind is JobKind.BENCH:
        raise Refused(f"the job {request.id} is a benchmark, and there is nothing to roll back")
    if request.kind is JobKind.BURN_IN:
        raise Refused(f"the job {request.id} is a burn-in, and there is nothing to roll back")
    if state.outcome is Outcome.DONE and request.kind is JobKind.BUILD:
        spec = request.spec
        what = backend(spec.backend).noun if spec else "array"
        name = spec.name if spec else request.title
        if spec and spec.alone:
            what, name = "filesystem", spec.members[0]
        raise Refused(
            f"the job {request.id} is done, and its {what} may hold data; "
            f"'raidtui teardown {name}' removes it"
        )
    if state.outcome not in _CARRY_ON:
        raise Refused(f"the job {request.id} {_WHY_NOT[state.outcome]}")
    check_root()
    _start_again(Path(state.folder), "rollback")
    return request


def cancel(job: str) -> None:
    """Ask a running job to stop after its current step; a benchmark stops at once.

    Raises:
        BadInput: there is no such job.
        Refused: it is not running, or belongs to another user.
    """
    state = job_state(job)
    lock = Path(state.folder) / LOCK
    pid = holder(lock)
    if pid is None:
        raise Refused(f"the job {state.request.id} is not running")
    try:
        # A pidfd refers to this process only, not to a later one with the same id.
        process = os.pidfd_open(pid)
    except ProcessLookupError as error:
        raise Refused(f"the job {state.request.id} is no longer running") from error
    try:
        if holder(lock) == pid:
            signal.pidfd_send_signal(process, signal.SIGTERM)
    except PermissionError as error:
        raise Refused(f"the job {state.request.id} belongs to another user; stop it with sudo") from error
    finally:
        os.close(process)


def _new(name: str) -> tuple[str, str]:
    """The id of a new job, and when it was made."""
    now = datetime.now(UTC)
    return new_id(name, now=now), now.isoformat(timespec="seconds")


def _check_version() -> None:
    """The job's process loads raidtui anew: it must be the one that made the plan."""
    if was_replaced():
        raise Refused(REPLACED)


def _start(request: JobRequest, *, machine: Machine | None = None, plan: Plan | None = None) -> JobRequest:
    _check_version()
    with refusing(), ExitStack() as until_it_runs:
        folder = write_job(request, machine=machine, plan=plan, until_it_runs=until_it_runs)
        launch(folder, "run")
    return request


def _start_again(folder: Path, mode: str) -> None:
    _check_version()
    with refusing(), starting(folder):
        launch(folder, mode)


def check_machine(machine: Machine) -> None:
    """Check that ``machine`` was read as root, without which the contents of its disks are unknown.

    Raises:
        Refused: it was not, or this process does not run as root.
    """
    check_root()
    if not machine.complete:
        raise Refused(
            "the machine was read without root, so what is on its disks is unknown; read it again as root"
        )


def _check(plan: Plan, machine: Machine, erase: Sequence[str], accepted: Sequence[str]) -> None:
    check_machine(machine)
    check_erase(plan, erase, machine)
    check_hazards(plan, accepted)
    refuse_held(plan)
    _check_tools(plan)


def _check_tools(plan: Plan) -> None:
    actions = [action for step in plan.steps for action in step.every_action]
    for name in sorted({action.argv[0] for action in actions if isinstance(action, Run)}):
        if not name.startswith("/"):
            require(name)
