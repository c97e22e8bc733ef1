"""Tear down a multi-device Btrfs, so that nothing of it comes back.

Unmount it, remove its fstab lines, make the kernel forget its members, and erase them. An unmounted filesystem with a
missing disk is left alone: it may be complete elsewhere.
"""

import posixpath

from raidtui.backends.btrfs.create import erase_member
from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.units import units_of
from raidtui.backends.care import called_at
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.footprint import footprint_of_devices
from raidtui.steps.partitions import LINUX_FILESYSTEM
from raidtui.steps.removal import Removal, erase_step, members_at


class _Found(Record, frozen=True, kw_only=True):
    """A filesystem to be removed."""

    unit: Unit
    filesystem: Filesystem

    @property
    def name(self) -> str:
        return harmless(self.unit.name)


def _find(word: str, machine: Machine) -> _Found | None:
    """The filesystem with this label, UUID or mount point."""
    reading = reading_in(machine)
    found = [
        unit
        for unit in units_of(machine)
        if unit.is_called(word) or posixpath.normpath(word) in unit.mountpoints
    ]
    if reading is None or not found:
        return None
    if len(found) > 1:
        those = ", ".join(unit.uuid for unit in found)
        raise BadInput(
            f"several Btrfs filesystems are called {word!r}: give the UUID instead, one of {those}"
        )
    (unit,) = found
    filesystem = reading.find(unit.uuid)
    assert filesystem is not None, "the unit is one of this reading"
    return _Found(unit=unit, filesystem=filesystem)


def removal(word: str, machine: Machine) -> Removal | None:
    """How the filesystem that ``word`` means is removed; None if there is none.

    Raises:
        BadInput: there are several.
        Refused: it is not mounted and a disk is missing; or a member is not on a disk.
    """
    found = _find(word, machine)
    if found is None:
        return None
    unit, filesystem, name = found.unit, found.filesystem, found.name
    if filesystem.missing and not filesystem.node:
        raise Refused(
            f"the Btrfs filesystem {name} is incomplete here ({unit.state}); connect the missing disks first. To erase it "
            "anyway, choose its disks for something new"
        )
    if cloned := next((device for device in filesystem.devices if device.alike), None):
        both = called_at((cloned.path, *cloned.alike), machine)
        raise Refused(
            f"{listed(both)} have the same superblock (devid {cloned.devid}) of {name}: disconnect the one that does not "
            "belong here, and try again"
        )
    paths = {device.path for device in filesystem.devices}
    every = [one for disk in machine.disks for one in disk.every_signature if one.device in paths]
    if seed := next((one for one in every if one.type == TYPE and one.uuid != filesystem.uuid), None):
        raise Refused(
            f"{name} has grown from the seed on {seed.device}, from which others may have grown too: unmount it, and only "
            "what it added is erased"
        )
    members = members_at(
        [device.path for device in filesystem.devices if device.path],
        machine,
        called_as=f"a member of the Btrfs filesystem {name}",
        instead=lambda path: f"Unmount it, and remove what {path} is on",
    )
    return Removal(
        spec=Spec(
            name=name,
            backend=Backend.BTRFS,
            level=unit.level,
            members=(),
            metadata="+".join(filesystem.metadata) or None,
            filesystem=FilesystemSpec(
                type=Backend.BTRFS.value,
                label=name,
                mountpoint=unit.mountpoints[0] if unit.mountpoints else "",
            ),
        ),
        noun="filesystem",
        mark=unit.uuid,
        path=unit.path,
        filesystem_uuid=unit.uuid,
        uuids=(unit.uuid,),
        size_bytes=unit.size_bytes,
        members=members,
        partition_type=LINUX_FILESYSTEM,
        footprint=footprint_of_devices([(member.disk, member.path) for member in members]),
        source=filesystem.node,
        free=tuple(member.device for member in members),
        core=(
            erase_step(
                "clear",
                members,
                lambda member: erase_member(member.device, member.size_bytes),
                title=f"Erase the filesystem {name} on {count_of(members, 'disk')}",
                reason="Erases every superblock of every member, including the copies at 64 MiB and 256 GiB: a remaining one "
                "would show the disk as Btrfs.",
                destroys=lambda member: f"{member.shown}: its part of {name} and everything in it",
            ),
        ),
        folders=unit.mountpoints,
        built=unit.uuid,
    )
