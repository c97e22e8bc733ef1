"""The journal of a job: JSON lines, each on disk before the next step starts.

One process appends, any number read or follow. A line counts once its newline is on disk; a line truncated by a
power cut is dropped.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from raidtui.jobs.durable import sync_folder
from raidtui.jobs.lock import is_locked
from raidtui.machine.own_files import named, open_own
from raidtui.machine.textfile import read_bounded
from raidtui.model.decode_errors import in_words
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.journal import Entry, Event, Outcome
from raidtui.model.struct import decode_json, decode_plain
from raidtui.model.units import MIB

FILE: Final = "journal.jsonl"
LOCK: Final = "lock"
RESERVE: Final = "reserve"  # space for the last entries if the filesystem fills up
RESERVE_BYTES: Final = 64 * 1024
_LAST_WORDS: Final = frozenset({Event.STEP_FAILED, Event.ENDED})
_LARGEST: Final = 64 * MIB
_LOOKS_PER_SECOND: Final = 4


class Journal:
    """The journal of the job in ``folder``, open for appending, by one process at a time."""

    def __init__(self, folder: Path) -> None:
        """Open or create the journal; drop a truncated last line."""
        self.folder: Final = folder
        self._path = path = folder / FILE
        is_new = not path.exists()
        self._fd = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with named(path):
            content = path.read_bytes()
            entries, good = _decode(content, origin=str(path))
            if good < len(content):
                os.ftruncate(self._fd, good)
            self._good = good  # bytes of whole lines
            self._seq = entries[-1].seq + 1 if entries else 0
            self.count = len(entries)
            self._waits = False
            os.fsync(self._fd)
        if is_new:
            sync_folder(folder)

    def append(
        self,
        event: Event,
        *,
        step: str = "",
        text: str = "",
        argv: Sequence[str] = (),
        returncode: int | None = None,
        accepted: bool = False,
        stdout: str = "",
        stderr: str = "",
        seconds: float | None = None,
        outcome: Outcome | None = None,
        exit_code: int | None = None,
        data: object = None,
    ) -> Entry:
        """Write one line; it is on disk when this returns (inside `together`: when that ends).

        ``data`` is any value that can be encoded as JSON.

        Raises:
            StepFailed: the line cannot be written, for example because the filesystem is full. No part of it is
                left, and the job's end can still be recorded in reserved space.
        """
        entry = Entry(
            seq=self._seq,
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            event=event,
            step=step,
            text=text,
            argv=tuple(argv),
            returncode=returncode,
            accepted=accepted,
            stdout=stdout,
            stderr=stderr,
            seconds=None if seconds is None else round(seconds, 3),
            outcome=outcome,
            exit_code=exit_code,
            data=msgspec.Raw(msgspec.json.encode(data)),
        )
        line = msgspec.json.encode(entry) + b"\n"
        try:
            self._write(line)
        except OSError as error:
            if event not in _LAST_WORDS or not self._reserve.exists():
                raise self._unwritten(error) from error
            try:
                self._reserve.unlink()
                self._write(line)
            except OSError as still:
                raise self._unwritten(still) from still
        self._good += len(line)
        self._seq += 1
        self.count += 1
        return entry

    def _write(self, line: bytes) -> None:
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(self._fd, left) :]
            if not self._waits:
                os.fsync(self._fd)
        except OSError:
            with suppress(OSError):  # on a filesystem that has become read-only
                os.ftruncate(self._fd, self._good)  # or the next line would be appended to a part of this one
            raise

    def _unwritten(self, error: OSError) -> StepFailed:
        return StepFailed(f"the journal {self._path} cannot be written: {error.strerror}")

    @property
    def _reserve(self) -> Path:
        return self._path.with_name(RESERVE)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Sync the lines appended inside only once, at the end: no action may happen between them."""
        self._waits = True
        try:
            yield
        finally:
            self._waits = False
            try:
                os.fsync(self._fd)
            except OSError as error:
                raise self._unwritten(error) from error

    def close(self) -> None:
        """Close the file, which is already synced."""
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_journal(folder: Path) -> tuple[Entry, ...]:
    """Read every entry of the journal in ``folder``; none if there is no journal yet.

    Raises:
        BadInput: a line other than the last cannot be read: the file is damaged, not just truncated.
    """
    path = folder / FILE
    try:
        content = read_bounded(path, most=_LARGEST)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadInput(f"the journal {path} cannot be read: {error.strerror}") from error
    return tuple(_decode(content, origin=str(path))[0])


def follow(folder: Path, *, stop: Callable[[], bool] = lambda: False) -> Iterator[Entry]:
    """Yield every entry from the first, and wait for more until the job's process is gone or ``stop()`` is true.

    Polls the size of the file four times a second, which costs one system call.

    Raises:
        StepFailed: the journal cannot be read any more, for example because its filesystem has failed.
    """
    path = folder / FILE
    seen = 0
    while not stop():
        try:
            # Checked before reading, so that nothing a job wrote before it ended is missed.
            runs = is_locked(folder / LOCK)
            content = _from(path, seen)
        except OSError as error:
            raise StepFailed(
                f"{error.filename or path} cannot be read any more: {error.strerror}. Whether the job still runs is not known"
            ) from error
        entries, good = _decode(content, origin=str(path))
        seen += good
        yield from entries
        if not runs:
            return
        time.sleep(1 / _LOOKS_PER_SECOND)


def _from(path: Path, start: int) -> bytes:
    """What ``path`` has from this byte on; nothing if it is not there, or not longer."""
    size = 0
    with suppress(FileNotFoundError):
        size = path.stat().st_size
    if size <= start:
        return b""
    with path.open("rb") as file:
        file.seek(start)
        return file.read()


def _decode(content: bytes, *, origin: str) -> tuple[list[Entry], int]:
    """The entries, and how many bytes of ``content`` they take; the rest is a truncated last line."""
    entries: list[Entry] = []
    good = 0
    lines = content.split(b"\n")
    cut = lines.pop()  # after the last newline: empty, or an incomplete line
    for number, line in enumerate(lines):
        try:
            entry = decode_json(line, Entry)
            decode_plain(entry.data)
            entries.append(entry)
        except msgspec.DecodeError as error:
            if number == len(lines) - 1 and not cut:
                break  # a last line whose blocks never reached the disk
            raise BadInput(
                f"{origin} is damaged in line {number + 1}: {in_words(str(error))}. "
                "Only its last line may be cut, unless a newer raidtui wrote it"
            ) from error
        good += len(line) + 1
    return entries, good


def data_of(entry: Entry) -> dict[str, object]:
    """The entry's ``data`` as a dictionary; empty if it has none."""
    found = decode_plain(entry.data)
    return found if isinstance(found, dict) else {}
