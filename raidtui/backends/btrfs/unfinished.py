"""Whether a replacement of a Btrfs that is not mounted has not ended (struct btrfs_dev_replace_item, in the device tree).

While its new disk is not here no superblock says so, and the kernel mounts it degraded only. The item stays for good
once a disk was replaced, and ``btrfs inspect-internal dump-tree`` prints its place, not its state.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from uuid import UUID

from raidtui.machine.devices import opened, read_at

_LEAF: Final = re.compile(r"leaf (\d{1,19}) ")
_ITEM: Final = re.compile(r"\(0 DEV_REPLACE 0\) itemoff (\d{1,6}) itemsize 72")
_CHUNK: Final = re.compile(r"\(FIRST_CHUNK_TREE CHUNK_ITEM (\d{1,19})\)")
_LENGTH: Final = re.compile(
    r"\slength (\d{1,19}) owner \d+ stripe_len \d+ type \S+?(?:\|(RAID[056]\S*|RAID10))?$"
)
_STRIPE: Final = re.compile(r"\sstripe \d{1,5} devid (\d{1,19}) offset (\d{1,19})")
_HEAD: Final = struct.Struct("<32x16sQ45x")  # of a node: the filesystem's UUID and its own place
_STATE: Final = struct.Struct("<Q24xQ32x")  # of the item: src_devid, replace_state
_UNFINISHED: Final = frozenset({1, 4})  # started, suspended
_PAGE: Final = 4096


def unfinished(uuid: str, chunks: str, devices: str, paths: Mapping[int, str]) -> int:
    """The devid of the device whose replacement has certainly not ended; 0: none, or not known.

    Args:
        chunks: what ``dump-tree -t chunk`` printed, and ``devices`` with ``-t dev``.
        paths: the devices that are here, by devid.
    """
    leaf = 0
    for line in devices.splitlines():
        if (found := _LEAF.match(line)) is not None:
            leaf = int(found[1])
        elif (item := _ITEM.search(line)) is not None:
            return _in_leaf(uuid, leaf, _HEAD.size + int(item[1]), _copies(leaf, chunks, paths))
    return 0


def _copies(place: int, chunks: str, paths: Mapping[int, str]) -> Iterator[tuple[str, int]]:
    """Where the byte ``place`` of the filesystem is: device, and place there. Nothing of a chunk that is striped."""
    start = end = 0
    for line in chunks.splitlines():
        if (chunk := _CHUNK.search(line)) is not None:
            start, end = int(chunk[1]), 0
        elif (length := _LENGTH.search(line)) is not None:
            end = 0 if length[2] else start + int(length[1])
        elif (
            start <= place < end and (stripe := _STRIPE.search(line)) is not None and int(stripe[1]) in paths
        ):
            yield paths[int(stripe[1])], int(stripe[2]) + place - start


def _in_leaf(uuid: str, leaf: int, item: int, copies: Iterable[tuple[str, int]]) -> int:
    for path, place in copies:
        try:
            with opened(path, 0) as fd:
                block = read_at(fd, place, -(-(item + _STATE.size) // _PAGE) * _PAGE)
        except OSError:
            continue
        if _HEAD.unpack_from(block) == (UUID(uuid).bytes, leaf):
            devid, state = _STATE.unpack_from(block, item)
            return int(devid) if state in _UNFINISHED else 0
    return 0
