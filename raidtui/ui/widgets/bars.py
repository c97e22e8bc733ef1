"""Bars of text, right in every font and in sixteen colors: full blocks and light ones."""

import math
from collections.abc import Sequence
from typing import Final

FULL: Final = "█"
REST: Final = "░"
_DECADES: Final = 5
_LEAST: Final = 1e5  # bytes a second: 0.1 MB/s


def bar(share: float, width: int) -> str:
    """``share`` (0 … 1) of ``width`` cells; never empty for something and never full for less than all."""
    whole = min(1.0, max(0.0, share))
    cells = round(whole * width)
    if width >= 2 and 0 < whole < 1:
        cells = min(width - 1, max(1, cells))
    return FULL * cells + REST * (width - cells)


def rate_share(bytes_per_second: float) -> float:
    """Where a rate is between 0.1 MB/s and 10 GB/s, by its logarithm: each fifth of the bar is ten times more.

    Random access to a rotating disk and a fast array differ ten thousand times; a straight scale would show
    one of them as nothing.
    """
    if bytes_per_second <= _LEAST:
        return 0.0
    return min(1.0, math.log10(bytes_per_second / _LEAST) / _DECADES)


def parts_bar(shares: Sequence[float], marks: str, width: int) -> str:
    """``width`` cells, of each share its part in its own mark: ``#####===.``; the shares add up to 1.

    A part of more than a hundredth has a cell at least; what is left by rounding goes to the largest.
    """
    total = sum(shares) or 1.0
    cells = [max(round(share / total * width), 1 if share / total > 0.01 else 0) for share in shares]
    cells[cells.index(max(cells))] += width - sum(cells)
    return "".join(mark * count for mark, count in zip(marks, cells, strict=True))
