"""What a backend knows of recovery trials: the ways in which the members of a lost unit may belong together."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, Protocol

from raidtui.machine.devices import opened, read_at
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.recovery import Candidate, Source
from raidtui.model.unit import Unit


class Wanted(NamedTuple):
    """What a person knows of a unit whose superblocks are gone; empty and 0: not known."""

    unit: str = ""  # its name or UUID
    uuid: str = (
        ""  # of the one here that is called so; a superblock of another on its disks was written over it
    )
    level: str = ""
    layout: str = ""  # left-symmetric, n2
    chunk_bytes: int = 0
    disks: int = 0
    offset_bytes: int = -1  # where the data begins on each member; negative: not known


class Head(NamedTuple):
    """The beginning of a member, which has everything that a restore of metadata writes."""

    content: bytes
    label: str  # the UUID that it has there, without dashes; empty: none


class Recoverer(Protocol):
    """The part of a backend that finds candidates. It reads the sources and writes nothing."""

    register: tuple[str, ...]
    """The command by which the kernel gets to know a member, which it forgets with ``--forget``; empty: it knows none."""

    inside: str = ""
    """What blkid calls an array that has a part of its unit; empty if its units lie on the members themselves."""

    versions: bool = False
    """Whether its units have versions of metadata that can be restored."""

    def release(self, uuid: str) -> tuple[str, ...]:
        """The command that stops what is active of a unit, if an md array is not all that can be; else empty."""
        return ()

    def called(self, word: str, machine: Machine) -> tuple[str, ...]:
        """The devices of a unit called ``word`` that cannot be read because the arrays below it do not run. Pure."""
        return ()

    def arrays(
        self, sources: Sequence[Source], wanted: Wanted, most: int
    ) -> Mapping[str, tuple[Candidate, ...]]:
        """The arrays below the unit, by name, each with at most ``most`` ways to put it together, the most likely first.

        If there are any, the other functions are asked about these arrays in place of the members.

        Raises:
            Refused: the reshape of one cannot be understood.
            OSError: a source cannot be read.
        """
        return {}

    def devices(self, unit: Unit, machine: Machine) -> tuple[str, ...]:
        """The devices that are members of ``unit``, as their superblocks say. Pure."""
        return tuple(one.path for one in unit.members if one.path)

    def heads(self, sources: Sequence[Source]) -> Mapping[str, Head]:
        """The beginning of each source, by its name.

        Raises:
            OSError: a source cannot be read.
        """
        return {}

    def version_text(self, sources: Sequence[Source], digest: str) -> str:
        """The text of the version of the metadata with this SHA-256, as its tool restores it.

        Raises:
            Refused: there is none.
            OSError: a source cannot be read.
        """
        raise Refused("this backend has no versions of metadata that can be restored")

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        """What the superblocks allow, the most likely first; nothing if they are not of this backend.

        Raises:
            Refused: the sources have superblocks of several units.
            OSError: one cannot be read.
        """
        ...

    def by_order(self, sources: Sequence[Source], wanted: Wanted, most: int) -> tuple[Candidate, ...]:
        """At most ``most`` orders and shapes that what is on the sources does not rule out, the most likely first.

        Raises:
            OSError: a source cannot be read.
        """
        ...

    def members(self, sources: Sequence[Source]) -> Mapping[str, str]:
        """What each source is in words, as its superblock says: "slot 1, events 26". One without a superblock is not in it."""
        ...


def read_source(source: Source, offset: int, length: int) -> bytes:
    """Bytes of a source; nothing if it ends before, or cannot be read there: a bad sector speaks for no way and against none."""
    if offset + length > source.size_bytes:
        return b""
    try:
        with opened(source.path, os.O_RDONLY) as fd:
            return read_at(fd, source.begin_bytes + offset, length)
    except OSError:
        return b""


def sets_by_events(
    events: Mapping[int, int], runs: Callable[[Sequence[int]], bool]
) -> Iterator[tuple[int, ...]]:
    """The slots of one event count, then the fewest that an array runs with; those written last first.

    Args:
        events: of each slot that is here.
        runs: whether the array runs with some slots.
    """
    sets = []
    for count in range(1, len(events) + 1):
        for slots in combinations(sorted(events), count):
            if not runs(slots):
                continue
            least = any(runs([one for one in slots if one != without]) for without in slots)
            if not least or len({events[one] for one in slots}) == 1:
                sets.append(slots)

    def order(slots: tuple[int, ...]) -> tuple[int, int, int]:
        counts = [events[one] for one in slots]
        return -min(counts), -sum(counts) // len(counts), -len(counts)

    yield from sorted(sets, key=order)
