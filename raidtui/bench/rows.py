"""The rows of a grid: an access pattern, and the directions in which it is measured."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from raidtui.model.struct import Record

READ: Final = "read"
WRITE: Final = "write"
MIX: Final = "mix"
DIRECTIONS: Final = (READ, WRITE, MIX)
WITH_SYNC: Final = (
    " +sync"  # after a row's name: the same writes, including the time until the disks had them
)


class Work(StrEnum):
    """What a row does to the test file, or to many files."""

    IO = "io"  # read and write its blocks
    REWRITE = "rewrite"  # read each block and write it back where it was, as Bonnie++ does
    CREATE = "create"  # make many empty files
    STAT = "stat"  # stat each of them
    DELETE = "delete"  # delete them again


FILES: Final = frozenset({Work.CREATE, Work.STAT, Work.DELETE})


class Until(StrEnum):
    """When a run ends."""

    SECONDS = "seconds"  # after the run's seconds, starting over at the end of the file
    END = "end"  # when every block was accessed once
    EITHER = "either"  # whichever comes first


class Row(Record, frozen=True, kw_only=True):
    """One access pattern: block size, I/Os in flight per thread, number of threads."""

    name: str  # "SEQ1M Q8T1"
    block_bytes: int  # 0 until the size of ``block_of`` is known
    queue_depth: int = 1
    threads: int = 1
    random: bool = False
    directions: tuple[str, ...] = DIRECTIONS  # a mix is measured on request, or if it is the only one
    read_percent: int = 70  # of the I/Os of a mix
    cached: bool = False  # through the page cache
    warm: bool = False  # the page cache of the file is not dropped before reading
    fresh: bool = False  # the file has no blocks before it is written
    zeros: bool = False  # only zeros are written
    until: Until = Until.SECONDS
    work: Work = Work.IO
    block_of: str = ""  # "chunk" or "stripe" of the measured array
    size_bytes: int = 0  # of the part of the file that is used; 0: all of it
    files: int = 0  # number of files, for rows that create, stat or delete them
    beside: str = ""  # load in parallel that is not counted: "SEQ1M Q8T1 write"

    @property
    def touches_blocks(self) -> bool:
        """Whether the row works on the test file or the device, not on many files."""
        return self.work not in FILES


class Planned(Record, frozen=True, kw_only=True):
    """A cell to measure: a row in one direction."""

    row: Row
    direction: str

    @property
    def writes(self) -> bool:
        """Whether anything is written while it is measured."""
        return self.direction != READ or self.row.beside.endswith(WRITE)

    @property
    def until(self) -> Until:
        """When a run ends; cached writes go through the file at most once.

        A rewritten block would count each time, but the disks would get only its last version: even with the time of
        the sync, the result would be many times what they can do (a file of 64 MiB for 5 s: 2670 MB/s from a disk of
        290 MB/s).
        """
        if self.row.cached and self.direction == WRITE and self.row.until is Until.SECONDS:
            return Until.EITHER
        return self.row.until


def cells_of(
    rows: Sequence[Row], *, writes: bool, mix: bool, row_by_row: bool = False
) -> tuple[Planned, ...]:
    """The cells of one round, in order: all reads, then all writes, then all mixes; or row by row.

    Writes come later because they leave work behind: a full SLC cache, dirty parity. Row by row is for rows that
    depend on the one before: files must be created before they can be deleted.
    """
    found = [
        Planned(row=row, direction=direction)
        for row in rows
        for direction in row.directions
        if direction != MIX or mix or row.directions == (MIX,)
    ]
    found = [cell for cell in found if writes or not cell.writes]
    return tuple(found if row_by_row else sorted(found, key=lambda cell: DIRECTIONS.index(cell.direction)))
