"""A sweep: many arrays on the same disks, built, measured and torn down one after the other."""

from typing import Final, NamedTuple

from raidtui.model.spec import Backend
from raidtui.model.struct import Record
from raidtui.model.text import as_number

SINGLE = "single"  # instead of a level: only the first disk, with each filesystem or bare, as the baseline


class LevelWord(NamedTuple):
    """A level as written in a sweep: ``raid5``, ``raid5 of 3``, ``lvm striped of 2``."""

    level: str
    members: int | None = None  # None: as many as the sweep says
    backend: Backend | None = None  # None: every backend of the sweep that has the level


_COUNT: Final = " of "


def split_level(word: str) -> LevelWord:
    """Parse a level such as ``lvm striped of 2``."""
    named, of, count = word.partition(_COUNT)
    if not (of and as_number(count) is not None):
        named, count = word, ""
    first, _, rest = named.partition(" ")
    own = Backend(first) if rest and first in tuple(Backend) else None
    return LevelWord(rest if own else named, int(count) if count else None, own)


class Sweep(Record, frozen=True, kw_only=True):
    """What to measure: every combination of these lists, on the same disks. Sizes are bytes.

    An empty list means the one default: all disks, the level's own chunk.
    """

    name: str
    about: str = ""  # one line on what it shows
    disks: tuple[str, ...] = ()  # identities, in the order of the slots
    slice: int | None = None  # of each disk, from its start
    passes: int = 2  # how many times everything is measured, each time in a different order
    seed: int = 1  # for those orders
    backends: tuple[Backend, ...] = ()  # empty: the usual one, or that of the RAID card of its disks
    levels: tuple[str, ...] = ()  # `LevelWord`s; each is built with every backend that has it
    members: tuple[int, ...] = ()  # numbers of members, for levels that give none
    chunks: tuple[int, ...] = ()
    filesystems: tuple[str, ...] = ("none",)
    profiles: tuple[str, ...] = ("cdm",)
    caches: tuple[str, ...] = ("direct",)  # "direct": each profile as it is; "cached": through the page cache
    size_bytes: int = 0  # 0: the profile's; likewise for runs and seconds
    runs: int = 0
    seconds: int = 0
    mix: bool = False
    quick: bool = False  # each value of a list once, instead of every combination
