"""Read the JSON that fio writes with --output-format=json: one document, of any version since 2."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean, median
from typing import Final

from msgspec.structs import replace

from raidtui import __version__
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.results.foreign.fio_document import (
    Job,
    Way,
    bytes_of,
    mean_of,
    rate_of,
    read_document,
    read_percent_of,
    seconds_of_option,
    size_of_option,
    tail_of,
)
from raidtui.results.foreign.numbers import block_name, finite, identity, mix_name

_TAIL_IOS: Final = 10_000  # with fewer the 99th percentile is not known
_LONGEST: Final = 64  # characters of a job's name
_AT_DEPTH: Final = 90.0  # percent of the I/Os; as for raidtui's own results
_ALL: Final = 99.95  # percent; fio rounds
_SURPLUS: Final = 1.5  # times the requested I/Os in flight: there were more jobs than the options name
_JOBS_UNKNOWN: Final = "E fio reported several jobs as one (group_reporting), without their number"
# Options that may differ in two jobs that measured the same.
_NEUTRAL: Final = frozenset(
    {"name", "description", "stonewall", "new_group", "wait_for", "startdelay", "group_reporting"}
)


class _Measured(Record, frozen=True, kw_only=True):
    """What the jobs of one name and group measured together."""

    group: int
    job: str
    options: dict[str, str]  # those that matter
    cell: Cell
    run: RunValue


def is_fio(text: str) -> bool:
    """Whether ``text`` is a document of fio, perhaps with messages before it."""
    return '"fio version"' in text


def read_fio(text: str, *, origin: str, label: str) -> Result:
    """Read the one result in a document: a cell for each job; identical jobs, one after another, are runs of one cell.

    Jobs with the same access pattern that differ in another option, or that ran in parallel, get their own names.

    Raises:
        BadInput: there is no complete document, or none of its jobs transferred data.
    """
    document = read_document(text, origin)
    version = document.version.removeprefix("fio-")
    together: dict[tuple[object, ...], list[Job]] = {}
    for job in document.jobs:
        key = (job.groupid, job.jobname, *sorted(job.options.items()))
        together.setdefault(key, []).append(job)
    found = [
        one
        for jobs in together.values()
        if (one := _measured(jobs, document.options, f"{origin}, job {jobs[0].jobname[:_LONGEST]!r}"))
    ]
    if not found:
        raise BadInput(f"{origin} has no job of fio that transferred data")
    cells = tuple(_cells(found))
    when = (
        datetime.fromtimestamp(document.timestamp, UTC).isoformat() if 0 < document.timestamp < 2**33 else ""
    )
    return Result(
        id=identity(text),
        label=label,
        created=when,
        version=__version__,
        profile="fio",
        context=_context([one.options for one in found], version, max(len(cell.runs) for cell in cells)),
        cells=cells,
    )


def _context(options: Sequence[Mapping[str, str]], version: str, runs: int) -> Context:
    """The context of all jobs: every target and engine; sizes and seconds only if they agree, else 0."""
    targets = dict.fromkeys(one.get("filename", one.get("directory", "")) for one in options)
    engines = dict.fromkeys(one.get("ioengine", "") for one in options)
    sizes = {size_of_option(one.get("size", "")) for one in options}
    seconds = {round(seconds_of_option(one.get("runtime", ""))) for one in options}
    return Context(
        target=", ".join(filter(None, targets)),
        tools={"fio": version},
        engine=", ".join(filter(None, engines)),
        direct=any(map(_is_direct, options)) if all(options) else None,
        size_bytes=sizes.pop() if len(sizes) == 1 else 0,
        seconds=seconds.pop() if len(seconds) == 1 else 0,
        runs=runs,
        origin=f"fio {version}",
    )


def _hides_jobs(jobs: Sequence[Job], cell: Cell, options: Mapping[str, str]) -> bool:
    """Whether a group that fio reports as one had more jobs than the options of its first job name.

    Little's law: I/Os a second times the mean latency are the I/Os in flight.
    """
    in_flight = cell.iops * cell.latency_mean_seconds
    is_group = len(jobs) == 1 and options.get("group_reporting", "0") != "0"
    return is_group and in_flight > _SURPLUS * cell.queue_depth * cell.threads


def _is_direct(options: Mapping[str, str]) -> bool:
    return options.get("direct", "0") not in {"0", ""} or options.get("buffered") == "0"


def _measured(jobs: Sequence[Job], shared: Mapping[str, str], where: str) -> _Measured | None:
    """What jobs that ran in parallel measured: read, write, or the sum of both."""
    options = {**shared, **jobs[0].options}
    rw = options.get("rw", options.get("readwrite", ""))
    ways, direction = _ways(jobs, rw)
    if not ways:
        return None
    count = sum(way.total_ios for way in ways)
    moved = sum(map(bytes_of, ways))
    weights = [way.total_ios if count else way.io_bytes for way in ways]  # the first fio 2 did not count I/Os
    mean = sum(mean_of(way) * weight for way, weight in zip(ways, weights, strict=True)) / sum(weights)
    run = RunValue(
        bytes_per_second=finite(sum(finite(rate_of(way), where=where) for way in ways), where=where),
        iops=finite(sum(_known(way.iops, where) for way in ways), where=where),
        latency_mean_seconds=finite(mean, where=where) / 1e9,
        latency_p99_seconds=_tail(ways, where) if count >= _TAIL_IOS else None,
        seconds=max(_known(way.runtime, where) for way in ways) / 1000,
        total_ios=count,
        processor_percent=fmean(_known(job.usr_cpu, where) + _known(job.sys_cpu, where) for job in jobs),
    )
    block = round(moved / count) if count else 0
    threads = max(size_of_option(options.get("numjobs", "1")), len(jobs))
    depth, doubt = _depth(jobs, size_of_option(options.get("iodepth", "1")) or 1)
    is_known = bool(rw) and bool(block_name(block))
    name = f"{'RND' if rw.startswith('rand') else 'SEQ'}{block_name(block)} Q{depth}T{threads}"
    name = mix_name(name, read_percent_of(options)) if direction == "mix" else name
    failed = next((job.error for job in jobs if job.error), 0)
    cell = Cell(
        name=name if is_known else _job_name(jobs[0].jobname),
        direction=direction,
        bytes_per_second=run.bytes_per_second,
        iops=run.iops,
        latency_mean_seconds=run.latency_mean_seconds,
        block_bytes=block if is_known else 0,
        queue_depth=depth,
        threads=threads,
        random=rw.startswith("rand"),
        flags=tuple(filter(None, (f"E fio stopped with error {failed}" if failed else "", doubt))),
    )
    if _hides_jobs(jobs, cell, options):
        cell = replace(
            cell,
            name=_job_name(jobs[0].jobname),
            block_bytes=0,
            threads=0,
            flags=(*cell.flags, _JOBS_UNKNOWN),
        )
    counting = {key: value for key, value in options.items() if not _is_neutral(key)}
    return _Measured(
        group=jobs[0].groupid, job=_job_name(jobs[0].jobname), options=counting, cell=cell, run=run
    )


def _ways(jobs: Sequence[Job], rw: str) -> tuple[list[Way], str]:
    """The directions that transferred data, and whether that is read, write or mix."""
    reads = [job.read for job in jobs if job.read.io_bytes]
    writes = [job.write for job in jobs if job.write.io_bytes]
    if reads or writes:
        return reads + writes, "mix" if reads and writes else "read" if reads else "write"
    kind = rw.partition(":")[0].removeprefix("rand")
    return [job.mixed for job in jobs if job.mixed.io_bytes], kind if kind in {"read", "write"} else "mix"


def _depth(jobs: Sequence[Job], requested: int) -> tuple[int, str]:
    """The I/Os in flight, and a flag: an engine may do one at a time, whatever was requested."""
    levels = [job.iodepth_level for job in jobs if job.iodepth_level]
    if requested == 1 or not levels:
        return requested, ""
    if fmean(level.get("1") or 0.0 for level in levels) >= _ALL:
        return 1, f"Q {requested:,} I/Os in flight were requested, but there was never more than one"
    bucket = ">=64" if requested >= 64 else str(1 << (requested.bit_length() - 1))
    percent = fmean(level.get(bucket) or 0.0 for level in levels)
    return (
        requested,
        f"Q queue depth {requested} only {in_percent(percent / 100)} of the time"
        if percent < _AT_DEPTH
        else "",
    )


def _known(value: float | None, where: str) -> float:
    return 0.0 if value is None else finite(value, where=where)


def _tail(ways: Sequence[Way], where: str) -> float | None:
    """The 99th percentile of a single job; percentiles of several cannot be combined."""
    value = tail_of(ways[0]) if len(ways) == 1 else None
    return None if value is None else finite(value, where=where) / 1e9


def _job_name(name: str) -> str:
    return harmless(name[:_LONGEST]) or "job"


def _is_neutral(option: str) -> bool:
    return option in _NEUTRAL or option.startswith("log_") or option.endswith("_log")


def _cells(found: Sequence[_Measured]) -> Iterator[Cell]:
    same: dict[tuple[str, str], list[_Measured]] = {}
    for one in found:
        same.setdefault((one.cell.name, one.cell.direction), []).append(one)
    parted = {key: _parted(many) for key, many in same.items()}
    taken = {key for key, parts in parted.items() if len(parts) == 1}
    numbers: Counter[tuple[str, str]] = Counter()
    some_direct = any(_is_direct(one.options) for one in found)
    for (name, direction), parts in parted.items():
        for many in parts:
            own = name if len(parts) == 1 else _free(many[0].job, direction, taken, numbers)
            taken.add((own, direction))
            is_odd = some_direct and not _is_direct(many[0].options)
            yield _cell(many, own, "C through the page cache, which other jobs bypassed" if is_odd else "")


def _parted(many: Sequence[_Measured]) -> list[list[_Measured]]:
    """Split into runs of one cell: alike in every option, and run one after another."""
    groups = Counter(one.group for one in many)
    parts: dict[tuple[object, ...], list[_Measured]] = {}
    for number, one in enumerate(many):
        at_once = groups[one.group] > 1
        parts.setdefault((number if at_once else -1, *sorted(one.options.items())), []).append(one)
    return list(parts.values())


def _free(name: str, direction: str, taken: set[tuple[str, str]], numbers: Counter[tuple[str, str]]) -> str:
    free = name
    while (free, direction) in taken:
        numbers[name, direction] += 1
        free = f"{name} {numbers[name, direction] + 1}"
    return free


def _cell(many: Sequence[_Measured], name: str, doubt: str) -> Cell:
    runs = tuple(one.run for one in many)
    tails = [run.latency_p99_seconds for run in runs if run.latency_p99_seconds is not None]
    return replace(
        many[0].cell,
        name=name,
        bytes_per_second=median(run.bytes_per_second for run in runs),
        iops=median(run.iops for run in runs),
        latency_mean_seconds=median(run.latency_mean_seconds for run in runs),
        latency_p99_seconds=median(tails) if tails else None,
        runs=runs,
        flags=tuple(dict.fromkeys([*filter(None, [doubt]), *(f for one in many for f in one.cell.flags)])),
    )
