"""fio, or a program in its place, in a benchmark's job: journaled, watched four times a second, stopped in time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raidtui.bench.fio import OUTPUT, REPLAY
from raidtui.bench.fio_errors import EngineUnavailable, job_of
from raidtui.bench.fio_output import Eta, FioJob
from raidtui.bench.fio_process import Finished, run_fio
from raidtui.bench.heat import limit_of, temperatures
from raidtui.bench.live import Live, write_live
from raidtui.bench.observer import Moment, Silence, did_io, look, moved
from raidtui.bench.schedule import Schedule, Turn
from raidtui.bench.stop import StopRequests
from raidtui.bench.target import Target
from raidtui.bench.test_file import Opened
from raidtui.bench.watch import Speed, Trace, speed_of
from raidtui.jobs.journal import Journal
from raidtui.model.errors import StepFailed
from raidtui.model.journal import Event

FOLDER: Final = "fio"  # in the job's folder: what fio said of each run, whole
_TICKS_OF_HEAT: Final = 8  # a sensor is asked every two seconds


@dataclass(frozen=True, kw_only=True)
class BenchContext:
    """What is the same for all of a benchmark."""

    job: Path  # its folder
    journal: Journal
    stop: StopRequests
    target: Target
    opened: Opened
    program: str  # fio


class Running:
    """Runs one fio after the other on what is ``opened``."""

    def __init__(self, given: BenchContext, schedule: Schedule, *, count: int) -> None:
        self._given = given
        self._schedule = schedule
        self._count = count
        self._begin = time.monotonic()
        self._missing: set[str] = set()  # engines that are not available here
        self.engines: Final[list[str]] = []  # those that were used
        self.number = 0  # which of the runs of all cells this is
        self.folder: Final = given.job / FOLDER
        self.folder.mkdir(mode=0o700, exist_ok=True)
        below, hottest = given.target.below, given.target.settings.hottest
        self._limits = {name: hottest or limit_of(name, rotational=below.rotational) for name in below.disks}
        at_start = temperatures(below.disks)
        self.heat: Final = {name: (value, value) for name, value in at_start.items()}  # at the start, highest

    def fio(
        self,
        argv_of: Callable[[str], tuple[str, ...]],
        engines: tuple[str, ...],
        tick: Callable[[Eta], None],
    ) -> tuple[FioJob, Finished]:
        """Run fio, with the next of ``engines`` if one is not available.

        Raises:
            StepFailed, Refused: it failed, in a sentence.
        """
        left = [engine for engine in engines if engine not in self._missing]
        for engine in left:
            done = self.run(argv_of(engine), program=self._given.program, tick=tick)
            try:
                job = job_of(done, target=self._given.target.path, engine=engine)
            except EngineUnavailable as error:
                self._missing.add(engine)
                self._given.journal.append(
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
            prints: what it measured comes on its stdout; else in the file that fio writes.
        """
        done = run_fio(
            argv,
            program=program,
            folder=self.folder,
            keep=self._given.opened.descriptors,
            stop=self._given.stop,
            tick=tick,
            prints=prints,
        )
        (self.folder / REPLAY).unlink(missing_ok=True)
        self._given.journal.append(
            Event.COMMAND,
            argv=done.argv,
            returncode=done.returncode,
            stdout=done.output if done.returncode else "",  # of a good one the file is kept
            stderr=done.stderr,
            seconds=done.seconds,
        )
        return done

    def keep(self, name: str) -> None:
        """Keep what the last run said."""
        (self.folder / OUTPUT).replace(self.folder / f"{name.replace(' ', '-').replace('/', '-')}.json")

    def watching(
        self, turn: Turn | None, runs: int, phase: str, trace: Trace | None = None
    ) -> Callable[[Eta], None]:
        """What to call four times a second while ``turn`` is measured; with none the test file is written.

        Each call adds the counters to ``trace``.

        It raises `StepFailed` when a disk is too hot, or nothing answers any more.
        """
        begin = time.monotonic()
        first = last = look(self._given.target.below, pages=False)
        silence, busy = (
            Silence(self._given.target.device, first.at),
            phase != "waiting" and self._is_direct(turn),
        )
        ticks = 0

        def tick(eta: Eta) -> None:
            nonlocal last, ticks
            now = look(self._given.target.below, pages=False)
            cell = turn.cell if turn is not None and phase != "waiting" else None
            speed = Speed(bytes_per_second=eta.bytes_per_second())
            if cell is not None:
                speed = speed_of(cell, self._given.target, last, now, eta)
            active = did_io(last, now) or bool(eta.iops())
            last, ticks = now, ticks + 1
            if trace is not None:
                trace.add(now)
            if ticks % _TICKS_OF_HEAT == 0:
                self.sample_temperatures()
            filled = 0.0 if turn is not None else _filled(first, now, eta, self._given.target.size_bytes)
            left = self._schedule.remaining(running_seconds=time.monotonic() - begin, filled=filled)
            elapsed = time.monotonic() - self._begin
            cell = turn.cell if turn is not None else None
            write_live(
                self._given.job,
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
        """Whether what is written and read goes to the device at once; with no turn, the test file."""
        if turn is None:
            return self._given.target.settings.direct
        return turn.cell.row.touches_blocks and not turn.cell.row.cached

    def sample_temperatures(self) -> None:
        """Read the disks' temperature sensors.

        Raises:
            StepFailed: a disk is as hot as it may be.
        """
        if not self.heat:
            return
        for name, value in temperatures(self._given.target.below.disks).items():
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
