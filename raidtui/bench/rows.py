"""One row of a grid: how a benchmark touches the disk, and in which directions."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from raidtui.model.struct import Record

READ: Final = "read"
WRITE: Final = "write"
MIX: Final = "mix"
DIRECTIONS: Final = (READ, WRITE, MIX)
WITH_SYNC: Final = " +sync"  # after a row's name: the same writes, with the time until the disks had them


class Work(StrEnum):
    """What is done to the test file, or to many files."""

    IO = "io"  # read and write its blocks
    REWRITE = "rewrite"  # read each block and write it back where it was, as Bonnie++ does
    CREATE = "create"  # make many empty files
    STAT = "stat"  # ask for the size of each
    DELETE = "delete"  # remove them again


FILES: Final = frozenset({Work.CREATE, Work.STAT, Work.DELETE})


class Until(StrEnum):
    """When a run ends."""

    SECONDS = "seconds"  # after so many, beginning again at the end of the file
    END = "end"  # when every block had its turn
    EITHER = "either"  # whichever comes first


class Row(Record, frozen=True, kw_only=True):
    """One access pattern: block size, how many I/Os each thread keeps in flight, how many threads."""

    name: str  # "SEQ1M Q8T1"
    block_bytes: int  # 0 until it is known what ``block_of`` is
    queue_depth: int = 1
    threads: int = 1
    random: bool = False
    directions: tuple[str, ...] = (
        DIRECTIONS  # a mix is measured where it is asked for, or if it is the only one
    )
    read_percent: int = 70  # of the I/Os of a mix
    cached: bool = False  # through the page cache
    warm: bool = False  # what the page cache has of the file may stay there before reading
    fresh: bool = False  # the file has no blocks before it is written
    zeros: bool = False  # nothing but zeros is written
    until: Until = Until.SECONDS
    work: Work = Work.IO
    block_of: str = ""  # "chunk" or "stripe" of the array that is measured
    size_bytes: int = 0  # of the file that it touches; 0: all of it
    files: int = 0  # how many, for those that make files
    beside: str = ""  # what goes on meanwhile and is not counted: "SEQ1M Q8T1 write"

    @property
    def touches_blocks(self) -> bool:
        """Whether the test file, or the device, is what it works on."""
        return self.work not in FILES


class Planned(Record, frozen=True, kw_only=True):
    """A cell to be measured."""

    row: Row
    direction: str

    @property
    def writes(self) -> bool:
        """Whether anything is written while it is measured."""
        return self.direction != READ or self.row.beside.endswith(WRITE)

    @property
    def until(self) -> Until:
        """When a run ends: what is written into the cache goes through the file once at most.

        Written over and over it would be counted each time, and the disks would take only the last of it: with the
        time of the sync that would be many times what they can do (a file of 64 MiB for 5 s: 2670 MB/s from a disk
        of 290 MB/s).
        """
        if self.row.cached and self.direction == WRITE and self.row.until is Until.SECONDS:
            return Until.EITHER
        return self.row.until


def cells_of(
    rows: Sequence[Row], *, writes: bool, mix: bool, row_by_row: bool = False
) -> tuple[Planned, ...]:
    """The cells of one round, in order: all reads, then all writes, then all mixes; or row by row.

    Writes come later because they leave a debt behind: a full SLC cache, dirty parity. Row by row is for what
    builds upon the row before it: files must be made before they can be deleted.
    """
    found = [
        Planned(row=row, direction=direction)
        for row in rows
        for direction in row.directions
        if direction != MIX or mix or row.directions == (MIX,)
    ]
    found = [cell for cell in found if writes or not cell.writes]
    return tuple(found if row_by_row else sorted(found, key=lambda cell: DIRECTIONS.index(cell.direction)))
