"""The JSON that fio writes with --output-format=json: one document, of any version since 2."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Annotated, Final

import msgspec

from raidtui import __version__
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.model.units import GIB, KIB, MIB, TIB
from raidtui.results.foreign.numbers import block_name, finite, identity

_SIZE: Final = re.compile(r"(\d{1,15})\s*([kmgt]?)i?b?", re.IGNORECASE)
_POWERS: Final = {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": TIB}
_TAIL_IOS: Final = 10_000  # fewer do not show the slowest hundredth
_LONGEST: Final = 64  # characters of a job's name


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]


class _Latency(msgspec.Struct):
    mean: float = 0.0
    percentile: dict[str, float] = {}


class _Way(msgspec.Struct):
    io_bytes: _Count = 0
    bw: float = 0.0  # KiB a second
    bw_bytes: float | None = None
    iops: float = 0.0
    runtime: float = 0.0  # milliseconds
    total_ios: _Count = 0
    lat_ns: _Latency = msgspec.field(default_factory=_Latency)
    clat_ns: _Latency = msgspec.field(default_factory=_Latency)


class _Job(msgspec.Struct):
    jobname: str
    groupid: int = 0
    error: int = 0
    usr_cpu: float = 0.0
    sys_cpu: float = 0.0
    options: dict[str, str] = msgspec.field(default_factory=dict, name="job options")
    read: _Way = msgspec.field(default_factory=_Way)
    write: _Way = msgspec.field(default_factory=_Way)


class _Document(msgspec.Struct):
    version: str = msgspec.field(name="fio version")
    jobs: list[_Job]
    timestamp: int = 0
    options: dict[str, str] = msgspec.field(default_factory=dict, name="global options")


def is_fio(text: str) -> bool:
    """Whether ``text`` is fio's, perhaps with messages before it."""
    return '"fio version"' in text


def read_fio(text: str, *, origin: str, label: str, created: str) -> Result:
    """The one result in a document: a cell for each job, runs of one cell where jobs of equal access repeat."""
    document = _document(text, origin)
    version = document.version.removeprefix("fio-")
    found: dict[tuple[str, str], list[tuple[Cell, RunValue]]] = {}
    together: dict[tuple[int, str], list[_Job]] = {}
    for job in document.jobs:
        together.setdefault((job.groupid, job.jobname), []).append(job)
    for jobs in together.values():
        for cell, run in _measured(jobs, document.options, f"{origin}, job {jobs[0].jobname[:_LONGEST]!r}"):
            found.setdefault((cell.name, cell.direction), []).append((cell, run))
    if not found:
        raise BadInput(f"{origin} has no job of fio that moved any data")
    options = document.options | document.jobs[0].options
    when = (
        datetime.fromtimestamp(document.timestamp, UTC).isoformat() if 0 < document.timestamp < 2**33 else ""
    )
    return Result(
        id=identity(text),
        label=label,
        created=when or created,
        version=__version__,
        profile="fio",
        context=Context(
            target=options.get("filename", options.get("directory", "")),
            tools={"fio": version},
            engine=options.get("ioengine", ""),
            direct=options.get("direct", "0") not in {"0", ""} or options.get("buffered") == "0",
            size_bytes=_size(options.get("size", "")),
            seconds=_size(options.get("runtime", "").removesuffix("s")),
            runs=max(map(len, found.values())),
            origin=f"fio {version}",
        ),
        cells=tuple(_cell(many) for many in found.values()),
    )


def _document(text: str, origin: str) -> _Document:
    begin = re.search(r"^\{", text, re.MULTILINE)
    end = text.rfind("\n}") + 2 if "\n}" in text else len(text)
    if begin is None or begin.start() >= end:
        raise BadInput(f"{origin} has no JSON document of fio that begins on its own line")
    try:
        return msgspec.json.decode(text[begin.start() : end], type=_Document)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(f"{origin} is cut short or is not fio's JSON: {error}") from error


def _measured(jobs: Sequence[_Job], shared: dict[str, str], where: str) -> list[tuple[Cell, RunValue]]:
    """The cells of the jobs that ran at once: read, write, or their sum where both went on."""
    options = shared | jobs[0].options
    reads = [job.read for job in jobs if job.read.io_bytes]
    writes = [job.write for job in jobs if job.write.io_bytes]
    ways, direction = (
        (reads + writes, "mix") if reads and writes else (reads or writes, "read" if reads else "write")
    )
    if not ways:
        return []
    rates = [finite(way.bw * KIB if way.bw_bytes is None else way.bw_bytes, where=where) for way in ways]
    count = sum(way.total_ios for way in ways)
    block = round(sum(way.io_bytes for way in ways) / count) if count > 0 else 0
    mean = sum(_mean(way) * way.total_ios for way in ways) / count if count > 0 else 0.0
    rw = options.get("rw", options.get("readwrite", ""))
    threads = max(_size(options.get("numjobs", "1")), len(jobs))
    depth = _size(options.get("iodepth", "1")) or 1
    block_text = block_name(block)
    known = bool(rw) and bool(block_text)
    run = RunValue(
        bytes_per_second=finite(sum(rates), where=where),
        iops=finite(sum(finite(way.iops, where=where) for way in ways), where=where),
        latency_mean_seconds=finite(mean, where=where) / 1e9,
        latency_p99_seconds=_tail(ways, where) if count >= _TAIL_IOS else None,
        seconds=max(finite(way.runtime, where=where) for way in ways) / 1000,
        total_ios=count,
        processor_percent=sum(job.usr_cpu + job.sys_cpu for job in jobs),
    )
    failed = next((job.error for job in jobs if job.error), 0)
    cell = Cell(
        name=f"{'RND' if rw.startswith('rand') else 'SEQ'}{block_text} Q{depth}T{threads}"
        if known
        else jobs[0].jobname[:_LONGEST],
        direction=direction,
        bytes_per_second=run.bytes_per_second,
        iops=run.iops,
        latency_mean_seconds=run.latency_mean_seconds,
        block_bytes=block if known else 0,
        queue_depth=depth,
        threads=threads,
        random=rw.startswith("rand"),
        flags=(f"E fio stopped with error {failed}",) if failed else (),
    )
    return [(cell, run)]


def _mean(way: _Way) -> float:
    return way.lat_ns.mean or way.clat_ns.mean


def _tail(ways: Sequence[_Way], where: str) -> float | None:
    """The 99th percentile where one job alone has it; percentiles of several cannot be joined."""
    found = [way.lat_ns.percentile or way.clat_ns.percentile for way in ways]
    value = found[0].get("99.000000") if len(found) == 1 else None
    return None if value is None else finite(value, where=where) / 1e9


def _cell(many: Sequence[tuple[Cell, RunValue]]) -> Cell:
    first, runs = many[0][0], tuple(run for _, run in many)
    tails = [run.latency_p99_seconds for run in runs if run.latency_p99_seconds is not None]
    return Cell(
        name=first.name,
        direction=first.direction,
        bytes_per_second=median(run.bytes_per_second for run in runs),
        iops=median(run.iops for run in runs),
        latency_mean_seconds=median(run.latency_mean_seconds for run in runs),
        latency_p99_seconds=median(tails) if tails else None,
        block_bytes=first.block_bytes,
        queue_depth=first.queue_depth,
        threads=first.threads,
        random=first.random,
        runs=runs,
        flags=tuple(dict.fromkeys(flag for cell, _ in many for flag in cell.flags)),
    )


def _size(text: str) -> int:
    """A number of fio's with its power of 1024; 0 where it is something else, a percentage perhaps."""
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) * _POWERS[found[2].lower()] if found else 0
