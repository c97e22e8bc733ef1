"""Start jobs: check permission, write the job's folder, and start a process that outlives this one.

That process is ``raidtui job run FOLDER``: in a transient systemd unit if systemd is running, else in its own session.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from raidtui.backends.registry import backend
from raidtui.jobs.confirm import check_erase, check_hazards
from raidtui.jobs.ending import forget, left
from raidtui.jobs.journal import LOCK, read_journal
from raidtui.jobs.lock import holder, is_locked
from raidtui.jobs.state_folder import check_private, check_room
from raidtui.jobs.store import (
    LOG,
    check_seed_is_new,
    is_rolling_back,
    job_state,
    keep_reserve,
    new_id,
    starting,
    write_job,
)
from raidtui.machine.ask import Answer, ask
from raidtui.machine.own_files import open_own, refusing
from raidtui.machine.tools import require
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.journal import BenchRequest, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.sweep import Sweep

__all__ = [
    "build_request",
    "cancel",
    "check_erase",
    "check_machine",
    "check_root",
    "resume",
    "rollback",
    "start_bench",
    "start_build",
    "start_sweep",
    "start_teardown",
    "teardown_request",
]

_START_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.05
_UNIT_SECONDS: Final = 0.5  # between two questions to systemd
_PASSED_ON: Final = ("PATH", "PYTHONPATH", "RAIDTUI_RUN")  # systemd does not pass our environment to units
_SYSTEMD: Final = Path("/run/systemd/system")
_WHY_NOT: Final = {
    Outcome.RUNNING: "is running; follow it with 'raidtui attach'",
    Outcome.DONE: "is done",
    Outcome.ROLLED_BACK: "was rolled back",
}
_CARRY_ON: Final = frozenset({Outcome.INTERRUPTED, Outcome.FAILED, Outcome.CANCELLED, Outcome.REFUSED})


def start_build(
    plan: Plan, machine: Machine, *, erase: Sequence[str], accepted: Sequence[str] = (), part_of: str = ""
) -> JobRequest:
    """Start the job that executes ``plan``; for the arguments and errors see `build_request`.

    Raises:
        StepFailed: the process could not be started.
    """
    request = build_request(plan, machine, erase=erase, accepted=accepted, part_of=part_of)
    return _start(request, machine=machine, plan=plan)


def start_teardown(
    plan: Plan, machine: Machine, *, array: str, erase: Sequence[str], part_of: str = ""
) -> JobRequest:
    """Start the job that removes ``array``; otherwise like `start_build`."""
    request = teardown_request(plan, machine, array=array, erase=erase, part_of=part_of)
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
        Refused: not root, a disk too many or too few, or a hazard that blocks or was not acknowledged.
        BadInput: another job has used the plan's seed.
        ToolMissing: a program that the plan needs is missing.
    """
    check_machine(machine)
    check_erase(plan, erase, machine)
    check_hazards(plan, accepted)
    check_seed_is_new(plan.seed)
    _check_tools(plan)
    return _request(
        JobKind.BUILD,
        f"Build {plan.spec.kind} {plan.spec.name}",
        plan.spec.name,
        plan=plan,
        erase=tuple(erase),
        accepted=tuple(accepted),
        part_of=part_of,
    )


def teardown_request(
    plan: Plan, machine: Machine, *, array: str, erase: Sequence[str], part_of: str = ""
) -> JobRequest:
    """Make the request for the job that removes ``array``; otherwise like `build_request`."""
    check_machine(machine)
    check_erase(plan, erase, machine)
    check_hazards(plan, ())
    _check_tools(plan)
    name = plan.spec.name
    return _request(
        JobKind.TEARDOWN,
        f"Remove {backend(plan.spec.backend).noun} {name}" if not plan.spec.alone else f"Remove {name}",
        name,
        plan=plan,
        array=array,
        erase=tuple(erase),
        part_of=part_of,
    )


def start_bench(request: BenchRequest, *, part_of: str = "", purpose: str = "") -> JobRequest:
    """Start a benchmark job. A benchmark of a directory does not need root.

    Args:
        part_of: id of the sweep it belongs to.
        purpose: which of the sweep's measurements this is.
    """
    name = Path(request.target).name or "root"
    return _start(
        _request(
            JobKind.BENCH,
            f"Benchmark {request.target}",
            f"bench-{name}",
            bench=request,
            part_of=part_of,
            purpose=purpose,
        )
    )


def start_sweep(sweep: Sweep, *, seed: str, erase: Sequence[str], accepted: Sequence[str]) -> JobRequest:
    """Start a sweep, which builds, measures and tears down; each of these is a job with its own checks."""
    check_root()
    check_seed_is_new(seed)
    return _start(
        _request(
            JobKind.SWEEP,
            f"Sweep {sweep.name}",
            f"sweep-{sweep.name}",
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


def _request(
    kind: JobKind,
    title: str,
    name: str,
    *,
    plan: Plan | None = None,
    array: str = "",
    erase: tuple[str, ...] = (),
    accepted: tuple[str, ...] = (),
    bench: BenchRequest | None = None,
    sweep: Sweep | None = None,
    seed: str = "",
    part_of: str = "",
    purpose: str = "",
) -> JobRequest:
    now = datetime.now(UTC)
    return JobRequest(
        id=new_id(name, now=now),
        kind=kind,
        title=title,
        created=now.isoformat(timespec="seconds"),
        spec=plan.spec if plan is not None and kind is JobKind.BUILD else None,
        array=array,
        seed=plan.seed if plan is not None else seed,
        fingerprint=plan.fingerprint if plan is not None else "",
        erase=erase,
        accepted=accepted,
        bench=bench,
        sweep=sweep,
        part_of=part_of,
        purpose=purpose,
    )


def _start(request: JobRequest, *, machine: Machine | None = None, plan: Plan | None = None) -> JobRequest:
    with refusing(), ExitStack() as until_it_runs:
        folder = write_job(request, machine=machine, plan=plan, until_it_runs=until_it_runs)
        _launch(folder, "run")
    return request


def _start_again(folder: Path, mode: str) -> None:
    with refusing(), starting(folder):
        _launch(folder, mode)


def check_root() -> None:
    """Check that this process may change disks.

    Raises:
        Refused: it does not run as root.
    """
    if os.geteuid() != 0:
        raise Refused("only root can change disks; run the same command with sudo")


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


def _check_tools(plan: Plan) -> None:
    actions = [action for step in plan.steps for action in (*step.actions, *step.repair, *step.undo)]
    for name in sorted({action.argv[0] for action in actions if isinstance(action, Run)}):
        if not name.startswith("/"):
            require(name)


def _launch(folder: Path, mode: str) -> None:
    """Start the job's process and wait for its first journal entry.

    Raises:
        StepFailed: it ended before that, or takes too long.
        OSError: a file in ``folder`` cannot be written.
    """
    check_private(folder.parent.parent, folder)
    check_room(folder)
    keep_reserve(folder)
    forget(folder)
    before = len(_starts(folder))
    argv = [sys.executable, "-P", "-m", "raidtui", "job", mode, str(folder)]
    log = folder / LOG
    ended, reap = (_as_unit if _has_systemd() else _as_session)(argv, folder, log)
    deadline = time.monotonic() + _START_SECONDS
    while len(_starts(folder)) == before:
        how = ended()
        if how and not is_locked(folder / LOCK) and len(_starts(folder)) == before:
            raise StepFailed(f"the process of the job {folder.name} ended at once: {_reason(folder) or how}")
        if time.monotonic() >= deadline:
            raise StepFailed(
                f"the process of the job {folder.name} did not start within {_START_SECONDS:.0f} s: "
                f"{_reason(folder) or 'no message'}"
            )
        time.sleep(_POLL_SECONDS)
    reap()


def _reason(folder: Path) -> str:
    """Why a process ended that wrote nothing to its journal: what it left elsewhere, or the last line of its log."""
    ending = left(folder, len(read_journal(folder)))
    return ending.text if ending is not None else _last_line(folder / LOG)


def _starts(folder: Path) -> list[int]:
    return [entry.seq for entry in read_journal(folder) if entry.event is Event.STARTED]


def _has_systemd() -> bool:
    return _SYSTEMD.is_dir() and os.geteuid() == 0


# Whether a process has ended, and how, in words; and what to do once its job runs.
_Process = tuple[Callable[[], str], Callable[[], None]]


def _open_log(log: Path) -> int:
    return open_own(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def _as_session(argv: Sequence[str], folder: Path, log: Path) -> _Process:
    with os.fdopen(_open_log(log), "ab") as output:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            start_new_session=True,
            env=os.environ | {"RAIDTUI_STATE": str(folder.parent.parent)},
        )

    def ended() -> str:
        code = process.poll()
        if code is None:
            return ""
        return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"

    def reap() -> None:
        # Else it stays a zombie as long as this process runs.
        threading.Thread(target=process.wait, daemon=True).start()

    return ended, reap


def _as_unit(argv: Sequence[str], folder: Path, log: Path) -> _Process:
    """Start it from systemd, so that it survives the end of the user's session."""
    os.close(_open_log(log))  # systemd, which appends to it, would follow a link
    passed_on = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    environment = passed_on | {"RAIDTUI_STATE": str(folder.parent.parent)}
    name = f"raidtui-{folder.name}-{len(_starts(folder)) + 1}"
    command = unit_command(argv, name=name, log=log, environment=environment)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StepFailed(f"systemd did not start the job {folder.name}: {done.stderr.strip()}")
    asked = 0.0

    def ended() -> str:
        nonlocal asked
        if time.monotonic() - asked < _UNIT_SECONDS:
            return ""
        asked = time.monotonic()
        return how_unit_ended(ask(["systemctl", "show", "--property=ActiveState,Result", f"{name}.service"]))

    return ended, lambda: None


def how_unit_ended(answer: Answer) -> str:
    """How a unit ended, in words, from ``systemctl show``; empty while it runs or if systemd does not say.

    A unit that has ended is gone at once, because it is started with ``--collect``, and then shows as inactive.
    """
    shown = dict(line.partition("=")[::2] for line in answer.stdout.splitlines())
    if answer.returncode != 0 or shown.get("ActiveState") not in {"inactive", "failed"}:
        return ""
    result = shown.get("Result", "")
    return f"systemd reports {result!r}" if result not in {"", "success"} else "its process is gone"


def unit_command(argv: Sequence[str], *, name: str, log: Path, environment: Mapping[str, str]) -> list[str]:
    """The systemd-run command that runs ``argv`` as a transient unit (systemd 240 and later).

    At shutdown only the job's process gets SIGTERM, so its running command can finish.
    """
    return [
        "systemd-run",
        "--quiet",
        "--collect",
        "--service-type=exec",
        f"--unit={name}",
        "--property=KillMode=process",
        f"--property=StandardOutput=append:{log}",
        f"--property=StandardError=append:{log}",
        "--working-directory=/",
        *(f"--setenv={key}={value}" for key, value in environment.items()),
        *argv,
    ]


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
