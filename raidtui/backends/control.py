"""The controls of an existing unit, and how each is carried out. Pure."""

from collections.abc import Callable
from enum import StrEnum

from raidtui.model.plan import Run
from raidtui.model.struct import Record
from raidtui.model.unit import Unit


class Control(StrEnum):
    """An operation that a person can start on a unit."""

    SCRUB = "scrub"  # read everything and compare
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"  # before it has finished
    FASTER = "faster"
    SLOWER = "slower"
    RESTORE = "restore"  # the former speed limits, after a sync has ended; raidtui does this by itself


class Write(Record, frozen=True, kw_only=True):
    """Write a value to a file of the kernel."""

    path: str
    text: str
    keep: bool = False  # remember the present value for a later `PutBack`


class PutBack(Record, frozen=True, kw_only=True):
    """Write the remembered values back to files of the kernel; nothing if none were remembered."""

    paths: tuple[str, ...]


class Order(Record, frozen=True, kw_only=True):
    """How one control is carried out. None of its actions writes to a disk directly."""

    actions: tuple[Run | Write | PutBack, ...]
    message: str = ""  # the message once it is done, a sentence


class Nights(Record, frozen=True, kw_only=True):
    """How a scrub is carried out in some hours of several nights."""

    begin: Callable[[Unit, int], Order]
    """Starts it, or continues it from the place given, bytes, or where the unit itself has stopped."""
    end: Callable[[Unit], Order]
    """Stops it so that it can be continued."""
