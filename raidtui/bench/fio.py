"""The fio command line of one run of one cell, and of laying out the test file.

fio is told everything, because its defaults measure something else: it would make a file that is missing (and
measure the wrong disk), stop when the file was read once, touch the same offsets in every run, fork workers that
go on after it was killed, and leave a file unwritten that it merely reserved.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.bench.profiles import MIX, READ, WRITE, Planned
from raidtui.model.struct import Record
from raidtui.model.units import KIB

MINIMUM: Final = "3.28"  # the oldest fio whose options and JSON are the ones used here
ENGINES: Final = (
    "io_uring",
    "libaio",
)  # the first is asynchronous whatever the file; the second is a way round
OUTPUT: Final = "cell.json"  # both in the folder that fio is started in
LOG: Final = "cell_bw.log"
SERIES_MILLISECONDS: Final = 250
PERCENTILES: Final = ("50", "90", "95", "99", "99.9", "99.99")

_SMALL_BLOCK: Final = 128 * KIB
_RW: Final = {READ: "read", WRITE: "write", MIX: "rw"}  # random: the same word after "rand"


class Place(Record, frozen=True, kw_only=True):
    """What fio reads and writes, and what is known of it that changes how."""

    filename: str
    size_bytes: int
    engine: str = ENGINES[0]
    direct: bool = True
    compresses: bool = False  # what is below stores equal or compressible blocks in less room


def run_argv(
    cell: Planned, place: Place, *, seconds: int, ramp_seconds: int, mix_read_percent: int = 70
) -> tuple[str, ...]:
    """The command of one run of ``cell``.

    Args:
        seconds: how long is measured.
        ramp_seconds: how long it runs before that, not measured.
    """
    row = cell.row
    # Threads that read a file from its start would all read the same blocks; one with a deeper queue does not.
    threads, depth = (row.threads, row.queue_depth) if row.random else (1, row.queue_depth * row.threads)
    options = [
        *_common(place),
        "--invalidate=1",
        "--norandommap=1",
        "--randrepeat=0",
        "--time_based=1",
        f"--runtime={seconds}",
        f"--ramp_time={ramp_seconds}",
        "--group_reporting=1",
        "--lat_percentiles=1",
        f"--percentile_list={':'.join(PERCENTILES)}",
        f"--log_avg_msec={SERIES_MILLISECONDS}",
        f"--write_bw_log={LOG.removesuffix('_bw.log')}",
        "--per_job_logs=0",
        f"--rw={'rand' if row.random else ''}{_RW[cell.direction]}",
        f"--bs={row.block_bytes}",
        f"--iodepth={depth}",
        f"--numjobs={threads}",
    ]
    if cell.direction == MIX:
        # Reported as one, or the percentiles of the whole could not be known.
        options += [f"--rwmixread={mix_read_percent}", "--unified_rw_reporting=mixed"]
    if cell.direction != READ and (place.compresses or row.block_bytes < _SMALL_BLOCK):
        # One block written over and over would be one block to a filesystem that compresses or a clever disk.
        options.append("--refill_buffers=1")
    if cell.direction == WRITE and not row.random:
        options.append("--end_fsync=1")
    return _command(options)


def prefill_argv(place: Place) -> tuple[str, ...]:
    """The command that writes the test file once, from start to end, with data that cannot be compressed."""
    return _command(
        [
            *_common(place),
            "--rw=write",
            "--bs=1048576",
            "--iodepth=8",
            "--fallocate=none",
            "--refill_buffers=1",
            "--end_fsync=1",
        ]
    )


def _common(place: Place) -> Sequence[str]:
    return (
        f"--filename={place.filename}",
        f"--size={place.size_bytes}",
        f"--ioengine={place.engine}",
        f"--direct={int(place.direct)}",
        "--thread=1",
        "--allow_file_create=0",
    )


def _command(options: Sequence[str]) -> tuple[str, ...]:
    # Once a second: what is shown four times a second are the kernel's counters, which cost fio nothing.
    progress = ("--eta=always", "--eta-newline=1000ms", "--eta-interval=1000ms")
    return ("fio", "--name=cell", f"--output={OUTPUT}", "--output-format=json", *progress, *options)
