"""Start the process of a job, so that it outlives this one: ``raidtui job run FOLDER``.

In a transient systemd unit if systemd is running, else in its own session.
"""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from raidtui.jobs.ending import forget, left
from raidtui.jobs.journal import LOCK, read_journal
from raidtui.jobs.lock import is_locked
from raidtui.jobs.state_folder import check_private, check_room
from raidtui.jobs.store import LOG, keep_reserve
from raidtui.machine.ask import ToolAnswer, ask
from raidtui.machine.installation import own_command
from raidtui.machine.own_files import open_own
from raidtui.model.errors import StepFailed
from raidtui.model.journal import Event

_START_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.05
_UNIT_SECONDS: Final = 0.5  # between two questions to systemd
_PASSED_ON: Final = ("PATH", "PYTHONPATH", "RAIDTUI_RUN")  # systemd does not pass our environment to units
_SYSTEMD: Final = Path("/run/systemd/system")


def launch(folder: Path, mode: str) -> None:
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
    argv = [*own_command(), "job", mode, str(folder)]
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


def how_unit_ended(answer: ToolAnswer) -> str:
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
