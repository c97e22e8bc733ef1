"""Ranges of members that are kept in a folder before something writes to them, and written back from it."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from raidtui.jobs.blockdev import forget_cache, write_at
from raidtui.jobs.durable import write_file
from raidtui.machine.devices import opened, read_at
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.struct import Bytes, Record, from_json
from raidtui.model.text import harmless

_LARGEST: Final = 1 << 20  # of an index

Index = TypeVar("Index", bound=Record)


class KeptRegion(Record, frozen=True, kw_only=True):
    """A range of a member, in the file ``name``."""

    name: str
    offset: Bytes
    length: Bytes
    sha256: str


def save(folder: Path, number: int, path: str, ranges: Iterable[tuple[int, int]]) -> tuple[KeptRegion, ...]:
    """Save ranges, each offset and length, of the member ``path``, the one with ``number``.

    Raises:
        StepFailed: it cannot be read.
    """
    regions = []
    with opened(path, os.O_RDONLY) as fd:
        for offset, length in ranges:
            try:
                raw = read_at(fd, offset, length)
            except OSError as error:
                raise StepFailed(f"{path} cannot be read at byte {offset:,}: {error.strerror}") from error
            name = f"{number}-{offset}.raw"
            write_file(folder / name, raw)
            digest = hashlib.sha256(raw).hexdigest()
            regions.append(KeptRegion(name=name, offset=offset, length=length, sha256=digest))
    return tuple(regions)


def read_index(folder: Path, name: str, of: type[Index]) -> Index:
    """The index of a folder. Raises Refused: there is none, or it cannot be read; BadInput: it is damaged."""
    try:
        raw = read_bounded(folder / name, most=_LARGEST)
    except FileNotFoundError as error:
        raise Refused(f"nothing is kept in {harmless(str(folder))}") from error
    except OSError as error:
        raise Refused(f"what is kept in {harmless(str(folder))} cannot be read: {error.strerror}") from error
    return from_json(raw, of, origin=str(folder / name))


def contents(folder: Path, regions: Iterable[KeptRegion]) -> list[tuple[int, bytes]]:
    """What was kept, each with its offset. Raises Refused: it is not complete."""
    return [(one.offset, _kept(folder, one)) for one in regions]


def write_back(path: str, kept: Sequence[tuple[int, bytes]]) -> None:
    """Write ranges to a member and read them again. Raises StepFailed: it does not hold them then."""
    try:
        with opened(path, os.O_RDWR) as fd:
            for offset, content in kept:
                write_at(fd, offset, content)
            os.fsync(fd)
        forget_cache(path)
        with opened(path, os.O_RDONLY) as fd:
            right = all(read_at(fd, at, len(content)) == content for at, content in kept)
    except OSError as error:
        raise StepFailed(f"{path} cannot be written: {error.strerror}") from error
    if not right:
        raise StepFailed(f"{path} does not hold what was put back")


def _kept(folder: Path, region: KeptRegion) -> bytes:
    try:
        content = (folder / region.name).read_bytes()
    except OSError as error:
        raise Refused(f"{region.name} of what was kept cannot be read: {error.strerror}") from error
    if len(content) != region.length or hashlib.sha256(content).hexdigest() != region.sha256:
        raise Refused(f"{region.name} does not hold the bytes that were kept; nothing was written")
    return content
