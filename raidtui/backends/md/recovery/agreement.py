"""Whether members agree with a level and an order: copies are equal, and a row with its parity has an exclusive or of zero.

md(4), RAID4 to RAID6: P is the exclusive or of the data chunks of its row, and Q has no part in it. So the rows of a
RAID6 show which member holds their Q, and this is the order.
"""

import os
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import xor
from typing import Final, NamedTuple

from raidtui.backends.arithmetic.copies import copies_of
from raidtui.backends.md.placement import q_slot
from raidtui.machine.devices import opened, read_at
from raidtui.model.md_levels import parity_of
from raidtui.model.recovery import Source
from raidtui.model.units import KIB, MIB

_PAGE: Final = 4 * KIB
_SPREAD: Final = 512  # places over the whole of the members
_DENSE: Final = (
    64 * KIB,
    8 * MIB,
)  # and at every so many bytes up to here, as little data lies at the beginning
_FEWEST: Final = 4  # rows with data; fewer say nothing
WEIGHT: Final = 20


class Row(NamedTuple):
    """The same page of every member, where they are not all zero."""

    at: int  # byte of the data of a member
    values: Mapping[str, int]  # by source; a page as one number
    sum: int  # the exclusive or of all

    def without(self, name: str) -> bool:
        """Whether the others have an exclusive or of zero."""
        return self.sum == self.values[name]

    @property
    def mirrored(self) -> bool:
        """Whether each member has data, and another one has the same."""
        found = list(self.values.values())
        return all(found) and all(found.count(one) > 1 for one in found)


def read_rows(sources: Sequence[Source], offsets: Mapping[str, int]) -> tuple[Row, ...]:
    """Some rows of these members, whose data begins at ``offsets``; those that cannot be read are left out.

    Raises:
        OSError: a source cannot be opened.
    """
    room = min(one.size_bytes - offsets[one.name] for one in sources)
    step, dense = _DENSE
    places = {
        *range(0, min(dense, room), step),
        *range(0, room, max(_PAGE, room // _SPREAD // _PAGE * _PAGE)),
    }
    pages: dict[int, dict[str, int]] = {}
    for source in sources:
        with opened(source.path, os.O_RDONLY) as fd:
            for at in sorted(places):
                try:
                    raw = read_at(fd, offsets[source.name] + at, _PAGE)
                except OSError:
                    continue  # a bad sector says nothing
                pages.setdefault(at, {})[source.name] = int.from_bytes(raw, "little")
    rows = []
    for at, values in pages.items():
        if len(values) < len(sources) or not any(values.values()):
            continue
        rows.append(Row(at, values, reduce(xor, values.values())))
    return tuple(rows)


def agreement(level: str, layout: str, chunk: int, order: Sequence[str], rows: Sequence[Row]) -> int:
    """How well the members agree with this shape: from ``WEIGHT``, all rows, to ``-WEIGHT``, none; 0 if that is not known."""
    if "" in order or len(rows) < _FEWEST:
        return 0
    known = [one for row in rows if (one := _agrees(level, layout, chunk, order, row)) is not None]
    return round(WEIGHT * (2 * sum(known) / len(known) - 1)) if known else 0


def _agrees(level: str, layout: str, chunk: int, order: Sequence[str], row: Row) -> bool | None:
    """Whether a row agrees; None if this level says nothing about a row."""
    if level == "raid1":
        return len(set(row.values.values())) == 1
    if level == "raid10":
        near, far, _ = copies_of(layout)
        if far > 1 or len(order) % near:
            return None  # the copies are in other rows
        groups = [order[first : first + near] for first in range(0, len(order), near)]
        return all(len({row.values[name] for name in group}) == 1 for group in groups)
    if not parity_of(level):
        return False if not row.sum or row.mirrored else None
    if level == "raid6":
        return row.without(order[q_slot(layout, row.at // chunk, len(order))])
    return not row.sum and not (row.mirrored and len(order) > 2)
