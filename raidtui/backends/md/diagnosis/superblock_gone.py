"""Members of running arrays whose superblock is not on their disk any more: overwritten, as by a new partition table. Pure."""

from collections.abc import Iterator

from raidtui.backends.care import called
from raidtui.machine.md.health import missing
from raidtui.model.finding import Finding, Kind, Remedy, concerned
from raidtui.model.machine import Array, Disk, Machine
from raidtui.model.procedure import Scrub
from raidtui.model.superblock import of_array

_TABLE = "gpt"


def superblocks_gone(machine: Machine) -> Iterator[Finding]:
    """A finding about each of them; none where no superblock of the array could be read."""
    for array in machine.arrays if machine.complete else ():
        stored = of_array(array.uuid, machine.superblocks)
        lost = [one.path for one in array.members if "in_sync" in one.state and one.path not in stored]
        for disk in machine.disks if stored and array.started else ():
            for path in disk.every_path:
                if path in lost:
                    yield _finding(array, disk, path)


def _finding(array: Array, disk: Disk, path: str) -> Finding:
    name = array.shown
    # Beside a superblock, blkid shows no table: what it shows was written later.
    over = any(one.device == path and one.type == _TABLE for one in disk.every_signature)
    why = "a partition table was written over it" if over else "it was overwritten, or cannot be read"
    checked = array.degraded == 0 and array.sync is None and array.sync_action == "idle"
    again = (
        f"md writes it again then. If the check finds mismatches, what is wrong is on {called(disk)}: replace that disk, and do "
        "not repair"
    )
    return Finding(
        name=name,
        kind=Kind.SUPERBLOCK_GONE,
        what=f"array {name}: the superblock of its member {called(disk)} is not on the disk: {why}",
        unit=array.uuid,
        disks=(concerned(disk, "superblock gone", path=path),),
        never="stop the array, reboot, or pull a disk",
        remedies=(
            Remedy(text=f"check the array: {again}", procedure=Scrub(unit=array.uuid))
            if checked
            else Remedy(
                text=f"{'let it be redundant again' if missing(array) else 'wait until its sync is over'}, then check it: {again}"
            ),
        ),
    )
