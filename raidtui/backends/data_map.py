"""A map of where data, copies and parity lie on the members of a unit, row by row. Its backend draws it.

Slots, rows and chunks count from 0; a row is one chunk on every member.
"""

from typing import Final, Literal, NamedTuple

from raidtui.model.struct import Record

Kind = Literal["data", "P", "Q", "empty"]


class Cell(NamedTuple):
    """What one chunk of one member holds. ``copy`` is 0 for the first place where a chunk of data lies."""

    kind: Kind
    chunk: int = -1
    copy: int = 0


EMPTY: Final = Cell("empty")


class Zone(Record, frozen=True, kw_only=True):
    """A stretch of the members that is filled in the same way; ``rows`` are its first ones."""

    title: str  # empty where there is one zone only
    rows: tuple[tuple[Cell, ...], ...]


class DataMap(Record, frozen=True, kw_only=True):
    """The first rows of each zone, and what they show in a sentence or two."""

    zones: tuple[Zone, ...] = ()  # none where data has no fixed place: then there are words only
    words: str


class Arrangement(Record, frozen=True, kw_only=True):
    """A level on given members, as far as its map needs it."""

    level: str
    layout: str = ""  # empty: the default of the level
    names: tuple[str, ...]  # of the members, in the order of their slots
    used: tuple[int, ...] = ()  # bytes of data on each; empty: all hold the same
    groups: int = 1  # of equal numbers of members, in their order
    piece: int = 0  # chunks that go to one group before the next has its turn; 0: the first is filled first
