"""Draw a curve over time, with blocks that every console font has. Pure."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_FULL: Final = "█"
_HALF: Final = "▒"


def curve(values: Sequence[float], *, width: int, height: int, top: float | None = None) -> list[str]:
    """Draw ``values`` from left to right in ``height`` lines, scaled from zero to ``top``, by default the highest.

    If there are more values than cells, they are averaged; only zero is drawn as empty.
    """
    top = max(values, default=0.0) if top is None else top
    if top <= 0 or width < 1 or height < 1:
        return []
    columns = squeezed(values, width)
    halves = [max(1, round(2 * height * value / top)) if value > 0 else 0 for value in columns]
    return [
        "".join(_piece(half - 2 * (height - 1 - line)) for half in halves).rstrip() for line in range(height)
    ]


def _piece(halves: int) -> str:
    return _FULL if halves >= 2 else _HALF if halves == 1 else " "


def squeezed(values: Sequence[float], width: int) -> list[float]:
    """``values`` in at most ``width`` cells: those that share a cell are averaged."""
    if len(values) <= width:
        return list(values)
    bounds = [round(place * len(values) / width) for place in range(width + 1)]
    return [sum(values[begin:end]) / (end - begin) for begin, end in pairwise(bounds)]
