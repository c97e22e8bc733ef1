"""When a disk has reached steady state, as SNIA's Performance Test Specification 2.0.2 defines it. Pure."""

from collections.abc import Sequence
from typing import Final

from raidtui.results.statistics import slope

WINDOW: Final = 5  # rounds
_RANGE: Final = 0.20  # of their average, between the highest and the lowest
_TREND: Final = 0.10  # of their average, along the best-fit line over the whole window


def is_steady(rates: Sequence[float]) -> bool:
    """Whether the last rounds are steady: within a fifth of their average, with a trend of at most a tenth."""
    last = rates[-WINDOW:]
    average = sum(last) / len(last) if last else 0.0
    if len(last) < WINDOW or average <= 0:
        return False
    return max(last) - min(last) <= _RANGE * average and abs(slope(last)) <= _TREND


def each_second(series: Sequence[float], *, milliseconds: int) -> tuple[float, ...]:
    """Bytes a second in each second, from a series with a value every ``milliseconds``."""
    per = max(1, 1000 // milliseconds)
    pieces = [series[start : start + per] for start in range(0, len(series), per)]
    return tuple(sum(piece) / len(piece) for piece in pieces)
