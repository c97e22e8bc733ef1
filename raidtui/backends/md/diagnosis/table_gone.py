"""Members that lost their partition table, with metadata 0.90: at the end of a disk it is that of the last partition too.

It does not say where it is (md.4, COMMON FORMATS), so such a member is taken for the whole disk, and its data is looked
for where the partition table was. Metadata 1.0 is at the end as well, and names its place.
"""

from collections.abc import Mapping

from raidtui.backends.care import called_at
from raidtui.machine.md.superblock_old import ALIGNED, place
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.superblock import Superblock
from raidtui.model.text import listed


def without_table(stored: Mapping[str, Superblock], machine: Machine) -> tuple[Remedy, ...]:
    """What to do where some members are whole disks that the array does not fill, and others are partitions."""
    old = {path: one for path, one in stored.items() if one.metadata == "0.90"}
    whole = {disk.path: disk for disk in machine.disks if disk.path in old}
    larger = [
        path
        for path, disk in whole.items()
        if not disk.partition_table
        and place(disk.size_bytes) - old[path].component_bytes >= max(old[path].chunk_bytes, ALIGNED)
    ]
    if not larger or len(whole) == len(old):
        return ()
    one = len(larger) == 1
    return (
        Remedy(
            text=f"{listed(called_at(larger, machine))} {'seems' if one else 'seem'} to have lost {'its' if one else 'their'} partition "
            "table: other members are partitions. At the end of a disk metadata 0.90 looks like that of its last partition. Make the "
            "table again as on the others; until then start nothing"
        ),
    )
