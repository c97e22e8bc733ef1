"""The fio command line of one run of one cell, and of laying out the test file.

fio is given every option, because its defaults measure something else: it would make a file that is missing (and
measure the wrong disk), stop when the file was read once, touch the same offsets in every run, fork workers that
keep running after it was killed, and leave a file unwritten that it merely reserved.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.bench.profile_file import pattern
from raidtui.bench.rows import FILES, MIX, READ, WRITE, Planned, Row, Until, Work
from raidtui.model.struct import Record
from raidtui.model.units import KIB

MINIMUM: Final = "3.28"  # the oldest fio whose options and JSON are the ones used here
OUTPUT: Final = "cell.json"  # these in the folder that fio is started in
LOG: Final = "cell_bw.log"
REPLAY: Final = "cell.replay"
SERIES_MILLISECONDS: Final = 250
PERCENTILES: Final = ("50", "90", "95", "99", "99.9", "99.99")

_SMALL_BLOCK: Final = 128 * KIB
_RW: Final = {READ: "read", WRITE: "write", MIX: "rw"}  # random: the same word after "rand"
_FILE_ENGINES: Final = {Work.CREATE: "filecreate", Work.STAT: "filestat", Work.DELETE: "filedelete"}
_FILE_BYTES: Final = 4 * KIB  # as fio wants to know it; nothing is written into them


class Place(Record, frozen=True, kw_only=True):
    """What fio reads and writes, and what is known of it that changes how."""

    filename: str
    size_bytes: int
    folder: str = ""  # for rows that make files
    direct: bool = True  # whether the prefill goes past the page cache
    compresses: bool = False  # what is below stores equal or compressible blocks in less room
    like_cdm: bool = False  # as CrystalDiskMark does it: no sync, the same offsets in every run


def engines_of(row: Row) -> tuple[str, ...]:
    """The I/O engines that a row may use, the best first.

    io_uring is asynchronous whatever the file. libaio is the way round it, but through the page cache it waits for
    each I/O and only pretends to a queue; there a plain read and write is at least what it says.
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
        seconds: how long is measured.
        ramp_seconds: how long it runs before that, not measured.
        series: with the bandwidth in each quarter of a second.
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
        # Through the file every block has its turn once; else any, as often as it comes.
        f"--norandommap={int(cell.until is Until.SECONDS)}",
        f"--randrepeat={int(place.like_cdm)}",
    ]
    own = _pattern(cell, place)
    if not row.beside:
        return _command([*options, *own], ("cell",))
    other = pattern(row.beside)
    assert other is not None, "it was read with the profile"
    # The second job has a report of its own, which nobody reads; it ends with the time.
    return _command(
        options,
        ("cell", *own),
        ("beside", "--new_group=1", *_pattern(Planned(row=other, direction=other.directions[0]), place)),
    )


def prefill_argv(place: Place, *, engine: str = "io_uring") -> tuple[str, ...]:
    """The command that writes the test file once, from start to end, with data that cannot be compressed.

    It does not sync: nothing ends an fio that waits in the kernel for a cache full of writes.
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
    """What fio replays to rewrite a file: each block is read and written back where it was.

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
    """Blocks, queue and threads of a cell."""
    row, direction = cell.row, cell.direction
    # Threads that read a file from its start would all read the same blocks; one with a deeper queue does not, and
    # where a thread cannot have a queue each has a part of the file of its own.
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
        # Reported as one, or the percentiles of the whole could not be known.
        options += [f"--rwmixread={row.read_percent}", "--unified_rw_reporting=mixed"]
    if direction != READ and row.zeros:
        options.append("--zero_buffers=1")
    elif direction != READ and not place.like_cdm and (place.compresses or row.block_bytes < _SMALL_BLOCK):
        # One block written over and over would be one block to a filesystem that compresses or a clever disk.
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
    """Many empty files in one directory."""
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
    """fio's words: what all jobs have in common, then each job's name and its own."""
    # Once a second: what is shown four times a second are the kernel's counters, which cost fio nothing.
    progress = ("--eta=always", "--eta-newline=1000ms", "--eta-interval=1000ms")
    each = [word for name, *own in jobs for word in (f"--name={name}", *own)]
    return ("fio", f"--output={OUTPUT}", "--output-format=json", *progress, *options, *each)
