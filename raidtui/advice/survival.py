"""Which failed members an md array survives: guaranteed, and by luck, counted on the layout itself."""

from itertools import combinations
from math import comb

from raidtui.advice.layouts import copies_of, copy_groups, default_layout
from raidtui.model.struct import Record


class Survival(Record, frozen=True, kw_only=True):
    """What a layout survives. Probabilities are of members that fail at random, before anything is rebuilt."""

    guaranteed: int  # any so many members may fail
    second_failure_fatal_probability: float
    next_failure_fatal_probability: float  # of the failure after the guaranteed ones
    words: str


def guaranteed_failures(level: str, disks: int, layout: str = "") -> int:
    """How many members may fail, whichever they are."""
    if level in {"raid0", "linear"}:
        return 0
    if level == "raid1":
        return disks - 1
    if level == "raid10":
        return copies_of(layout or default_layout(level)).total - 1
    return 2 if level == "raid6" else 1


def fatal_sets(level: str, disks: int, layout: str = "") -> frozenset[frozenset[int]]:
    """The smallest sets of slots whose loss loses data, for raid10 and raid1; others lose any set of that size."""
    if level == "raid10":
        return copy_groups(layout or default_layout(level), disks)
    size = guaranteed_failures(level, disks, layout) + 1
    return frozenset(map(frozenset, combinations(range(disks), size)))


def fatal_pairs(level: str, disks: int, layout: str = "") -> tuple[tuple[int, int], ...]:
    """The pairs of slots that lose data when both fail, in order."""
    if level == "raid10":
        groups = copy_groups(layout or default_layout(level), disks)
        pairs = (tuple(sorted(group)) for group in groups if len(group) == 2)
        return tuple(sorted((pair[0], pair[1]) for pair in pairs))
    if guaranteed_failures(level, disks, layout) >= 2:
        return ()
    return tuple(combinations(range(disks), 2))


def survival(level: str, disks: int, layout: str) -> Survival:
    """What ``disks`` members in this level and layout survive."""
    sure = guaranteed_failures(level, disks, layout)
    second = len(fatal_pairs(level, disks, layout)) / comb(disks, 2) if disks > 1 else 1.0
    if level == "raid10":
        groups = len(copy_groups(layout or default_layout(level), disks))
        after = groups / comb(disks, sure + 1)
    else:
        after = 1.0
    return Survival(
        guaranteed=sure,
        second_failure_fatal_probability=second,
        next_failure_fatal_probability=after,
        words=_words(sure, disks, after),
    )


def _words(sure: int, disks: int, after: float) -> str:
    if sure == 0:
        return "no failure: one lost disk loses everything"
    most = "any 1 disk" if sure == 1 else f"any {sure} disks"
    if after < 1:
        return f"{most}; {sure + 1} at random with {1 - after:.1%}"
    return most if sure < disks - 1 else f"{most}: all but one"
