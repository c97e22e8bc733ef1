"""How much data a Btrfs of several disks takes, by replaying its chunk allocator.

mkfs.btrfs takes the devices from the last one named; the kernel (volumes.c, gather_device_info and
decide_stripe_size_regular) always takes those with the most free space, in chunks of at most 1 GiB a disk. Equal to
Linux 6.1 with btrfs-progs 6.2 within 1 % of a chunk up to 1 TiB in all. For more, many chunks are taken in one step,
which stays within 0.1 % of replaying each, and the metadata of the data's checksums is estimated: within 0.2 %.
Where metadata was chosen that needs more devices than the data, the two differ by up to one chunk of metadata: the
checksums of 1 TB.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, TIB, both

_RESERVED: Final = MIB  # at the start of every device
STRIPE_UNIT: Final = 64 * KIB
"""What goes to one device before the next, where a profile stripes."""
_EXACT: Final = TIB  # up to so much in all, every chunk is replayed
_MOST_DATA: Final = 10 * GIB  # of one chunk
_MANY_DEVICES: Final = 64  # beyond which what is left of the last chunk of each does not show
_STEPS: Final = 32  # in which larger pools are filled, metadata before the data that it is for
_CHECKSUM_SHARE: Final = 1 / 1000  # crc32c: 4 bytes for 4096, and the tree round them


class Profile(NamedTuple):
    """What the allocator knows of a profile."""

    least: int  # devices
    most: int  # 0: all there are
    step: int  # the number of devices is a multiple of it
    copies: int
    parity: int
    metadata: str  # the profile that its metadata takes, unless another is chosen

    @property
    def survives(self) -> int:
        """How many devices may fail for certain."""
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
    """What fits. ``used`` is of each device, data and metadata with all copies."""

    data_bytes: int
    metadata_bytes: int
    used: tuple[int, ...]


def _width(profile: Profile, devices: int) -> int:
    """How many of ``devices`` a chunk spans; 0 when they are too few."""
    width = min(devices, profile.most or devices) // profile.step * profile.step
    return width if width >= profile.least else 0


def _data(profile: Profile, width: int, stripe: int) -> int:
    return stripe * (width - profile.parity) // profile.copies


class _Pool:
    """Free space of the devices, and the two allocators that take from it."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.total = sum(sizes)
        self.free = [size // (4 * KIB) * (4 * KIB) - _RESERVED for size in sizes]
        self.open = sum(free >= STRIPE_UNIT for free in self.free)  # devices that still have room

    def make(self, profile: Profile, stripe: int) -> int:
        """What mkfs allocates: from the last device named backwards. Returns bytes of data."""
        enough = sorted(self.free, reverse=True)[profile.least - 1]
        stripe = min(stripe, enough)
        devices = [i for i in reversed(range(len(self.free))) if self.free[i] >= stripe]
        return self._take(profile, devices, stripe)

    def grow(self, profile: Profile, stripe: int, most: int) -> int:
        """One chunk as the kernel allocates it: from the devices with the most free space; 0 when nothing fits."""
        devices = self._by_room()
        width = _width(profile, len(devices))
        if not width:
            return 0
        size = min(self.free[devices[width - 1]], stripe)
        data_stripes = (width - profile.parity) // profile.copies
        if size * data_stripes > most:
            size = min(-(-(most // data_stripes) // (16 * MIB)) * (16 * MIB), size)
        return self._take(profile, devices, size)

    def flow(self, profile: Profile, most: int) -> int:
        """At most ``most`` bytes of data in many chunks at once; 0 where they are to be replayed one by one.

        Chunks take the devices with the most room. Devices above the last one that a chunk reaches lose a stripe
        with each chunk, devices level with it (within a chunk or 0.1 %) take turns. That lasts until two of these groups
        meet or a device is nearly full.
        """
        devices, free = self._by_room(), self.free
        width = _width(profile, len(devices))
        if not width:
            return 0
        level = free[devices[width - 1]]
        near = max(GIB, level // 1000)
        rooms = [-free[index] for index in devices]  # ascending, as bisect wants them
        above = bisect_left(rooms, -level - near)
        below = bisect_right(rooms, near - level)
        tied, turns = below - above, width - above  # of the tied devices, so many have their turn in a chunk
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

    def _by_room(self) -> list[int]:
        """The devices that have room, the one with the most first."""
        devices = [i for i, free in enumerate(self.free) if free >= STRIPE_UNIT]
        devices.sort(key=self.free.__getitem__, reverse=True)
        return devices

    def _take(self, profile: Profile, devices: list[int], stripe: int) -> int:
        width = _width(profile, len(devices))
        if not width:
            return 0
        stripe = stripe // STRIPE_UNIT * STRIPE_UNIT
        for index in devices[:width]:
            self.free[index] -= stripe
            self.open -= self.free[index] < STRIPE_UNIT
        return _data(profile, width, stripe)


METADATA: Final = ("raid1", "raid1c3", "raid1c4")
"""Profiles that may be chosen for metadata: copies, which survive a disk and, unlike raid5 and raid6, a power cut."""


def metadata_of(profile_name: str) -> str:
    """The profile that the metadata takes if nobody chooses one: it survives as many disks as the data."""
    found = PROFILES.get(profile_name)
    return found.metadata if found is not None else METADATA[0]


def btrfs_space(
    profile_name: str, sizes: Sequence[int], *, metadata: str = "", checksums: bool = True
) -> BtrfsSpace:
    """What a new Btrfs of these devices, in this order, takes until it is full of large files.

    Args:
        metadata: the profile of the metadata; empty: what `metadata_of` says.
        checksums: count the room that the checksums of the data take.

    Raises:
        CannotBuild: an unknown profile, too few devices, or devices too small.
    """
    profile = PROFILES.get(profile_name)
    if profile is None:
        raise CannotBuild(f"{profile_name!r} is not a profile of Btrfs: {', '.join(PROFILES)}")
    if metadata and metadata not in METADATA:
        raise CannotBuild(f"metadata {metadata!r} cannot be; take one of {', '.join(METADATA)}")
    kept = PROFILES[metadata or profile.metadata]
    if len(sizes) < max(profile.least, kept.least, 2):
        least = max(profile.least, kept.least, 2)
        raise CannotBuild(f"Btrfs {profile_name} takes at least {least} disks, not {len(sizes)}")
    if min(sizes) < 256 * MIB:
        raise CannotBuild(f"a disk of {both(min(sizes))} is too small for Btrfs; 256 MiB are the least")
    pool = _Pool(sizes)
    large = pool.total > 50 * GIB
    metadata_stripe = GIB if large else 256 * MIB
    system = pool.make(kept, 8 * MIB)
    meta = pool.make(kept, min(metadata_stripe, pool.total // 10))
    width = _width(profile, len(sizes))
    tenth = pool.total // 10
    stripe = GIB if profile.most else min(GIB, max(MIB, tenth // max(1, width)))
    data = pool.make(profile, min(stripe, tenth))
    if not system or not meta:
        raise CannotBuild("the disks are too small for the metadata of a Btrfs")
    most = min(_MOST_DATA, tenth)
    many = pool.total > _EXACT
    some = pool.total // _STEPS
    growing = True  # the metadata
    while True:
        wide = _width(profile, pool.open)
        ahead = min(_data(profile, wide, GIB), most)
        if growing and many and pool.open < kept.least:
            # No more metadata fits. Taken in larger steps, it may be ahead of its data by more than a chunk.
            growing = False
            meta = -(-int((data + ahead) * _CHECKSUM_SHARE) // metadata_stripe) * metadata_stripe
        if checksums and int((data + ahead) * _CHECKSUM_SHARE) > meta:
            more = (many and pool.flow(kept, int(some * _CHECKSUM_SHARE))) or pool.grow(
                kept, metadata_stripe, GIB
            )
            if more:
                meta += more
                continue
            most = min(most, int(meta / _CHECKSUM_SHARE) - data)  # no room for checksums beyond that
            if most < STRIPE_UNIT * wide:
                break
        covered = int(meta / _CHECKSUM_SHARE) - data if checksums else some
        got = (many and pool.flow(profile, min(some, covered))) or pool.grow(profile, GIB, most)
        if not got:
            break
        data += got
    used = tuple(size - free - _RESERVED for size, free in zip(sizes, pool.free, strict=True))
    return BtrfsSpace(data_bytes=data, metadata_bytes=meta, used=used)
