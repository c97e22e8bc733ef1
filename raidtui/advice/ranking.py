"""Rank layouts by space, safety or speed."""

import math
from collections.abc import Iterable
from enum import StrEnum

from raidtui.advice.report import Report
from raidtui.advice.risk import ASSUMED_CORRELATION
from raidtui.backends.arithmetic.ideal import Ideal


class Wish(StrEnum):
    """What to rank by."""

    LEVEL = "level"  # no ranking: the order in which levels are listed
    SPACE = "space"
    SAFETY = "safety"
    SPEED = "speed"


def mean_speed(best: Ideal) -> float:
    """The geometric mean of the four ideal factors, so that none can make up for one close to zero."""
    return math.prod((best.seq_read, best.seq_write, best.rand_read, best.rand_write)) ** 0.25


def five_year_loss(report: Report) -> float:
    """Chance of data loss in five years at `ASSUMED_CORRELATION`, used to rank by safety; 1 if not known."""
    return report.risk.loss_probability_5y[ASSUMED_CORRELATION] if report.risk else 1.0


def ranked(reports: Iterable[Report], wish: Wish) -> tuple[Report, ...]:
    """Sort ``reports`` by this wish, best first and refused ones last; equal ones keep their order."""
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


def gives_more(report: Report, others: Iterable[Report]) -> bool:
    """Whether it has more space than every one of ``others`` that survives as many failed disks for certain."""
    if report.refused is not None or report.survives is None:
        return False
    sure = report.survives.guaranteed
    rivals = [one for one in others if one.survives is not None and one.survives.guaranteed >= sure]
    return all(report.usable_bytes > one.usable_bytes for one in rivals)
