"""Read md's superblock and bitmap superblock on a member, for what sysfs does not show.

Layout from include/uapi/linux/raid/md_p.h (struct mdp_superblock_1) and drivers/md/md-bitmap.h
(struct bitmap_super_s); all numbers are little-endian. For version 0.90 see `raidtui.machine.md.superblock_old`.
"""

import errno
import mmap
import os
import struct
import uuid
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.machine.contents import btrfs_superblock
from raidtui.machine.contents.inner_begins import begins_here, inner_begins
from raidtui.machine.md.superblock_old import BITMAP, has_bitmap, parse, place
from raidtui.machine.tree import Tree
from raidtui.model.superblock import Superblock
from raidtui.model.units import SECTOR

_MAGIC: Final = 0xA92B4EFC
_BITMAP_MAGIC: Final = b"bitm"
_LOCKLESS: Final = 6  # BITMAP_MAJOR_LOCKLESS
_HAS_BITMAP: Final = 1
_RECOVERY_OFFSET: Final = 2  # MD_FEATURE_RECOVERY_OFFSET
_REBUILDING: Final = _RECOVERY_OFFSET | 16  # and MD_FEATURE_REPLACEMENT
_RESHAPING: Final = 4  # MD_FEATURE_RESHAPE_ACTIVE
_JOURNAL: Final = 512  # MD_FEATURE_JOURNAL
_LOGGED: Final = _JOURNAL | 2048 | 4096  # and MD_FEATURE_PPL, _MULTIPLE_PPLS
_RAID0_LAYOUT: Final = 4096  # MD_FEATURE_RAID0_LAYOUT: without it, what stands there means nothing
_LEVELS: Final = {-1: "linear", 0: "raid0", 1: "raid1", 4: "raid4", 5: "raid5", 6: "raid6", 10: "raid10"}
_GROWS: Final = frozenset({4, 5, 6, 10})  # as they are; RAID0 becomes RAID4 on the way
_PAGE: Final = 4096
_JOURNAL_ROLE: Final = b"\xfd\xff"  # MD_DISK_ROLE_JOURNAL
_ROLES: Final = 256  # offset of the device roles, two bytes each
_IN_SYNC: Final = (1 << 64) - 1  # MaxSector: nothing is left to resync
_BITMAP_BYTES: Final = 40  # of the bitmap's superblock, as far as it is read
_VERSIONS: Final = ("1.2", "1.1", "1.0", "0.90")  # of metadata, in the order in which they are looked for
_MOST_ACTIVE: Final = 0xFF00  # MD_DISK_ROLE_MAX: a role above it is a spare, a failed member or a journal


def read_superblock(tree: Tree, path: str, metadata: str, size_bytes: int) -> Superblock | None:
    """Read the superblock of the member ``path``; ``None`` if there is none or it cannot be read (without root)."""
    start = place_of(metadata, size_bytes)
    if start is None:
        return None
    raw = _read(tree.path(path), start)
    if metadata == "0.90":
        bitmap = _bitmap(tree.path(path), start + BITMAP) if has_bitmap(raw) else _Bitmap()
        found = parse(raw, path=path, levels=_LEVELS, cleared=bitmap.cleared, data_bytes=start)
        return found and replace(found, bitmap_damaged=bitmap.damaged)
    if len(raw) < 256 or struct.unpack_from("<I", raw)[0] != _MAGIC:
        return None
    features, level, layout, raid_disks = (struct.unpack_from("<i", raw, at)[0] for at in (8, 72, 76, 92))
    bitmap = _Bitmap()
    if features & _HAS_BITMAP:
        bitmap = _bitmap(tree.path(path), start + struct.unpack_from("<i", raw, 96)[0] * SECTOR)
    new_level, delta, new_layout, new_chunk = (
        struct.unpack_from("<i", raw, at)[0] for at in (100, 112, 116, 120)
    )
    stays = (new_level, new_layout, new_chunk) == (level, layout, struct.unpack_from("<i", raw, 88)[0])
    roles = _roles(raw)
    number = struct.unpack_from("<I", raw, 160)[0]
    return Superblock(
        path=path,
        metadata=metadata,
        uuid=str(uuid.UUID(bytes=raw[16:32])),
        device=str(uuid.UUID(bytes=raw[168:184])) if any(raw[168:184]) else "",
        name=raw[32:64].partition(b"\0")[0].decode(errors="replace"),
        level=_LEVELS.get(level, ""),
        layout=layout if level or features & _RAID0_LAYOUT else 0,
        raid_disks=raid_disks,
        created=struct.unpack_from("<Q", raw, 64)[0] & (1 << 40) - 1,
        events=struct.unpack_from("<Q", raw, 200)[0],
        bitmap_cleared=bitmap.cleared,
        bitmap_damaged=bitmap.damaged,
        lockless=bitmap.lockless,
        sector_bytes=struct.unpack_from("<I", raw, 224)[0],
        rebuilding=bool(features & _REBUILDING),
        synced_bytes=_synced(raw, features, level),
        reshaping=bool(features & _RESHAPING),
        adds_members=bool(features & _RESHAPING) and stays and delta > 0 and level in _GROWS,
        clean=struct.unpack_from("<Q", raw, 208)[0] == _IN_SYNC,
        journal=bool(features & _JOURNAL),
        is_journal=raw[_ROLES + 2 * number : _ROLES + 2 * number + 2] == _JOURNAL_ROLE,
        logged=bool(features & _LOGGED),
        slot=roles[number] if number < len(roles) else None,
        chunk_bytes=struct.unpack_from("<I", raw, 88)[0] * SECTOR,
        component_bytes=struct.unpack_from("<Q", raw, 80)[0] * SECTOR,
        data_offset_bytes=struct.unpack_from("<Q", raw, 128)[0] * SECTOR,
        data_bytes=struct.unpack_from("<Q", raw, 136)[0] * SECTOR,
        active=tuple(sorted({role for role in roles if role is not None})),
    )


def _synced(raw: bytes, features: int, level: int) -> int:
    """recovery_offset of the member, else resync_offset, which RAID10 counts on the array."""
    if features & _RECOVERY_OFFSET:
        return int(struct.unpack_from("<Q", raw, 152)[0]) * SECTOR
    reached = int(struct.unpack_from("<Q", raw, 208)[0])
    return reached * SECTOR if level != 10 and reached < struct.unpack_from("<Q", raw, 80)[0] else 0


def _roles(raw: bytes) -> list[int | None]:
    """The slot of each device number; None for a spare, a failed member or a journal."""
    most = (len(raw) - _ROLES) // 2
    count = min(struct.unpack_from("<I", raw, 220)[0], most)
    roles = struct.unpack_from(f"<{count}H", raw, _ROLES)
    return [role if role < _MOST_ACTIVE else None for role in roles]


class _Bitmap(NamedTuple):
    """The superblock of a bitmap, as far as it is read."""

    cleared: int | None = None  # event count when a bit was last cleared; None: not known
    lockless: bool = False
    damaged: bool = False  # it could be read, and there is none where it should be


def _bitmap(path: str, start: int) -> _Bitmap:
    raw = _read(path, start)
    if len(raw) < _BITMAP_BYTES:  # a damaged offset may lead to the device's end
        return _Bitmap()
    if not raw.startswith(_BITMAP_MAGIC):
        return _Bitmap(damaged=True)
    version, cleared = struct.unpack_from("<I", raw, 4)[0], struct.unpack_from("<Q", raw, 32)[0]
    return _Bitmap(cleared, version == _LOCKLESS)


def place_of(metadata: str, size_bytes: int) -> int | None:
    """The offset of the superblock in bytes; None for metadata that is not known (super_1_load() in drivers/md/md.c)."""
    places = {
        "1.0": (size_bytes // SECTOR - 16 & ~7) * SECTOR,
        "1.1": 0,
        "1.2": 4096,
        "0.90": place(size_bytes),
    }
    start = places.get(metadata)
    return start if start is not None and start >= 0 else None


def _read(path: str, start: int) -> bytes:
    """Read one page at ``start``; empty if it cannot be read.

    md writes superblocks past the page cache, so they are read with O_DIRECT.
    """
    for direct in (os.O_DIRECT, 0):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | direct)
        except OSError as error:
            if direct and error.errno == errno.EINVAL:
                continue  # an image in a filesystem without O_DIRECT
            return b""
        try:
            with mmap.mmap(-1, _PAGE) as page:  # aligned, as O_DIRECT requires
                return page[: os.preadv(fd, [page], start)]
        except OSError:
            return b""
        finally:
            os.close(fd)
    return b""


def are_readable(tree: Tree, path: str, *, size_bytes: int) -> bool:
    """Whether every place for a superblock on ``path`` can be read: one that is not found there is not there."""
    places = (place_of(one, size_bytes) for one in _VERSIONS)
    return all(_read(tree.path(path), place) for place in places if place is not None)


def find_superblock(tree: Tree, path: str, size_bytes: int) -> Superblock | None:
    """Read the superblock at ``path``, wherever it is on the device; ``None`` if there is none."""
    found = next(filter(None, (read_superblock(tree, path, one, size_bytes) for one in _VERSIONS)), None)
    if found is None or found.level != "raid1" or found.slot is None:
        return found
    return replace(found, head=read_head(tree, path, found.data_offset_bytes))


def read_head(tree: Tree, path: str, data_offset_bytes: int) -> str:
    """A checksum of where the filesystem on a member of a mirror begins; empty if it cannot be read.

    Of a Btrfs that is its superblock. Another page there may be swap, which differs without harm. In a partition table
    or a volume group, the first filesystems count too.
    """
    pages = [_read(tree.path(path), data_offset_bytes + place) for place in (0, btrfs_superblock.PLACE)]
    if not all(pages):
        return ""
    if not pages[1].startswith(btrfs_superblock.MAGIC, 64):
        del pages[1]
    inside = {one: _read(tree.path(path), data_offset_bytes + one) for one in inner_begins(pages[0])}
    if not all(inside.values()):
        return ""
    pages += [page for place, page in inside.items() if begins_here(place, page)]
    import hashlib  # it loads OpenSSL, and only members of mirrors have a head to compare

    return hashlib.sha256(b"".join(pages)).hexdigest()[:16]
