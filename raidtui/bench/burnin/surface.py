"""The surface of a disk in zones, the fio commands that read or write it, and what fio says about bad blocks.

One thread with one request at a time: the disk reads ahead, and a block that cannot be read delays nothing else that is
timed with it. fio continues after an error of the medium and prints where it was; other errors end it.
"""

import errno
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from raidtui.bench.fio import OUTPUT
from raidtui.bench.fio_output import read_jobs
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.units import MIB
from raidtui.results.foreign.fio_document import bytes_of

BLOCK: Final = MIB
MOST_FAULTS: Final = 1000  # places of a disk that cannot be read; with more it is given up
_MOST_ZONES: Final = 512
_LEAST_ZONE: Final = 8 * MIB
_MEDIUM: Final = (errno.EIO, errno.ENODATA, errno.EILSEQ, errno.ETIMEDOUT, errno.EREMOTEIO)
_FAULT: Final = re.compile(r"fio: io_u error on file .*: (?:read|write) offset=(\d{1,19}), buflen=(\d{1,10})")
_DIFFERS: Final = re.compile(
    r"verify failed at file .*\(requested block: offset=(\d{1,19}), length=(\d{1,10})"
)
_WHERE: Final = re.compile(r"fio: bad pattern block offset (\d{1,10})")


class Pass(StrEnum):
    """What is done with the blocks of a disk."""

    READ = "read"
    WRITE = "write"  # each block with its own place, so that a block that lands elsewhere is seen
    VERIFY = "verify"  # read them, and compare with what was written
    BLANK = "blank"  # write zeros


_OPTIONS: Final = {
    Pass.READ: ("--readonly", "--rw=read"),
    Pass.WRITE: ("--rw=write", "--do_verify=0", "--end_fsync=1"),
    Pass.VERIFY: ("--readonly", "--rw=read", "--verify_fatal=0"),
    Pass.BLANK: ("--rw=write", "--zero_buffers=1", "--end_fsync=1"),
}
_PATTERN: Final = ("--verify=pattern", "--verify_pattern=%o", "--verify_state_save=0")


class Piece(Record, frozen=True, kw_only=True):
    """Bytes of a disk that are read in blocks of one size."""

    zone: int
    offset: int
    size: int
    block: int = BLOCK


def zone_size(size_bytes: int) -> int:
    """The size of the zones of a disk: at most 512 of them, of whole blocks."""
    return max(_LEAST_ZONE, -(-size_bytes // (_MOST_ZONES * BLOCK)) * BLOCK)


def pieces_of(zones: Iterable[int], size_bytes: int) -> Iterator[Piece]:
    """What is read of ``zones``; of the last one also what is less than a block."""
    length = zone_size(size_bytes)
    for zone in zones:
        begin, end = zone * length, min(size_bytes, (zone + 1) * length)
        whole = (end - begin) // BLOCK * BLOCK
        if whole:
            yield Piece(zone=zone, offset=begin, size=whole)
        if rest := end - begin - whole:
            yield Piece(zone=zone, offset=begin + whole, size=rest, block=rest)


def fio_argv(filename: str, pieces: Sequence[Piece], what: Pass = Pass.READ) -> tuple[str, ...]:
    """The fio command that does that with ``pieces``, one after the other; one that reads can write nothing."""
    codes = ":".join(str(code) for code in _MEDIUM)
    jobs = [
        word
        for number, piece in enumerate(pieces)
        for word in (
            f"--name={number}",
            "--stonewall",
            f"--offset={piece.offset}",
            f"--size={piece.size}",
            f"--bs={piece.block}",
        )
    ]
    return (
        "fio",
        f"--output={OUTPUT}",
        "--output-format=json",
        "--eta=never",
        f"--filename={filename}",
        *_OPTIONS[what],
        *(_PATTERN if what in {Pass.WRITE, Pass.VERIFY} else ()),
        "--ioengine=psync",
        "--direct=1",
        "--thread=1",
        "--allow_file_create=0",
        "--continue_on_error=all",
        f"--ignore_error={codes},{codes},{codes}",  # of reads, writes and comparisons
        "--error_dump=1",
        *jobs,
    )


class Faults:
    """The ranges of bytes that one fio could not read or write, and where data differs, as it prints them."""

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []  # offset and length; neighbors are one
        self.differs: list[int] = []  # the first byte that differs, of each block
        self.last = ""  # what else it printed last
        self._within = 0

    def hear(self, line: str) -> None:
        """Take a line that fio printed."""
        if where := _WHERE.search(line):
            self._within = int(where[1])
            return
        if differs := _DIFFERS.search(line):
            self.differs.append(int(differs[1]) + min(self._within, int(differs[2]) - 1))
            self._within = 0
            return
        found = _FAULT.search(line)
        if found is None:
            self.last = line.strip() or self.last
            return
        offset, length = int(found[1]), int(found[2])
        if self.ranges and sum(self.ranges[-1]) == offset:
            first, before = self.ranges[-1]
            self.ranges[-1] = (first, before + length)
        else:
            self.ranges.append((offset, length))

    @property
    def blocks(self) -> int:
        """How many blocks they are."""
        return len(self.differs) + sum(-(-length // BLOCK) for _, length in self.ranges)


def rates_of(
    output: str, pieces: Sequence[Piece], what: Pass = Pass.READ, *, said: str = ""
) -> dict[int, int]:
    """The speed of each zone in bytes a second, from fio's output; without those that were not done to their end.

    Args:
        said: what it printed besides, for the error.

    Raises:
        StepFailed: it has no complete document about ``pieces``.
    """
    try:
        jobs = read_jobs(output)
    except StepFailed as error:
        raise StepFailed(f"{error}: {harmless(said)}" if said else str(error)) from error
    if len(jobs) != len(pieces):
        raise StepFailed(f"fio reported {len(jobs)} jobs instead of {len(pieces)}")
    moved: dict[int, tuple[int, float]] = {}
    whole: dict[int, bool] = {}
    for piece, job in zip(pieces, jobs, strict=True):
        way = job.write if what in {Pass.WRITE, Pass.BLANK} else job.read
        count, milliseconds = moved.get(piece.zone, (0, 0.0))
        moved[piece.zone] = (count + bytes_of(way), milliseconds + (way.runtime or 0.0))
        whole[piece.zone] = whole.get(piece.zone, True) and bytes_of(way) == piece.size
    return {
        zone: round(1000 * count / milliseconds)
        for zone, (count, milliseconds) in moved.items()
        if whole[zone] and milliseconds
    }


def blocks_of(faults: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The single blocks of ranges of faults, as offset and length."""
    for offset, length in faults:
        for start in range(offset, offset + length, BLOCK):
            yield start, min(BLOCK, offset + length - start)
