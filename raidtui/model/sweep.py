"""A sweep: many arrays on the same disks, built, measured and taken apart one after the other."""

from typing import Final

from raidtui.model.spec import Backend
from raidtui.model.struct import Record

SINGLE = "single"  # in place of a level: the first disk alone, with each filesystem or bare, to compare with


_COUNT: Final = " of "


def split_level(word: str) -> tuple[str, int | None]:
    """``raid5 of 3`` as a level and its number of disks; ``None`` where it has none of its own."""
    level, of, count = word.partition(_COUNT)
    return (level, int(count)) if of and count.isdecimal() else (word, None)


class Sweep(Record, frozen=True, kw_only=True):
    """What is to be measured: every combination of these lists, on the same disks. Sizes are bytes.

    An empty list takes the one default: all disks, the level's own chunk.
    """

    name: str
    about: str = ""  # a line on what it shows
    disks: tuple[str, ...] = ()  # identities, in md's slot order
    slice: int | None = None  # of each disk, from its start
    passes: int = 2  # how many times all of it is measured, each time in another order
    seed: int = 1  # of those orders
    backends: tuple[Backend, ...] = (Backend.MDADM,)
    levels: tuple[str, ...] = ()  # "raid5", or "raid5 of 3" with a number of disks of its own
    members: tuple[int, ...] = ()  # numbers of disks, of the levels without one of their own
    chunks: tuple[int, ...] = ()
    filesystems: tuple[str, ...] = ("none",)
    profiles: tuple[str, ...] = ("cdm",)
    caches: tuple[str, ...] = ("direct",)  # each profile as it is, or "cached": through the page cache
    size_bytes: int = 0  # 0 leaves it to the profile, and so for runs and seconds
    runs: int = 0
    seconds: int = 0
    mix: bool = False
