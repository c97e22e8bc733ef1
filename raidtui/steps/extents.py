"""The extent of a member on its disk: the whole disk, or an aligned GPT partition with free space at the end."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.errors import CannotBuild
from raidtui.model.plan import Extent
from raidtui.model.units import MIB, both, spell_size

ALIGNMENT: Final = MIB
DEFAULT_RESERVE: Final = 100 * MIB  # left free at the end for a slightly smaller replacement
_ENTRIES: Final = (
    128 * 128
)  # bytes of a GPT entry array; the backup of array and header is at the end of the disk


def member_extent(
    disk_bytes: int, logical_sector: int, *, partition: bool, reserve: int, most: int | None = None
) -> Extent:
    """The member on a disk of ``disk_bytes``.

    A whole-disk member is the disk, without reserve. A partition starts at 1 MiB, ends on a whole MiB before the
    backup GPT (33 sectors of 512 bytes, 5 of 4096) and leaves ``reserve`` bytes free after it, so that a replacement
    may be slightly smaller. ``most`` limits its size in bytes.

    Raises:
        CannotBuild: no space is left for the member.
    """
    if not partition:
        return Extent(offset=0, length=disk_bytes)
    if reserve < 0:
        raise CannotBuild(f"a reserve of {reserve:,} bytes is negative")
    backup = (1 + -(-_ENTRIES // logical_sector)) * logical_sector
    usable_end = disk_bytes // logical_sector * logical_sector - backup
    room = usable_end - ALIGNMENT - reserve
    size = (room if most is None else min(room, most)) // ALIGNMENT * ALIGNMENT
    if size <= 0:
        if most is not None and most < ALIGNMENT <= room:
            raise CannotBuild(f"a slice of {spell_size(most)} is less than {spell_size(ALIGNMENT)}")
        raise CannotBuild(
            f"a disk of {both(disk_bytes)} has no room for a partition "
            f"after a partition table and a reserve of {spell_size(reserve)}"
        )
    return Extent(offset=ALIGNMENT, length=size)


def member_sizes(
    disks: Sequence[int], *, partition: bool, reserve: int, logical_sector: int = 512, most: int | None = None
) -> tuple[int, ...]:
    """Bytes of the members on disks of these sizes, which need not exist.

    Raises:
        CannotBuild: one of the disks has no space for a partition.
    """
    return tuple(
        member_extent(size, logical_sector, partition=partition, reserve=reserve, most=most).length
        for size in disks
    )
