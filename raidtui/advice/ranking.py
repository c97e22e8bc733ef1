"""Layouts in the order of what matters to somebody: space, safety or speed."""

import math
from collections.abc import Iterable
from enum import StrEnum

from raidtui.advice.report import Report
from raidtui.advice.risk import ASSUMED_CORRELATION
from raidtui.backends.arithmetic.ideal import Ideal


class Wish(StrEnum):
    """What matters."""

    LEVEL = "level"  # nothing said yet: as the levels are listed
    SPACE = "space"
    SAFETY = "safety"
    SPEED = "speed"


def mean_speed(best: Ideal) -> float:
    """The geometric mean of the four ideal factors: none can make up for another that is close to nothing."""
    return math.prod((best.seq_read, best.seq_write, best.rand_read, best.rand_write)) ** 0.25


def five_year_loss(report: Report) -> float:
    """Chance of losing data in five years at the correlation that safety is ranked by; 1 where it is not known."""
    return report.risk.loss_probability_5y[ASSUMED_CORRELATION] if report.risk else 1.0


def ranked(reports: Iterable[Report], wish: Wish) -> tuple[Report, ...]:
    """The reports, the best for this wish first; those that are refused last, equal ones as they came."""
    found = tuple(reports)
    if wish is Wish.LEVEL:
        return found

    def merit(report: Report) -> tuple[bool, float, float]:
        space, loss = -float(report.usable_bytes), five_year_loss(report)
        if wish is Wish.SPACE:
            return report.refused is not None, space, loss
        if wish is Wish.SAFETY:
            return report.refused is not None, loss, space
        return report.refused is not None, -mean_speed(report.ideal) if report.ideal else 0.0, space

    return tuple(sorted(found, key=merit))
