"""Read this computer often and cheaply: what changes slowly and costs much is kept in /run for an hour.

That is the SMART data of the disks, which takes a command for each of them, and the versions of tools.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from raidtui.backends.reading import read_whole
from raidtui.jobs.durable import make_folder, write_file
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.paths import runtime_folder
from raidtui.model.smart import Smart
from raidtui.model.struct import Record, from_json, to_json

FILE: Final = "reading.json"
KEPT_SECONDS: Final = 3600.0  # smartd looks every half an hour


class _Kept(Record, frozen=True, kw_only=True):
    at: float  # seconds since boot
    tools: dict[str, str]
    smart: dict[str, Smart | None]  # by `_key`


def read_sparingly(
    read: Callable[..., Machine] = read_whole, *, now: Callable[[], float] = time.monotonic
) -> Machine:
    """Read this computer, with SMART data that may be an hour old.

    A computer with RAID cards is always read whole: the health of their drives is in the readings of the cards.
    """
    folder = runtime_folder()
    kept = _read(folder / FILE) if folder is not None else None
    if kept is not None and 0 <= now() - kept.at < KEPT_SECONDS:
        machine = read(smart=False, known_tools=kept.tools)
        if not machine.cards and all(_key(disk) in kept.smart for disk in machine.disks):
            disks = (replace(disk, smart=kept.smart[_key(disk)]) for disk in machine.disks)
            return replace(machine, disks=tuple(disks))
    machine = read()
    if folder is not None and not machine.problems and not machine.cards:
        made = _Kept(at=now(), tools=machine.tools, smart={_key(disk): disk.smart for disk in machine.disks})
        # Where it cannot be kept, the next reading is a whole one.
        with suppress(OSError, RaidtuiError):
            make_folder(folder)
            write_file(folder / FILE, to_json(made, pretty=False).encode())
    return machine


def _read(path: Path) -> _Kept | None:
    try:
        return from_json(path.read_bytes(), _Kept, origin=str(path))
    except (OSError, RaidtuiError):
        return None


def _key(disk: Disk) -> str:
    """A disk in a slot: another one there, or the same one plugged in again, has another key."""
    return f"{disk.key} {disk.identity} {disk.sequence}"
