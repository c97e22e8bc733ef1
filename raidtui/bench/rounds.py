"""The rounds of a benchmark: the test file is filled, then every cell has its turn, again and again."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from raidtui.bench.below import degraded, sync_action
from raidtui.bench.fio import ENGINES, OUTPUT, Place, prefill_argv, run_argv
from raidtui.bench.fio_errors import EngineUnavailable, job_of
from raidtui.bench.fio_output import Eta, FioJob, read_series, run_value
from raidtui.bench.fio_process import Finished, run_fio
from raidtui.bench.flags import RunFacts
from raidtui.bench.live import Live, write_live
from raidtui.bench.measured import Measured
from raidtui.bench.observer import Moment, look, moved, rates
from raidtui.bench.place import filename_of
from raidtui.bench.profiles import Planned, find_profile
from raidtui.bench.schedule import Schedule, Turn, turns_of
from raidtui.bench.stop import StopRequests
from raidtui.bench.target import Target
from raidtui.jobs.journal import Journal
from raidtui.model.errors import RaidtuiError, StepFailed
from raidtui.model.journal import BenchRequest, Event
from raidtui.model.units import rate

_FOLDER: Final = "fio"  # in the job's folder: what fio said of each run, whole


class Rounds:
    """Measures what is open as ``descriptor``. ``facts`` has every run of every cell in the end."""

    def __init__(
        self,
        folder: Path,
        journal: Journal,
        stop: StopRequests,
        target: Target,
        request: BenchRequest,
        *,
        program: str,
        descriptor: int,
    ) -> None:
        self._folder = folder
        self._journal = journal
        self._stop = stop
        self._target = target
        self._request = request
        self._program = program
        self._descriptor = descriptor
        self._engines = list(ENGINES)  # the first is used, until it turns out not to be there
        self._profile = find_profile(request.profile)
        self.turns: Final = turns_of(
            self._profile, request, writes=target.writes, rotational=target.below.rotational
        )
        self.facts: Final[dict[Planned, list[RunFacts]]] = {}
        self._schedule = Schedule(self.turns, fill_bytes=request.size_bytes if target.writes else 0)
        self._begin = time.monotonic()
        self._number = 0

    @property
    def engine(self) -> str:
        """The engine that is used."""
        return self._engines[0]

    @property
    def filename(self) -> str:
        """What fio calls the file."""
        return filename_of(self._descriptor)

    def argv_of(self, turn: Turn) -> tuple[str, ...]:
        """The fio command of one run."""
        return run_argv(
            turn.cell,
            self._place(),
            seconds=turn.seconds,
            ramp_seconds=turn.ramp_seconds,
            mix_read_percent=self._profile.mix_read_percent,
        )

    def measure(self) -> None:
        """Fill, warm up, and go round."""
        if self._target.writes:
            self._step(
                "fill", "Write the test file once, so that every block of it is really there", self.fill
            )
        for run in range(self._request.runs + 1):
            name, text = (
                (f"run-{run}", f"Run {run} of {self._request.runs}") if run else ("warm-up", "Warm up")
            )
            self._step(name, text, lambda run=run: self._round(run))  # type: ignore[misc]

    def _step(self, name: str, text: str, work: Callable[[], None]) -> None:
        self._journal.append(Event.STEP, step=name, text=text)
        try:
            work()
        except RaidtuiError as error:
            self._journal.append(Event.STEP_FAILED, step=name, text=str(error))
            raise
        self._journal.append(Event.STEP_DONE, step=name)

    def fill(self) -> None:
        """Write the test file, all of it, once."""
        self._fio(lambda: prefill_argv(self._place()), self._tick(None, "filling"))
        self._schedule.filled()

    def _round(self, run: int) -> None:
        for turn in self.turns:
            if turn.run == run:
                self._number += 1
                found = self.run(turn)
                if run:
                    self.facts.setdefault(turn.cell, []).append(found)

    def run(self, turn: Turn) -> RunFacts:
        """One run of one cell, and what was seen around it."""
        cell, arrays = turn.cell, self._target.below.beside
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        action = sync_action(arrays)[1]
        before = look(self._target.below)
        job, done = self._fio(
            lambda: self.argv_of(turn),
            self._tick(turn, "measuring" if turn.run else "warming up"),
        )
        seen = moved(before, look(self._target.below))
        self._schedule.finished(done.seconds)
        value = run_value(job, cell.direction, series=read_series(done.log), started=started)
        name = f"run-{turn.run}-{cell.row.name}-{cell.direction}".replace(" ", "-")
        os.replace(self._folder / _FOLDER / OUTPUT, self._folder / _FOLDER / f"{name}.json")
        if turn.run:
            self._journal.append(
                Event.CELL,
                step=f"run-{turn.run}",
                text=f"{cell.row.name} {cell.direction}: {rate(value.bytes_per_second)}, {value.iops:,.0f} IOPS",
                data=Measured(
                    row=cell.row,
                    direction=cell.direction,
                    run=turn.run,
                    runs=self._request.runs,
                    value=value,
                ),
            )
        return RunFacts(
            value=value,
            ramp_seconds=turn.ramp_seconds,
            depth_percent=_depth_percent(job, cell),
            dirtied_bytes=seen.dirtied,
            device_read=seen.read,
            device_written=seen.written,
            sync_action=action or sync_action(arrays)[1],
            degraded=degraded(arrays),
        )

    def _place(self) -> Place:
        return Place(
            filename=self.filename,
            size_bytes=self._request.size_bytes,
            engine=self.engine,
            compresses=self._target.compresses,
        )

    def _fio(
        self, argv_of: Callable[[], tuple[str, ...]], tick: Callable[[Eta], None]
    ) -> tuple[FioJob, Finished]:
        """Run fio, with the next engine if this one is not to be had, and keep what it said."""
        folder = self._folder / _FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        while True:
            done = run_fio(
                argv_of(),
                program=self._program,
                folder=folder,
                keep=(self._descriptor,),
                stop=self._stop,
                tick=tick,
            )
            self._journal.append(
                Event.COMMAND,
                argv=done.argv,
                returncode=done.returncode,
                stdout=done.output if done.returncode else "",  # of a good one the file is kept
                stderr=done.stderr,
                seconds=done.seconds,
            )
            try:
                return job_of(done, target=self._target.path, engine=self.engine), done
            except EngineUnavailable as error:
                missing = self._engines.pop(0)
                if not self._engines:
                    raise StepFailed(
                        f"fio has none of the engines {' and '.join(ENGINES)} here: {error}"
                    ) from error
                self._journal.append(
                    Event.NOTE,
                    text=f"the engine {missing} is not to be had ({error}); using {self.engine}",
                )

    def _tick(self, turn: Turn | None, phase: str) -> Callable[[Eta], None]:
        begin = time.monotonic()
        first = last = look(self._target.below, pages=False)

        def tick(eta: Eta) -> None:
            nonlocal last
            now = look(self._target.below, pages=False)
            speed = rates(last, now) or (eta.bytes_per_second or 0.0, eta.iops or 0.0)
            last = now
            running = time.monotonic() - begin
            left = self._schedule.remaining(
                running_seconds=running,
                filled=0.0 if turn is not None else self._filled(first, now, eta),
            )
            elapsed = time.monotonic() - self._begin
            write_live(
                self._folder,
                Live(
                    cell=turn.cell.row.name if turn is not None else "",
                    direction=turn.cell.direction if turn is not None else "",
                    run=turn.run if turn is not None else 0,
                    runs=self._request.runs,
                    phase="syncing" if "F" in eta.states else phase,
                    percent=100 * elapsed / (elapsed + left) if elapsed + left > 0 else 100.0,
                    bytes_per_second=speed[0],
                    iops=speed[1],
                    remaining_seconds=left,
                    number=self._number,
                    count=len(self.turns),
                ),
            )

        return tick

    def _filled(self, first: Moment, now: Moment, eta: Eta) -> float:
        written = moved(first, now).written
        if written is None:
            return (eta.percent or 0.0) / 100
        return min(1.0, written / self._request.size_bytes)


def _depth_percent(job: FioJob, cell: Planned) -> float | None:
    """How much of the time the asked number of I/Os was in flight; fio counts them in powers of two."""
    depth = cell.row.queue_depth if cell.row.random else cell.row.queue_depth * cell.row.threads
    bucket = ">=64" if depth >= 64 else str(1 << (depth.bit_length() - 1))
    return job.iodepth_level.get(bucket)
