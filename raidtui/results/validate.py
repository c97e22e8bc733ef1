"""Validate an imported result: everything that lists, tables and sums take for granted. Pure."""

import math
import re
from collections.abc import Iterator
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Result
from raidtui.model.text import harmless
from raidtui.results.published import is_published

_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_CREATED: Final = re.compile(r"(\d{4}[0-9T:.+Z -]{0,36})?")
_FLAG: Final = re.compile(r"[A-Z]\b.*", re.DOTALL)
_DIRECTIONS: Final = ("read", "write", "mix")


def check_result(result: Result, *, origin: str) -> None:
    """Check that ``result`` can be a measured one. Text that is only shown is not checked.

    Args:
        origin: the file that it came from, for the error.

    Raises:
        BadInput: its id, date, or a cell's name, direction, figure or flag is impossible, or it has a cell twice.
    """
    if fault := next(_faults(result), ""):
        raise BadInput(f"{origin} has an impossible result: {fault}")


def _faults(result: Result) -> Iterator[str]:
    if not _ID.fullmatch(result.id) and not is_published(result.id):
        yield f"its id is {result.id[:80]!r}, and an id is 1 to 64 letters, digits and hyphens"
    if not _CREATED.fullmatch(result.created):
        yield f"{result.id} was measured at {result.created[:80]!r}, which is not a date"
    unit = result.context.unit
    if unit is not None and unit.raid_disks < 1:
        yield f"{result.id} has an array of {unit.raid_disks} disks"
    found = set()
    for cell in result.cells:
        for fault in _faults_of(cell):
            yield f"{result.id} has {fault}"
        if (cell.name, cell.direction) in found:
            yield f"{result.id} has {cell.name} {cell.direction} twice"
        found.add((cell.name, cell.direction))


def _faults_of(cell: Cell) -> Iterator[str]:
    if not cell.name or harmless(cell.name) != cell.name:
        yield f"a cell of the name {cell.name[:80]!r}"
    if cell.direction not in _DIRECTIONS:
        yield f"{cell.name} of the direction {cell.direction[:80]!r}, which is none of {', '.join(_DIRECTIONS)}"
    for flag in cell.flags:
        if not _FLAG.fullmatch(flag):
            yield f"the flag {flag[:80]!r} at {cell.name}, which does not begin with its letter"
    figures = (
        *(cell.bytes_per_second, cell.iops, cell.latency_mean_seconds, cell.latency_p99_seconds or 0.0),
        *(cell.block_bytes, cell.queue_depth, cell.threads, cell.amplification or 0.0, *cell.curve),
        *(
            figure
            for run in cell.runs
            for figure in (
                *(run.bytes_per_second, run.iops, run.latency_mean_seconds, run.latency_p99_seconds or 0.0),
                *(run.seconds, run.total_ios, run.processor_percent, run.sync_seconds or 0.0),
                *(*run.percentiles.values(), *run.series),
            )
        ),
    )
    if wrong := next((one for one in figures if not math.isfinite(one) or one < 0), None):
        yield f"the figure {wrong} at {cell.name} {cell.direction}, which cannot have been measured"
