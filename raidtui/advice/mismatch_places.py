"""Where the members of an array differ: from what the kernel logs, and from the count as a check advances. Pure.

md logs places on RAID4, RAID5 and RAID6 alone, and at most ten in five seconds (raid5.c, `pr_warn_ratelimited`). On the
other levels the count between two looks at a running check shows between which places the members differ.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from raidtui.model.history import ScrubResult
from raidtui.model.text import count_of, listed
from raidtui.model.units import MIB, SECTOR, decimal

Span = tuple[int, int]
"""From and up to, in bytes of each member's data, or of that of a RAID10."""
MOST: Final = 64  # spans, and samples, that are kept
_SHOWN: Final = 3
_NEAR: Final = 4 * MIB  # two places as near as this are one
_BEGUN: Final = 16 * MIB


def with_count(counts: Sequence[Span], place: int, found: int) -> tuple[Span, ...]:
    """``counts``, pairs of a place and what was found up to it, with one more; of equal counts the first and last stay."""
    if len(counts) > 1 and counts[-1][1] == counts[-2][1] == found:
        return (*counts[:-1], (place, found))
    return (*counts, (place, found))[-MOST:]


def spans(counts: Sequence[Span], end: int, found: int) -> tuple[Span, ...]:
    """Between which places the count rose.

    The kernel has begun what is a little after a place, and may have counted it.

    Args:
        counts: of `with_count`.
        end: where the check ended; 0: not known.
        found: in the end.
    """
    points = [(0, 0), *counts, *([(end, found)] if end else [])]
    rises = ((first, last) for (first, before), (last, after) in pairwise(points) if after > before)
    return joined((first, min(last + _BEGUN, end or last + _BEGUN)) for first, last in rises)


def joined(places: Iterable[Span]) -> tuple[Span, ...]:
    """``places`` in order, those near each other as one; at most 64."""
    made: list[Span] = []
    for first, last in sorted(places):
        if made and first <= made[-1][1] + _NEAR:
            made[-1] = (made[-1][0], max(made[-1][1], last))
        else:
            made.append((first, last))
    return tuple(made[:MOST])


def places_of(logged: Sequence[Span], sampled: Sequence[Span], found: int) -> tuple[tuple[Span, ...], bool]:
    """The best that is known, and whether it is all.

    Args:
        logged: sectors of each member's data, as the kernel names them, one for each mismatch.
        sampled: of `spans`.
        found: sectors that differ.
    """
    exact = joined((first * SECTOR, last * SECTOR) for first, last in logged)
    if sum(last - first for first, last in logged) >= found:
        return exact, True
    rest = [(a, b) for a, b in sampled if not any(a <= first and last <= b for first, last in exact)]
    return joined((*exact, *rest)), bool(sampled) and not exact


def where_words(result: ScrubResult) -> str:
    """Where the members differ, in words; empty if nothing is known."""
    if not result.where or not result.found:
        return ""
    shown = [_span(one) for one in result.where[:_SHOWN]]
    more = len(result.where) - len(shown)
    of = "the array's data" if result.level.startswith("raid10") else "each member's data"
    if more:
        shown.append(count_of(more, "more place"))
    text = f"{listed(shown)} of {of}"
    return text if result.where_all else f"{text}; the kernel does not name every place"


def _span(span: Span) -> str:
    first, last = span
    return f"at {decimal(first)}" if last - first < MIB else f"between {decimal(first)} and {decimal(last)}"
