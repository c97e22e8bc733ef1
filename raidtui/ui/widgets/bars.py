"""Text bars that work in every font and in 16 colors: full and light blocks."""

import math
from collections.abc import Sequence
from typing import Final

from raidtui.model.chance import in_percent

FULL: Final = "█"
REST: Final = "░"
_DECADES: Final = 5
_LEAST: Final = 1e5  # bytes a second: 0.1 MB/s


def bar(share: float, width: int) -> str:
    """``share`` (0 … 1) of ``width`` cells; empty only for 0, full only for 1."""
    whole = min(1.0, max(0.0, share))
    cells = round(whole * width)
    if width >= 2 and 0 < whole < 1:
        cells = min(width - 1, max(1, cells))
    return FULL * cells + REST * (width - cells)


def percent_bar(share: float, width: int) -> str:
    """A bar with its percentage inside: ``███████ 58 % ░░░░░░``; 100 % only if it is full."""
    percent = f" {in_percent(min(0.99, share) if share < 1 else 1)} "
    drawn = bar(share, width)
    start = (width - len(percent)) // 2
    return drawn if start < 1 else drawn[:start] + percent + drawn[start + len(percent) :]


def rate_share(bytes_per_second: float) -> float:
    """The share of a bar for a rate, on a logarithmic scale from 0.1 MB/s to 10 GB/s: each fifth is a factor of ten.

    Random I/O on a rotational disk and a fast array differ by a factor of 10,000: on a linear scale the slower bar
    would be empty.
    """
    if bytes_per_second <= _LEAST:
        return 0.0
    return min(1.0, math.log10(bytes_per_second / _LEAST) / _DECADES)


def parts_bar(shares: Sequence[float], marks: str, width: int) -> str:
    """A bar of ``width`` cells, in which each share has its own mark: ``#####===.``; the shares add up to 1.

    A share of more than 1% has at least one cell; the rounding error goes to the largest.
    """
    total = sum(shares) or 1.0
    cells = [max(round(share / total * width), 1 if share / total > 0.01 else 0) for share in shares]
    cells[cells.index(max(cells))] += width - sum(cells)
    return "".join(mark * count for mark, count in zip(marks, cells, strict=True))
