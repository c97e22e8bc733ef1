"""The fio command line for one run of one cell, and for laying out the test file.

Every option is given, because fio's defaults measure something else: it would create a missing file (and measure the
wrong disk), stop after one pass through the file, access the same offsets in every run, fork workers that keep
running after fio is killed, and leave a file reserved but unwritten.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.bench.profile_file import pattern
from raidtui.bench.rows import FILES, MIX, READ, WRITE, Planned, Row, Until, Work
from raidtui.model.struct import Record
from raidtui.model.units import KIB

MINIMUM: Final = "3.28"  # the oldest fio with the options and JSON used here
OUTPUT: Final = "cell.json"  # this and the next two are in fio's working folder
LOG: Final = "cell_bw.log"
REPLAY: Final = "cell.replay"
SERIES_MILLISECONDS: Final = 250
PERCENTILES: Final = ("50", "90", "95", "99", "99.9", "99.99")

_SMALL_BLOCK: Final = 128 * KIB
_RW: Final = {READ: "read", WRITE: "write", MIX: "rw"}  # random: the same word after "rand"
_FILE_ENGINES: Final = {Work.CREATE: "filecreate", Work.STAT: "filestat", Work.DELETE: "filedelete"}
_FILE_BYTES: Final = 4 * KIB  # fio needs a size; nothing is written into these files


class Place(Record, frozen=True, kw_only=True):
    """What fio reads and writes, and what else the command depends on."""

    filename: str
    size_bytes: int
    folder: str = ""  # for rows that create files
    direct: bool = True  # whether the prefill bypasses the page cache
    compresses: bool = False  # the filesystem stores equal or compressible blocks in less space
    like_cdm: bool = False  # as CrystalDiskMark does: no sync, the same offsets in every run


def engines_of(row: Row) -> tuple[str, ...]:
    """The I/O engines that a row may use, the best first.

    io_uring is asynchronous on any file. libaio is the fallback, but through the page cache it waits for each I/O and
    has no real queue; there psync, plain reads and writes, at least does not pretend to have one.
    """
    if row.work in FILES:
        return (_FILE_ENGINES[row.work],)
    if row.cached:
        return ("psync",) if row.queue_depth == 1 else ("io_uring", "psync")
    return ("io_uring", "libaio")


def run_argv(
    cell: Planned, place: Place, *, engine: str, seconds: int, ramp_seconds: int, series: bool = True
) -> tuple[str, ...]:
    """The command of one run of ``cell``.

    Args:
        seconds: the measured time.
        ramp_seconds: how long it runs before that, not measured.
        series: log the bandwidth in each quarter of a second.
    """
    row = cell.row
    if row.work in FILES:
        return _command(_files(row, place, engine), ("cell",))
    options = [
        *_common(place, engine, direct=not row.cached),
        f"--invalidate={int(not row.warm)}",
        "--group_reporting=1",
        "--lat_percentiles=1",
        f"--percentile_list={':'.join(PERCENTILES)}",
        *_ending(cell.until, seconds, ramp_seconds),
    ]
    if series:
        options += [
            f"--log_avg_msec={SERIES_MILLISECONDS}",
            f"--write_bw_log={LOG.removesuffix('_bw.log')}",
            "--per_job_logs=0",
        ]
    if row.work is Work.REWRITE:
        return _command([*options, f"--read_iolog={REPLAY}", "--replay_no_stall=1"], ("cell",))
    options += [
        # A pass through the file accesses every block once; a timed run accesses any block, any number of times.
        f"--norandommap={int(cell.until is Until.SECONDS)}",
        f"--randrepeat={int(place.like_cdm)}",
    ]
    own = _pattern(cell, place)
    if not row.beside:
        return _command([*options, *own], ("cell",))
    other = pattern(row.beside)
    assert other is not None, "it was read with the profile"
    # The second job has its own report, which is not used; it ends with the time.
    return _command(
        options,
        ("cell", *own),
        ("beside", "--new_group=1", *_pattern(Planned(row=other, direction=other.directions[0]), place)),
    )


def prefill_argv(place: Place, *, engine: str = "io_uring") -> tuple[str, ...]:
    """The command that writes the test file once, from start to end, with incompressible data.

    It does not sync: fio could not be ended while it waits in the kernel for a cache full of writes.
    """
    return _command(
        [
            *_common(place, engine, direct=place.direct),
            "--rw=write",
            "--bs=1048576",
            "--iodepth=8",
            "--fallocate=none",
            "--refill_buffers=1",
        ],
        ("cell",),
    )


def replay_lines(filename: str, size_bytes: int, block_bytes: int, *, most_bytes: int) -> Sequence[str]:
    """The iolog that fio replays to rewrite a file: each block is read and written back in place.

    Args:
        most_bytes: a larger file is sampled evenly, in whole blocks.
    """
    blocks = size_bytes // block_bytes
    step = max(1, -(-blocks * block_bytes // most_bytes))
    lines = ["fio version 2 iolog", f"{filename} add", f"{filename} open"]
    for block in range(0, blocks, step):
        offset = block * block_bytes
        lines += [f"{filename} read {offset} {block_bytes}", f"{filename} write {offset} {block_bytes}"]
    return [*lines, f"{filename} close"]


def _pattern(cell: Planned, place: Place) -> list[str]:
    """Options for the blocks, queue and threads of a cell."""
    row, direction = cell.row, cell.direction
    # Threads reading a file from its start would all read the same blocks: use one thread with a deeper queue, or,
    # through the cache, where a thread has no queue, give each its own part of the file.
    threads, depth = row.threads, row.queue_depth
    options = []
    if not row.random and threads > 1:
        if row.cached:
            part = (row.size_bytes or place.size_bytes) // threads // row.block_bytes * row.block_bytes
            options += [f"--size={part}", f"--offset_increment={part}"]
        else:
            threads, depth = 1, depth * threads
    elif row.size_bytes:
        options.append(f"--size={row.size_bytes}")
    elif cell.until is not Until.SECONDS and row.random and threads > 1:
        options.append(f"--io_size={place.size_bytes // threads}")
    options += [
        f"--rw={'rand' if row.random else ''}{_RW[direction]}",
        f"--bs={row.block_bytes}",
        f"--iodepth={depth}",
        f"--numjobs={threads}",
    ]
    if direction == MIX:
        # Reported as one: else the percentiles of the mix are not known.
        options += [f"--rwmixread={row.read_percent}", "--unified_rw_reporting=mixed"]
    if direction != READ and row.zeros:
        options.append("--zero_buffers=1")
    elif direction != READ and not place.like_cdm and (place.compresses or row.block_bytes < _SMALL_BLOCK):
        # A compressing filesystem or a clever disk would store a repeated block only once.
        options.append("--refill_buffers=1")
    if direction == WRITE and not row.random and not row.cached and not place.like_cdm:
        options.append("--end_fsync=1")
    if row.fresh and direction == WRITE:
        options.append("--fallocate=none")
    return options


def _ending(until: Until, seconds: int, ramp_seconds: int) -> list[str]:
    if until is Until.END:
        return []
    if until is Until.EITHER:
        return [f"--runtime={seconds}"]
    return ["--time_based=1", f"--runtime={seconds}", f"--ramp_time={ramp_seconds}"]


def _files(row: Row, place: Place, engine: str) -> list[str]:
    """Options for many empty files in one directory."""
    return [
        f"--directory={place.folder}",
        "--filename_format=f.$jobnum.$filenum",
        f"--nrfiles={row.files}",
        f"--filesize={_FILE_BYTES}",
        "--openfiles=1",
        f"--ioengine={engine}",
        "--thread=1",
        "--fallocate=none",
        f"--rw={'read' if row.work is Work.STAT else 'write'}",
        *(("--create_on_open=1",) if row.work is Work.CREATE else ()),
    ]


def _common(place: Place, engine: str, *, direct: bool) -> Sequence[str]:
    return (
        f"--filename={place.filename}",
        f"--size={place.size_bytes}",
        f"--ioengine={engine}",
        f"--direct={int(direct)}",
        "--thread=1",
        "--allow_file_create=0",
    )


def _command(options: Sequence[str], *jobs: Sequence[str]) -> tuple[str, ...]:
    """The fio command: options of all jobs, then the name and options of each job."""
    # Progress once a second: the display uses the kernel's counters four times a second, which cost fio nothing.
    progress = ("--eta=always", "--eta-newline=1000ms", "--eta-interval=1000ms")
    each = [word for name, *own in jobs for word in (f"--name={name}", *own)]
    return ("fio", f"--output={OUTPUT}", "--output-format=json", *progress, *options, *each)
