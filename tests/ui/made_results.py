"""Benchmark results made by code, and the journals of running benchmarks."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import msgspec

from raidtui.backends.md.units import measured
from raidtui.bench.measured import Measured
from raidtui.bench.profile_file import own_profiles
from raidtui.bench.rows import Row
from raidtui.model.journal import BenchRequest, Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.result import Cell, Context, MeasuredDisk, Result, RunValue
from tests.ui import machines
from tests.ui.made_jobs import BEGIN

BENCH: Final = "20261121-050000-bench-data"
ROWS: Final = own_profiles()["cdm"].rows
# MB/s of each row: read, write, mix; a RAID5 of four disks
RAID5: Final = ((512.3, 318.4, 402.7), (486.1, 121.9, 187.3), (3.41, 0.734, 1.62), (0.712, 0.218, 0.391))


def run_value(row: Row, megabytes: float, spread: float = 0.0) -> RunValue:
    """A run at this rate in MB/s."""
    rate = megabytes * 1e6 * (1 + spread)
    iops = rate / row.block_bytes
    mean = row.queue_depth * row.threads / iops
    tails = {"50": 0.9, "90": 1.4, "95": 1.7, "99": 2.6, "99.9": 4.8, "99.99": 7.5}
    known = {
        name: mean * times for name, times in tails.items() if iops * 5 * (100 - float(name)) / 100 >= 100
    }
    return RunValue(
        bytes_per_second=rate,
        iops=iops,
        latency_mean_seconds=mean,
        latency_p99_seconds=known.get("99"),
        seconds=5.0,
        total_ios=int(iops * 5),
        percentiles=known,
        processor_percent=11.0,
        series=tuple(rate * (1.1 if quarter < 12 else 0.85) for quarter in range(20)),
    )


def cell(row: Row, direction: str, megabytes: float, *flags: str, runs: int = 6) -> Cell:
    """A cell with runs around this rate in MB/s."""
    wide = 15 if any(flag.endswith("unreliable") for flag in flags) else 1  # 12 % instead of 0.8 %
    values = tuple(
        run_value(row, megabytes, wide * spread) for spread in (-0.012, 0.004, 0.0, 0.011, -0.003, 0.0)[:runs]
    )
    middle = run_value(row, megabytes)
    return Cell(
        name=row.name,
        direction=direction,
        bytes_per_second=middle.bytes_per_second,
        iops=middle.iops,
        latency_mean_seconds=middle.latency_mean_seconds,
        latency_p99_seconds=middle.latency_p99_seconds,
        block_bytes=row.block_bytes,
        queue_depth=row.queue_depth,
        threads=row.threads,
        random=row.random,
        runs=values,
        flags=flags,
    )


def result(
    number: int,
    label: str,
    *,
    factor: float = 1.0,
    level: str = "raid5",
    mix: bool = False,
    flags: Sequence[str] = (),
    **context: object,
) -> Result:
    """A result ``factor`` times as fast as the RAID5; ``flags`` are those of its first cell."""
    directions = ("read", "write", "mix") if mix else ("read", "write")
    cells = tuple(
        cell(row, direction, RAID5[place][column] * factor, *(flags if (place, column) == (0, 0) else ()))
        for column, direction in enumerate(directions)
        for place, row in enumerate(ROWS)
    )
    array = machines.running_array(level=level, name=label.split(maxsplit=1)[0] if label else "tank")
    made = Context(
        hostname="nas",
        kernel="6.1.0-32-amd64",
        processors=4,
        memory_bytes=16 * 1024**3,
        target="/srv/data",
        filesystem="ext4",
        device="/dev/md127",
        unit=measured(array),
        disks=(MeasuredDisk(identity="WD-WCC7K0012"),),
        tools={"fio": "3.33"},
        engine="io_uring",
        size_bytes=1024**3,
        seconds=5,
        runs=6,
        job_text="fio --name=cell --rw=read --bs=1048576",
    )
    return Result(
        id=f"{number:012x}",
        label=label,
        created=(BEGIN + timedelta(hours=number)).isoformat(),
        version="0.1.0",
        profile="cdm",
        context=msgspec.structs.replace(made, **context),
        cells=cells,
    )


def bench_job(
    outcome: Outcome, *, mix: bool = False, profile: str = "cdm", target: str = "/srv/data", **changes: object
) -> JobState:
    """A benchmark with this outcome."""
    request = JobRequest(
        id=BENCH,
        kind=JobKind.BENCH,
        title=f"Benchmark {target}",
        created=BEGIN.isoformat(),
        bench=BenchRequest(target=target, profile=profile, mix=mix),
    )
    made = JobState(request=request, outcome=outcome, folder=f"/var/lib/raidtui/jobs/{BENCH}")
    return msgspec.structs.replace(made, **changes)


def bench_journal(
    *,
    runs: int,
    cells: int = 0,
    stored: str = "",
    mix: bool = False,
    ended: Outcome | None = None,
    text: str = "",
) -> tuple[Entry, ...]:
    """A journal with ``runs`` complete rounds, ``cells`` of the next, and the end if ``ended``."""
    entries: list[Entry] = []
    directions = ("read", "write", "mix") if mix else ("read", "write")

    def say(event: Event, **rest: object) -> None:
        at = (BEGIN + timedelta(seconds=6 * len(entries))).isoformat()
        entries.append(msgspec.structs.replace(Entry(seq=len(entries), at=at, event=event), **rest))

    say(Event.STARTED, text="raidtui 0.1.0, process 4242 on nas: run")
    every = [
        (row, direction, RAID5[place][column])
        for column, direction in enumerate(directions)
        for place, row in enumerate(ROWS)
    ]
    for run in range(1, runs + 2):
        for row, direction, megabytes in every if run <= runs else every[:cells]:
            argv = ("fio", "--name=cell", f"--rw={direction}", f"--bs={row.block_bytes}")
            value = run_value(row, megabytes, (run % 3 - 1) / 100)
            measured = Measured(row=row, direction=direction, run=run, runs=6, value=value)
            say(Event.COMMAND, argv=argv, returncode=0, seconds=6.1)
            say(Event.CELL, data=msgspec.Raw(msgspec.json.encode(measured)), text=f"{row.name} {direction}")
    if stored:
        say(Event.RESULT, text=stored)
    if ended:
        say(Event.ENDED, outcome=ended, exit_code=0 if ended is Outcome.DONE else 130, text=text)
    return tuple(entries)
