"""Carries out what is ordered of a unit that is there: a scrub, a pause, another speed. The one place that does.

A backend says what a unit takes and how (`raidtui.backends.contract`). It is asked again here, of the unit as it is
now. What the kernel's files said before is kept in the state folder, so that another process can put it back.
"""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from raidtui.backends.control import Control, Order, PutBack, Write
from raidtui.backends.controls import controls_of
from raidtui.backends.reading import every_unit_now
from raidtui.backends.registry import reader
from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.start import check_root
from raidtui.machine.tools import find_tool
from raidtui.model.errors import Refused, StepFailed, ToolMissing
from raidtui.model.paths import state_folder
from raidtui.model.plan import Run
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.uuids import bare, same_uuid

_SYSTEM: Final = "(system)"  # md says so of a limit that is not its own


class _Kept(Record, frozen=True, kw_only=True):
    """What files of the kernel said before, as they take it."""

    values: dict[str, str]


def give(unit: Unit, control: Control) -> str:
    """Order ``control`` of ``unit``; what to say of it.

    Raises:
        Refused: not root, the unit is gone, or it does not take this order now.
        StepFailed: the kernel or the tool did not take it.
        ToolMissing: the tool is not installed.
    """
    check_root()
    now = every_unit_now() if unit.below else reader(unit.backend).now()
    found = next((one for one in now if one.backend is unit.backend and same_uuid(one.uuid, unit.uuid)), None)
    if found is None:
        raise Refused(f"{harmless(unit.name)} is no longer here")
    order = controls_of(found, now).get(control)
    if order is None:
        raise Refused(
            f"{harmless(found.name)} does not take the order {control.value} now: {harmless(found.state)}"
        )
    carry_out(order, found.uuid)
    return order.said


def restore(unit: Unit) -> None:
    """Put the limits of a sync that has ended back, where somebody has changed them through raidtui."""
    units = every_unit_now() if unit.below else (unit,)
    if (order := controls_of(unit, units).get(Control.RESTORE)) is not None:
        carry_out(order, unit.uuid)


def carry_out(order: Order, uuid: str) -> None:
    """Carry ``order`` out on the unit with that UUID.

    Raises:
        StepFailed: the kernel or the tool did not take it.
        ToolMissing: the tool is not installed.
    """
    for action in order.actions:
        match action:
            case Run():
                _run(action)
            case Write():
                if action.keep:
                    _keep(action.path, uuid)
                _write(action.path, action.text)
            case PutBack():
                _put_back(action, uuid)


def _run(run: Run) -> None:
    """Run a command without a terminal, in a session of its own: what it leaves to run outlives this process."""
    program = find_tool(run.argv[0])
    if program is None:
        raise ToolMissing(f"{run.argv[0]} is not installed; 'raidtui doctor' says what to install")
    # Into a file: a scrub that goes on in the background would hold a pipe open.
    with tempfile.TemporaryFile() as said:
        try:
            done = subprocess.run(
                [program, *run.argv[1:]],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd="/",
                env={**os.environ, "LC_ALL": "C"},
                timeout=run.timeout_seconds,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise StepFailed(f"{run.argv[0]} did not end within {run.timeout_seconds} s") from error
        said.seek(0)
        words = said.read().decode(errors="replace").strip().splitlines()
    if done.returncode not in run.ok:
        raise StepFailed(
            f"{' '.join(run.argv)} failed: {harmless(words[-1].strip()) if words else 'no message'}"
        )


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise StepFailed(f"the kernel does not take {text!r} for {path}: {error.strerror}") from error


def _file(uuid: str) -> Path:
    return state_folder() / "limits" / f"{bare(uuid)}.json"


def _kept(uuid: str) -> dict[str, str]:
    file = _file(uuid)
    return dict(from_json(file.read_bytes(), _Kept, origin=str(file)).values) if file.exists() else {}


def _keep(path: str, uuid: str) -> None:
    """Keep what a file says, unless that was done before."""
    values = _kept(uuid)
    if path in values or not os.path.exists(path):
        return
    number, _, origin = Path(path).read_text().strip().partition(" ")
    values[path] = _SYSTEM.strip("()") if origin == _SYSTEM else number
    make_folder(_file(uuid).parent)
    write_file(_file(uuid), to_json(_Kept(values=values)).encode())


def _put_back(action: PutBack, uuid: str) -> None:
    values = _kept(uuid)
    for path in action.paths:
        if path in values:
            _write(path, values.pop(path))
    if values:
        write_file(_file(uuid), to_json(_Kept(values=values)).encode())
    else:
        _file(uuid).unlink(missing_ok=True)
