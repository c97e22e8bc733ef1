"""What a recovery trial tries, and what it found. Plain data.

A trial puts the members of a lost array together in every way that may be right, on overlays, and looks at the files.
"""

from enum import StrEnum
from typing import Final

from raidtui.model.struct import Bytes, Record

KEPT_FILE: Final = "state"
KEPT_LINE: Final = "kept"
"""In a folder of kept superblocks, as long as these were not put back."""


class Source(Record, frozen=True, kw_only=True):
    """A device or an image that is, or may be, a member."""

    name: str  # the disk's identity, or that with the number of its partition
    path: str  # the device; of an image the file
    size_bytes: Bytes
    image: bool = False


class Slot(Record, frozen=True, kw_only=True):
    """What is in one slot of the array."""

    source: str = ""  # the name of a source; empty: missing
    offset_bytes: Bytes = 0  # where its data begins
    size_bytes: Bytes = (
        0  # of its data, for levels whose members may differ; 0: the shape's ``component_bytes``
    )


class Shape(Record, frozen=True, kw_only=True):
    """How an array lies on its members."""

    level: str
    layout: int  # md's own number
    chunk_bytes: Bytes  # 0 for levels without chunks
    component_bytes: Bytes  # used of each member
    slots: tuple[Slot, ...]

    @property
    def here(self) -> frozenset[int]:
        """The slots that are not missing."""
        return frozenset(number for number, one in enumerate(self.slots) if one.source)


class Way(StrEnum):
    """From what a candidate follows."""

    EVENTS = "events"  # the superblocks, and which members were written last
    RESHAPE = (
        "reshape"  # the superblocks of an interrupted reshape: a part has the new shape, the rest the old one
    )
    ORDER = "order"  # an order of members that no superblock confirms


class Candidate(Record, frozen=True, kw_only=True):
    """One way to put the members together."""

    way: Way
    words: str  # "LAB-0001 LAB-0003, without LAB-0002"
    shape: Shape
    events: tuple[int, ...] = ()  # of each member, by slot, as far as it follows from them
    confirmed: int = 0  # of an order: how far what is on the members confirms it, copies and parity included
    border_bytes: Bytes = 0  # of the array: from here on it has the shape ``rest``
    rest: Shape | None = None


class Tried(Record, frozen=True, kw_only=True):
    """What was seen on the overlays of one candidate."""

    candidate: Candidate
    contents: str = ""  # the type of the filesystem; empty if nothing known was found
    clean: bool | None = None  # whether fsck -n found no error; None: it was not run, or did not end
    fsck: str = ""  # its last words, if it found errors or did not end
    mounted: bool = False
    files: int = 0
    newest: int = 0  # seconds since 1970: of the file that was changed last; 0 if there is none
    counted_all: bool = True  # False: there was no time to count all of them
    unreadable: int = 0  # files and folders that gave an error
    sampled: int = 0  # files that were read
    odd: int = 0  # of these, files whose contents are not what their names say
    problem: str = ""  # why nothing more was seen
    known: bool = True  # False: it could not be found out, which speaks neither for nor against it

    @property
    def found(self) -> bool:
        """Whether there are files that can be copied away."""
        return self.mounted and self.files > self.unreadable

    @property
    def right(self) -> bool:
        """Whether nothing speaks against it."""
        return self.found and self.clean is True and not self.unreadable and not self.odd

    @property
    def rank(self) -> tuple[bool, bool, int, int, int, int, int]:
        """A key: the larger, the more likely it is right.

        Of several in which nothing is wrong, that of the members written last: the others lack what came after. Of several
        orders, that with the fewest mismatches: parity, copies and superblocks that are where they must be.
        """
        return (
            self.right,
            self.found,
            min(self.candidate.events, default=0) if self.right else 0,
            self.candidate.confirmed if self.right else 0,
            self.files - 2 * self.unreadable - 2 * self.odd,
            self.clean is True,
            self.newest,
        )


class Recovery(Record, frozen=True, kw_only=True):
    """Everything that a trial found, the most likely first."""

    name: str  # of the unit, or the disks
    tried: tuple[Tried, ...]
    at: str = ""  # when it ended, ISO 8601, UTC
    mounted_at: str = ""  # where number ``mounted`` is mounted, read-only; empty: none is
    mounted: int = 0  # counted from 1
    images: tuple[str, ...] = ()  # the members that were read from an image in place of the disk
