"""The chunks of a filesystem: which devices each kind lies on. Its chunks, not its profiles, say what a lost device takes.

A filesystem may have chunks of several profiles, and none at all on a device. The kernel judges each chunk by itself
too before it mounts a degraded filesystem for writing (btrfs_check_rw_degradable() in fs/btrfs/volumes.c).
"""

import re
import struct
from collections.abc import Collection, Iterable
from typing import Final

from raidtui.backends.btrfs.space import PROFILES
from raidtui.model.md_levels import Left, left
from raidtui.model.struct import Record, Whole

TREE: Final = 3
"""The tree with all chunks; in it they have the object ID `OBJECT` and the type `ITEM` (uapi/linux/btrfs_tree.h)."""
OBJECT: Final = 256
ITEM: Final = 228
SINGLE: Final = "single"

_KINDS: Final = {1: "data", 2: "system", 4: "metadata"}
_PROFILES: Final = {
    1 << 3: "raid0",
    1 << 4: "raid1",
    1 << 5: "dup",
    1 << 6: "raid10",
    1 << 7: "raid5",
    1 << 8: "raid6",
    1 << 9: "raid1c3",
    1 << 10: "raid1c4",
}
_HEAD: Final = struct.Struct("<QQQQIIIHH")  # of struct btrfs_chunk, before its stripes
_STRIPE: Final = 32  # bytes; the first eight are the devid
_TYPE: Final = re.compile(r"\btype ((?:DATA|METADATA|SYSTEM)(?:\|METADATA)?)(?:\|(\w+))?")
_ON: Final = re.compile(r"\bstripe \d{1,5} devid (\d{1,19}) ")


class Chunk(Record, frozen=True, kw_only=True):
    """All chunks of one kind and profile on the same devices."""

    kind: str  # data, metadata, system
    profile: str
    devids: tuple[Whole, ...]

    @property
    def survives(self) -> int:
        """How many of its devices it can be read without."""
        return PROFILES[self.profile].survives if self.profile in PROFILES else 0  # dup: both copies on one


def parse_item(item: bytes) -> Chunk | None:
    """Parse a chunk item of the chunk tree; None if it is damaged."""
    if len(item) < _HEAD.size or len(item) < item_bytes(item):
        return None
    *_, kind, _, _, _, _, _ = _HEAD.unpack_from(item)
    devids = {
        int.from_bytes(item[at : at + 8], "little") for at in range(_HEAD.size, item_bytes(item), _STRIPE)
    }
    kinds = [word for bit, word in _KINDS.items() if kind & bit]
    return Chunk(
        kind=kinds[0] if kinds else "",
        profile=next((word for bit, word in _PROFILES.items() if kind & bit), SINGLE),
        devids=tuple(sorted(devids)),
    )


def item_bytes(item: bytes) -> int:
    """The length of a chunk item, whose head ``item`` has, in bytes."""
    *_, count, _ = _HEAD.unpack_from(item)
    return _HEAD.size + int(count) * _STRIPE


def parse_text(lines: Iterable[str]) -> tuple[Chunk, ...]:
    """Every kind of chunk in the output of ``btrfs inspect-internal dump-tree -t chunk``."""
    found: list[tuple[str, str, set[int]]] = []
    for line in lines:
        if (chunk := _TYPE.search(line)) is not None:
            kind = chunk[1].lower().partition("|")[0]
            found.append((kind, (chunk[2] or SINGLE).lower(), set()))
        elif found and (stripe := _ON.search(line)) is not None:
            found[-1][2].add(int(stripe[1]))
    return distinct(
        Chunk(kind=kind, profile=profile, devids=tuple(sorted(on))) for kind, profile, on in found
    )


def distinct(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Each kind of chunk once, in order."""
    return tuple(sorted(set(chunks), key=lambda one: (one.kind, one.profile, one.devids)))


def readable(chunks: Iterable[Chunk], here: Collection[int]) -> bool:
    """Whether each chunk can be read from the devices ``here``, by devid."""
    return all(sum(devid not in here for devid in one.devids) <= one.survives for one in chunks)


def left_in(chunks: Collection[Chunk], here: Collection[int]) -> Left:
    """What one more failure of the devices ``here`` does."""
    return left(here, lambda rest: readable(chunks, rest))
