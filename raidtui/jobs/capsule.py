"""The recovery capsule: every byte that the wipe and the partitioning will overwrite, saved off the disks.

    capsule/SERIAL/disk.json     the disk, and the saved regions, each with its SHA-256
    capsule/SERIAL/12345678.raw  the bytes from that offset of the whole disk
    capsule/SERIAL/*.txt, *.json partition table, signatures, md superblocks and SMART, as printed by their tools

The .raw files and the index are enough to restore a disk; the rest is for people.
"""

import errno
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from raidtui.jobs.blockdev import forget_cache, reread_partitions, write_at
from raidtui.jobs.disk_contents import describe_signatures
from raidtui.jobs.durable import make_folder, write_file, write_pieces
from raidtui.machine.devices import opened, pieces_at, read_at
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk
from raidtui.model.plan import Extent
from raidtui.model.struct import Record, from_json, to_json
from raidtui.model.text import count_of
from raidtui.model.units import MIB, binary

INDEX: Final = "disk.json"
END_BYTES: Final = MIB  # saved at each end of the disk and of every partition, old and new
_WRITTEN_WHOLE: Final = 16 * MIB  # a longer extent in a plan is a partition
_AROUND_SIGNATURE: Final = 64 * 1024
_TABLE: Final = 32 * 1024  # at each end: a GPT has 34 sectors of 512 bytes or 6 of 4096
_GRAIN: Final = 4096  # regions are aligned to this, or end with the disk


class Region(Record, frozen=True, kw_only=True):
    """A saved range of a disk, in bytes."""

    offset: int
    length: int
    sha256: str


class DiskCapsule(Record, frozen=True, kw_only=True):
    """The index of the capsule of one disk."""

    identity: str
    serial: str
    wwn: str
    model: str
    size_bytes: int
    saved_at: str  # ISO 8601, UTC
    signatures: tuple[str, ...]  # in the form of `describe_signatures`
    regions: tuple[Region, ...]


def regions_to_save(disk: Disk, planned: Iterable[Extent]) -> tuple[Extent, ...]:
    """The regions of ``disk`` to save so that it can be restored byte for byte.

    Each extent in ``planned`` (of a long one, which is a new partition, only the ends, as only these are written),
    both ends of the disk and of each existing partition, and the surroundings of every signature.
    """
    planned = tuple(planned)
    wanted = [(one.offset, one.end) for one in planned if one.length <= _WRITTEN_WHOLE]
    whole = Extent(offset=0, length=disk.size_bytes)
    partitions = [Extent(offset=p.start_bytes, length=p.size_bytes) for p in disk.partitions]
    for one in (whole, *partitions, *planned):
        wanted.append((one.offset, one.offset + END_BYTES))
        wanted.append((one.end - END_BYTES, one.end + END_BYTES))
    places = [signature.offset for signature in disk.signatures]
    places += [p.start_bytes + signature.offset for p in disk.partitions for signature in p.signatures]
    wanted += [(place - _AROUND_SIGNATURE, place + _AROUND_SIGNATURE) for place in places]
    return _merged(wanted, disk.size_bytes)


def _merged(wanted: Sequence[tuple[int, int]], size: int) -> tuple[Extent, ...]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(wanted):
        begin = max(0, first) // _GRAIN * _GRAIN
        end = min(size, -(-last // _GRAIN) * _GRAIN)
        if begin >= end:
            continue
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return tuple(Extent(offset=begin, length=end - begin) for begin, end in merged)


def save(folder: Path, disk: Disk, planned: Iterable[Extent], texts: Callable[[], dict[str, str]]) -> str:
    """Save ``disk`` into its own folder under ``folder``; return what was saved, in words.

    A complete capsule is kept: a second save, after an interruption, must not replace it.

    Args:
        texts: returns the tools' output about the disk, by file name; called only if a capsule is made.

    Raises:
        StepFailed: the disk cannot be read.
    """
    place = folder_of(folder, disk.identity)
    if (place / INDEX).exists():
        return f"the capsule of {disk.identity} is already complete"
    make_folder(place)
    with ExitStack() as stack:
        with _readable(disk):
            forget_cache(disk.path)
            fd = stack.enter_context(opened(disk.path, os.O_RDONLY))
        regions = tuple(_save_region(place, disk, fd, extent) for extent in regions_to_save(disk, planned))
    for name, text in texts().items():
        write_file(place / name, text.encode())
    index = DiskCapsule(
        identity=disk.identity,
        serial=disk.serial,
        wwn=disk.wwn,
        model=disk.model,
        size_bytes=disk.size_bytes,
        saved_at=datetime.now(UTC).isoformat(timespec="seconds"),
        signatures=describe_signatures(disk),
        regions=regions,
    )
    # Written last: a capsule without an index is incomplete.
    write_file(place / INDEX, to_json(index).encode())
    total = sum(region.length for region in regions)
    return f"saved {binary(total)} of {disk.identity} in {count_of(regions, 'region')} to {place}"


def restore(folder: Path, disk: Disk, *, ours: frozenset[str]) -> str:
    """Write the saved bytes back to ``disk`` and verify them; return what was done, in words.

    Args:
        ours: signatures, in the form of `describe_signatures`, that this job may have put there.

    Raises:
        Refused: there is no complete capsule of this disk, it is a different disk, or something else is on it now.
        StepFailed: the disk cannot be written, or verification failed.
    """
    index, contents = _read_back(folder, disk)
    foreign = [one for one in describe_signatures(disk) if one not in {*index.signatures, *ours}]
    if foreign:
        raise Refused(
            f"{disk.identity} now has {', '.join(foreign)} on it, which this job did not put there; "
            f"its capsule is kept in {folder_of(folder, disk.identity)}"
        )
    _check_untouched(folder, disk, contents)
    try:
        # What udev has made of the disk meanwhile, or a person, holds it: nothing is written below that.
        with opened(disk.path, os.O_RDWR | os.O_EXCL) as fd:
            for offset, content in contents:
                write_at(fd, offset, content)
            os.fsync(fd)
        forget_cache(disk.path)
        with opened(disk.path, os.O_RDONLY) as fd:
            wrong = [offset for offset, content in contents if read_at(fd, offset, len(content)) != content]
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise Refused(
                f"{disk.identity} ({disk.path}) is in use now, so nothing was written to it; free it ('raidtui inspect' says how) and "
                "try again"
            ) from error
        raise StepFailed(f"{disk.identity} ({disk.path}) cannot be restored: {error.strerror}") from error
    if wrong:
        raise StepFailed(f"{disk.identity} does not hold what was restored at byte {wrong[0]:,}")
    reread_partitions(disk.path)
    total = sum(region.length for region in index.regions)
    return f"restored {binary(total)} of {disk.identity} as of {index.saved_at}"


def check_untouched(folder: Path, disk: Disk) -> None:
    """Check that only the job wrote to the saved regions: data without a signature counts as well.

    Until the array is created, a job only writes zeros and a partition table, so every byte in these regions is the
    saved one, or zero, or in a partition table.

    Raises:
        Refused: a byte is something else, or there is no complete capsule of this disk.
        StepFailed: the disk cannot be read.
    """
    _, contents = _read_back(folder, disk)
    _check_untouched(folder, disk, contents)


def _check_untouched(folder: Path, disk: Disk, contents: Sequence[tuple[int, bytes]]) -> None:
    with _readable(disk):
        forget_cache(disk.path)
        with opened(disk.path, os.O_RDONLY) as fd:
            for offset, saved in contents:
                place = first_foreign(read_at(fd, offset, len(saved)), saved, offset, disk.size_bytes)
                if place is not None:
                    raise Refused(
                        f"{disk.identity} ({disk.path}) was written to at byte {place:,}, and not by this job: something "
                        f"else uses it now; its capsule is kept in {folder_of(folder, disk.identity)}"
                    )


def first_foreign(now: bytes, saved: bytes, offset: int, size: int) -> int | None:
    """The offset on a disk of ``size`` bytes of the first byte that is not the saved one, zero, or part of a GPT."""
    for start in range(0, len(saved), _GRAIN):
        old, new = saved[start : start + _GRAIN], now[start : start + _GRAIN]
        place = offset + start
        in_table = place < _TABLE or place + len(new) > size - _TABLE
        if in_table or new == old or not new.strip(b"\0"):
            continue
        for index, (one, other) in enumerate(zip(new, old, strict=True)):
            if one not in (other, 0):
                return place + index
    return None


def _read_back(folder: Path, disk: Disk) -> tuple[DiskCapsule, list[tuple[int, bytes]]]:
    """Read the capsule of ``disk``: its index, and the saved bytes by offset."""
    place = folder_of(folder, disk.identity)
    if not (place / INDEX).exists():
        raise Refused(f"there is no complete recovery capsule of {disk.identity} in {folder}")
    index = from_json((place / INDEX).read_bytes(), DiskCapsule, origin=str(place / INDEX))
    if (index.serial, index.wwn, index.size_bytes) != (disk.serial, disk.wwn, disk.size_bytes):
        raise Refused(
            f"{disk.path} is not the disk {index.identity}, to which the capsule in {place} belongs"
        )
    return index, [(region.offset, _saved(place, region)) for region in index.regions]


def folder_of(folder: Path, identity: str) -> Path:
    """The folder of the capsule of one disk, with a safe and unique name."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", identity).strip(".")
    if not safe or safe != identity:
        safe += "-" + hashlib.sha256(identity.encode()).hexdigest()[:8]
    return folder / safe


@contextmanager
def _readable(disk: Disk) -> Iterator[None]:
    """Turn a read error inside into one that names ``disk``."""
    try:
        yield
    except OSError as error:
        raise StepFailed(
            f"{disk.identity} ({disk.path}) cannot be read: {error.strerror}; nothing was written to it"
        ) from error


def _save_region(place: Path, disk: Disk, fd: int, extent: Extent) -> Region:
    digest = hashlib.sha256()

    def pieces() -> Iterator[memoryview]:
        reading = pieces_at(fd, extent.offset, extent.length)
        while True:
            with _readable(disk):  # only the reading, not writing the file
                piece = next(reading, None)
            if piece is None:
                return
            digest.update(piece)
            yield piece

    write_pieces(place / f"{extent.offset}.raw", pieces())
    return Region(offset=extent.offset, length=extent.length, sha256=digest.hexdigest())


def _saved(place: Path, region: Region) -> bytes:
    path = place / f"{region.offset}.raw"
    content = path.read_bytes() if path.exists() else b""
    if len(content) != region.length or hashlib.sha256(content).hexdigest() != region.sha256:
        raise Refused(
            f"the capsule is damaged: {path} does not hold the bytes that were saved; nothing was written. "
            "Only 'raidtui resume', which finishes the job, is possible"
        )
    return content
