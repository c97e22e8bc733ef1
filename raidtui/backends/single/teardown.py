"""Tear down a single disk: erase its filesystem, and with it the partition table.

It must look like the result of `raidtui.backends.single.build`: a disk with exactly one partition, of type Linux
filesystem, that contains only a filesystem. So the serial number of any other disk erases nothing.
"""

import posixpath

from raidtui.model.disk_names import find_called
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Disk, Machine, Partition, Signature
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Run, Step, removal_step
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.filesystems import NOT_MOUNTED
from raidtui.steps.footprint import Footprint, footprint_of_devices
from raidtui.steps.mount_names import LABEL_BYTES
from raidtui.steps.multi_device import find_elsewhere
from raidtui.steps.partitions import LINUX_FILESYSTEM
from raidtui.steps.pieces import called
from raidtui.steps.removal import OnDisk, Removal
from raidtui.steps.wipe import zero_copies


class SingleDisk(Record, frozen=True, kw_only=True):
    """A single disk to be removed."""

    disk: Disk
    partition: Partition
    files: Signature  # its filesystem
    places: tuple[str, ...]  # where it is mounted, deepest first

    @property
    def path(self) -> str:
        """The stable path of its partition."""
        return partition_path(self.disk.stable_path, self.partition.number)


def alone_on(disk: Disk, machine: Machine) -> SingleDisk | None:
    """The single filesystem on ``disk``; ``None`` if the disk is blank or has anything else on it."""
    if len(disk.partitions) != 1 or any(s.type not in {"gpt", "PMBR"} for s in disk.signatures):
        return None
    (partition,) = disk.partitions
    files = [one for one in partition.signatures if one.type in LABEL_BYTES]
    if partition.type != LINUX_FILESYSTEM or len(files) != 1 or len(partition.signatures) != 1:
        return None
    mounted = _footprint(disk, partition).places(machine)
    places = dict.fromkeys([*mounted, *partition.mountpoints])
    return SingleDisk(
        disk=disk,
        partition=partition,
        files=files[0],
        places=tuple(sorted(places, key=lambda place: -place.count("/"))),
    )


def _footprint(disk: Disk, partition: Partition) -> Footprint:
    return footprint_of_devices([(disk, partition.path)])


def find_alone(word: str, machine: Machine) -> SingleDisk | None:
    """Find a single disk by serial number, WWN, by-id name or mount point.

    Return ``None`` if no disk has this name and no single disk is mounted there.

    Raises:
        BadInput: there is such a disk, but not one built by raidtui as a single disk.
    """
    named = find_called(word, machine.disks)
    if len({disk.identity for disk in named}) > 1:
        those = ", ".join(map(called, named))
        raise BadInput(f"{word!r} is the end of several serial numbers: {those}; write more of it")
    for disk in machine.disks:
        found = alone_on(disk, machine)
        if found is not None and (disk in named or posixpath.normpath(word) in found.places):
            return found
        if disk in named and not disk.has_device:
            raise BadInput(
                f"{called(disk)} ({disk.shown}) is a drive behind a RAID card; to remove the virtual drive that it "
                "is in, give the name or device of that"
            )
        if disk in named:
            raise BadInput(
                f"{called(disk)} ({disk.path}) is not a single-disk build: it does not have exactly one partition with a "
                "filesystem. To remove an array, give its name, UUID or device"
            )
    return None


def removal_of(found: SingleDisk, machine: Machine) -> Removal:
    """How the disk is left blank. Raises Refused: its filesystem spans other disks too."""
    disk, files, partition, name = found.disk, found.files, found.partition, called(found.disk)
    _check_on_no_other(found, machine)
    return Removal(
        spec=Spec(
            name=name,
            backend=Backend.DISK,
            level="single",
            members=(),
            filesystem=FilesystemSpec(
                type=files.type,
                label=harmless(files.label),
                mountpoint=found.places[0] if found.places else "",
            ),
        ),
        noun="filesystem",
        mark="",
        path=found.path,
        filesystem_uuid=files.uuid,
        uuids=(files.uuid,),
        size_bytes=partition.size_bytes,
        members=(OnDisk(disk=disk, device=found.path, path=partition.path, size_bytes=partition.size_bytes),),
        partition_type=LINUX_FILESYSTEM,
        footprint=_footprint(disk, partition),
        source=f"UUID={files.uuid}",
        free=(found.path,),
        core=(_clear_step(found),),
        folders=found.places,
        built=files.uuid,
    )


def _check_on_no_other(found: SingleDisk, machine: Machine) -> None:
    files = found.files
    own = {found.disk.path, *(p.path for p in found.disk.partitions)}
    if other := find_elsewhere(files, machine, own):
        raise Refused(
            f"{called(found.disk)} shares its {files.type} filesystem with {other}; it is not a single disk"
        )


def _clear_step(found: SingleDisk) -> Step:
    files, path, disk = found.files, found.path, found.disk
    held = f"{files.type} {files.label!r}" if files.label else files.type
    return removal_step(
        id="clear",
        title=f"Erase the filesystem of {called(disk)}",
        reason="Its signature would be detected again in a later partition at the same place.",
        actions=(
            Run(argv=("wipefs", "--all", path)),
            *(zero_copies(path, found.partition.size_bytes) if files.type == "btrfs" else ()),
        ),
        destroys=(f"{called(disk)}: {harmless(held)} and everything in it",),
        before=(
            NOT_MOUNTED.of(path),
            UNCLAIMED.of(path),
        ),
        after=(BLANK.of(path),),
        holds=(disk.stable_path,),
    )
