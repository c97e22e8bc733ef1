"""Execute an order on an existing unit, such as a scrub, a pause or a speed limit. The only place that does.

The backend defines which orders a unit takes and how (`raidtui.backends.contract`), and is queried again here with
the unit's current state. Earlier values of sysfs files are saved in the state folder, so that another process can
restore them. Every order is a line in ``STATE/orders.jsonl``: each command with its output, each value written.
"""

import os
import subprocess
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from raidtui.backends.control import Control, Order, PutBack, Write
from raidtui.backends.controls import controls_of
from raidtui.backends.registry import reader
from raidtui.backends.units_now import every_unit_now
from raidtui.jobs.commands import ends_of
from raidtui.jobs.durable import append_line, make_folder, write_file
from raidtui.jobs.root import check_root
from raidtui.machine.tools import find_tool
from raidtui.model.errors import RaidtuiError, Refused, StepFailed, ToolMissing
from raidtui.model.paths import state_folder
from raidtui.model.plan import Run
from raidtui.model.spec import Backend
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.uuids import bare, same_uuid

FILE: Final = "orders.jsonl"
_SYSTEM: Final = "(system)"  # md appends this to a limit that is the system's


class Did(Record, frozen=True, kw_only=True):
    """One action of an order: a command that ran, or a value written to a sysfs file."""

    argv: tuple[str, ...] = ()
    returncode: int | None = None  # None: it timed out
    output: str = ""
    path: str = ""
    text: str = ""


class Line(Record, frozen=True, kw_only=True):
    """One order in the log."""

    at: str  # ISO 8601, UTC
    backend: Backend
    unit: str
    uuid: str
    control: Control
    did: tuple[Did, ...]
    error: str = ""  # why it failed


class _Kept(Record, frozen=True, kw_only=True):
    """Earlier values of sysfs files, in the form in which they are written back."""

    values: dict[str, str]


def give(unit: Unit, control: Control) -> str:
    """Execute the order ``control`` on ``unit``; return the message for the user.

    Raises:
        Refused: not root, the unit is gone, or it does not take this order now.
        StepFailed: the kernel or the tool rejected it.
        ToolMissing: the tool is not installed.
    """
    check_root()
    now = every_unit_now().units if unit.below else reader(unit.backend).now()
    found = next((one for one in now if one.backend is unit.backend and same_uuid(one.uuid, unit.uuid)), None)
    if found is None:
        raise Refused(f"{harmless(unit.name)} is no longer here")
    order = controls_of(found, now).get(control)
    if order is None:
        raise Refused(
            f"{control.value} is not possible for {harmless(found.name)} now: {harmless(found.state)}"
        )
    carry_out(order, control, found)
    return order.message


def restore(unit: Unit) -> None:
    """After a sync has ended, restore the speed limits that were changed through raidtui."""
    units = every_unit_now().units if unit.below else (unit,)
    if (order := controls_of(unit, units).get(Control.RESTORE)) is not None:
        carry_out(order, Control.RESTORE, unit)


def carry_out(order: Order, control: Control, unit: Unit) -> None:
    """Execute ``order``, which implements ``control`` for ``unit``, and log it.

    Raises:
        StepFailed: the kernel or the tool rejected it, or the state folder cannot be written.
        ToolMissing: the tool is not installed.
    """
    did: list[Did] = []
    failure = ""
    try:
        _execute(order, unit.uuid, did)
    except RaidtuiError as error:
        failure = str(error)
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        failure = f"the order {control.value} failed: {where}{error.strerror}"
        raise StepFailed(failure) from error
    finally:
        line = Line(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            backend=unit.backend,
            unit=unit.name,
            uuid=unit.uuid,
            control=control,
            did=tuple(did),
            error=failure,
        )
        with suppress(OSError, Refused):  # a full disk for the log does not make the order fail
            append_line(state_folder() / FILE, to_json(line, pretty=False).encode())


def _execute(order: Order, uuid: str, did: list[Did]) -> None:
    for action in order.actions:
        match action:
            case Run():
                _run(action, did)
            case Write():
                if action.keep:
                    _keep(action.path, uuid)
                _write(action.path, action.text, did)
            case PutBack():
                _put_back(action, uuid, did)


def _run(run: Run, did: list[Did]) -> None:
    """Run a command without a terminal, in its own session, so that its background processes outlive this one.

    Not with `Commands`, which forks: a process with threads, like that of the screens, must not.
    """
    program = find_tool(run.argv[0])
    if program is None:
        raise ToolMissing(f"{run.argv[0]} is not installed; 'raidtui doctor' says what to install")
    code: int | None = None
    # Into a file: a scrub that continues in the background would keep a pipe open.
    with tempfile.TemporaryFile() as log:
        with suppress(subprocess.TimeoutExpired):
            code = subprocess.run(
                [program, *run.argv[1:]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**os.environ, "LC_ALL": "C"},
                timeout=run.timeout_seconds,
                start_new_session=True,
                check=False,
            ).returncode
        output = ends_of(log).strip()
    did.append(Did(argv=run.argv, returncode=code, output=output))
    if code is None:
        raise StepFailed(f"{run.argv[0]} did not end within {run.timeout_seconds} s")
    if code not in run.ok:
        words = output.splitlines()
        raise StepFailed(
            f"{' '.join(run.argv)} failed: {harmless(words[-1].strip()) if words else 'no message'}"
        )


def _write(path: str, text: str, did: list[Did]) -> None:
    did.append(Did(path=path, text=text))
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise StepFailed(f"the kernel rejects {text!r} for {path}: {error.strerror}") from error


def _file(uuid: str) -> Path:
    return state_folder() / "limits" / f"{bare(uuid)}.json"


def _kept(uuid: str) -> dict[str, str]:
    file = _file(uuid)
    return dict(from_json(file.read_bytes(), _Kept, origin=str(file)).values) if file.exists() else {}


def _keep(path: str, uuid: str) -> None:
    """Save the current value of a sysfs file, unless one is already saved."""
    values = _kept(uuid)
    if path in values or not os.path.exists(path):
        return
    number, _, origin = Path(path).read_text().strip().partition(" ")
    values[path] = _SYSTEM.strip("()") if origin == _SYSTEM else number
    make_folder(_file(uuid).parent)
    write_file(_file(uuid), to_json(_Kept(values=values)).encode())


def _put_back(action: PutBack, uuid: str, did: list[Did]) -> None:
    values = _kept(uuid)
    for path in action.paths:
        if path in values:
            _write(path, values.pop(path), did)
    if values:
        write_file(_file(uuid), to_json(_Kept(values=values)).encode())
    else:
        _file(uuid).unlink(missing_ok=True)
