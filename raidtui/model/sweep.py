"""A sweep: many arrays on the same disks, built, measured and taken apart one after the other."""

from raidtui.model.spec import Backend
from raidtui.model.struct import Record

SINGLE = "single"  # in place of a level: the first disk alone, bare, to compare with


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
    levels: tuple[str, ...] = ()
    members: tuple[int, ...] = ()  # numbers of disks
    chunks: tuple[int, ...] = ()
    filesystems: tuple[str, ...] = ("none",)
    profiles: tuple[str, ...] = ("cdm",)
    size_bytes: int = 1024**3
    runs: int = 6
    seconds: int = 5
    mix: bool = False
