"""Student's t distribution: upper tail and its inverse. Pure Python, exact to about 1e-12."""

from functools import lru_cache
from math import exp, inf, lgamma, log
from typing import Final

_TINY: Final = 1e-300  # instead of zero as a divisor
_CLOSE: Final = 1e-15
_MOST_TERMS: Final = 500


def upper_tail(t: float, degrees: float) -> float:
    """The probability that Student's t with ``degrees`` degrees of freedom is above ``t``."""
    half = 0.5 * _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5)
    return half if t > 0 else 1 - half


@lru_cache(maxsize=4096)
def critical(tail: float, degrees: float) -> float:
    """The t that is exceeded with probability ``tail``, which is above 0 and at most 0.5."""
    low, high = 0.0, 1.0
    while upper_tail(high, degrees) > tail and high < inf:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if upper_tail(middle, degrees) > tail else (low, middle)
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here, and fast for 1 - x
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""

    def safe(value: float) -> float:
        return value if abs(value) > _TINY else _TINY

    c, d = 1.0, 1 / safe(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _MOST_TERMS):
        change = 1.0
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / safe(1 + term * d), safe(1 + term / c)
            change = d * c
            result *= change
        if abs(change - 1) < _CLOSE:
            break
    return result
