"""Which level an array can become with further disks, without a block of its data being overwritten in place. Pure.

A RAID5 becomes a RAID6 whose second parity is on the new disk alone: only that disk is written. A RAID1 of two is, byte for
byte, a RAID5 of two, and grows from there as every RAID5 does. Both survived the power cuts of ``tests/campaign``. What
moves data within the same members lost it in 4 of 4 power cuts (mdadm 4.2, Linux 6.1), and is not done.
"""

from typing import Final

import msgspec

from raidtui.backends.md.layouts import default_layout
from raidtui.model.machine import Array
from raidtui.model.text import count_of, spelled
from raidtui.model.units import KIB

BECOMES: Final = {"raid1": "raid5", "raid5": "raid6"}
"""Level, and the one that it can become."""
_ONE_DISK_Q: Final = "-6"  # md's layouts of RAID6 that are those of RAID5, with Q on the last member
_LARGEST_CHUNK: Final = 64 * KIB  # of raid5_takeover_raid1
_SMALLEST_CHUNK: Final = 4 * KIB  # a page


def has_one_disk_q(array: Array) -> bool:
    """Whether it is a RAID6 with the second parity on one member, as a former RAID5 has it."""
    return array.level == "raid6" and array.layout.endswith(_ONE_DISK_Q)


def why_not_level(array: Array, level: str, added: int) -> str:
    """Why the array does not become ``level`` with ``added`` disks; empty if it does."""
    if BECOMES.get(array.level) != level:
        return f"{spelled(array.level)} becomes {spelled(level)} only by moving its data, or not at all"
    if not added:
        return f"it needs a further disk to become {spelled(level)}"
    if level == "raid6":
        if added > 1:
            return f"it takes one disk to become RAID6, not {added}: the second parity is on that one"
        if array.layout != default_layout("raid5"):
            return (
                f"this has been measured with the layout {default_layout('raid5')} only, not {array.layout}"
            )
        return "" if array.raid_disks >= 3 else "RAID6 takes at least 4 members"
    if array.raid_disks != 2:
        return f"md makes a RAID5 of a RAID1 of two members only, and it has {count_of(array.raid_disks, 'member')}"
    return "" if chunk_of(array, level) >= _SMALLEST_CHUNK else "its size is not a multiple of 4 KiB"


def chunk_of(array: Array, level: str) -> int:
    """The chunk that it has as ``level``, in bytes: of a RAID1, the largest up to 64 KiB that its size is a multiple of."""
    if array.level != "raid1" or level == "raid1":
        return array.chunk_bytes
    return min(_LARGEST_CHUNK, array.component_bytes & -array.component_bytes)


def layout_of(array: Array, level: str) -> str:
    if level == array.level:
        return array.layout
    return f"{array.layout}{_ONE_DISK_Q}" if level == "raid6" else default_layout(level)


def as_level(array: Array, level: str) -> Array:
    """The array as it is right after its level has changed, with its members and size."""
    return msgspec.structs.replace(
        array, level=level, layout=layout_of(array, level), chunk_bytes=chunk_of(array, level)
    )
