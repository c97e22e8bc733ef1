"""Which cells a benchmark has: the rows of a grid, named as CrystalDiskMark names them, and their directions."""

import difflib
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.struct import Record
from raidtui.model.units import KIB, MIB

READ: Final = "read"
WRITE: Final = "write"
MIX: Final = "mix"


class Row(Record, frozen=True, kw_only=True):
    """One access pattern: block size, how many I/Os each thread keeps in flight, how many threads."""

    name: str  # "SEQ1M Q8T1"
    block_bytes: int
    queue_depth: int
    threads: int = 1
    random: bool = False


class Profile(Record, frozen=True, kw_only=True):
    """A grid."""

    name: str  # as it is typed
    title: str
    rows: tuple[Row, ...]
    mix_read_percent: int = 70  # of the I/Os of a mixed cell


class Planned(Record, frozen=True, kw_only=True):
    """A cell to be measured."""

    row: Row
    direction: str


_SEQ1M_Q8: Final = Row(name="SEQ1M Q8T1", block_bytes=MIB, queue_depth=8)
_SEQ1M_Q1: Final = Row(name="SEQ1M Q1T1", block_bytes=MIB, queue_depth=1)
_RND4K_Q32: Final = Row(name="RND4K Q32T1", block_bytes=4 * KIB, queue_depth=32, random=True)
_RND4K_Q1: Final = Row(name="RND4K Q1T1", block_bytes=4 * KIB, queue_depth=1, random=True)

PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile(
            name="cdm",
            title="CrystalDiskMark's default grid",
            rows=(_SEQ1M_Q8, _SEQ1M_Q1, _RND4K_Q32, _RND4K_Q1),
        ),
        Profile(
            name="nvme",
            title="CrystalDiskMark's NVMe grid",
            rows=(
                _SEQ1M_Q8,
                Row(name="SEQ128K Q32T1", block_bytes=128 * KIB, queue_depth=32),
                Row(name="RND4K Q32T16", block_bytes=4 * KIB, queue_depth=32, threads=16, random=True),
                _RND4K_Q1,
            ),
        ),
        Profile(name="real", title="CrystalDiskMark's Real World grid", rows=(_SEQ1M_Q1, _RND4K_Q1)),
    )
}


def find_profile(name: str) -> Profile:
    """The profile called ``name``.

    Raises:
        BadInput: there is none; the message has the nearest.
    """
    profile = PROFILES.get(name)
    if profile is None:
        near = difflib.get_close_matches(name, PROFILES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(PROFILES)}"
        raise BadInput(f"no profile is called {name!r}; {hint}")
    return profile


def cells_of(profile: Profile, *, writes: bool, mix: bool) -> tuple[Planned, ...]:
    """The cells of one round, in order: all reads, then all writes, then all mixes.

    Writes come later because they leave a debt behind: a full SLC cache, dirty parity.
    """
    directions = (READ, *((WRITE,) if writes else ()), *((MIX,) if writes and mix else ()))
    return tuple(Planned(row=row, direction=direction) for direction in directions for row in profile.rows)
