"""What names a disk: one answer for specs, ``--erase``, teardown and every other command. Pure.

A disk is named by its serial number, its WWN or a name in /dev/disk/by-id; or by the end of its serial number or WWN
(or of its by-id name, if it has neither), four characters or more, where no other disk ends so. Upper and lower case are
the same. Never by /dev/sdX.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

from raidtui.model.errors import BadInput

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


class HasPaths(HasNames, Protocol):
    """A disk of this machine."""

    @property
    def identity(self) -> str:
        """The first of its names; empty if it has none."""

    @property
    def path(self) -> str:
        """Its node now."""

    @property
    def every_path(self) -> tuple[str, ...]:
        """The nodes of it and of its partitions."""


D = TypeVar("D", bound=HasNames)
P = TypeVar("P", bound=HasPaths)


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


def the_one_called(word: str, disks: Sequence[P]) -> P:
    """The one disk that ``word`` names.

    Raises:
        BadInput: no disk or several have that name, or it is a device name such as ``/dev/sda``.
    """
    found = find_called(word, disks)
    if len(found) == 1:
        return found[0]
    if found:
        paths = ", ".join(one.path for one in found)
        raise BadInput(f"{word!r} means several disks ({paths}), and none of them can be confirmed by it")
    named = next(
        (
            one
            for one in disks
            if word and word in {*one.every_path, *(path.removeprefix("/dev/") for path in one.every_path)}
        ),
        None,
    )
    here = ", ".join(one.identity for one in disks if one.identity) or "none"
    if named is None and not word.startswith("/dev/"):
        raise BadInput(f"no disk of this machine is called {word!r}; its disks are {here}")
    right = f"the disks here are {here}"
    if named is not None:
        right = (
            repr(named.identity) if named.identity else "it has none; 'raidtui inspect' says how it gets one"
        )
    raise BadInput(
        f"{word!r} is a device name, and those change between boots; name a disk by its serial number, WWN or by-id name: {right}"
    )


def _numbers(disk: HasNames) -> Sequence[str]:
    """What the disk itself is called; if nothing, its links, such as those of a bay of a USB enclosure."""
    return [name for name in (disk.serial, disk.wwn) if name] or disk.links


def _names(disk: HasNames) -> Iterator[str]:
    return (_plain(name) for name in (disk.serial, disk.wwn, *disk.links) if name)


def _plain(word: str) -> str:
    """The common form of all spellings of a name."""
    bare = word.lower().removeprefix(_BY_ID)
    return bare.removeprefix("wwn-").removeprefix("0x")
