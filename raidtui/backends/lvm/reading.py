"""LVM's part of a reading: its report, the kernel's status of RAID volumes, and the signatures on volumes."""

import re
from typing import Final

from msgspec import field

from raidtui.backends.kept import kept_in
from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup, read_lvm
from raidtui.backends.lvm.signs import MEMBER, may_be_here
from raidtui.backends.lvm.status import RaidStatus, device_name, read_statuses
from raidtui.machine.ask import Ask
from raidtui.machine.contents.signatures import probe
from raidtui.machine.volumes import read_system_id
from raidtui.model.errors import StepFailed
from raidtui.model.machine import ClaimKind, Machine, Signature
from raidtui.model.spec import Backend
from raidtui.model.struct import Record
from raidtui.model.unit import Unit

NO_REPORT: Final = "LVM does not answer, or not in its JSON, so it is unknown which volume groups are here"

_ALL_DEVICES: Final = 'devices { filter = [ "a|.*|" ] global_filter = [ "a|.*|" ] }'
_QUOTED: Final = re.compile(r'"([^"]*)"')
_SKIPPED: Final = re.compile(r"Skipping clustered (?:VG|volume group) (\S+?)\.?$", re.MULTILINE)
_SHOWS_ANOTHER: Final = frozenset({ClaimKind.ARRAY, ClaimKind.MULTIPATH})
_EXTENDED_AT: Final = re.compile(
    r"(?P<kind>[a-z_]+)_autoextend_threshold=(?P<percent>\d{1,3})$", re.ASCII | re.MULTILINE
)


class LvmReading(Record, frozen=True, kw_only=True):
    """Everything about LVM at one moment; volumes by UUID."""

    known: Reading
    statuses: dict[str, RaidStatus] = field(default_factory=dict)  # by device name
    signatures: dict[str, tuple[Signature, ...]] = field(default_factory=dict)  # on active volumes
    unread: dict[str, str] = field(default_factory=dict)  # why a volume's signatures could not be read
    system_id: str = ""  # of this computer
    # UUIDs of physical volumes that are here and that LVM's commands leave out
    filtered: tuple[str, ...] = ()  # by the filters of lvm.conf
    removed: tuple[str, ...] = ()  # in no group that LVM shows, and not blank: their metadata is older
    clustered: tuple[str, ...] = ()  # names of groups that an older cluster shares: LVM skips them
    unlisted: tuple[str, ...] = ()  # because its file of devices does not have them
    # the only groups, volumes and tags that LVM activates: activation/volume_list of lvm.conf; empty: all
    activated: tuple[str, ...] = ()
    # thin_pool, snapshot, vdo_pool → from how many percent dmeventd extends it; 100: never
    extended_at: dict[str, int] = field(default_factory=dict)

    def status(self, group: VolumeGroup, volume: LogicalVolume) -> RaidStatus | None:
        """The kernel's status of a volume; None if it is not active or not of a RAID type."""
        return self.statuses.get(device_name(group.name, volume.name))


def read(machine: Machine, ask: Ask) -> LvmReading | None:
    """Read LVM; None if no disk, partition or array is a physical volume, or this process cannot read LVM at all.

    Raises:
        StepFailed: LVM is installed and does not answer, or not in its JSON.
    """
    if not may_be_here(machine):
        return None
    known = read_lvm(ask)
    if known is None:
        if machine.complete and "lvm" in machine.tools:
            raise StepFailed(NO_REPORT)
        return None
    paths = {one.dm_path: one.uuid for one in known.volumes if one.active and one.path and one.dm_path}
    probed = probe(sorted(paths), ask=ask)
    outside = _outside(machine, known, ask)
    return LvmReading(
        known=known,
        statuses=read_statuses(ask) or {},
        signatures={paths[path]: found for path, found in probed.found.items()},
        unread={paths[path]: why for path, why in probed.failed.items()},
        system_id=own_system_id(known, ask),
        filtered=outside[0],
        removed=outside[1],
        clustered=_clustered(ask) if outside[1] else (),
        unlisted=_unlisted(known, ask),
        activated=() if all(one.active or one.hidden for one in known.volumes) else _activated(ask),
        extended_at=_extended_at(ask) if any(one.data_percent is not None for one in known.volumes) else {},
    )


def volumes_here(machine: Machine) -> dict[str, list[str]]:
    """The paths of every physical volume on a disk, partition or array, by UUID."""
    found: dict[str, set[str]] = {}
    for array in machine.arrays:
        for one in array.signatures:
            if one.type == MEMBER and one.uuid and array.node:
                found.setdefault(one.uuid, set()).add(array.node)
    for disk in machine.disks:
        # A member of an array with its superblock at the end shows what is on the array, and so does a path of multipath.
        below = {one.device for one in disk.every_signature if one.type.endswith("_raid_member")}
        below |= {one.device for one in disk.taken_by if one.what in _SHOWS_ANOTHER}
        for one in disk.every_signature:
            if one.type == MEMBER and one.uuid and one.device not in below:
                found.setdefault(one.uuid, set()).add(one.device)
    return {uuid: sorted(paths) for uuid, paths in found.items()}


def own_system_id(known: Reading, ask: Ask) -> str:
    """The system ID of this computer, by which its own groups are known; empty if no group has one."""
    return read_system_id(ask) if any(one.system_id for one in known.groups) else ""


def _unlisted(known: Reading, ask: Ask) -> tuple[str, ...]:
    """What LVM's commands do not use, though its report has it: that is asked without the file of devices."""
    uses = ask(["lvm", "lvmconfig", "--type", "full", "devices/use_devicesfile"])
    if "use_devicesfile=1" not in uses.stdout:
        return ()
    used = _uuids(ask)
    return tuple(one.uuid for one in known.devices if one.path and used is not None and one.uuid not in used)


def _outside(machine: Machine, known: Reading, ask: Ask) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is here and only shown without the filters of lvm.conf; and what is shown, but in no group.

    One that was removed from its group is shown without it, or not at all.
    """
    shown = {one.uuid for one in known.devices if one.path}
    hidden = [uuid for uuid in volumes_here(machine) if uuid not in shown]
    found = _uuids(ask, "--config", _ALL_DEVICES) if hidden else None
    labelled = (_uuids(ask) if found else None) or frozenset()
    return (
        tuple(uuid for uuid in hidden if uuid in (found or ()) and uuid not in labelled),
        tuple(uuid for uuid in hidden if uuid in labelled),
    )


def _clustered(ask: Ask) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SKIPPED.findall(ask(["lvm", "vgs", "--foreign", "--shared"]).stderr)))


def _uuids(ask: Ask, *options: str) -> frozenset[str] | None:
    """The physical volumes that LVM's commands use; None if it does not answer."""
    answer = ask(["lvm", "pvs", "--foreign", "--shared", "--noheadings", "-o", "pv_uuid", *options])
    return frozenset(answer.stdout.split()) if answer.returncode == 0 else None


def _activated(ask: Ask) -> tuple[str, ...]:
    """Nothing where lvm.conf has no such list: lvmconfig ends with an error then."""
    answer = ask(["lvm", "lvmconfig", "activation/volume_list"])
    return tuple(_QUOTED.findall(answer.stdout)) if answer.returncode == 0 else ()


def _extended_at(ask: Ask) -> dict[str, int]:
    answer = ask(["lvm", "lvmconfig", "--type", "full", "activation"])
    return {one["kind"]: int(one["percent"]) for one in _EXTENDED_AT.finditer(answer.stdout)}


def group_in(unit: Unit, machine: Machine) -> tuple[LvmReading, VolumeGroup] | None:
    """LVM's part of a reading, and the group that ``unit`` is; None if it does not report that group."""
    reading = reading_in(machine)
    group = next((one for one in reading.known.groups if one.uuid == unit.uuid), None) if reading else None
    return (reading, group) if reading is not None and group is not None else None


def reading_in(machine: Machine) -> LvmReading | None:
    """LVM's part of a reading, recorded or not; None without one.

    Raises:
        BadInput: the recorded file is damaged.
    """
    return kept_in(machine, Backend.LVM, LvmReading, of="LVM")
