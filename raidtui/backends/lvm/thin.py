"""The thin pools of a volume group, from a text of its metadata: lvmthin(7). Pure."""

import struct
from typing import Final, NamedTuple

from raidtui.backends.lvm.metadata import Section, kind_of, number, part, segments, word
from raidtui.model.errors import BadInput
from raidtui.model.units import SECTOR

_POOL: Final = struct.Struct("<32xQ8xQ")
"""Of struct thin_disk_superblock (drivers/md/dm-thin-metadata.c): magic, trans_id."""
_POOL_MAGIC: Final = 27022010


class InPool(NamedTuple):
    """Where a thin volume is: lvmthin(7)."""

    pool: str
    metadata: str  # the names of the pool's two volumes
    data: str
    chunk_bytes: int
    device: int  # its number in the pool
    length_bytes: int


def thin_pools(group: Section) -> dict[str, Section]:
    """The segment of each thin pool, by its name."""
    every = part(group, "logical_volumes")
    return {
        name: some[0]
        for name, one in every.items()
        if len(some := segments(one)) == 1 and kind_of(some[0]) == "thin-pool"
    }


def in_pool(group: Section, name: str) -> InPool | None:
    """Where the thin volume ``name`` is; None if it is not thin.

    Raises:
        BadInput: why it is not looked into.
    """
    some = segments(part(group, "logical_volumes")[name])
    if len(some) != 1 or kind_of(some[0]) != "thin":
        return None
    if "external_origin" in some[0]:
        raise BadInput("a part of it is outside of its thin pool, which raidtui does not look into")
    pool = word(some[0], "thin_pool")
    segment = thin_pools(group).get(pool)
    if segment is None:
        raise BadInput("its metadata cannot be read")
    return InPool(
        pool=pool,
        metadata=word(segment, "metadata"),
        data=word(segment, "pool"),
        chunk_bytes=number(segment, "chunk_size") * SECTOR,
        device=number(some[0], "device_id"),
        length_bytes=number(some[0], "extent_count") * number(group, "extent_size") * SECTOR,
    )


def transaction_in(block: bytes) -> int | None:
    """The transaction of a pool, from the first block of its metadata; None if it is none."""
    if len(block) < _POOL.size:
        return None
    magic, transaction = _POOL.unpack_from(block)
    return transaction if magic == _POOL_MAGIC else None
