"""Tear down a multi-device Btrfs, so that nothing of it comes back.

Unmount it, remove its fstab lines, make the kernel forget its members, and erase them. An unmounted filesystem with a
missing disk is left alone: it may be complete elsewhere.
"""

import posixpath
from collections.abc import Sequence

from raidtui.backends.btrfs.create import erase_member
from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.units import units_of
from raidtui.backends.care import called_at
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind, Role, Step, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.footprint import footprint_of_devices, own_lines, unmount
from raidtui.steps.fstab import remove_folder_steps
from raidtui.steps.partitions import LINUX_FILESYSTEM
from raidtui.steps.removal import (
    OnDisk,
    devices_by_path,
    drop_fstab_lines,
    emptied,
    erase_tables,
    identities,
    left_blank,
    part_of,
    planned_disks,
    wholes_of,
)
from raidtui.steps.settle import settle_step


class Found(Record, frozen=True, kw_only=True):
    """A filesystem to be removed."""

    unit: Unit
    filesystem: Filesystem

    @property
    def name(self) -> str:
        """The name as shown."""
        return harmless(self.unit.name)


def find_filesystem(word: str, machine: Machine) -> Found | None:
    """The filesystem with this label, UUID or mount point; None if there is none.

    Raises:
        BadInput: there are several.
    """
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
    return Found(unit=unit, filesystem=filesystem)


def remove_filesystem(found: Found, machine: Machine, *, seed: str) -> Plan:
    """The plan that removes a filesystem and leaves its disks blank.

    Raises:
        Refused: it is not mounted and a disk is missing; the running system is on it or elsewhere on one of its
            disks; or a member is not on a disk.
    """
    unit, filesystem, name = found.unit, found.filesystem, found.name
    if filesystem.missing and not filesystem.node:
        raise Refused(
            f"the Btrfs filesystem {name} is incomplete here ({unit.state}); connect the missing disks first. To erase it "
            "anyway, run 'wipefs --all' on each of its devices"
        )
    members = _find_members(found, machine)
    disks = planned_disks(members, machine, name=name)
    wholes, freed = wholes_of(members), emptied(members, (LINUX_FILESYSTEM,))
    on_it = footprint_of_devices([(member.disk, member.path) for member in members])
    return Plan(
        kind=PlanKind.TEARDOWN,
        spec=Spec(
            name=name,
            backend=Backend.BTRFS,
            level=unit.level,
            members=identities(disks),
            metadata="+".join(filesystem.metadata) or None,
            partition=any(member.device != member.whole for member in members),
            filesystem=FilesystemSpec(
                type=Backend.BTRFS.value,
                label=name,
                mountpoint=unit.mountpoints[0] if unit.mountpoints else "",
            ),
        ),
        seed=seed,
        host=machine.system.hostname,
        array_uuid=unit.uuid,
        array_path=unit.path,
        filesystem_uuid=unit.uuid,
        uuids=(unit.uuid,),
        array_bytes=unit.size_bytes,
        disks=disks,
        steps=(
            *unmount(
                on_it,
                machine,
                name=name,
                source=filesystem.node,
                reason="Writes what is still cached and ends all use of the filesystem.",
                holds=wholes,
            ),
            *drop_fstab_lines(
                own_lines(on_it, machine),
                machine,
                what="filesystem",
                unused=[member.device for member in members],
            ),
            _clear_step(found, members),
            *erase_tables(freed),
            settle_step(
                "settle",
                role=Role.REMOVE,
                title="Check that nothing of the filesystem comes back",
                reason="udev probes the disks as soon as they are unlocked.",
                udev=machine.system.udev,
                after=left_blank(members, freed),
            ),
            *remove_folder_steps(unit.mountpoints, built=unit.uuid),
        ),
    )


def _find_members(found: Found, machine: Machine) -> tuple[OnDisk, ...]:
    """The members that are present, by devid.

    Raises:
        Refused: one is neither a disk nor a partition, or another device has its superblock.
    """
    devices = devices_by_path(machine)
    if cloned := next((device for device in found.filesystem.devices if device.alike), None):
        both = called_at((cloned.path, *cloned.alike), machine)
        raise Refused(
            f"{listed(both)} have the same superblock (devid {cloned.devid}) of {found.name}: disconnect the one that does not "
            "belong here, and try again"
        )
    members = []
    for path in (device.path for device in found.filesystem.devices if device.path):
        if path not in devices:
            raise Refused(
                f"{path}, a member of the Btrfs filesystem {found.name}, is neither a disk nor a partition, so it cannot be "
                f"erased here. Unmount it, then run 'wipefs --all {path}'"
            )
        members.append(devices[path])
    return tuple(members)


def _clear_step(found: Found, members: Sequence[OnDisk]) -> Step:
    return Step(
        id="clear",
        role=Role.REMOVE,
        title=f"Erase the filesystem {found.name} on {count_of(members, 'disk')}",
        reason="Erases every superblock of every member, including the copies at 64 MiB and 256 GiB: a remaining one "
        "would show the disk as Btrfs.",
        actions=tuple(run for member in members for run in erase_member(member.device, member.size_bytes)),
        destroys=tuple(
            f"{part_of(member)}: its part of {found.name} and everything in it" for member in members
        ),
        before=tuple(UNCLAIMED.of(member.device) for member in members),
        after=tuple(BLANK.of(member.device) for member in members),
        undoable=Undo.IMPOSSIBLE,
        holds=wholes_of(members),
    )
