"""Tear down a volume group: wipe the contents of its volumes, remove volumes, group and physical volumes.

This also handles inactive volumes, missing disks and exported groups.
"""

import posixpath
from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.care import called_at
from raidtui.backends.lvm.conditions import GROUP_GONE, VOLUMES_GONE
from raidtui.backends.lvm.create import Holder, erase_device, wholes
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import LogicalVolume, VolumeGroup
from raidtui.backends.lvm.units import clones_in, footprint_of, others, units_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine, Signature
from raidtui.model.plan import Run, Step, removal_step
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.filesystems import NOT_MOUNTED
from raidtui.steps.footprint import Footprint
from raidtui.steps.multi_device import check_on_no_other
from raidtui.steps.partitions import LINUX_LVM
from raidtui.steps.removal import Removal, members_at


class Group(Record, frozen=True, kw_only=True):
    """A volume group to be removed, with its unit and LVM's reading."""

    unit: Unit
    group: VolumeGroup
    reading: LvmReading

    @property
    def name(self) -> str:
        return harmless(self.group.name)

    @property
    def mark(self) -> str:
        """The mark by which a plan identifies it: the one its build wrote, else its UUID."""
        return next((one for one in self.group.marks if one != self.group.uuid), self.group.uuid)

    @property
    def uuids(self) -> dict[str, str]:
        """The UUIDs of its physical volumes by path."""
        return {one.path: one.uuid for one in self.reading.known.devices_of(self.group)}

    @property
    def volumes(self) -> tuple[LogicalVolume, ...]:
        """Its visible volumes."""
        return self.reading.known.of(self.group)

    def signatures(self, volume: LogicalVolume) -> tuple[Signature, ...]:
        return self.reading.signatures.get(volume.uuid, ())


def find_group(word: str, machine: Machine) -> Group | None:
    """The volume group that ``word`` means; None if there is none. Raises BadInput: there are several."""
    reading = reading_in(machine)
    return None if reading is None else the_group(word, units_of(machine), reading)


def the_group(word: str, units: Sequence[Unit], reading: LvmReading) -> Group | None:
    """The one of ``units`` that ``word`` means; None if there is none. Raises BadInput: there are several."""
    found = [unit for unit in units if unit.is_called(word) or unit.has_mark(word)]
    if not found:
        return None
    if len(found) > 1:
        those = ", ".join(unit.uuid for unit in found)
        raise BadInput(f"several volume groups are called {word!r}: give the UUID instead, one of {those}")
    (unit,) = found
    group = next(one for one in reading.known.groups if one.uuid == unit.uuid)
    return Group(unit=unit, group=group, reading=reading)


def removal_of(found: Group, machine: Machine) -> Removal:
    """How a volume group is removed.

    Raises:
        BadInput: none of its disks is in this computer.
        Refused: it belongs to another system or a cluster; a physical volume is not on a disk, or a clone of one is
            here; or its contents span other devices too.
    """
    check_is_ours(found)
    name, uuids = found.name, found.uuids
    members = members_at(
        [member.path for member in found.unit.members if member.path],
        machine,
        called_as=f"a physical volume of {name}",
        instead=by_hand,
    )
    if not members:
        raise BadInput(f"no disk of the volume group {name} is in this computer")
    own = {member.path for member in members}
    clones = clones_in(machine)
    if same := next((clones[uuid] for uuid in uuids.values() if uuid in clones), None):
        raise Refused(
            f"{listed(called_at(same, machine))} have the same physical volume of {name}: disconnect the one that does not "
            "belong here, and try again"
        )
    check_on_no_other(name, found.unit.signatures, machine, own=own, unread=found.unit.unread)
    devices = [Holder(device=one.device, uuid=uuids[one.path], whole=one.whole) for one in members]
    return replace(
        group_removal(found, devices, names=[member.shown for member in members]),
        members=members,
        partition_type=LINUX_LVM,
    )


def by_hand(path: str) -> str:
    """What is done about a physical volume that is on no disk or array."""
    return f"Remove the group, and what {path} is on, with their own tools: vgremove(8), pvremove(8)"


def check_is_ours(found: Group) -> None:
    """Check that a group belongs to this computer.

    Raises:
        Refused: it belongs to another system or a cluster.
    """
    if whose := others(found.group, found.reading):
        raise Refused(f"the volume group {found.name} is {whose}; remove it there, raidtui leaves it alone")


def group_removal(found: Group, devices: Sequence[Holder], *, names: Sequence[str]) -> Removal:
    """How a group and its physical volumes ``devices`` are removed, whatever they are on.

    Args:
        names: of the devices, as shown.
    """
    unit = found.unit
    return Removal(
        spec=Spec(name=found.name, backend=Backend.LVM, level=unit.level, members=()),
        noun="volume group",
        mark=found.mark,
        uuids=tuple(one.uuid for one in devices),
        path=unit.path or f"/dev/{found.group.name}",
        size_bytes=unit.size_bytes,
        members=(),
        footprint=_footprint(found, found.volumes),
        free=tuple(volume.path for volume in found.volumes if volume.active and volume.path),
        core=(
            *_clear_step(found),
            _volumes_step(found, devices),
            _group_step(found, devices),
            _devices_step(found, devices, names),
        ),
        gone=(GROUP_GONE.of(found.group.uuid),),
        folders=unit.mountpoints,
        built=found.mark,
    )


def _footprint(found: Group, volumes: Sequence[LogicalVolume]) -> Footprint:
    """The volumes of a group, by every name of theirs."""
    return replace(
        footprint_of(volumes),
        links=frozenset(name for volume in volumes for name in _names(volume, found.group)),
        signatures=tuple(s for volume in volumes for s in found.signatures(volume)),
    )


def _names(volume: LogicalVolume, group: VolumeGroup) -> set[str]:
    """The paths that mean a volume."""
    mapped = posixpath.basename(volume.dm_path)
    uuid = f"{group.uuid}{volume.uuid}".replace("-", "")
    by_id = {f"/dev/disk/by-id/dm-name-{mapped}", f"/dev/disk/by-id/dm-uuid-LVM-{uuid}"}
    return {volume.path, volume.dm_path, *by_id} - {""}


def _clear_step(found: Group) -> list[Step]:
    active = [volume for volume in found.volumes if volume.active and volume.path]
    if not active:
        return []  # the volumes cannot be written to; the disks are erased in any case
    return [
        removal_step(
            id="clear",
            title=f"Wipe the contents of {', '.join(harmless(volume.path) for volume in active)}",
            reason="Through the volume, so that its filesystem does not reappear on a later one of the same layout.",
            actions=tuple(Run(argv=("wipefs", "--all", volume.path)) for volume in active),
            destroys=tuple(_describe(volume, found) for volume in active),
            before=tuple(kind.of(volume.path) for volume in active for kind in (NOT_MOUNTED, UNCLAIMED)),
            after=tuple(BLANK.of(volume.path) for volume in active),
        )
    ]


def _describe(volume: LogicalVolume, found: Group) -> str:
    held = [f"{s.type} {s.label!r}" if s.label else s.type for s in found.signatures(volume)]
    return harmless(f"{found.group.name}/{volume.name}: {', '.join(held) if held else 'everything on it'}")


def _volumes_step(found: Group, devices: Sequence[Holder]) -> Step:
    """Remove every volume. Even with ``--yes``, lvremove refuses one in use."""
    only = _only(found.group)
    imported = [Run(argv=("vgimport", "--select", only), ok=(0, 5))] if found.group.exported else []
    inactive = [volume for volume in found.volumes if not (volume.active and volume.path)]
    return removal_step(
        id="volumes",
        title=f"Remove {count_of(found.volumes, 'volume')} of {found.name}",
        reason="By the group's UUID: names may mean another group after a boot."
        + (
            " The contents of an inactive volume cannot be read, so a line of fstab that mounts it by UUID stays."
            if inactive
            else ""
        ),
        actions=(*imported, Run(argv=("lvremove", "--yes", "--select", only), timeout_seconds=600)),
        destroys=tuple(_describe(volume, found) for volume in inactive),
        after=(VOLUMES_GONE.of(found.group.uuid),),
        holds=wholes(devices),
    )


def _group_step(found: Group, devices: Sequence[Holder]) -> Step:
    """Remove the group. Missing physical volumes are removed from it first, or vgremove would ask."""
    forget = [Run(argv=("vgreduce", "--removemissing", found.group.name), ok=(0, 5))]
    return removal_step(
        id="group",
        title=f"Remove the volume group {found.name}",
        reason="Its description is erased from every disk that is here.",
        actions=(
            *(forget if found.group.missing else ()),
            Run(argv=("vgremove", "--select", _only(found.group))),
        ),
        after=(GROUP_GONE.of(found.group.uuid),),
        holds=wholes(devices),
    )


def _devices_step(found: Group, devices: Sequence[Holder], names: Sequence[str]) -> Step:
    return removal_step(
        id="physical-volumes",
        title=f"Erase {count_of(devices, 'physical volume')}",
        reason="A remaining label would show the disk as LVM's.",
        actions=tuple(run for one in devices for run in erase_device(one.device)),
        destroys=tuple(f"{name}: its part of {found.name}" for name in names),
        before=tuple(UNCLAIMED.of(one.device) for one in devices),
        after=tuple(BLANK.of(one.device) for one in devices),
        holds=wholes(devices),
    )


def _only(group: VolumeGroup) -> str:
    """A ``--select`` expression for this group. If it is gone, the command does nothing and succeeds."""
    return f'vg_uuid="{group.uuid}"'
