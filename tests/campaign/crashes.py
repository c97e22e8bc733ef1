"""Disks as a power cut leaves them, from the record of a run.

A crash is at a flush, just before it ends. What each disk had flushed is there; of the later writes any part may be:
with seed 0 all of them, with another seed each one by the throw of a coin.
"""

import ctypes
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from tests.campaign.recorder import DISCARD, FLUSH, WRITE, Record

PUNCH = 3  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
_MARK = b"RAIDTUI-MARK"
_BLOCK = 512

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_longlong, ctypes.c_longlong]


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded run of a scenario, in a folder of its own."""

    scenario: str
    sizes: dict[str, int]
    """The disks by file name, in order, with their sizes in bytes."""
    records: tuple[Record, ...]
    begin: int
    """Records before the run, which only prepared it; all of them are on the disks."""
    files: dict[str, tuple[str, str]]
    """Files of /etc before and after the run."""
    marks: int
    """The disk's number that marks are written to, which is no part of a crash."""
    facts: dict[str, str]
    """What the scenario noted before the run, such as the checksum of its data."""

    @property
    def points(self) -> list[int]:
        """The places of all flushes that change what is on the disks; the last is the end of the run."""
        found, changed = [], True
        for place, one in enumerate(self.records[self.begin :], self.begin):
            changed |= one.kind != FLUSH and one.disk != self.marks
            if one.kind == FLUSH and changed:
                found.append(place)
                changed = False
        return [*found, len(self.records)]


class Disks:
    """The disks at one place of a recording, which only moves on.

    Args:
        data: the file with the recorded bytes.
        folder: an empty folder for the disks as flushed.
    """

    def __init__(self, recording: Recording, data: Path, folder: Path) -> None:
        self._recording = recording
        self._data = data.open("rb")
        self._names = list(recording.sizes)
        self._files = [_create(folder / name, size) for name, size in recording.sizes.items()]
        self._folder = folder
        self._at = 0
        self._waiting: list[list[Record]] = [[] for _ in self._names]
        self.accepted = 0
        """The last mark: 1 for a job that was accepted, plus the entries of its journal."""
        self.move(recording.begin)
        for disk in range(len(self._names)):
            self._flush(disk)

    def move(self, place: int) -> None:
        """Move to a place of the recording; all before it has reached the disks, flushed or not."""
        assert place >= self._at
        for one in self._recording.records[self._at : place]:
            if one.kind == FLUSH:
                self._flush(one.disk)
            else:
                self._waiting[one.disk].append(one)
            if one.disk == self._recording.marks and one.kind == WRITE and one.at >= 0:
                text = os.pread(self._data.fileno(), _BLOCK, one.at)
                if text.startswith(_MARK):
                    self.accepted = int(text[len(_MARK) :].split(b"\0")[0])
        self._at = place

    def _flush(self, disk: int) -> None:
        self._apply(self._files[disk], self._waiting[disk])
        self._waiting[disk].clear()

    def crash(self, seed: int, target: Path) -> None:
        """Write the disks as they are after a crash here to a folder."""
        dice = random.Random(f"{self._at} {seed}")
        for name, file, waiting in zip(self._names, self._files, self._waiting, strict=True):
            kept = [one for one in waiting if seed == 0 or dice.random() < 0.5]
            with _create(target / name, self._recording.sizes[name]) as copy:
                copy_data(file, copy)
                self._apply(copy, kept)

    def _apply(self, file: IO[bytes], records: Sequence[Record]) -> None:
        for one in records:
            if one.kind == DISCARD or one.at < 0:
                if libc.fallocate(file.fileno(), PUNCH, one.offset, one.length):
                    raise OSError(ctypes.get_errno(), "fallocate")
            else:
                os.pwrite(file.fileno(), os.pread(self._data.fileno(), one.length, one.at), one.offset)

    def close(self) -> None:
        """Close all files."""
        for file in (self._data, *self._files):
            file.close()


def _create(path: Path, size: int) -> IO[bytes]:
    file = path.open("w+b", buffering=0)
    os.ftruncate(file.fileno(), size)
    return file


def extents(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Where the file has data: begin and end, in bytes."""
    end, size = 0, os.fstat(file.fileno()).st_size
    while end < size:
        try:
            begin = os.lseek(file.fileno(), end, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
        yield begin, end


def copy_data(source: IO[bytes], target: IO[bytes]) -> None:
    """Copy the data of a sparse file into an empty one of the same size."""
    for begin, end in extents(source):
        done = begin
        while done < end:
            piece = os.pread(source.fileno(), min(end - done, 1 << 22), done)
            done += os.pwrite(target.fileno(), piece, done)


def same_bytes(one: Path, other: Path) -> bool:
    """Whether two sparse files have the same content."""
    with one.open("rb") as first, other.open("rb") as second:
        if os.fstat(first.fileno()).st_size != os.fstat(second.fileno()).st_size:
            return False
        for begin, end in sorted({*extents(first), *extents(second)}):
            for at in range(begin, end, 1 << 22):
                count = min(end - at, 1 << 22)
                if os.pread(first.fileno(), count, at) != os.pread(second.fileno(), count, at):
                    return False
    return True
