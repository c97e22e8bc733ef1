"""What a recovery trial tries, and what it found. Plain data.

A trial puts the members of a lost array together in every way that may be right, on overlays, and looks at the files.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from raidtui.model.struct import Bytes, Record
from raidtui.model.superblock import MARGIN
from raidtui.model.uuids import same_uuid

KEPT_FILE: Final = "state"
KEPT_LINE: Final = "kept"
"""In a folder of kept superblocks, as long as these were not put back."""


KEPT_VERSION: Final = "metadata.vg"
"""In a folder of kept metadata: the text of the version that is restored."""


EVERY_ORDER: Final = "in every order that may be right, which may take an hour"
"""How a trial goes about it where no superblock says the order: in words."""


class Source(Record, frozen=True, kw_only=True):
    """A device or an image that is, or may be, a member."""

    name: str  # the disk's identity, or that with the number of its partition
    path: str  # the device; of an image the file
    size_bytes: Bytes
    image: bool = False
    begin_bytes: Bytes = 0  # where it begins on ``path``: a partition of an array of a trial


class Place(Record, frozen=True, kw_only=True):
    """A place on a source."""

    source: str  # empty: on what is missing
    offset_bytes: Bytes = 0


class Part(Record, frozen=True, kw_only=True):
    """A range of a volume, on one source or striped over several."""

    length_bytes: Bytes
    on: tuple[Place, ...]
    chunk_bytes: Bytes = 0  # of the stripe; 0 on one source


class Slot(Record, frozen=True, kw_only=True):
    """What is in one slot of the array."""

    source: str = ""  # the name of a source, with parts that of the first; empty: missing
    offset_bytes: Bytes = 0  # where its data begins
    size_bytes: Bytes = (
        0  # of its data, for levels whose members may differ; 0: the shape's ``component_bytes``
    )
    parts: tuple[Part, ...] = ()  # if its data is not one range: its ranges, one after the other


class Shape(Record, frozen=True, kw_only=True):
    """How an array lies on its members; also a volume without an array, and the members of a filesystem."""

    level: str  # md's; without an array in the words of its backend
    layout: int  # md's own number
    chunk_bytes: Bytes  # 0 for levels without chunks
    component_bytes: Bytes  # used of each member
    slots: tuple[Slot, ...]

    @property
    def is_plain(self) -> bool:
        """Whether it is a row of ranges and not an array."""
        return len(self.slots) == 1 and bool(self.slots[0].parts)

    @property
    def lacks_a_part(self) -> bool:
        """Whether a range is missing: it gives read errors."""
        return any(not place.source for slot in self.slots for part in slot.parts for place in part.on)

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
    METADATA = "metadata"  # what a volume group or a filesystem says of itself, in one of its versions


class Patch(Record, frozen=True, kw_only=True):
    """Bytes that are written to the overlay of a source before it is looked at."""

    source: str
    offset_bytes: Bytes
    content: bytes


class Below(Record, frozen=True, kw_only=True):
    """An array that is put together first, since the shape of a candidate lies on it."""

    name: str  # that of a source for the shape over it
    shape: Shape
    array: str = ""  # as of a `Candidate`, like the two that follow
    events: tuple[int, ...] = ()
    moved: tuple[str, ...] = ()


class ThinPool(Record, frozen=True, kw_only=True):
    """The thin pool that a volume is in. The shape of its candidate is then that of the pool's data."""

    name: str
    metadata: Shape
    chunk_bytes: Bytes
    device: int  # the number of the volume in the metadata
    length_bytes: Bytes  # of the volume


class GroupVersion(Record, frozen=True, kw_only=True):
    """One version of the metadata of a volume group, and which source is which of its physical volumes."""

    group: str  # its name
    uuid: str  # of the group
    number: int
    digest: str  # SHA-256 of its text
    members: tuple[str, ...]  # the source of each physical volume; empty: missing
    labels: tuple[str, ...]  # the UUID of each
    unlabeled: tuple[str, ...] = ()  # the sources that have no label, so that LVM does not know them
    pools: tuple[str, ...] = ()  # its thin pools
    changed: tuple[str, ...] = ()  # those with another transaction than this version has, or an unknown one


class Candidate(Record, frozen=True, kw_only=True):
    """One way to put the members together."""

    way: Way
    words: str  # "LAB-0001 LAB-0003, without LAB-0002"
    shape: Shape
    array: str = ""  # UUID of the array that superblocks say it is
    events: tuple[int, ...] = ()  # of each member, by slot, as far as it follows from them
    moved: tuple[str, ...] = ()  # the sources whose data begins elsewhere than their superblocks say
    confirmed: int = 0  # of an order: how far what is on the members confirms it, copies and parity included
    border_bytes: Bytes = 0  # of the array: from here on it has the shape ``rest``
    rest: Shape | None = None
    begin_bytes: Bytes = 0  # of the array: where the partition begins that it is looked at for …
    length_bytes: Bytes = 0  # … and how large that is; 0: all of it is looked at
    below: tuple[
        Below, ...
    ] = ()  # the arrays that ``shape``, a row of ranges, lies on; empty: on the members
    of: str = ""  # which volume of the unit it is, if it may have several
    pool: ThinPool | None = None
    filesystem: str = ""  # its type, if it lies on the members themselves
    options: str = ""  # of its mount
    check: tuple[
        str, ...
    ] = ()  # further options of the command that checks the filesystem, or copies files out
    unmounted: bool = False  # it is not mounted: a command of its filesystem copies its files out
    patches: tuple[Patch, ...] = ()
    version: GroupVersion | None = None  # of the metadata that it follows from
    why_not: str = ""  # why it cannot be tried, which speaks neither for nor against it

    @property
    def attempted(self) -> tuple[object, ...]:
        """What an attempt depends on: two that are alike in it are one attempt."""
        place = self.border_bytes, self.rest, self.begin_bytes
        return self.of, self.below, self.shape, self.pool, place, self.options, self.patches

    @property
    def written(self) -> int:
        """The event count up to which all of its members have what was written; 0 if none is known."""
        first, last = min(self.events, default=0), max(self.events, default=0)
        return last if first + MARGIN >= last else first

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that it is read from, each once."""
        shapes = [one.shape for one in self.below] or [self.shape]
        shapes += [self.rest] if self.rest is not None else []
        shapes += [self.pool.metadata] if self.pool is not None and not self.below else []
        slots = [slot for shape in shapes for slot in shape.slots]
        names = [place.source for slot in slots for part in slot.parts for place in part.on]
        return tuple(dict.fromkeys(name for name in (*(slot.source for slot in slots), *names) if name))


class Tried(Record, frozen=True, kw_only=True):
    """What was seen on the overlays of one candidate."""

    candidate: Candidate
    contents: str = ""  # the type of the filesystem; empty if nothing known was found
    clean: bool | None = None  # whether fsck -n found no error; None: it was not run, or did not end
    fsck: str = ""  # its last words, if it found errors or did not end
    by_copy: bool = False  # its beginning was overwritten: what is seen is by a copy of its superblock
    pool_repaired: bool = False  # it was read with a repaired copy of its thin pool's metadata
    repaired: bool = False  # it was repaired on the overlay before, so that it is clean says little
    mounted: bool = False
    files: int = 0
    newest: int = 0  # seconds since 1970: of the file that was changed last; 0 if there is none
    counted_all: bool = True  # False: there was no time to count all of them
    unreadable: int = 0  # files and folders that gave an error
    unread: int = 0  # of these, files of the sample
    sampled: int = 0  # files of the sample that were read
    odd: int = 0  # of these, files whose contents are not what their names say
    blind: bool = False  # mounted so that no checksum of data is looked at: wrong contents give no error
    problem: str = ""  # why nothing more was seen
    known: bool = True  # False: it could not be found out, which speaks neither for nor against it

    @property
    def found(self) -> bool:
        """Whether there are files that can be copied away."""
        return (self.mounted or self.candidate.unmounted) and self.files > self.unreadable

    @property
    def right(self) -> bool:
        """Whether nothing speaks against it."""
        return self.sound and self.clean is True and not (self.blind or self.repaired or self.pool_repaired)

    @property
    def empty(self) -> bool:
        """Whether it is a filesystem without files in which nothing is wrong."""
        return self.mounted and self.clean is True and not self.files and not self.unreadable

    @property
    def sound(self) -> bool:
        """As `right`, but its filesystem may be one that could not be checked."""
        return self.found and self.clean is not False and not self.unreadable and not self.odd

    @property
    def given(self) -> int:
        """How many files it gives, if as many of the others can be read and have right contents as of the sample.

        Of files that may be wrong without an error it counts a third.
        """
        here, looked = self.files - self.unreadable, self.sampled + self.unread
        found = here * (self.sampled - self.odd) // looked if looked else here
        return found // 3 if self.blind else found

    @property
    def rank(self) -> tuple[bool, bool, int, int, int, bool, int, int]:
        """A key: the larger, the more likely it is right, and the less it loses. `ranked` also compares one with another.

        Of several in which nothing is wrong, that of the members written last: the others lack what came after. Of several
        orders, that with the fewest mismatches: parity, copies and superblocks that are where they must be.
        """
        written = self.candidate.written
        return (
            self.right,
            self.found,
            written if self.right else 0,
            self.candidate.confirmed if self.right else 0,
            self.given,
            self.clean is True,
            written,
            self.newest,
        )

    def surpasses(self, other: "Tried") -> bool:
        """Whether it is a later state of the same volume and loses nothing against ``other``, whatever fsck says.

        A log that was cut off is an error for fsck, and an older state has none. Of orders that no superblock confirms, and
        of a reshape, only fsck knows the right one.
        """
        mine, others = self.candidate, other.candidate
        return (
            {mine.way, others.way} <= {Way.EVENTS, Way.METADATA}
            and mine.of == others.of
            and mine.written > others.written
            and self.found
            and not self.unreadable
            and not self.odd
            and not self.blind
            and self.files >= other.files
            and self.newest >= other.newest
        )


def ranked(tried: Iterable[Tried]) -> list[Tried]:
    """The most likely first: by `Tried.rank`, but none before one that surpasses it."""
    found: list[Tried] = []
    for one in sorted(tried, key=lambda one: one.rank, reverse=True):
        place = next((at for at, other in enumerate(found) if one.surpasses(other)), len(found))
        found.insert(place, one)
    return found


class Recovery(Record, frozen=True, kw_only=True):
    """Everything that a trial found, the most likely first."""

    name: str  # of the unit, or the disks
    tried: tuple[Tried, ...]
    unit: str = ""  # its UUID; empty if only disks were named
    apart: tuple[
        str, ...
    ] = ()  # if only disks were: what commands call the arrays that have them, if several
    at: str = ""  # when it ended, ISO 8601, UTC
    mounted_at: str = ""  # where number ``mounted`` is mounted, read-only; empty: none is
    mounted: int = 0  # counted from 1
    copied_to: str = ""  # the folder that ``copied`` files of one were just copied out to
    copied: int = 0
    images: tuple[str, ...] = ()  # the members that were read from an image in place of the disk
    stopped: tuple[
        str, ...
    ] = ()  # what ran and was stopped for the trial, and is not started again: "array tank"
    md_wrote: bool = False  # an array was among it: md wrote its superblocks

    def startable(self, tried: Tried) -> bool:
        """Whether the members themselves may be started so: their superblocks say it, and nothing speaks against it.

        Without files only if no other way gives any: so a power cut leaves an array that was just made.
        """
        empty = tried.empty and not any(one.found for one in self.tried)
        return self.array_of(tried) is not None and (tried.right or empty) and not tried.by_copy

    def array_of(self, tried: Tried) -> Below | None:
        """The array that the trial is about, in the way that superblocks say; None if they do not.

        It may be what a volume lies on. A group on several arrays is not known to be whole while one of them is looked at.
        """
        chosen = tried.candidate
        if chosen.way is Way.EVENTS and not chosen.below:
            return Below(
                name=self.name,
                shape=chosen.shape,
                array=chosen.array,
                events=chosen.events,
                moved=chosen.moved,
            )
        own = [one for one in chosen.below if one.events and self.unit and same_uuid(one.array, self.unit)]
        return own[0] if own and len(chosen.below) == 1 else None

    def why_not_restored(self, tried: Tried) -> str:
        """Why the version of the metadata that ``tried`` follows from is not written to the members; empty: it may be.

        What a later version made would be lost with it, and of what could not be looked into nobody knows whether it fits.
        """
        candidate, version = tried.candidate, tried.candidate.version
        if candidate.below:
            return "the trial put its arrays together itself; start them, then try it on these (--disks /dev/md/NAME)"
        if version is None or candidate.way is not Way.METADATA:
            return "its metadata is not that of a volume group on disks"
        every = [(one, one.candidate.version) for one in self.tried]
        own = [other.number for _, other in every if other is not None and other.uuid == version.uuid]
        if max(own) > version.number:
            return f"a volume here is from newer metadata than {version.number}"
        if unseen := [one for one, other in every if other == version and one.candidate.why_not]:
            return f"whether it fits {unseen[0].candidate.of} is not known: {unseen[0].candidate.why_not}"
        if version.changed:
            return f"the thin pool {version.changed[0]} changed after it, or its metadata cannot be read"
        if not all(version.members):
            return f"{version.group} lacks a physical volume"
        if out := [one for one in version.unlabeled if one not in candidate.sources]:
            return f"its files were read without {out[0]}, which has no label"
        return ""

    def restorable(self, tried: Tried) -> bool:
        """Whether the metadata of a volume group may be restored as ``tried`` follows from it."""
        return tried.right and not self.why_not_restored(tried)

    def alike(self, tried: Tried) -> int:
        """How many orders of the same volume look right, if ``tried`` is one of them."""
        orders = [one for one in self.tried if one.right and one.candidate.way is Way.ORDER]
        return sum(one.candidate.of == tried.candidate.of for one in orders) if tried in orders else 0
