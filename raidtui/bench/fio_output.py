"""Parse fio's output: the JSON, the bandwidth log of a run, and the progress lines.

Other text ("fio: terminating on signal 2") may come before the document and after it; fio prints the mean of no
samples as nan. Only fields that every fio from 3.28 to 3.42 prints are used.
"""

import json
import math
import re
from typing import Final

from msgspec import field

from raidtui.bench.fio import SERIES_MILLISECONDS
from raidtui.bench.rows import MIX, READ, WRITE
from raidtui.model.errors import StepFailed
from raidtui.model.result import RunValue
from raidtui.model.struct import Record, to_record
from raidtui.results.foreign.fio_document import FioDocument, Job, Way, rate_of
from raidtui.results.foreign.numbers import without_nan

_START: Final = re.compile(r"^\{", re.MULTILINE)


class Eta(Record, frozen=True, kw_only=True):
    """One progress line of fio; without figures in the first seconds of a run."""

    states: str = ""  # one letter per thread: P C I set up, / ramp, R W M r w m measuring, F syncing
    percent: float | None = None
    bytes_by: dict[str, float] = field(
        default_factory=dict
    )  # a second, by fio's letter: r, w, t(rim), m(ixed)
    iops_by: dict[str, float] = field(default_factory=dict)

    def bytes_per_second(self, direction: str = MIX) -> float | None:
        """Bytes a second in one direction, of a mix in both together; ``None`` until fio reports any."""
        return _of(self.bytes_by, direction)

    def iops(self, direction: str = MIX) -> float | None:
        """I/Os a second, likewise."""
        return _of(self.iops_by, direction)


def _of(rates: dict[str, float], direction: str) -> float | None:
    letters = {READ: "r", WRITE: "w"}.get(direction, "rwtm")
    found = [rate for letter, rate in rates.items() if letter in letters]
    return sum(found) if found else None


def read_output(text: str) -> Job:
    """Return the first job in fio's output; otherwise like `read_jobs`."""
    return read_jobs(text)[0]


def read_jobs(text: str) -> list[Job]:
    """Return the jobs in fio's output.

    Raises:
        StepFailed: it has no complete document, or one without a job.
    """
    for match in _START.finditer(text):
        try:
            found, _ = json.JSONDecoder().raw_decode(without_nan(text[match.start() :]))
            jobs = to_record(found, FioDocument).jobs
        except (ValueError, RecursionError):  # msgspec's error is a ValueError as well
            continue
        if jobs:
            return jobs
    raise StepFailed("fio ended without a readable result")


def traffic_of(job: Job, direction: str) -> Way:
    """The figures of the measured direction."""
    return {READ: job.read, MIX: job.mixed}.get(direction, job.write)


def run_value(
    job: Job,
    direction: str,
    *,
    series: tuple[float, ...] = (),
    started: str = "",
    blocks: bool = True,
    sync_seconds: float | None = None,
) -> RunValue:
    """One run as it is stored: bytes a second from ``bw_bytes`` (``bw`` is KiB and not exact), latency from ``lat``.

    Args:
        blocks: whether bytes were transferred; else only operations count.
        sync_seconds: how long the sync afterwards took.

    A percentile is left out unless at least a hundred I/Os lie beyond it.

    Raises:
        StepFailed: fio measured nothing.
    """
    traffic = traffic_of(job, direction)
    rate = rate_of(traffic)
    if not traffic.total_ios or not rate > 0:
        raise StepFailed("fio did not complete a single I/O while it was measuring")
    known = {
        _short(name): nanoseconds / 1e9
        for name, nanoseconds in traffic.lat_ns.percentile.items()
        if nanoseconds is not None and _is_known(name, traffic.total_ios)
    }
    return RunValue(
        bytes_per_second=rate if blocks else 0.0,
        iops=traffic.iops or 0.0,
        latency_mean_seconds=(traffic.lat_ns.mean or 0.0) / 1e9,
        latency_p99_seconds=known.get("99"),
        seconds=(traffic.runtime or 0.0) / 1000,
        total_ios=traffic.total_ios,
        percentiles=known,
        processor_percent=(job.usr_cpu or 0.0) + (job.sys_cpu or 0.0),
        series=series,
        started=started,
        sync_seconds=sync_seconds,
    )


def _short(name: str) -> str:
    """``99.9`` for fio's ``99.900000``."""
    return name.rstrip("0").rstrip(".") if "." in name else name


def _is_known(name: str, ios: int) -> bool:
    try:
        beyond = 1 - float(name) / 100
    except ValueError:
        return False
    return math.isfinite(beyond) and ios * beyond >= 100 * (1 - 1e-9)


def read_series(text: str) -> tuple[float, ...]:
    """Bytes a second in each quarter of a second, from fio's bandwidth log; all threads and directions together.

    A line is ``milliseconds, KiB/s, direction, …``; a truncated line is skipped.
    """
    sums: dict[int, float] = {}
    for line in text.splitlines():
        words = line.split(",")
        try:
            quarter, kib = round(int(words[0]) / SERIES_MILLISECONDS), int(words[1])
            sums[quarter] = sums.get(quarter, 0.0) + kib * 1024.0
        except (ValueError, IndexError, OverflowError):
            continue
    return tuple(sums[quarter] for quarter in sorted(sums))


_FACTORS: Final = {
    **{"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9},
    **{"i": 1.0, "ki": 2.0**10, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30},
}
_STATES: Final = re.compile(r": \[(?P<states>[^][]*)\](?:\[(?P<percent>[\d.]+)%\])?")
_RATES: Final = re.compile(r"\[(?P<numbers>[^][]*?)(?P<what>B/s| IOPS)\]")
_RATE: Final = re.compile(r"(?P<way>[rwtm])=(?P<number>[\d.]+)(?P<unit>[kKMG]?i?)")
_THREADS: Final = re.compile(r"(?P<letter>[^\s(),])(?:\((?P<count>\d{1,19})\))?")


def read_eta(line: str) -> Eta:
    """Parse a progress line: ``Jobs: 1 (f=1): [r(1)][50.0%][r=259MiB/s][r=66.2k IOPS][eta 00m:03s]``.

    Any other line gives an empty `Eta`.
    """
    match = _STATES.search(line) if line.startswith("Jobs:") else None
    if match is None:
        return Eta()
    rates: dict[str, dict[str, float]] = {"B/s": {}, " IOPS": {}}
    for group in _RATES.finditer(line):
        for one in _RATE.finditer(group["numbers"]):
            rates[group["what"]][one["way"]] = (_number(one["number"]) or 0.0) * _FACTORS[one["unit"]]
    states = "".join(
        one["letter"] * min(int(one["count"] or 1), 1024) for one in _THREADS.finditer(match["states"])
    )
    return Eta(
        states=states,
        percent=_number(match["percent"] or ""),
        bytes_by=rates["B/s"],
        iops_by=rates[" IOPS"],
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
