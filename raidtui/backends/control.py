"""What can be ordered of a unit that is there: its controls, and how each is ordered. Pure."""

from enum import StrEnum

from raidtui.model.plan import Run
from raidtui.model.struct import Record


class Control(StrEnum):
    """What a person may order of a unit."""

    SCRUB = "scrub"  # read all of it and compare
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"  # before it is done
    FASTER = "faster"
    SLOWER = "slower"
    RESTORE = "restore"  # the limits of a sync that has ended, as they were: raidtui orders it by itself


class Write(Record, frozen=True, kw_only=True):
    """Give the kernel a value through a file of its own."""

    path: str
    text: str
    keep: bool = False  # what the file says before, until a `PutBack`


class PutBack(Record, frozen=True, kw_only=True):
    """Give the kernel what was kept of its files; nothing where nothing was."""

    paths: tuple[str, ...]


class Order(Record, frozen=True, kw_only=True):
    """How one control is ordered. Nothing in it writes to a disk by itself."""

    actions: tuple[Run | Write | PutBack, ...]
    said: str = ""  # once it is given, in a sentence
