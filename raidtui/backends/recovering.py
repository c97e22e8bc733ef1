"""What a backend knows of recovery trials: the ways in which the members of a lost unit may belong together."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from raidtui.model.recovery import Candidate, Source


class Wanted(NamedTuple):
    """What a person knows of an array whose superblocks are gone; empty and 0: not known."""

    level: str = ""
    layout: str = ""  # left-symmetric, n2
    chunk_bytes: int = 0
    disks: int = 0
    offset_bytes: int = -1  # where the data begins on each member; negative: not known


class Recoverer(Protocol):
    """The part of a backend that finds candidates. It reads the sources and writes nothing."""

    def by_superblocks(self, sources: Sequence[Source]) -> tuple[Candidate, ...]:
        """What the superblocks allow, the most likely first.

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
        """Which slot each source has in words, as its superblock says: "slot 1, events 26"; "no superblock"."""
        ...
