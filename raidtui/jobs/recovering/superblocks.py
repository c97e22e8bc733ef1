"""Keep the superblocks of the members of an array before it is started by force, and put them back if it was not written.

Kept is both ends of each member, which have the superblock, the bitmap and the list of bad blocks of every version of
the metadata. A forced start writes nowhere else until the first write to the array.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from raidtui.jobs.blockdev import forget_cache, write_at
from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering.freeing import free
from raidtui.machine.devices import device_number, opened, read_at
from raidtui.machine.superblock import find_superblock
from raidtui.machine.textfile import read_bounded
from raidtui.machine.tree import HERE
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.recovery import KEPT_FILE, KEPT_LINE, Source
from raidtui.model.struct import Bytes, Record, from_json, to_json
from raidtui.model.superblock import Superblock
from raidtui.model.text import harmless
from raidtui.model.units import MIB

INDEX: Final = "superblocks.json"
STATE: Final = KEPT_FILE
_END: Final = 4 * MIB  # kept of each end of a member
_LARGEST: Final = 1 << 20
_UNWRITTEN: Final = frozenset({"read-auto", "readonly", "inactive", "clear"})  # array_state, md(4)


class KeptRegion(Record, frozen=True, kw_only=True):
    """A range of a member, in the file ``name``."""

    name: str
    offset: Bytes
    length: Bytes
    sha256: str


class KeptMember(Record, frozen=True, kw_only=True):
    """A member as it was."""

    path: str  # a stable one
    size_bytes: Bytes
    uuid: str  # of the array
    device: str  # UUID of the member; empty where superblocks have none
    events: int
    regions: tuple[KeptRegion, ...]


class KeptSuperblocks(Record, frozen=True, kw_only=True):
    """The index of a folder."""

    members: tuple[KeptMember, ...]


def keep(folder: Path, paths: Sequence[str]) -> str:
    """Save both ends of each member in ``folder``; return what was saved. What is there already is kept.

    Raises:
        StepFailed: one cannot be read, or has no superblock.
    """
    if (folder / INDEX).exists():
        write_file(folder / STATE, f"{KEPT_LINE}\n".encode())
        return f"the superblocks are in {folder} already"
    make_folder(folder)
    members = []
    for number, path in enumerate(paths):
        found, size = _superblock(path)
        regions = []
        with opened(path, os.O_RDONLY) as fd:
            for offset in dict.fromkeys((0, max(0, size - _END) // 4096 * 4096)):
                length = min(_END, size - offset)
                raw = _read(path, fd, offset, length)
                name = f"{number}-{offset}.raw"
                write_file(folder / name, raw)
                digest = hashlib.sha256(raw).hexdigest()
                regions.append(KeptRegion(name=name, offset=offset, length=length, sha256=digest))
        members.append(
            KeptMember(
                path=path,
                size_bytes=size,
                uuid=found.uuid,
                device=found.device,
                events=found.events,
                regions=tuple(regions),
            )
        )
    # Written last: a folder without an index is incomplete.
    write_file(folder / INDEX, to_json(KeptSuperblocks(members=tuple(members))).encode())
    write_file(folder / STATE, f"{KEPT_LINE}\n".encode())
    return f"the superblocks of {len(members)} members are in {folder}"


def put_back(folder: Path) -> str:
    """Stop the array and write the kept bytes back to every member; return what was done.

    Raises:
        Refused: something may have been written to the array since, it is in use, a member is another one or is not here,
            or what was kept is not complete.
        StepFailed: a member cannot be written.
    """
    try:
        raw = read_bounded(folder / INDEX, most=_LARGEST)
    except FileNotFoundError as error:
        raise Refused(f"no superblocks are kept in {harmless(str(folder))}") from error
    except OSError as error:
        raise Refused(
            f"the superblocks in {harmless(str(folder))} cannot be read: {error.strerror}"
        ) from error
    kept = from_json(raw, KeptSuperblocks, origin=str(folder / INDEX)).members
    if not kept:
        raise Refused(f"no superblocks are kept in {harmless(str(folder))}")
    contents = {one.path: [(each.offset, _kept(folder, each)) for each in one.regions] for one in kept}
    newest = max(one.events for one in kept)
    for one in kept:
        found, size = _superblock(one.path)
        if (found.uuid, found.device, size) != (one.uuid, one.device, one.size_bytes):
            raise Refused(f"{one.path} is not the member whose superblock was kept")
        if found.events > newest:
            raise Refused(
                f"{one.path} was written to since: its superblock has {found.events:,} events, and the newest that was kept has "
                f"{newest:,}. The old superblocks would not fit its data"
            )
        _check_array(one.path)
    free([Source(name=one.path, path=one.path, size_bytes=one.size_bytes) for one in kept], stop=True)
    for one in kept:
        try:
            with opened(one.path, os.O_RDWR) as fd:
                for offset, content in contents[one.path]:
                    write_at(fd, offset, content)
                os.fsync(fd)
            forget_cache(one.path)
            with opened(one.path, os.O_RDONLY) as fd:
                right = all(read_at(fd, at, len(content)) == content for at, content in contents[one.path])
        except OSError as error:
            raise StepFailed(f"{one.path} cannot be written: {error.strerror}") from error
        if not right:
            raise StepFailed(f"{one.path} does not hold what was put back")
    (folder / STATE).unlink(missing_ok=True)
    return f"the superblocks of {len(kept)} members are as they were"


def _check_array(path: str) -> None:
    """Check that the array that has this member, if one does, has taken no write since it was started.

    Raises:
        Refused: it takes writes, or something else has the member.
    """
    holders = Path(f"/sys/dev/block/{device_number(path)}/holders")
    for holder in sorted(os.listdir(holders)) if holders.is_dir() else ():
        state = Path(f"/sys/block/{holder}/md/array_state")
        now = state.read_text().strip() if state.exists() else "no array"
        if now not in _UNWRITTEN:
            raise Refused(
                f"/dev/{holder}, which has {path}, is {now}: it may have been written to since it was started"
            )


def _superblock(path: str) -> tuple[Superblock, int]:
    number = device_number(path)
    try:
        size = int(Path(f"/sys/dev/block/{number}/size").read_text()) * 512
    except OSError as error:
        raise StepFailed(f"{path} is not here") from error
    forget_cache(path)
    found = find_superblock(HERE, path, size)
    if found is None:
        raise StepFailed(f"no superblock of an array can be read from {path}")
    return found, size


def _read(path: str, fd: int, offset: int, length: int) -> bytes:
    try:
        return read_at(fd, offset, length)
    except OSError as error:
        raise StepFailed(f"{path} cannot be read at byte {offset:,}: {error.strerror}") from error


def _kept(folder: Path, region: KeptRegion) -> bytes:
    try:
        content = (folder / region.name).read_bytes()
    except OSError as error:
        raise Refused(f"{region.name} of what was kept cannot be read: {error.strerror}") from error
    if len(content) != region.length or hashlib.sha256(content).hexdigest() != region.sha256:
        raise Refused(f"{region.name} does not hold the bytes that were kept; nothing was written")
    return content
