"""Run the rounds of a benchmark: fill the test file, then measure every cell in each round."""

import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

from raidtui.bench import bonnie
from raidtui.bench.beside import activity_of, as_now, degraded_of
from raidtui.bench.costs import FILL
from raidtui.bench.fio import (
    REPLAY,
    SERIES_MILLISECONDS,
    Place,
    engines_of,
    prefill_argv,
    replay_lines,
    run_argv,
)
from raidtui.bench.fio_output import Eta, read_series, run_value, traffic_of
from raidtui.bench.fio_process import explain_errno
from raidtui.bench.fio_runner import BenchContext, Running
from raidtui.bench.flags import RunFacts
from raidtui.bench.heat import throttled
from raidtui.bench.measured import Measured
from raidtui.bench.observer import is_running, look, moved
from raidtui.bench.rows import READ, Planned, Until, Work
from raidtui.bench.schedule import Turn, schedule_of, turns_of
from raidtui.bench.steady import each_second, is_steady
from raidtui.bench.watch import Trace
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.journal import Event
from raidtui.model.result import Cell, RunValue
from raidtui.model.units import GIB, rate
from raidtui.results.foreign.fio_document import Job

_REPLAYED: Final = GIB  # most bytes that are rewritten, evenly spread over a larger file
_LAZY: Final = "ext4lazyinit"  # the kernel thread that finishes a new ext4 after it was mounted


class Rounds:
    """Measures the open target. In the end ``facts`` has every run of every cell, or ``cells`` a program's results."""

    def __init__(self, context: BenchContext) -> None:
        self._context = context
        self._settings = settings = context.target.settings
        self.turns: Final = turns_of(settings)
        self.facts: Final[dict[Planned, list[RunFacts]]] = {}
        self.cells: tuple[Cell, ...] = ()  # of a program that measures instead of fio
        self.version = ""  # of that program
        self._schedule = schedule_of(settings, self.turns)
        self.running: Final = Running(context, self._schedule, count=len(self.turns))

    def argv_of(self, turn: Turn, engine: str = "") -> tuple[str, ...]:
        """The fio command of one run."""
        return run_argv(
            turn.cell,
            self._place(),
            engine=engine or engines_of(turn.cell.row)[0],
            seconds=turn.seconds,
            ramp_seconds=turn.ramp_seconds,
            series=turn.cell.until is not Until.END,
        )

    def measure(self) -> None:
        """Fill the test file, warm up, and run the rounds."""
        if self._settings.prefills:
            self._step(FILL, "Write the test file once, so that every block is allocated", self.fill)
        for _, some in groupby(self.turns, key=lambda turn: turn.step):
            turns = tuple(some)
            self._step(turns[0].step, turns[0].title, lambda turns=turns: self._take(turns))  # type: ignore[misc]

    def measure_with(self, program: str) -> None:
        """Measure with ``program`` (Bonnie++) instead of fio."""
        lines = []
        files = max((row.files for row in self._settings.rows), default=0)
        for run in range(1, self._settings.runs + 1):
            tick = self.running.watching(None, self._settings.runs, "measuring with Bonnie++")

            def once(tick: Callable[[Eta], None] = tick) -> None:
                argv = bonnie.argv_of(
                    program, self._context.opened.foldername, self._settings.size_bytes, files=files
                )
                lines.append(bonnie.line_of(self.running.run(argv, program=program, tick=tick, prints=True)))

            self._step(f"run-{run}", f"Run {run} of {self._settings.runs}, by Bonnie++", once)
        self.cells, self.version = bonnie.read_lines(lines)

    def _step(self, name: str, text: str, work: Callable[[], None]) -> None:
        self._context.journal.append(Event.STEP, step=name, text=text)
        try:
            work()
        except RaidtuiError as error:
            self._context.journal.append(Event.STEP_FAILED, step=name, text=str(error))
            raise
        self._context.journal.append(Event.STEP_DONE, step=name)

    def fill(self) -> None:
        """Write the whole test file once."""
        place = self._place()
        engines = ("io_uring", "libaio") if place.direct else ("psync",)
        tick = self.running.watching(None, self._settings.runs, "filling")
        self.running.fio(lambda engine: prefill_argv(place, engine=engine), engines, tick)
        self._sync(tick)
        self._schedule.filled()

    def _take(self, turns: tuple[Turn, ...]) -> None:
        rates: list[float] = []
        for number, turn in enumerate(turns):
            self.running.number += 1
            self._pause(turn)
            found = self.run(turn)
            if not turn.run:
                continue
            self.facts.setdefault(turn.cell, []).append(found)
            rates.append(found.value.bytes_per_second)
            if self._settings.profile.steady and is_steady(rates):
                self._schedule.skipped(len(turns) - number - 1)
                self._context.journal.append(Event.NOTE, text=f"steady after {len(rates)} rounds")
                return

    def run(self, turn: Turn) -> RunFacts:
        """Run one cell once, and observe the system meanwhile."""
        cell, units = turn.cell, self._context.target.beside
        self._prepare(cell)
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        action, slowed = activity_of(as_now(units))[1], throttled()
        lazy = self._context.target.filesystem == "ext4" and is_running(_LAZY)
        before = look(self._context.target.below)
        trace = Trace(cell, self._context.target)
        trace.add(before)
        begin = time.monotonic()
        phase = "measuring" if turn.run else "warm-up"
        tick = self.running.watching(turn, self._settings.runs, phase, trace)
        job, done = self.running.fio(lambda engine: self.argv_of(turn, engine), engines_of(cell.row), tick)
        waited = None
        if cell.row.cached and cell.direction != READ:
            waited = self._sync(tick)
        after = look(self._context.target.below)
        trace.add(after)
        seen = moved(before, after)
        self._schedule.finished(turn.pause_seconds + time.monotonic() - begin)
        self.running.sample_temperatures()
        since = as_now(units)
        syncs = action or activity_of(since)[1]
        value = run_value(
            job,
            cell.direction,
            series=read_series(done.log),
            started=started,
            blocks=cell.row.touches_blocks,
            sync_seconds=waited,
        )
        self.running.keep(f"run-{turn.run}-{cell.row.name}-{cell.direction}")
        if turn.run:
            self._record(turn, value)
        return RunFacts(
            value=value,
            ramp_seconds=turn.ramp_seconds,
            depth_percent=_depth_percent(job, cell),
            dirtied_bytes=seen.dirtied,
            device_read=seen.read,
            device_written=seen.written,
            amplification=None
            if syncs  # the sync uses the disks too
            else trace.amplification(
                fio_bytes=traffic_of(job, cell.direction).io_bytes,
                seconds=value.seconds,
                ramp_seconds=turn.ramp_seconds,
            ),
            sync_action=syncs,
            degraded=degraded_of(since),
            lazy_init=lazy,
            throttled=throttled() > slowed,
        )

    def _record(self, turn: Turn, value: RunValue) -> None:
        """Write a run to the journal."""
        cell, speed = turn.cell, f"{rate(value.bytes_per_second)}, " if value.bytes_per_second else ""
        self._context.journal.append(
            Event.CELL,
            step=f"run-{turn.run}",
            text=f"{cell.row.name} {cell.direction}: {speed}{value.iops:,.0f} IOPS",
            data=Measured(
                row=cell.row, direction=cell.direction, run=turn.run, runs=self._settings.runs, value=value
            ),
        )

    def _prepare(self, cell: Planned) -> None:
        """Bring the test file into the state that the row starts from."""
        row = cell.row
        if row.fresh and cell.direction != READ and not self._context.target.is_device:
            os.ftruncate(self._context.opened.descriptor, 0)
            os.ftruncate(self._context.opened.descriptor, self._settings.size_bytes)
        if row.work is Work.REWRITE:
            lines = replay_lines(
                self._context.opened.filename,
                self._settings.size_bytes,
                row.block_bytes,
                most_bytes=_REPLAYED,
            )
            (self.running.folder / REPLAY).write_text("\n".join(lines) + "\n")

    def _pause(self, turn: Turn) -> None:
        """Pause before a turn; a stop request ends the pause."""
        end = time.monotonic() + turn.pause_seconds
        tick = self.running.watching(turn, self._settings.runs, "waiting")
        for _ in self._until(lambda: time.monotonic() >= end):
            tick(Eta())

    def _sync(self, tick: Callable[[Eta], None]) -> float:
        """Write the page cache of the file to the disks; return the seconds that took.

        In a thread, because fsync ignores signals and a stop must not wait for a slow disk.

        Raises:
            StepFailed: writing back failed.
        """
        failed: list[OSError] = []

        def sync() -> None:
            try:
                os.fsync(self._context.opened.descriptor)
            except OSError as error:
                failed.append(error)

        begin = time.monotonic()
        worker = threading.Thread(target=sync, daemon=True)
        worker.start()
        for _ in self._until(lambda: not worker.is_alive(), each=worker.join):
            tick(Eta(states="F"))
        if failed:
            path = self._context.target.path
            reason = f"cannot write back the page cache of {path}: {failed[0].strerror}"
            raise explain_errno(failed[0].errno or 0, path) or StepFailed(reason) from failed[0]
        return time.monotonic() - begin

    def _until(
        self, over: Callable[[], bool], *, each: Callable[[float], None] | None = None
    ) -> Iterator[None]:
        """Yield four times a second until ``over()``. Raises Cancelled: a stop was requested."""
        while not over():
            self._context.stop.check()
            if each is not None:
                each(0.25)
            else:
                select.select([self._context.stop], [], [], 0.25)
            yield
        self._context.stop.check()

    def _place(self) -> Place:
        return Place(
            filename=self._context.opened.filename,
            size_bytes=self._settings.size_bytes,
            folder=self._context.opened.foldername,
            direct=self._settings.direct,
            compresses=self._context.target.compresses,
            like_cdm=bool(self._settings.compat),
        )


def curve_of(runs: list[RunFacts]) -> tuple[float, ...]:
    """Bytes a second in each second of all runs, one run after another."""
    return tuple(
        value for run in runs for value in each_second(run.value.series, milliseconds=SERIES_MILLISECONDS)
    )


def _depth_percent(job: Job, cell: Planned) -> float | None:
    """Percentage of the time with the requested queue depth; fio counts depths in powers of two."""
    row = cell.row
    spread = not row.random and not row.cached  # one queue as deep as all threads' together
    depth = row.queue_depth * row.threads if spread else row.queue_depth
    bucket = ">=64" if depth >= 64 else str(1 << (depth.bit_length() - 1))
    return job.iodepth_level.get(bucket)
