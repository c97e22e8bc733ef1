"""How much data a Btrfs of several disks takes, by replaying its chunk allocator.

mkfs.btrfs takes the devices from the last one named; the kernel (volumes.c, gather_device_info and
decide_stripe_size_regular) always takes those with the most free space, in chunks of at most 1 GiB a disk. Equal to
Linux 6.1 with btrfs-progs 6.2 within 1 % of a chunk up to 1 TiB in all; for more the replay takes larger steps at
first, of many devices several chunks in one, and the metadata of the data's checksums is estimated: within 0.2 %.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, TIB, both

_RESERVED: Final = MIB  # at the start of every device
STRIPE_UNIT: Final = 64 * KIB
"""What goes to one device before the next, where a profile stripes."""
_EXACT: Final = TIB  # up to so much in all, every chunk is replayed
_MANY: Final = 64  # devices, beyond which several chunks are taken in one step
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

    def coarse(self, profile: Profile) -> int:
        """A step that is still small against what is left on the devices that a chunk would span."""
        if profile.most:
            return max(self.free) // 6
        smallest = min((free for free in self.free if free >= STRIPE_UNIT), default=0)
        return smallest if profile.step == 1 else smallest // 2

    def make(self, profile: Profile, stripe: int) -> int:
        """What mkfs allocates: from the last device named backwards. Returns bytes of data."""
        enough = sorted(self.free, reverse=True)[profile.least - 1]
        stripe = min(stripe, enough)
        devices = [i for i in reversed(range(len(self.free))) if self.free[i] >= stripe]
        return self._take(profile, devices, stripe)

    def grow(self, profile: Profile, stripe: int, most: int, crowd: int = 0) -> int:
        """What the kernel allocates: from the devices with the most free space; 0 when nothing fits.

        ``crowd``: about this many chunks are taken at once beside each other, none of them from the same device.
        """
        devices = [i for i, free in enumerate(self.free) if free >= STRIPE_UNIT]
        devices.sort(key=self.free.__getitem__, reverse=True)
        width = _width(profile, len(devices))
        if not width:
            return 0
        size = min(self.free[devices[width - 1]], stripe)
        data_stripes = (width - profile.parity) // profile.copies
        if size * data_stripes > most:
            size = min(-(-(most // data_stripes) // (16 * MIB)) * (16 * MIB), size)
        taken = self._take(profile, devices, size)
        for first in range(width, crowd * width, width):
            beside = devices[first : first + width]
            if taken + size * data_stripes > most or len(beside) < width or self.free[beside[-1]] < size:
                break
            taken += self._take(profile, beside, size)
        return taken

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
    most = min(10 * GIB, tenth)
    # Of many disks a chunk spans a few: a sixteenth of them is filled at once.
    many = len(sizes) > _MANY and pool.total > _EXACT
    crowd = len(sizes) // (16 * max(1, width)) if many else 0
    most = max(most, crowd * GIB)
    while True:
        step, limit = GIB, most
        if pool.total > _EXACT:
            coarse = pool.coarse(profile)
            if coarse > GIB:
                step, limit = coarse // GIB * GIB, pool.total
            elif many and not profile.most:  # 10 GiB over all of them would be a sliver of each
                limit = pool.total
        wide = _width(profile, pool.open)
        wanted = int((data + min(_data(profile, wide, step), limit)) * _CHECKSUM_SHARE) - meta
        if checksums and wanted > 0:
            several = max(1, wanted // (4 * GIB))
            more = pool.grow(kept, metadata_stripe * several, GIB * several)
            if more:
                meta += more
                continue
            limit = min(limit, int(meta / _CHECKSUM_SHARE) - data)  # no room for checksums beyond that
            if limit < STRIPE_UNIT * wide:
                break
        got = pool.grow(profile, step, limit, crowd)
        if not got:
            break
        data += got
    used = tuple(size - free - _RESERVED for size, free in zip(sizes, pool.free, strict=True))
    return BtrfsSpace(data_bytes=data, metadata_bytes=meta, used=used)
