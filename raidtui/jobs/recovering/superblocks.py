"""Keep the superblocks of the members of an array before it is started by force, and put them back if it was not written.

Kept is both ends of each member, which have the superblock, the bitmap and the list of bad blocks of every version of
the metadata. A forced start writes nowhere else until the first write to the array.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from raidtui.jobs.blockdev import forget_cache
from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering.freeing import free
from raidtui.jobs.recovering.regions import KeptRegion, contents, read_index, save, write_back
from raidtui.machine.devices import device_number, opened, read_at
from raidtui.machine.md.superblock import find_superblock, place_of
from raidtui.machine.md.superblock_bytes import LENGTH, beginning_at, is_of_version_1
from raidtui.machine.tree import HERE
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.recovery import KEPT_FILE, KEPT_LINE, Source
from raidtui.model.struct import Bytes, Record, to_json
from raidtui.model.superblock import Superblock
from raidtui.model.text import harmless
from raidtui.model.units import MIB, SECTOR

INDEX: Final = "superblocks.json"
STATE: Final = KEPT_FILE
_END: Final = 4 * MIB  # kept of each end of a member
_UNWRITTEN: Final = frozenset({"read-auto", "readonly", "inactive", "clear"})  # array_state, md(4)


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
        begins = dict.fromkeys((0, max(0, size - _END) // 4096 * 4096))
        members.append(
            KeptMember(
                path=path,
                size_bytes=size,
                uuid=found.uuid,
                device=found.device,
                events=found.events,
                regions=save(folder, number, path, ((at, min(_END, size - at)) for at in begins)),
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
    kept = read_index(folder, INDEX, KeptSuperblocks).members
    if not kept:
        raise Refused(f"no superblocks are kept in {harmless(str(folder))}")
    saved = {one.path: contents(folder, one.regions) for one in kept}
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
        write_back(one.path, saved[one.path])
    (folder / STATE).unlink(missing_ok=True)
    return f"the superblocks of {len(kept)} members are as they were"


def begin_at(sectors: Mapping[str, int]) -> str:
    """Write into the superblock of each member at which sector its data begins; return what was done.

    Raises:
        Refused: a member is in an array, or its data does not fit there.
        StepFailed: one has no superblock of version 1, or cannot be written.
    """
    places = {}
    for path, sector in sectors.items():
        found, size = _superblock(path)
        if holders := _holders(path):
            raise Refused(f"/dev/{holders[0]} has {path}")
        begin, at = sector * SECTOR, place_of(found.metadata, size)
        if found.metadata == "0.90" or at is None:
            raise StepFailed(f"{path} has a superblock of version {found.metadata}, which says no place")
        most = at if at > begin else size
        if begin + found.component_bytes > most or at <= begin < at + LENGTH:
            raise Refused(f"the data of {path} does not fit at sector {sector:,}")
        places[path] = at
    for path, place in places.items():
        with opened(path, os.O_RDONLY) as fd:
            content = read_at(fd, place, LENGTH)
        if not is_of_version_1(content):
            raise StepFailed(f"{path} has no superblock of version 1")
        write_back(path, [(place, beginning_at(content, sectors[path]))])
    return f"{len(places)} superblocks say where the data begins"


def _holders(path: str) -> list[str]:
    """The names of the devices on it."""
    folder = Path(f"/sys/dev/block/{device_number(path)}/holders")
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def _check_array(path: str) -> None:
    """Check that the array that has this member, if one does, has taken no write since it was started.

    Raises:
        Refused: it takes writes, or something else has the member.
    """
    for holder in _holders(path):
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
