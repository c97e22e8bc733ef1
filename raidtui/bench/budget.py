"""Choose runs and seconds for a given time, and say what two such results can show. Pure."""

from math import ceil
from typing import Final

from msgspec.structs import replace

from raidtui.bench.schedule import expected_seconds
from raidtui.bench.settings import Settings
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record
from raidtui.model.units import duration
from raidtui.results.verdicts import smallest_factor

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
