"""Format probabilities and shares: as a percentage, and as "1 in 300"."""

import math
from typing import Final

NEGLIGIBLE: Final = 1e-5
_CERTAIN: Final = 0.95  # nearer to 1 than to 9 in 10


def percent(probability: float) -> str:
    """A probability as a percentage: ``1.3 %``, ``0.0056 %``; what is not certain is never ``100 %``: ``99.9 %``."""
    if probability <= 0:
        return "0 %"
    value = probability * 100
    if value >= 99.5 and probability < 1:
        return f"{min(value, 99.9):.1f} %"
    if value >= 10:
        return f"{value:.0f} %"
    digits = max(1, 1 - math.floor(math.log10(value)))
    return f"{value:.{digits}f} %"


def table_percent(probability: float, *, bound: bool = False) -> str:
    """A probability as a percentage for a table; below 1 in 100,000 only ``<0.001 %``; an upper bound ``<= 1.3 %``."""
    if probability < NEGLIGIBLE:
        return "<0.001 %"
    return f"{'<= ' * bound}{percent(probability)}"


def in_percent(ratio: float, decimals: int = 0) -> str:
    """A measured ratio in percent, which may be more than the whole: ``3.1 %``, ``134 %``."""
    return f"{100 * ratio:,.{decimals}f} %"


def share(part: float) -> str:
    """A share of a whole with one decimal, ``46.9 %``; what is not the whole is never ``100 %``, a part never ``0 %``."""
    if part in {0, 1}:
        return f"{part:.0%}".replace("%", " %")
    return "<0.1 %" if 0 < part < 0.0005 else f"{min(part * 100, 99.9):.1f} %"


# 1 in 1,000, 1,200, 1,500, …: the model is no more precise than this.
_ROUND: Final = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
_LIKELY: Final = ((1, 4), (2, 7), (1, 3), (2, 5), (1, 2), (3, 5), (2, 3), (3, 4), (4, 5), (9, 10))


def one_in(probability: float) -> str:
    """A probability as odds: ``1 in 5,000``, ``<1 in 100,000``, ``2 in 3``, ``>9 in 10``."""
    if probability < NEGLIGIBLE:
        return "<1 in 100,000"
    if probability > 0.225:  # from here on "1 in N" alone would be off by up to a quarter
        if probability > _CERTAIN:
            return ">9 in 10"
        few, many = min(_LIKELY, key=lambda pair: abs(pair[0] / pair[1] - probability))
        return f"{few} in {many}"
    times = 1 / probability
    if times < 100:
        return f"1 in {times:.0f}"
    unit = 10 ** math.floor(math.log10(times))
    nearest = min(_ROUND, key=lambda step: abs(math.log(times / unit / step)))
    return f"1 in {round(nearest * unit):,}"


def odds(probability: float) -> str:
    """The same for a sentence: ``less than 1 in 100,000``, ``more than 9 in 10``."""
    return one_in(probability).replace("<", "less than ").replace(">", "more than ")


def at_most(probability: float) -> str:
    """Odds of which ``probability`` is an upper bound: ``<=1 in 5,000``; near certainty ``<=1 in 1``."""
    odds = "1 in 1" if probability > _CERTAIN else one_in(probability)
    return odds if odds.startswith("<") else f"<={odds}"
