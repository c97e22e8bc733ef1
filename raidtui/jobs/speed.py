"""The speed of a resync, through md's sysfs: pause, resume, faster, gentler, and as it was before.

What was set before is remembered in the state folder, so that another process can put it back. A reboot or the
end of the array forgets these settings anyway (md(4); Documentation/admin-guide/md.rst).
"""

import os
from pathlib import Path
from typing import Final

from raidtui.jobs.durable import make_folder, write_file
from raidtui.model.errors import BadInput, Refused
from raidtui.model.paths import state_folder
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.units import KIB

_SYSTEM: Final = "system"  # what md calls a limit that is the system-wide one
_SYNCS: Final = frozenset({"resync", "recover", "check", "repair", "reshape"})


class _Before(Record, frozen=True, kw_only=True):
    """How an array was before anybody asked for another speed."""

    uuid: str
    minimum: str = ""  # as md takes it: KiB a second, or "system"
    maximum: str = ""
    action: str = ""  # what was paused


def pause_sync(node: str) -> None:
    """Stop the sync of ``node`` (/dev/md127) where it is; nothing starts on this array until it is continued.

    Raises:
        BadInput: it is not a running array.
        Refused: nothing syncs (a level without redundancy never does), or not root.
    """
    md = _md(node)
    action = (md / "sync_action").read_text().strip()
    if action == "frozen":
        return
    if action not in _SYNCS:
        raise Refused(f"{node} does not sync, so there is nothing to pause")
    _remember(md, action=action)
    _write(md / "sync_action", "frozen")


def continue_sync(node: str) -> None:
    """Resume what was paused; a resync or recovery continues where it stopped, a check starts again.

    Raises:
        BadInput: it is not a running array.
        Refused: not root.
    """
    md = _md(node)
    if (md / "sync_action").read_text().strip() != "frozen":
        return
    before = _recall(md)
    _write(md / "sync_action", before.action if before.action in {"check", "repair"} else "idle")


def set_sync_speed(node: str, minimum: int | None, maximum: int | None) -> None:
    """Set md's limits for ``node``, bytes a second; ``None`` leaves one as it is.

    Raises:
        BadInput: it is not a running array, or a limit is not positive.
        Refused: not root.
    """
    md = _md(node)
    for value in (minimum, maximum):
        if value is not None and value < KIB:
            raise BadInput(f"a sync speed is at least 1 KiB/s, not {value} bytes a second")
    _remember(md)
    if maximum is not None:
        _write(md / "sync_speed_max", str(maximum // KIB))
    if minimum is not None:
        _write(md / "sync_speed_min", str(minimum // KIB))


def restore_sync_speed(node: str) -> None:
    """Set the limits as they were before the first `set_sync_speed`, and resume what is paused.

    Does nothing where nothing was changed: on a level that never syncs, too.
    """
    md = _folder(node)
    file = _file(md)
    if not file.exists():
        return
    before = _recall(md)
    continue_sync(node)
    if before.maximum:
        _write(md / "sync_speed_max", before.maximum)
    if before.minimum:
        _write(md / "sync_speed_min", before.minimum)
    file.unlink()


def _md(node: str) -> Path:
    """The array's folder in sysfs, if it is of a level that can sync."""
    folder = _folder(node)
    if not (folder / "sync_action").exists():
        raise Refused(f"{node} has no redundancy and never syncs")
    return folder


def _folder(node: str) -> Path:
    folder = Path("/sys/block") / os.path.basename(os.path.realpath(node)) / "md"
    if not folder.is_dir():
        raise BadInput(f"{node} is not an md array that runs")
    return folder


def _file(md: Path) -> Path:
    return state_folder() / "speed" / f"{md.parent.name}.json"


def _remember(md: Path, *, action: str = "") -> None:
    """Keep how the array is now; what was kept of the same array before stays."""
    kept = _recall(md)
    before = _Before(
        uuid=_uuid(md),
        minimum=kept.minimum or _limit(md / "sync_speed_min"),
        maximum=kept.maximum or _limit(md / "sync_speed_max"),
        action=action or kept.action,
    )
    make_folder(_file(md).parent)
    write_file(_file(md), to_json(before).encode())


def _recall(md: Path) -> _Before:
    file = _file(md)
    nothing = _Before(uuid=_uuid(md))
    if not file.exists():
        return nothing
    kept = from_json(file.read_bytes(), _Before, origin=str(file))
    # Another array may have got the same node since.
    return kept if kept.uuid == nothing.uuid else nothing


def _limit(path: Path) -> str:
    """md prints ``1000 (system)`` or ``5000 (local)``; this is what must be written to have the same again."""
    number, _, origin = path.read_text().strip().partition(" ")
    return _SYSTEM if origin.strip("()") == _SYSTEM else number


def _uuid(md: Path) -> str:
    path = md / "uuid"
    return path.read_text().strip() if path.exists() else ""


def _write(path: Path, value: str) -> None:
    try:
        path.write_text(value)
    except PermissionError as error:
        raise Refused("only root can change the speed of a sync; run the same with sudo") from error
    except OSError as error:
        raise BadInput(
            f"md does not take {value!r} for {path.name} of {path.parent.parent.name}: {error.strerror}"
        ) from error
