"""Failed members that an array survives, for certain and by luck, counted on the layout itself."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, gcd
from typing import Final

from raidtui.backends.arithmetic.copies import RAID10_LAYOUT, copies_of, copy_groups
from raidtui.model.chance import one_in, percent
from raidtui.model.md_levels import may_lose
from raidtui.model.struct import Record

MOST_COUNTED: Final = 12  # failed disks at once; the counts for 500 disks have hundreds of digits each


class Survival(Record, frozen=True, kw_only=True):
    """What a layout survives. Probabilities assume random failures before anything is rebuilt."""

    guaranteed: int  # number of members that may fail, whichever they are
    second_failure_fatal_probability: float
    next_failure_fatal_probability: float  # for the failure after the guaranteed ones
    words: str


def guaranteed_failures(level: str, disks: int, layout: str = "") -> int:
    """How many members may fail, whichever they are."""
    if level == "raid10":
        return copies_of(layout or RAID10_LAYOUT).total - 1
    return may_lose(level, disks) or 0


def fatal_pairs(level: str, disks: int, layout: str = "") -> tuple[tuple[int, int], ...]:
    """The pairs of slots that lose data if both fail, in order."""
    if level == "raid10":
        groups = copy_groups(layout or RAID10_LAYOUT, disks)
        pairs = (tuple(sorted(group)) for group in groups if len(group) == 2)
        return tuple(sorted((pair[0], pair[1]) for pair in pairs))
    if guaranteed_failures(level, disks, layout) >= 2:
        return ()
    return tuple(combinations(range(disks), 2))


def _product(a: list[int], b: list[int]) -> list[int]:
    """The product of two polynomials, lowest power first, up to power `MOST_COUNTED`."""
    found = [0] * min(len(a) + len(b) - 1, MOST_COUNTED + 1)
    for i, x in enumerate(a):
        if x:
            for power, y in enumerate(b[: len(found) - i], i):
                found[power] += x * y
    return found


def _power(base: list[int], exponent: int) -> list[int]:
    found = [1]
    while exponent:
        if exponent & 1:
            found = _product(found, base)
        base, exponent = _product(base, base), exponent >> 1
    return found


@lru_cache(maxsize=1024)
def surviving_sets(level: str, disks: int, layout: str = "") -> tuple[int, ...]:
    """For 0, 1, 2 … failed disks, the number of sets of that many disks that can fail without data loss.

    It ends at the largest survivable number of failures, or at `MOST_COUNTED` if that is less: the risk needs no more.

    For raid10 the copies of a chunk are on neighbors in a circle of ``disks``. The groups start at every ``g``-th slot,
    where ``g`` is the greatest common divisor of copies and disks for near copies, and 1 for far and offset copies.
    With blocks of ``g`` slots, data is lost if ``copies / g`` neighboring blocks have failed completely; circles without
    such a run are counted in closed form.
    """
    if level != "raid10":
        most = min(guaranteed_failures(level, disks), MOST_COUNTED)
        return tuple(comb(disks, failed) for failed in range(most + 1))
    copies = copies_of(layout or RAID10_LAYOUT)
    together = copies.total
    block = gcd(together, disks) if copies.near > 1 else 1
    blocks, run = disks // block, together // block
    partly = [comb(block, failed) for failed in range(block)]  # a block that has not failed completely
    found = [0] * (min(disks, MOST_COUNTED) + 1)
    for whole in range(min(blocks - 1, MOST_COUNTED // block) + 1):
        rest = blocks - whole
        gaps = _power([1] * run, rest)  # runs of failed blocks between the others, each shorter than `run`
        circles = blocks * gaps[whole] // rest if whole < len(gaps) else 0
        if circles:
            for failed, ways in enumerate(_power(partly, rest), whole * block):
                if failed < len(found):
                    found[failed] += circles * ways
    while not found[-1]:
        found.pop()
    return tuple(found)


def _fatal_groups(layout: str, disks: int) -> int:
    """The number of sets in `copy_groups`, without listing them."""
    copies = copies_of(layout)
    if copies.total >= disks:
        return 1
    return disks // gcd(copies.near, disks)


def survival(level: str, disks: int, layout: str) -> Survival:
    """What ``disks`` members in this level and layout survive."""
    sure = guaranteed_failures(level, disks, layout)
    if level != "raid10":
        return uniform_survival(sure, disks)
    # Not from `surviving_sets`, which ends at `MOST_COUNTED`: a layout may have more copies.
    return _lives(sure, disks, _fatal_groups(layout or RAID10_LAYOUT, disks) / comb(disks, sure + 1))


def second_failure(lives: Survival) -> str:
    """The effect of a second failed disk before the first is rebuilt: ``all data lost``."""
    share = lives.second_failure_fatal_probability
    if not lives.guaranteed or share == 1:
        return "all data lost"
    return f"{one_in(share)} loses data" if share else "data survives"


def uniform_survival(sure: int, disks: int) -> Survival:
    """The survival of a layout that survives any ``sure`` failed disks, and never more."""
    return _lives(sure, disks, 1.0)


def all_survive(sets: tuple[int, ...], groups: int) -> tuple[int, ...]:
    """`surviving_sets` of ``groups`` groups, each with these ``sets``, if losing any group loses the data."""
    return tuple(_power(list(sets), groups))


def survival_of(sets: Sequence[int], disks: int) -> Survival:
    """The survival that follows from these `surviving_sets`."""
    shares = [ways / comb(disks, failed) for failed, ways in enumerate(sets)]
    sure = next(
        failed for failed in range(len(shares)) if failed + 1 == len(shares) or shares[failed + 1] < 1
    )
    return _lives(sure, disks, 1 - shares[sure + 1] if sure + 1 < len(shares) else 1.0)


def _lives(sure: int, disks: int, after: float) -> Survival:
    """The survival of any ``sure`` failed disks; one more loses data with probability ``after``."""
    return Survival(
        guaranteed=sure,
        second_failure_fatal_probability=after if sure == 1 else float(sure < 2),
        next_failure_fatal_probability=after,
        words=_words(sure, disks, after),
    )


def _words(sure: int, disks: int, after: float) -> str:
    if sure == 0:
        return "no redundancy: the first failed disk loses all data"
    most = "any 1 disk" if sure == 1 else f"any {sure} disks"
    if after < 1:
        share = min(1 - after, 0.9999)
        return f"{most}, and {sure + 1} random disks in {percent(share)} of cases"
    return most if sure < disks - 1 else f"{most}: all but one"
