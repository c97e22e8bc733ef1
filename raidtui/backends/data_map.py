"""A map of data, copies and parity on the members of a unit, row by row. The backend draws it.

Slots, rows and chunks count from 0; a row is one chunk on every member.
"""

from typing import Final, Literal, NamedTuple

from raidtui.model.struct import Record

Kind = Literal["data", "P", "Q", "empty"]


class Cell(NamedTuple):
    """The contents of one chunk of one member. ``copy`` is 0 for the first copy of a data chunk."""

    kind: Kind
    chunk: int = -1
    copy: int = 0


EMPTY: Final = Cell("empty")


class Zone(Record, frozen=True, kw_only=True):
    """A part of the members that is filled in one way; ``rows`` are its first rows."""

    title: str  # empty if there is only one zone
    rows: tuple[tuple[Cell, ...], ...]


class DataMap(Record, frozen=True, kw_only=True):
    """The first rows of each zone, and a sentence or two that explains them."""

    zones: tuple[Zone, ...] = ()  # empty if data has no fixed place: then there are only words
    words: str


class Arrangement(Record, frozen=True, kw_only=True):
    """A level on particular members, as far as a map needs it."""

    level: str
    layout: str = ""  # empty: the level's default
    names: tuple[str, ...]  # of the members, in slot order
    used: tuple[int, ...] = ()  # bytes of data on each; empty: the same on all
    groups: int = 1  # groups of equally many members, in their order
    piece: int = 0  # chunks written to one group before the next; 0: the first group is filled first
