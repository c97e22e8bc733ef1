"""The current state of a running benchmark: one small file in the job's folder, replaced at each change."""

import os
from pathlib import Path
from typing import Final

from raidtui.machine.own_files import open_own
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record, from_json, to_json

FILE: Final = "live"
LONG_SILENCE: Final = 10.0  # seconds; the disk does not answer, or retries a bad sector
_BESIDE: Final = ".live.new"


class Live(Record, frozen=True, kw_only=True):
    """The current state of a benchmark."""

    cell: str = ""  # "SEQ1M Q8T1"; empty while the test file is written
    direction: str = ""  # read, write or mix
    run: int = 0  # 1 … runs; 0 is the warm-up, which does not count
    runs: int = 0
    phase: str = ""  # filling, warm-up, waiting, measuring, syncing
    percent: float = 0.0  # of the whole benchmark, by time
    bytes_per_second: float | None = None  # of the cell, as fio counts; None while not known
    iops: float | None = None
    silent_seconds: float = 0.0  # since the device last completed an I/O; 0 through the page cache
    remaining_seconds: float = 0.0  # until the whole benchmark ends
    number: int = 0  # of the current run, counted over all cells, warm-ups included
    count: int = 0


def write_live(folder: Path, live: Live) -> None:
    """Replace the file. It is not synced: after a power cut no benchmark is running."""
    beside = folder / _BESIDE
    with os.fdopen(open_own(beside, os.O_WRONLY | os.O_CREAT), "wb") as file:
        file.truncate()
        file.write(to_json(live, pretty=False).encode())
    os.replace(beside, folder / FILE)


def read_live(folder: Path) -> Live | None:
    """Read the state of the benchmark in ``folder``; ``None`` before it begins and after it has ended."""
    try:
        text = (folder / FILE).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return from_json(text, Live, origin=str(folder / FILE))
    except BadInput:
        return None  # left incomplete by a power cut, because it is not synced


def remove_live(folder: Path) -> None:
    """Remove the file: the benchmark has ended."""
    for name in (FILE, _BESIDE):
        (folder / name).unlink(missing_ok=True)
