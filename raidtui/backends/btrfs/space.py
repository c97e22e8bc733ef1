"""Capacity of a multi-device Btrfs, computed by replaying its chunk allocator.

mkfs.btrfs makes the first chunks: it takes devices in reverse order, divides the size of a chunk by all its devices,
and leaves a hole on the first device (btrfs-progs 6.2, volumes.c, btrfs_alloc_chunk). The kernel makes all others: it
takes the devices with the most free space, in chunks of at most 1 GiB per disk (volumes.c, gather_device_info and
decide_stripe_size_regular). Up to 1 TiB in total this matches Linux 6.1 to the byte, from disks of 256 MiB on; of
equally full disks the kernel may take another, which costs at most one chunk. Above 1 TiB, many chunks are allocated in
one step, which stays within 0.1 % of replaying each, and the metadata for checksums is estimated: within 0.2 %. If the
metadata profile needs more devices than the data profile, the error is up to one chunk of metadata: the checksums of
1 TB.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Bytes, Record, Whole
from raidtui.model.units import GIB, KIB, MIB, TIB, both

_RESERVED: Final = MIB  # at the start of every device
_SECTOR: Final = 4 * KIB
# The chunks with which mkfs begins, on the first device: system, metadata and data. They are removed at the end, but
# for that of the data if its profile is single.
_TEMPORARY: Final = (4 * MIB, 8 * MIB, 8 * MIB)
_LEAST_METADATA: Final = 32 * MIB  # the smallest stripes that mkfs makes
_LEAST_DATA: Final = 64 * MIB
STRIPE_UNIT: Final = 64 * KIB
"""Bytes written to one device before the next, in striped profiles."""
EXACT_UP_TO: Final = TIB  # up to this total, every chunk is replayed
_MOST_DATA: Final = 10 * GIB  # in one chunk
_MANY_DEVICES: Final = 64  # above this, the remainder of each device's last chunk is negligible
_STEPS: Final = 16  # to fill larger filesystems, metadata before its data
_CHECKSUM_SHARE: Final = 1 / 1000  # crc32c: 4 bytes per 4096, plus the tree


class Profile(NamedTuple):
    """A profile, as the allocator sees it."""

    least: Whole  # devices
    most: Whole  # devices; 0: no limit
    step: Whole  # the number of devices is a multiple of it
    copies: Whole
    parity: Whole
    metadata: str  # the default metadata profile for this data profile

    @property
    def survives(self) -> int:
        """How many devices may fail without data loss, whichever they are."""
        return self.parity or self.copies - 1


PROFILES: Final = {
    "single": Profile(1, 1, 1, 1, 0, "raid1"),
    "raid0": Profile(1, 0, 1, 1, 0, "raid1"),
    "raid1": Profile(2, 2, 2, 2, 0, "raid1"),
    "raid1c3": Profile(3, 3, 3, 3, 0, "raid1c3"),
    "raid1c4": Profile(4, 4, 4, 4, 0, "raid1c4"),
    "raid10": Profile(2, 0, 2, 2, 0, "raid1"),
    "raid5": Profile(2, 0, 1, 1, 1, "raid1"),
    "raid6": Profile(3, 0, 1, 1, 2, "raid1c3"),
}


class BtrfsSpace(Record, frozen=True, kw_only=True):
    """What fits, in bytes. ``used``: per device, data and metadata with all copies."""

    data_bytes: Bytes
    metadata_bytes: Bytes
    used: tuple[int, ...]


def _width(profile: Profile, devices: int) -> int:
    """How many of ``devices`` a chunk spans; 0 if they are too few."""
    width = min(devices, profile.most or devices) // profile.step * profile.step
    return width if width >= profile.least else 0


def _data(profile: Profile, width: int, stripe: int) -> int:
    return stripe * (width - profile.parity) // profile.copies


class _Pool:
    """Free space of the devices, and the two allocators that use it."""

    def __init__(self, sizes: Sequence[int]) -> None:
        whole = [size // _SECTOR * _SECTOR for size in sizes]  # as mkfs counts the devices
        self.total = sum(whole)
        self.free = [size - _RESERVED for size in whole]  # at the end of each
        self.hole = sum(_TEMPORARY)  # at the start of the first; free only when mkfs has ended
        self.free[0] -= self.hole
        self._first = self.free[0]
        self.open = sum(free >= STRIPE_UNIT for free in self.free)  # devices with space left

    def make(self, profile: Profile, stripe: int, least: int, most: int) -> int:
        """Allocate one chunk as mkfs does: from the last device backwards. Return its bytes of data, 0 if none fits.

        Args:
            stripe: bytes on each device, of which there are at least ``least``.
            most: bytes of data; mkfs divides them by all devices of the chunk, those of copies and parity too.
        """
        width = _width(profile, len(self.free))
        tried = False
        while True:
            if _data(profile, width, stripe) > most:
                stripe = most // width
            stripe = max(stripe, least) // STRIPE_UNIT * STRIPE_UNIT
            fitting = [i for i in reversed(range(len(self.free))) if self.free[i] >= stripe]
            if len(fitting) >= width:
                return self._take(profile, fitting[:width], stripe)
            if len(fitting) >= profile.least:
                width = _width(profile, len(fitting))
            elif tried:
                return 0
            else:
                stripe = max(free for free in self.free if free < stripe)
            tried = True

    def begin(self, kept: int) -> None:
        """End mkfs: free its temporary chunks except for ``kept`` bytes, the last of them."""
        self.hole -= kept
        if self.free[0] == self._first and not kept:  # the space before and after them is one piece
            self.free[0] += self.hole
            self.hole = 0

    def grow(self, profile: Profile, stripe: int, most: int) -> int:
        """Allocate one chunk as the kernel does: from the devices with the most free space. Return 0 if none fits."""
        devices = self._by_room(stripe)
        width = _width(profile, len(devices))
        if not width:
            return 0
        size = min(self._room(devices[width - 1]), stripe)
        data_stripes = (width - profile.parity) // profile.copies
        if size * data_stripes > most:
            size = min(-(-(most // data_stripes) // (16 * MIB)) * (16 * MIB), size)
        return self._take(profile, devices[:width], size)

    def flow(self, profile: Profile, most: int) -> int:
        """Allocate up to ``most`` bytes of data in many chunks at once; 0 if chunks must be replayed one by one.

        Each chunk uses the ``width`` devices with the most free space. Devices with more space than the last of
        these lose a stripe with every chunk; devices level with it (within a chunk or 0.1 %) take turns. This holds
        until two of the groups meet or a device is nearly full.
        """
        free = self.free
        devices = [i for i, room in enumerate(free) if room >= STRIPE_UNIT]
        devices.sort(key=free.__getitem__, reverse=True)
        width = _width(profile, len(devices))
        if not width:
            return 0
        level = free[devices[width - 1]]
        near = max(GIB, level // 1000)
        above = bisect_left(devices, -level - near, key=lambda index: -free[index])  # negated: ascending
        below = bisect_right(devices, near - level, key=lambda index: -free[index])
        tied, turns = below - above, width - above  # a chunk uses `turns` of the `tied` devices
        kept = 0 if len(devices) > _MANY_DEVICES else GIB
        limits = [
            most * profile.copies // (width - profile.parity),
            (free[devices[below - 1]] - kept) * tied // turns,
        ]
        if below < len(devices):
            limits.append((level - free[devices[below]]) * tied // turns)
        if above and tied > turns:
            limits.append((free[devices[above - 1]] - level) * tied // (tied - turns))
        each = min(limits) * turns // tied // STRIPE_UNIT * STRIPE_UNIT
        taken = each * tied // turns // STRIPE_UNIT * STRIPE_UNIT
        if taken < min(GIB, _MOST_DATA * profile.copies // (width - profile.parity)):
            return 0
        for place, index in enumerate(devices[:below]):
            free[index] -= taken if place < above else each
            self.open -= free[index] < STRIPE_UNIT
        return _data(profile, width, taken)

    def _room(self, index: int) -> int:
        """The most bytes that are free in one piece."""
        return max(self.free[index], 0 if index else self.hole)

    def _by_room(self, most: int) -> list[int]:
        """The devices with free space, most first; pieces above ``most`` are all alike."""
        room = [min(free, most) for free in self.free]
        room[0] = min(self._room(0), most)
        devices = [i for i, free in enumerate(room) if free >= STRIPE_UNIT]
        keys = list(zip(room, [self.free[0] + self.hole, *self.free[1:]], strict=True))
        devices.sort(key=keys.__getitem__, reverse=True)
        return devices

    def _take(self, profile: Profile, devices: Sequence[int], stripe: int) -> int:
        stripe = stripe // STRIPE_UNIT * STRIPE_UNIT
        for index in devices:
            if index or self.free[0] >= max(stripe, self.hole):
                self.free[index] -= stripe
            else:
                self.hole -= stripe
            self.open -= self._room(index) < STRIPE_UNIT
        return _data(profile, len(devices), stripe)


METADATA: Final = ("raid1", "raid1c3", "raid1c4")
"""Profiles allowed for metadata: copies, which survive a failed disk and, unlike RAID5 and RAID6, a power cut."""


def metadata_of(profile_name: str) -> str:
    """The default metadata profile: it survives as many failed disks as the data."""
    found = PROFILES.get(profile_name)
    return found.metadata if found is not None else METADATA[0]


def btrfs_space(
    profile_name: str, sizes: Sequence[int], *, metadata: str = "", checksums: bool = True
) -> BtrfsSpace:
    """The capacity of a new Btrfs on these devices, in this order, for large files.

    Args:
        metadata: the metadata profile; empty: the default, `metadata_of`.
        checksums: whether to include the space for checksums of the data.

    Raises:
        CannotBuild: an unknown profile, too few devices, or devices too small.
    """
    profile = PROFILES.get(profile_name)
    if profile is None:
        raise CannotBuild(f"{profile_name!r} is not a profile of Btrfs: {', '.join(PROFILES)}")
    if metadata and metadata not in METADATA:
        raise CannotBuild(f"Btrfs metadata cannot be {metadata!r}; use one of {', '.join(METADATA)}")
    kept = PROFILES[metadata or profile.metadata]
    if len(sizes) < max(profile.least, 2):
        raise CannotBuild(
            f"Btrfs {profile_name} takes at least {max(profile.least, 2)} disks, not {len(sizes)}"
        )
    if len(sizes) < kept.least:
        raise CannotBuild(
            f"metadata {metadata or profile.metadata} takes at least {kept.least} disks, not {len(sizes)}"
        )
    if min(sizes) < 256 * MIB:
        raise CannotBuild(f"a disk of {both(min(sizes))} is too small for Btrfs; 256 MiB are the least")
    pool = _Pool(sizes)
    large = pool.total > 50 * GIB
    metadata_stripe = GIB if large else 256 * MIB
    tenth = pool.total // 10
    most_metadata = min(metadata_stripe, tenth)
    system = pool.make(kept, 8 * MIB, MIB, min(16 * MIB, tenth))
    meta = pool.make(kept, metadata_stripe, _LEAST_METADATA, most_metadata)
    if not system or not meta:
        raise CannotBuild("the disks are too small for the metadata of a Btrfs")
    most = min(_MOST_DATA, tenth)
    data = pool.make(profile, GIB, _LEAST_DATA, most) if profile_name != "single" else _TEMPORARY[-1]
    if not data:
        raise CannotBuild("the disks are too small for the data of a Btrfs")
    pool.begin(data if profile_name == "single" else 0)
    many = pool.total > EXACT_UP_TO
    some = pool.total // _STEPS
    growing = True  # the metadata
    while True:
        wide = _width(profile, pool.open)
        ahead = min(_data(profile, wide, GIB), most)
        if growing and many and pool.open < kept.least:
            # No more metadata fits. Allocated in larger steps, it may be more than a chunk ahead of its data.
            growing = False
            meta = -(-int((data + ahead) * _CHECKSUM_SHARE) // metadata_stripe) * metadata_stripe
        if checksums and int((data + ahead) * _CHECKSUM_SHARE) > meta:
            more = (many and pool.flow(kept, int(some * _CHECKSUM_SHARE))) or pool.grow(
                kept, metadata_stripe, most_metadata
            )
            if more:
                meta += more
                continue
            most = min(most, int(meta / _CHECKSUM_SHARE) - data)  # no space for more checksums
            if most < STRIPE_UNIT * wide:
                break
        covered = int(meta / _CHECKSUM_SHARE) - data if checksums else some
        got = (many and pool.flow(profile, min(some, covered))) or pool.grow(profile, GIB, most)
        if not got:
            break
        data += got
    free = [pool.free[0] + pool.hole, *pool.free[1:]]
    used = tuple(size - left - _RESERVED for size, left in zip(sizes, free, strict=True))
    return BtrfsSpace(data_bytes=data, metadata_bytes=meta, used=used)
