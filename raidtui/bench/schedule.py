"""The runs of a benchmark in order, how long each takes, the time left; and the runs that fit a given time. Pure."""

from collections.abc import Iterable, Iterator
from math import ceil
from typing import Final

from msgspec.structs import replace

from raidtui.bench.costs import Costs
from raidtui.bench.rows import READ, Planned, Until
from raidtui.bench.settings import Settings
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record
from raidtui.model.units import duration
from raidtui.results.verdicts import smallest_factor

_WARM_UP_SECONDS: Final = 2
_LONGEST_RAMP_SECONDS: Final = 10
_FILES_RATE: Final = 2000  # files a second that are created, examined or deleted


class Turn(Record, frozen=True, kw_only=True):
    """One run of one cell."""

    cell: Planned
    run: int  # 0: the warm-up, which does not count
    seconds: int
    ramp_seconds: int
    wall_seconds: float  # about how long it takes, pause included
    step: str  # of the journal; a step has one or more turns
    title: str
    pause_seconds: int = 0  # before it


def turns_of(settings: Settings) -> tuple[Turn, ...]:
    """Every run in order: a warm-up round that does not count, then one round over all cells per requested run.

    Rounds make drift (heat, a filling cache, other processes) visible as spread in every cell; repeating one cell
    would put it all into that cell. CrystalDiskMark completes one cell after another. The same is done here if its
    figures are requested, or if a cell runs until it is steady.
    """
    if settings.compat or settings.profile.steady:
        return tuple(_cell_by_cell(settings))
    return tuple(_round_robin(settings))


def _round_robin(settings: Settings) -> Iterator[Turn]:
    warm_up = min(_WARM_UP_SECONDS, settings.seconds)
    for cell in settings.cells:
        # A short warm-up does not prepare for a pass through the whole file; a single run is only a quick look.
        if settings.runs > 1 and cell.until is Until.SECONDS and cell.row.touches_blocks:
            yield _turn(settings, cell, 0, warm_up, 0, step="warm-up", title="Warm up")
    for run in range(1, settings.runs + 1):
        for cell in settings.cells:
            yield _turn(
                settings,
                cell,
                run,
                settings.seconds,
                _ramp(settings, cell),
                step=f"run-{run}",
                title=f"Run {run} of {settings.runs}",
                pause_seconds=settings.pause_seconds,
            )


def _cell_by_cell(settings: Settings) -> Iterator[Turn]:
    for number, cell in enumerate(settings.cells):
        # CrystalDiskMark drops the first run, which is as long as the others; until steady every run counts.
        for run in range(0 if settings.compat else 1, settings.runs + 1):
            first = run == 0 or (run == 1 and not settings.compat)
            yield _turn(
                settings,
                cell,
                run,
                settings.seconds,
                0,
                step=f"{cell.row.name} {cell.direction}",
                title=f"{cell.row.name} {cell.direction}, {settings.runs} run{'s'[: settings.runs != 1]}"
                + (" at most" if settings.profile.steady else ""),
                pause_seconds=settings.pause_seconds if first and number else 0,
            )


def _turn(
    settings: Settings,
    cell: Planned,
    run: int,
    seconds: int,
    ramp: int,
    *,
    step: str,
    title: str,
    pause_seconds: int = 0,
) -> Turn:
    return Turn(
        cell=cell,
        run=run,
        seconds=seconds,
        ramp_seconds=ramp,
        wall_seconds=pause_seconds + _wall(settings, cell, seconds + ramp),
        step=step,
        title=title,
        pause_seconds=pause_seconds,
    )


def _wall(settings: Settings, cell: Planned, seconds: int) -> float:
    row = cell.row
    if not row.touches_blocks:
        return row.files / _FILES_RATE
    through = (row.size_bytes or settings.size_bytes) / settings.costs.through_bytes_per_second
    return {Until.SECONDS: float(seconds), Until.END: through, Until.EITHER: min(seconds, through)}[
        cell.until
    ]


def _ramp(settings: Settings, cell: Planned) -> int:
    """Seconds of a run before it counts.

    None for cached writes: the sync afterwards would write more than was measured. None for runs of a second,
    which are only a quick look. The queue and cache of a rotating disk need more than a second to settle: as long as
    the measurement, at least two seconds and at most ten.
    """
    if cell.until is not Until.SECONDS or (cell.row.cached and cell.direction != READ):
        return 0
    if settings.rotational and not settings.runs == settings.seconds == 1:
        return min(_LONGEST_RAMP_SECONDS, max(2, settings.seconds))
    return int(settings.seconds > 1)


def expected_seconds(settings: Settings) -> float:
    """How long a benchmark will take."""
    return schedule_of(settings, turns_of(settings)).remaining(running_seconds=0)


def schedule_of(settings: Settings, turns: Iterable[Turn]) -> "Schedule":
    """The schedule of a benchmark of these ``turns`` before it begins."""
    return Schedule(turns, fill_bytes=settings.size_bytes if settings.prefills else 0, costs=settings.costs)


class Schedule:
    """Progress of a benchmark in time. Learns how long starting and ending fio takes here."""

    def __init__(self, turns: Iterable[Turn], *, fill_bytes: int, costs: Costs) -> None:
        self._left = [turn.wall_seconds for turn in turns]
        self._costs = costs
        self._fill_seconds = fill_bytes / costs.fill_bytes_per_second
        self._filling = fill_bytes > 0
        self._overheads: list[float] = []

    def filled(self) -> None:
        """Note that the test file is written."""
        self._filling = False

    def finished(self, seconds: float) -> None:
        """Note that the next turn took ``seconds``."""
        self._overheads.append(max(0.0, seconds - self._left.pop(0)))

    def skipped(self, count: int) -> None:
        """Drop the next ``count`` turns."""
        del self._left[:count]

    def remaining(self, *, running_seconds: float, filled: float = 0.0) -> float:
        """Seconds to the end of the last run.

        Args:
            running_seconds: how long the current fio has been running.
            filled: share of the test file that is written, 0 … 1.
        """
        known = self._overheads
        overhead = sum(known) / len(known) if known else self._costs.overhead_seconds
        rest = sum(self._left) + overhead * len(self._left)
        if self._filling:
            # Its own speed over half a second is better than any guess.
            whole = running_seconds / filled if filled > 0 and running_seconds > 0.5 else self._fill_seconds
            return rest + max(0.0, whole - running_seconds)
        return max(0.0, rest - running_seconds) if self._left else 0.0


# A run of less than three seconds is mostly start-up; three runs make the verdicts sharp.
_RUNS: Final = (10, 8, 6, 5, 4, 3, 2, 1)
_SECONDS: Final = (30, 20, 10, 5, 3, 2, 1)
_ENOUGH: Final = 3
_SHORT: Final = 3


class Budget(Record, frozen=True, kw_only=True):
    """The runs and seconds that fit."""

    runs: int
    seconds: int
    expected_seconds: float
    certainty: str  # what two such results can show, in a sentence


def fit(settings: Settings, budget_seconds: float) -> Budget:
    """The runs and seconds that make the most of ``budget_seconds``.

    First come three runs of at least three seconds, then longer runs up to the profile's own, then more runs. If
    three runs of three seconds do not fit, the runs get shorter, and then fewer.

    Raises:
        BadInput: not even one run of one second fits, or the profile does not run for a given time.
    """
    if settings.compat:
        raise BadInput(
            "CrystalDiskMark's compatible mode has its own runs and seconds; leave the time budget out"
        )
    if settings.profile.steady:
        raise BadInput(
            f"the profile {settings.profile.name} runs until the speed is steady; leave the time budget out"
        )
    wanted = sorted(
        ((runs, seconds) for runs in _RUNS for seconds in _SECONDS),
        key=lambda one: _worth(*one, usual=settings.profile.seconds),
        reverse=True,
    )
    for runs, seconds in wanted:
        took = expected_seconds(replace(settings, runs=runs, seconds=seconds))
        if took <= budget_seconds:
            cells = len(settings.cells)
            return Budget(runs=runs, seconds=seconds, expected_seconds=took, certainty=certainty(runs, cells))
    least = expected_seconds(replace(settings, runs=1, seconds=1))
    raise BadInput(
        f"{duration(budget_seconds)} is not enough: one run of each cell takes about {duration(least)}. "
        "Give more time, a smaller size or a profile with fewer rows"
    )


def _worth(runs: int, seconds: int, *, usual: int) -> tuple[int, ...]:
    long = runs * min(seconds, 2 * usual)
    return min(runs, _ENOUGH), min(seconds, _SHORT), min(seconds, usual), long, runs


def certainty(runs: int, cells: int) -> str:
    """What a comparison of two results with this number of runs and cells can show."""
    factor = smallest_factor(runs, cells)
    if factor is None:
        return "1 run cannot detect a difference; 2 or more can"
    cells_words = f"each of {cells} cells" if cells > 1 else "the cell"
    return f"{runs} runs can detect differences of {in_percent(ceil(100 * (factor - 1)) / 100)} or more in {cells_words} (spread 3 %)"
