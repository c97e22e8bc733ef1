"""Space for files on XFS, as laid out by mkfs.xfs 6.1 and reserved by Linux at mount.

It equals ``statfs`` to the block from 300 MiB to 14 TiB, with and without stripes. A reverse-mapping tree
(``rmapbt=1``) takes 1.2 % more. Blocks are 4 KiB.
"""

from typing import Final

from raidtui.model.units import GIB, KIB, MIB, TIB

BLOCK: Final = 4 * KIB
STRIPES_FROM: Final = GIB  # mkfs.xfs 5.19 and later ignores stripes on smaller devices
_LARGEST_GROUP: Final = TIB // BLOCK - 1  # XFS_AG_MAX_BLOCKS
_SMALLEST_GROUP: Final = 16 * MIB // BLOCK
_LEAST_LOG: Final = 64 * MIB // BLOCK
_LARGEST_LOG_UNIT: Final = 256 * KIB
_USUAL_LOG_UNIT: Final = 32 * KIB  # if the chunk is larger
_MOST_LOG: Final = 521728  # just below 2 GiB
# Records in a half-full leaf and node, for the trees of shared blocks and of free inodes.
_SHARED: Final = (168, 252)
_INODES: Final = (126, 252)


def _tree(records: int, leaf: int, node: int) -> int:
    """Most blocks that a tree of ``records`` records takes (xfs_btree_calc_size)."""
    level = total = -(-records // leaf)
    while level > 1:
        level = -(-level // node)
        total += level
    return total


def _group(blocks: int, unit: int, width: int) -> int:
    """Blocks of an allocation group (calc_default_ag_geometry and align_ag_geometry of mkfs.xfs)."""
    if not unit:
        return min(-(-blocks // 4), _LARGEST_GROUP)
    parts = 32 if blocks * BLOCK > 512 * GIB else 16 if blocks * BLOCK > 8 * GIB else 8
    group = min(-(-blocks // parts), _LARGEST_GROUP)
    up = -(-group // unit) * unit
    group = up if up <= _LARGEST_GROUP else group // unit * unit
    # If all groups started on the same disk, it would hold all their headers.
    return group if group % width else group - unit


def available_blocks(size: int, *, chunk: int = 0, stripe: int = 0) -> tuple[int, int]:
    """Blocks of the filesystem without its log, and blocks for files, on a device of ``size`` bytes.

    Args:
        chunk: the stripe unit that the device reports, in bytes; 0 for none.
        stripe: bytes of a full stripe of data; 0 for none.
    """
    if size < STRIPES_FROM or chunk <= BLOCK or not stripe:  # bands of different widths have no common stripe
        chunk = 0
    blocks, unit, width = size // BLOCK, chunk // BLOCK, stripe // BLOCK
    log = min(max(_LEAST_LOG, blocks // 2048), _MOST_LOG)
    if unit:
        step = (chunk if chunk <= _LARGEST_LOG_UNIT else _USUAL_LOG_UNIT) // BLOCK
        log = -(-log // step) * step
    group = _group(blocks, unit, width)
    if 0 < blocks % group < _SMALLEST_GROUP:
        blocks -= blocks % group  # too small for a group of its own
    groups = -(-blocks // group)
    kept = min(blocks // 20, 8192) + 12 * groups + 8  # reserve for a full disk, headers, root directory
    for number in range(groups):
        held = min(group, blocks - number * group) - (log if number == groups // 2 else 0)
        kept += _tree(held, *_SHARED) + _tree(held // 8, *_INODES)
    return blocks - log, max(0, blocks - log - kept)
