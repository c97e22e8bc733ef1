"""A sweep: many arrays on the same disks, built, measured and taken apart one after the other."""

from typing import Final, NamedTuple

from raidtui.model.spec import Backend
from raidtui.model.struct import Record

SINGLE = "single"  # in place of a level: the first disk alone, with each filesystem or bare, to compare with


class LevelWord(NamedTuple):
    """A level as a sweep names it: ``raid5``, ``raid5 of 3``, ``lvm striped of 2``."""

    level: str
    members: int | None = None  # None: as many as the sweep says
    backend: Backend | None = None  # None: every backend of the sweep that has the level


_COUNT: Final = " of "


def split_level(word: str) -> LevelWord:
    """What ``word`` says."""
    named, of, count = word.partition(_COUNT)
    if not (of and count.isdecimal()):
        named, count = word, ""
    first, _, rest = named.partition(" ")
    own = Backend(first) if rest and first in tuple(Backend) else None
    return LevelWord(rest if own else named, int(count) if count else None, own)


class Sweep(Record, frozen=True, kw_only=True):
    """What is to be measured: every combination of these lists, on the same disks. Sizes are bytes.

    An empty list takes the one default: all disks, the level's own chunk.
    """

    name: str
    about: str = ""  # a line on what it shows
    disks: tuple[str, ...] = ()  # identities, in the order of the slots
    slice: int | None = None  # of each disk, from its start
    passes: int = 2  # how many times all of it is measured, each time in another order
    seed: int = 1  # of those orders
    backends: tuple[Backend, ...] = ()  # none: the usual one, or that of the card that its disks are behind
    levels: tuple[str, ...] = ()  # `LevelWord`: each is built by all of the backends that have it
    members: tuple[int, ...] = ()  # numbers of disks, of the levels without one of their own
    chunks: tuple[int, ...] = ()
    filesystems: tuple[str, ...] = ("none",)
    profiles: tuple[str, ...] = ("cdm",)
    caches: tuple[str, ...] = ("direct",)  # each profile as it is, or "cached": through the page cache
    size_bytes: int = 0  # 0 leaves it to the profile, and so for runs and seconds
    runs: int = 0
    seconds: int = 0
    mix: bool = False
    quick: bool = False  # each value of a list once, in place of every combination of them
