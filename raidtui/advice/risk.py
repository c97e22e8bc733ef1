"""The probability of data loss: an exact transient Markov chain over the number of failed disks.

Each disk fails at a constant rate λ. Failed disks are replaced in parallel at rate 1/T, where T is the time to
notice, to obtain a replacement and to rebuild. While the array is degraded, the remaining disks fail ``correlation``
times as often, because disks of one batch share their faults and a rebuild strains them. The state is the number of
failed disks; the fraction of next failures that is fatal is counted on the layout (`surviving_sets`), which is exact
for parity and for separate mirrors. Where every disk has two partners (raid10 far, offset and odd near layouts), sets
of equal size are assumed to be equally likely, which differs from the chain over all sets only by terms of order λT.

The model does not cover fire, theft, software and people, so very small results are reported as
"less than 1 in 100,000".
"""

import cmath
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from raidtui.backends.arithmetic.survival import MOST_COUNTED, all_survive
from raidtui.model.chance import NEGLIGIBLE, at_most, odds, one_in
from raidtui.model.struct import Record

HOURS_A_YEAR: Final = 8760.0
CORRELATIONS: Final = (1, 3, 10)
ASSUMED_CORRELATION: Final = (
    "3"  # for the headline and for ranking: between independent disks and one bad batch
)
DEFAULT_AFR: Final = 0.015  # Backblaze, all drives: 1.57 % in 2024, 1.36 % in 2025
DEFAULT_AFR_FLASH: Final = 0.01
DEFAULT_NOTICE_HOURS: Final = 24.0
DEFAULT_OBTAIN_HOURS: Final = 168.0  # a week to buy and fit a disk
DEFAULT_UNREADABLE: Final = 1e-15  # unreadable sectors per bit read
UNREADABLE_SOURCE: Final = "data sheets of server drives; those of desktop drives say 1e-14"
_FEW: Final = 6
_POINTS: Final = 10
QUICKEST_REPAIR_HOURS: Final = 1 / 60

AFR_SOURCE: Final = "Backblaze drive statistics, all drives, 2024 and 2025: 1.36 to 1.57 % a year"


class RiskInputs(Record, frozen=True, kw_only=True):
    """The inputs of the risk calculation. Times are hours; ``afr`` is per disk and year, ``0.015`` for 1.5 %."""

    afr: float = DEFAULT_AFR
    afr_source: str = AFR_SOURCE
    notice_hours: float = DEFAULT_NOTICE_HOURS
    obtain_hours: float = DEFAULT_OBTAIN_HOURS
    rebuild_hours: float = 0.0
    repair_hours: float = 0.0  # the sum of the three, or a value given instead
    unreadable_per_bit: float = DEFAULT_UNREADABLE
    unreadable_source: str = UNREADABLE_SOURCE


class Risk(Record, frozen=True, kw_only=True):
    """Probabilities of data loss. The keys ``"1"``, ``"3"``, ``"10"`` are the correlation while degraded."""

    loss_probability_1y: dict[str, float]
    loss_probability_5y: dict[str, float]
    any_failure_probability_1y: float  # at least one disk fails within a year
    unreadable_blocks: float  # 4 KiB blocks expected to be unreadable in a rebuild with no redundancy left
    timeout_loss_probability_1y: float  # without error recovery control: a bad sector drops its disk
    timeout_is_bound: bool = False  # the line above is an upper bound
    words: str  # for five years at `ASSUMED_CORRELATION`
    upper_bounds: tuple[str, ...] = ()  # the correlations whose probabilities are upper bounds
    inputs: RiskInputs


def failure_rate(afr: float) -> float:
    """Failures per hour of one disk with this annual failure rate."""
    return -math.log1p(-afr) / HOURS_A_YEAR


@lru_cache(maxsize=1)
def _contour() -> tuple[tuple[complex, complex], ...]:
    """Points and weights that recover a function at time 1 from its Laplace transform, to about 8 digits.

    The function is the real part of the sum of weight times transform. Talbot's contour with the constants of Trefethen,
    Weideman and Schmelzer (2006); the points below the real axis mirror these.
    """
    found = []
    for index in range(1, 2 * _POINTS, 2):
        angle = math.pi * index / (2 * _POINTS)
        bent = 0.6407 * angle
        point = 2 * _POINTS * complex(0.5017 * angle / math.tan(bent) - 0.6122, 0.2645 * angle)
        slope = complex(0.5017 / math.tan(bent) - 0.5017 * 0.6407 * angle / math.sin(bent) ** 2, 0.2645)
        found.append((point, 2 * cmath.exp(point) * slope / 1j))
    return tuple(found)


def _loss_within(hours: float, chain: Sequence[tuple[float, float, float]]) -> float:
    """The probability of loss within ``hours``, starting in the first state.

    The transform of the time until loss is a continued fraction along the chain. It is computed from sums, products and
    quotients of rates, without a difference, so 1 in 10^13 has as many digits as 1 in 10.

    Args:
        chain: for each number of failed disks, the rates of one more failed disk, of one less, and of loss.
    """
    found = 0.0
    for point, weight in _contour():
        s = point / hours
        loss = never_back = 0j  # from this state: to loss, and not to the state before it
        for more, less, lost in reversed(chain):
            away = s + lost + more * never_back
            loss, never_back = (lost + more * loss) / (away + less), away / (away + less)
        found += (weight * loss / point).real
    return min(1.0, max(0.0, found))


def loss_probability(
    sets: tuple[int, ...],
    disks: int,
    *,
    afr: float,
    repair_hours: float,
    correlation: float = 1.0,
    years: Sequence[int] = (1, 5),
    rebuild_fails: Sequence[float] = (),
) -> tuple[float, ...]:
    """Probability of data loss within each of ``years`` (ascending), starting with every disk healthy.

    Args:
        sets: for 0, 1, 2 … failed disks, how many sets of this size are survived (`surviving_sets`).
        rebuild_fails: for 1, 2 … failed disks, up to the number always survived, the chance that a rebuild hits
            a bad sector that drops the disk it is on; empty if bad sectors drop no disks.
    """
    return _loss(sets, disks, afr, repair_hours, correlation, tuple(years), tuple(rebuild_fails))


@lru_cache(maxsize=4096)
def _loss(
    sets: tuple[int, ...],
    disks: int,
    afr: float,
    repair_hours: float,
    correlation: float,
    years: tuple[int, ...],
    rebuild_fails: tuple[float, ...],
) -> tuple[float, ...]:
    rate = failure_rate(afr)
    if rate <= 0:
        return tuple(0.0 for _ in years)
    guaranteed = _guaranteed(sets, disks)
    last = _last_state(len(sets) - 1, guaranteed, disks * rate * correlation * repair_hours)
    chain = []
    for failed in range(last + 1):
        failing = (disks - failed) * rate * (correlation if failed else 1.0)
        survived = (
            (failed + 1) * sets[failed + 1] / ((disks - failed) * sets[failed]) if failed < last else 0.0
        )
        more, less, fatal = failing * survived, 0.0, failing * max(0.0, 1.0 - survived)
        if failed:
            back = failed / repair_hours
            broken = rebuild_fails[min(failed, guaranteed) - 1] if rebuild_fails else 0.0
            less = back * (1.0 - broken)
            # With redundancy, a bad sector counts as one more failed disk; without it, data is lost. (It may be left in
            # other disks than those that failed: then this is an upper bound, unless `_group` finds them apart.)
            if failed < min(guaranteed, last):
                more += back * broken
            else:
                fatal += back * broken
        chain.append((more, less, fatal))
    if not chain[0][0]:
        return tuple(-math.expm1(-chain[0][2] * HOURS_A_YEAR * year) for year in years)
    return tuple(_loss_within(HOURS_A_YEAR * year, chain) for year in years)


def _guaranteed(sets: Sequence[int], disks: int) -> int:
    """How many disks may fail, no matter which."""
    return next(k for k in range(len(sets)) if k + 1 == len(sets) or sets[k + 1] < math.comb(disks, k + 1))


def _sets_within(width: int, guaranteed: int) -> tuple[int, ...]:
    """The `surviving_sets` of a group of ``width`` disks that survives any ``guaranteed`` of them, and never more."""
    return tuple(math.comb(width, failed) for failed in range(min(guaranteed, MOST_COUNTED) + 1))


def _group(sets: tuple[int, ...], disks: int, width: int) -> int:
    """The number of disks in each of the equal groups that share nothing, such as vdevs and pairs; else all disks.

    ``width``: the number of disks in a group with parity.
    """
    guaranteed = _guaranteed(sets, disks)
    for wide in (width, guaranteed + 1):  # the latter: groups of copies
        if wide < disks and disks % wide == 0:
            within = _sets_within(wide, guaranteed)
            if guaranteed and sets == all_survive(within, disks // wide):
                return wide
    return disks


def _last_state(most: int, guaranteed: int, strain: float) -> int:
    """The highest number of failed disks that needs its own state; one more failure counts as fatal.

    ``strain`` bounds the chance of one more failure before a repair. States that add less than 1 in 10^6 to the
    result are left out. If more than `_FEW` disks may always fail, states reached less than once in 10^9 failures
    are left out: they are less likely than any number that is shown.
    """
    start, least = (guaranteed, 1e-6) if guaranteed <= _FEW else (0, 1e-9)
    weight = 1.0
    for state in range(start + 1, most):
        weight *= strain / (state - start)
        if weight < least and state >= min(guaranteed, _FEW):
            return state
    return most


def _is_bound(sets: tuple[int, ...], disks: int, afr: float, repair_hours: float, correlation: float) -> bool:
    """Whether the result is an upper bound, because more disks may fail at once than `MOST_COUNTED`."""
    strain = disks * failure_rate(afr) * correlation * repair_hours
    most = len(sets) - 1
    return most >= MOST_COUNTED and _last_state(most, _guaranteed(sets, disks), strain) == most


def unreadable_blocks(read_bytes: float, per_bit: float = DEFAULT_UNREADABLE) -> float:
    """Expected number of unreadable 4 KiB blocks when reading ``read_bytes`` once."""
    return read_bytes * 8 * per_bit


def unreadable_probability(read_bytes: float, per_bit: float = DEFAULT_UNREADABLE) -> float:
    """Chance of at least one unreadable block: an upper bound, as data sheet rates are, and errors come in clusters."""
    return -math.expm1(-unreadable_blocks(read_bytes, per_bit))


def some_failure(disks: int, afr: float) -> float:
    """Chance that at least one of ``disks`` fails within a year."""
    return -math.expm1(disks * math.log1p(-afr))


def risk_of(
    sets: tuple[int, ...],
    disks: int,
    reading: int,
    inputs: RiskInputs,
    *,
    parity: int = 0,
    width: int | None = None,
) -> Risk:
    """The risk of an array of ``disks`` disks.

    Args:
        sets: see `loss_probability`.
        reading: bytes that a rebuild must read when no redundancy is left.
        parity: parity in disks. A rebuild then reads all remaining disks, which are more while redundancy is left;
            without parity it reads one copy.
        width: number of disks in the group being rebuilt, by default all.
    """
    wide = width or disks
    parts = inputs.notice_hours + inputs.obtain_hours + inputs.rebuild_hours
    repair = max(inputs.repair_hours or parts, QUICKEST_REPAIR_HOURS)
    inputs = replace(inputs, repair_hours=repair)
    year, five = {}, {}
    for correlation in CORRELATIONS:
        year[str(correlation)], five[str(correlation)] = loss_probability(
            sets, disks, afr=inputs.afr, repair_hours=repair, correlation=correlation
        )
    fails = [
        float(f"{unreadable_probability(read, inputs.unreadable_per_bit):.3g}")  # only a rough bound anyway
        for failed in range(1, _guaranteed(sets, disks) + 1)
        for read in (reading * (wide - failed) / (wide - parity) if parity else reading,)
    ]
    group = _group(sets, disks, wide)
    (one,) = loss_probability(
        sets if group == disks else _sets_within(group, _guaranteed(sets, disks)),
        group,
        afr=inputs.afr,
        repair_hours=repair,
        years=(1,),
        rebuild_fails=fails,
    )
    bounds = tuple(
        str(correlation)
        for correlation in CORRELATIONS
        if _is_bound(sets, disks, inputs.afr, repair, correlation)
    )
    return Risk(
        loss_probability_1y=year,
        loss_probability_5y=five,
        any_failure_probability_1y=some_failure(disks, inputs.afr),
        unreadable_blocks=unreadable_blocks(reading, inputs.unreadable_per_bit),
        timeout_loss_probability_1y=one if group == disks else -math.expm1(disks // group * math.log1p(-one)),
        timeout_is_bound=group == disks and 2 <= len(fails) < len(sets) - 1,
        words=risk_words(five[ASSUMED_CORRELATION], bound=ASSUMED_CORRELATION in bounds),
        upper_bounds=bounds,
        inputs=inputs,
    )


def blocks_words(expected: float) -> str:
    """The expected number of unreadable blocks of 4 KiB; below one, the chance of one."""
    if expected >= 1:
        return f"{expected:,.{int(expected < 10)}f} unreadable blocks of 4 KiB"
    return f"an unreadable block of 4 KiB with a chance of {odds(expected)}"


def five_year_words(risk: Risk) -> str:
    """The five-year risk in 11 characters: ``1 in 5,000``, ``<1:100,000``; upper bounds begin with ``<=``."""
    five_years, bound = (
        risk.loss_probability_5y[ASSUMED_CORRELATION],
        ASSUMED_CORRELATION in risk.upper_bounds,
    )
    words = at_most(five_years) if bound else one_in(five_years)
    return words.replace(" in ", ":") if words.startswith("<") else words


def risk_words(five_years: float, *, bound: bool = False) -> str:
    """The chance of data loss within five years, in words."""
    if bound and five_years >= NEGLIGIBLE:
        return f"{at_most(five_years).replace('<=', 'at most ')} over 5 years"
    words = odds(five_years)
    return f"{words if 'than' in words else f'about {words}'} over 5 years"
