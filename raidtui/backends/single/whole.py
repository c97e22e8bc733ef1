"""A removal that erases what a whole disk holds beside partitions and filesystems."""

from raidtui.model.machine import Disk
from raidtui.model.plan import Step
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.steps.footprint import footprint_of_devices
from raidtui.steps.pieces import called
from raidtui.steps.removal import OnDisk, Removal


def whole_disk(disk: Disk) -> OnDisk:
    """The disk itself as what is erased."""
    return OnDisk(disk=disk, device=disk.stable_path, path=disk.path, size_bytes=disk.size_bytes)


def removal_of_whole(disk: Disk, *, noun: str, erase: Step) -> Removal:
    """How the disk is left blank by ``erase``; ``noun``: what that erases."""
    return Removal(
        spec=Spec(
            name=called(disk),
            backend=Backend.DISK,
            level="single",
            members=(),
            filesystem=FilesystemSpec(type="none"),
        ),
        noun=noun,
        mark="",
        path=disk.stable_path,
        size_bytes=disk.size_bytes,
        members=(whole_disk(disk),),
        footprint=footprint_of_devices([(disk, disk.path)]),
        free=(disk.stable_path,),
        core=(erase,),
    )
