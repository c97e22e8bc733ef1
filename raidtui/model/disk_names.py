"""What names a disk: one answer for specs, ``--erase``, teardown and every other command. Pure.

A disk is named by its serial number, its WWN or a name in /dev/disk/by-id; or by the end of its serial number or WWN
(or of its by-id name, if it has neither), four characters or more, where no other disk ends so. Upper and lower case are
the same. Never by /dev/sdX.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from raidtui.model.machine import Disk

SHORTEST: Final = 4
"""Characters of the end of a serial number that are enough to name a disk."""
_BY_ID: Final = "/dev/disk/by-id/"


class HasNames(Protocol):
    """A disk, or what a plan keeps of it."""

    @property
    def serial(self) -> str:
        """Its serial number; empty if it has none."""

    @property
    def wwn(self) -> str:
        """Its WWN; empty if it has none."""

    @property
    def links(self) -> tuple[str, ...]:
        """Its names in /dev/disk/by-id."""


D = TypeVar("D", bound=HasNames)


def label_of(disk: "Disk") -> str:
    """The serial number on the label of ``disk``, by SMART, if a USB bridge reports another or none; else empty."""
    own = disk.smart.serial if disk.smart is not None else ""
    return own if own != disk.serial and (disk.transport == "usb" or not disk.serial) else ""


def is_called(disk: HasNames, word: str) -> bool:
    """Whether ``word`` is a whole name of ``disk``."""
    return bool(word) and _plain(word) in set(_names(disk))


def find_called(word: str, disks: Iterable[D]) -> tuple[D, ...]:
    """The disks that ``word`` names: by a whole name, else by the end of one; see above."""
    disks = tuple(disks)
    whole = tuple(disk for disk in disks if is_called(disk, word))
    if whole or len(word) < SHORTEST:
        return whole
    end = word.lower()
    return tuple(disk for disk in disks if any(name.lower().endswith(end) for name in _numbers(disk)))


def _numbers(disk: HasNames) -> Sequence[str]:
    """What the disk itself is called; if nothing, its links, such as those of a bay of a USB enclosure."""
    return [name for name in (disk.serial, disk.wwn) if name] or disk.links


def _names(disk: HasNames) -> Iterator[str]:
    return (_plain(name) for name in (disk.serial, disk.wwn, *disk.links) if name)


def _plain(word: str) -> str:
    """The common form of all spellings of a name."""
    bare = word.lower().removeprefix(_BY_ID)
    return bare.removeprefix("wwn-").removeprefix("0x")
