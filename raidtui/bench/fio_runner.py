"""Run fio, or a program in its place, in the job of a benchmark: journaled, and watched four times a second."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raidtui.bench.fio import OUTPUT, REPLAY
from raidtui.bench.fio_output import Eta
from raidtui.bench.fio_process import EngineUnavailable, Finished, job_of, run_fio
from raidtui.bench.heat import limit_of, temperatures
from raidtui.bench.live import Live, write_live
from raidtui.bench.observer import Moment, Silence, did_io, look, moved
from raidtui.bench.own_file import Opened
from raidtui.bench.schedule import Schedule, Turn
from raidtui.bench.stop import StopRequests
from raidtui.bench.target import Target
from raidtui.bench.watch import Speed, Trace, speed_of
from raidtui.jobs.journal import Journal
from raidtui.model.errors import StepFailed
from raidtui.model.journal import Event
from raidtui.results.foreign.fio_document import Job

FOLDER: Final = "fio"  # in the job's folder: the complete output of each fio run
_TICKS_OF_HEAT: Final = 8  # read the temperature sensors every two seconds


@dataclass(frozen=True, kw_only=True)
class BenchContext:
    """What stays the same throughout a benchmark."""

    job: Path  # its folder
    journal: Journal
    stop: StopRequests
    target: Target
    opened: Opened
    program: str  # fio


class Running:
    """Runs fio on the open target, one run after another."""

    def __init__(self, context: BenchContext, schedule: Schedule, *, count: int) -> None:
        self._context = context
        self._schedule = schedule
        self._count = count
        self._begin = time.monotonic()
        self._missing: set[str] = set()  # I/O engines that are not available here
        self.engines: Final[list[str]] = []  # I/O engines used so far
        self.number = 0  # of the current run, counted over all cells
        self.folder: Final = context.job / FOLDER
        self.folder.mkdir(mode=0o700, exist_ok=True)
        below, hottest = context.target.below, context.target.settings.hottest
        self._limits = {name: hottest or limit_of(name, rotational=below.rotational) for name in below.disks}
        at_start = temperatures(below.disks)
        self.heat: Final = {name: (value, value) for name, value in at_start.items()}  # at the start, highest

    def fio(
        self,
        argv_of: Callable[[str], tuple[str, ...]],
        engines: tuple[str, ...],
        tick: Callable[[Eta], None],
    ) -> tuple[Job, Finished]:
        """Run fio, with the next of ``engines`` if one is not available.

        Raises:
            StepFailed, Refused: fio failed; the message says why.
        """
        left = [engine for engine in engines if engine not in self._missing]
        for engine in left:
            done = self.run(argv_of(engine), program=self._context.program, tick=tick)
            try:
                job = job_of(done, target=self._context.target.path, engine=engine)
            except EngineUnavailable as error:
                self._missing.add(engine)
                self._context.journal.append(
                    Event.NOTE, text=f"the I/O engine {engine} is not available ({error}); trying another"
                )
            else:
                if engine not in self.engines:
                    self.engines.append(engine)
                return job, done
        raise StepFailed(f"fio can use neither I/O engine here: {', '.join(engines)}")

    def run(
        self, argv: tuple[str, ...], *, program: str, tick: Callable[[Eta], None], prints: bool = False
    ) -> Finished:
        """Run a program and journal it.

        Args:
            prints: the program prints its figures on stdout; else they are in the file that fio writes.
        """
        done = run_fio(
            argv,
            program=program,
            folder=self.folder,
            keep=self._context.opened.descriptors,
            stop=self._context.stop,
            tick=tick,
            prints=prints,
        )
        (self.folder / REPLAY).unlink(missing_ok=True)
        self._context.journal.append(
            Event.COMMAND,
            argv=done.argv,
            returncode=done.returncode,
            stdout=done.output if done.returncode else "",  # of a successful run the file is kept
            stderr=done.stderr,
            seconds=done.seconds,
        )
        return done

    def keep(self, name: str) -> None:
        """Keep the output of the last run under ``name``."""
        (self.folder / OUTPUT).replace(self.folder / f"{name.replace(' ', '-').replace('/', '-')}.json")

    def watching(
        self, turn: Turn | None, runs: int, phase: str, trace: Trace | None = None
    ) -> Callable[[Eta], None]:
        """A function to call four times a second while ``turn`` is measured.

        Without a turn, the test file is being written or another program measures. Each call updates the live file
        and adds the counters to ``trace``. It raises `StepFailed` if a disk is too hot or no I/O completes any more.
        """
        begin = time.monotonic()
        first = last = look(self._context.target.below, pages=False)
        silence, busy = (
            Silence(self._context.target.device, first.at),
            phase != "waiting" and self._is_direct(turn),
        )
        ticks = 0

        def tick(eta: Eta) -> None:
            nonlocal last, ticks
            now = look(self._context.target.below, pages=False)
            cell = turn.cell if turn is not None and phase != "waiting" else None
            speed = Speed(bytes_per_second=eta.bytes_per_second())
            if cell is not None:
                speed = speed_of(cell, self._context.target, last, now, eta)
            active = did_io(last, now) or bool(eta.iops())
            last, ticks = now, ticks + 1
            if trace is not None:
                trace.add(now)
            if ticks % _TICKS_OF_HEAT == 0:
                self.sample_temperatures()
            filled = 0.0 if turn is not None else _filled(first, now, eta, self._context.target.size_bytes)
            left = self._schedule.remaining(running_seconds=time.monotonic() - begin, filled=filled)
            elapsed = time.monotonic() - self._begin
            cell = turn.cell if turn is not None else None
            write_live(
                self._context.job,
                Live(
                    cell=cell.row.name if cell is not None else "",
                    direction=cell.direction if cell is not None else "",
                    run=turn.run if turn is not None else 0,
                    runs=runs,
                    phase="syncing" if "F" in eta.states else phase,
                    percent=100 * elapsed / (elapsed + left) if elapsed + left > 0 else 100.0,
                    bytes_per_second=speed.bytes_per_second,
                    iops=speed.iops,
                    silent_seconds=silence.seconds(now.at, active=active) if busy else 0.0,
                    remaining_seconds=left,
                    number=self.number,
                    count=self._count,
                ),
            )

        return tick

    def _is_direct(self, turn: Turn | None) -> bool:
        """Whether the I/O bypasses the page cache; without a turn, that of writing the test file."""
        if turn is None:
            return self._context.target.settings.direct
        return turn.cell.row.touches_blocks and not turn.cell.row.cached

    def sample_temperatures(self) -> None:
        """Read the disks' temperature sensors. Raises StepFailed: a disk has reached its limit."""
        if not self.heat:
            return
        for name, value in temperatures(self._context.target.below.disks).items():
            start, highest = self.heat.get(name, (value, value))
            self.heat[name] = (start, max(highest, value))
            if value >= self._limits[name]:
                raise StepFailed(
                    f"stopped: /dev/{name} is at {value:.0f} °C, its limit is {self._limits[name]:.0f} °C; improve its "
                    "cooling, or set another limit with --max-temperature"
                )

    def limit(self, disk: str) -> float:
        """Degrees Celsius at which a benchmark of ``disk`` stops."""
        return self._limits[disk]


def _filled(first: Moment, now: Moment, eta: Eta, size_bytes: int) -> float:
    written = moved(first, now).written
    if written is None:
        return (eta.percent or 0.0) / 100
    return min(1.0, written / size_bytes)
