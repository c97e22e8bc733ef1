"""Read how an array lies on a member from its superblock, on a device or in an image.

Layout from include/uapi/linux/raid/md_p.h: struct mdp_superblock_1, little-endian, and mdp_superblock_s of version 0.90.
"""

import os
import struct

from raidtui.machine.devices import opened, read_at
from raidtui.machine.md.superblock import find_superblock, place_of
from raidtui.machine.md.superblock_old import words_of
from raidtui.machine.tree import HERE
from raidtui.model.recovery import Source
from raidtui.model.struct import Record
from raidtui.model.superblock import Superblock
from raidtui.model.units import KIB, SECTOR

_PAGE = 4096
_LEVELS = {-1: "linear", 0: "raid0", 1: "raid1", 4: "raid4", 5: "raid5", 6: "raid6", 10: "raid10"}


class Geometry(Record, frozen=True, kw_only=True):
    """Level, layout, chunk and number of members."""

    level: str  # empty: a number that is not known
    layout: int
    chunk_bytes: int
    disks: int


class Stored(Record, frozen=True, kw_only=True):
    """What the superblock of a member says. Offsets and sizes in bytes."""

    superblock: Superblock
    geometry: Geometry
    component_bytes: int  # used of each member; 0 where members may differ
    offset_bytes: int  # where its data begins
    data_bytes: int  # the room for data on this member
    new: Geometry | None = None  # of a reshape that was not finished: ``geometry`` is what it comes from
    new_offset_bytes: int = 0  # where the data of the new shape begins
    position_bytes: int = 0  # how far it has come, in bytes of the array
    backwards: bool = False  # it runs from the end of the array to its beginning


def read_stored(source: Source) -> Stored | None:
    """What the superblock on ``source`` says; None if there is none. Raises OSError: it cannot be read."""
    found = find_superblock(HERE, source.path, source.size_bytes)
    if found is None:
        with opened(source.path, os.O_RDONLY) as fd:
            read_at(fd, 0, _PAGE)  # a device that cannot be read has no answer, not the answer "none"
        return None
    place = place_of(found.metadata, source.size_bytes)
    assert place is not None, "it was read from there"
    with opened(source.path, os.O_RDONLY) as fd:
        raw = read_at(fd, place, _PAGE)
    return _old(raw, found) if found.metadata == "0.90" else _parse(raw, found)


def _parse(raw: bytes, found: Superblock) -> Stored:
    level, layout = struct.unpack_from("<ii", raw, 72)
    size, chunk, disks = struct.unpack_from("<QII", raw, 80)
    new_level, position, delta, new_layout, new_chunk, new_offset = struct.unpack_from("<iQiiIi", raw, 100)
    offset, data = struct.unpack_from("<QQ", raw, 128)
    now = Geometry(level=_LEVELS.get(level, ""), layout=layout, chunk_bytes=chunk * SECTOR, disks=disks)
    stored = Stored(
        superblock=found,
        geometry=now,
        component_bytes=size * SECTOR if level > 0 else 0,
        offset_bytes=offset * SECTOR,
        data_bytes=data * SECTOR,
    )
    if not found.reshaping:
        return stored
    # The superblock counts the members of the new shape, and everything else is of the old one.
    shifted = struct.unpack_from("<i", raw, 8)[0] & 64  # MD_FEATURE_NEW_OFFSET
    return Stored(
        superblock=found,
        geometry=Geometry(level=now.level, layout=layout, chunk_bytes=now.chunk_bytes, disks=disks - delta),
        component_bytes=stored.component_bytes,
        offset_bytes=stored.offset_bytes,
        data_bytes=stored.data_bytes,
        new=Geometry(
            level=_LEVELS.get(new_level, ""), layout=new_layout, chunk_bytes=new_chunk * SECTOR, disks=disks
        ),
        new_offset_bytes=(offset + (new_offset if shifted else 0)) * SECTOR,
        position_bytes=position * SECTOR,
        backwards=delta < 0 or bool(struct.unpack_from("<i", raw, 8)[0] & 32),  # MD_FEATURE_RESHAPE_BACKWARDS
    )


def _old(raw: bytes, found: Superblock) -> Stored:
    """Of version 0.90: the data begins at the beginning, and no reshape is understood."""
    words = words_of(raw)
    assert words is not None, "it was parsed before"
    level = words[7] - (1 << 32) if words[7] >> 31 else words[7]
    component = words[8] * KIB if level > 0 else 0
    return Stored(
        superblock=found,
        geometry=Geometry(
            level=_LEVELS.get(level, ""), layout=words[64], chunk_bytes=words[65], disks=words[10]
        ),
        component_bytes=component,
        offset_bytes=0,
        data_bytes=words[8] * KIB,
    )
