"""Read this computer often and cheaply: what changes slowly and costs much is kept in /run for an hour.

That is the SMART data of the disks, which takes a command for each of them, and the versions of tools. SMART data is
read again at once when the kernel has logged an error of a disk, or a member of a unit is not as it was. Both are seen
in what is read anyway, and in the kernel's log, which is in memory.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.backends.reading import read_whole
from raidtui.backends.units import units_of
from raidtui.jobs.durable import make_folder, write_file
from raidtui.machine.kernel_log import last_error
from raidtui.machine.tree import HERE
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.paths import runtime_folder
from raidtui.model.smart import Smart
from raidtui.model.struct import Record, from_json, to_json

FILE: Final = "reading.json"
KEPT_SECONDS: Final = 3600.0  # smartd looks every half an hour


class _Kept(Record, frozen=True, kw_only=True):
    at: float  # seconds since boot
    error: int | None  # see `last_error`
    members: dict[str, tuple[tuple[str, ...], ...]]  # by UUID of the unit, how each of its members is
    tools: dict[str, str]
    smart: dict[str, Smart | None]  # by `_key`


def _error() -> int | None:
    return last_error(HERE)


def read_sparingly(
    read: Callable[..., Machine] = read_whole,
    *,
    now: Callable[[], float] = time.monotonic,
    error: Callable[[], int | None] = _error,
) -> Machine:
    """Read this computer, with SMART data that may be an hour old, but not older than an error of a disk or member.

    A computer with RAID cards is always read whole: the health of their drives is in the readings of the cards.

    Args:
        error: the number of the newest error of a disk that is in the kernel's log; None: not known.
    """
    folder = runtime_folder()
    kept = _read(folder / FILE) if folder is not None else None
    newest = error()  # before the reading: what is logged meanwhile is newer than it
    if kept is not None and 0 <= now() - kept.at < KEPT_SECONDS:
        machine = read(smart=False, known_tools=kept.tools)
        if (
            not machine.cards
            and all(_key(disk) in kept.smart for disk in machine.disks)
            and not _is_newer(newest, kept.error)
            and _members(machine) == kept.members
        ):
            disks = (replace(disk, smart=kept.smart[_key(disk)]) for disk in machine.disks)
            return replace(machine, disks=tuple(disks))
    machine = read()
    if folder is not None and not machine.problems and not machine.cards:
        made = _Kept(
            at=now(),
            error=newest,
            members=_members(machine),
            tools=machine.tools,
            smart={_key(disk): disk.smart for disk in machine.disks},
        )
        # Where it cannot be kept, the next reading is a whole one.
        with suppress(OSError, RaidtuiError):
            make_folder(folder)
            write_file(folder / FILE, to_json(made, pretty=False).encode())
    return machine


def _is_newer(error: int | None, kept: int | None) -> bool:
    """Whether an error has been logged since; where the log cannot be read, only the hour counts."""
    return error is not None and error > (kept or 0)


def _members(machine: Machine) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {
        unit.uuid: tuple((one.path, one.disk, one.state, one.note) for one in unit.members)
        for unit in units_of(machine)
    }


def _read(path: Path) -> _Kept | None:
    try:
        return from_json(path.read_bytes(), _Kept, origin=str(path))
    except (OSError, RaidtuiError):
        return None


def _key(disk: Disk) -> str:
    """A disk in a slot: another one there, or the same one plugged in again, has another key."""
    return f"{disk.key} {disk.identity} {disk.sequence}"
