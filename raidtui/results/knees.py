"""Find where the speed falls from one file size to the next, because a cache ends. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from raidtui.model.result import Cell
from raidtui.model.text import harmless

_SIZED: Final = re.compile(r"(?P<size>\d{1,5}[KMGT]) (?P<what>.+)")
_FALL: Final = 0.7  # of the best rate with smaller files


def knees(cells: Sequence[Cell]) -> tuple[str, ...]:
    """A sentence for each pattern whose speed falls by 30 % or more: ``again read: 8G has 0.24x of 4G``.

    Only cells whose name begins with a file size are considered; they must be in order of size, as measured.
    """
    curves: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for cell in cells:
        match = _SIZED.fullmatch(cell.name)
        if match is not None and cell.bytes_per_second > 0:
            curves.setdefault((match["what"], cell.direction), []).append(
                (match["size"], cell.bytes_per_second)
            )
    sentences = []
    for (what, direction), curve in curves.items():
        level, before = 0.0, ""  # the best since the last fall
        for size, rate in curve:
            if rate < _FALL * level:
                sentences.append(
                    f"{harmless(what)} {direction}: {size} has {rate / level:.2f}x of {before}, a cache ends in between"
                )
                level = 0.0
            level, before = max(level, rate), size
    return tuple(sentences)
