"""Filesystems that the kernel stopped after an error, or in which it counted errors, and those of another size. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import called
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import SHUT_DOWN, Machine, Mount
from raidtui.model.procedure import Fill
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.unit_names import command_word
from raidtui.model.units import decimal

_MEMBER: Final = "_raid_member"
_BACK_UP: Final = Remedy(text="back up what can be read of it now")
_AGAIN: Final = Remedy(text="unmount it and mount it again, which replays its log; then back it up")
_SHOWN: Final = {"xfs": "XFS", "btrfs": "Btrfs"}
_CHECKS: Final = {"xfs": "xfs_repair -n", "btrfs": "btrfs check --readonly"}


def filesystem_findings(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """A finding for each; not where the unit below it has failed, which is the cause then."""
    by_place = {place: unit for unit in units for place in unit.mountpoints}
    found: dict[str, tuple[Unit, list[Mount]]] = {}
    for mount in machine.mounts:
        unit = by_place.get(mount.target)
        if mount.trouble and unit is not None and unit.health is not Health.FAILED:
            found.setdefault(mount.device or mount.target, (unit, []))[1].append(mount)
    for unit, mounts in found.values():
        first = mounts[0]
        yield Finding(
            name=first.target,
            kind=Kind.FILESYSTEM_ERRORS,
            what=f"{_SHOWN.get(first.type, first.type)} at {harmless(listed([one.target for one in mounts]))}: {harmless(first.trouble)}",
            unit=unit.uuid,
            never="repair the filesystem before its files are backed up",
            remedies=(_AGAIN if first.trouble.startswith(SHUT_DOWN) else _BACK_UP, _check(first)),
        )


def cut_findings(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """A finding for each filesystem that ends beyond its device."""
    owners = {unit.node: unit for unit in units if unit.node}
    disks = {path: disk for disk in machine.disks for path in disk.every_path}
    # A member whose data begins where it begins shows the filesystem of its array.
    signatures = (one for disk in machine.disks for one in disk.every_signature)
    members = {one.device for one in signatures if one.type.endswith(_MEMBER)}
    for device in machine.devices:
        if not device.cut_bytes or device.path in members:
            continue
        unit, disk = owners.get(device.path), disks.get(device.path)
        where = unit.shown if unit is not None else called(disk) if disk is not None else device.dm_name
        shown, check = _SHOWN.get(device.type, device.type), _CHECKS.get(device.type, "e2fsck -n")
        yield Finding(
            name=command_word(unit, units)
            if unit is not None
            else (disk.identity if disk is not None else device.dm_name) or device.path,
            kind=Kind.FILESYSTEM_CUT,
            what=f"{shown} on {harmless(where) or device.path}: it has {decimal(device.size_bytes + device.cut_bytes)} by its superblock, "
            f"and its device has {decimal(device.size_bytes)}",
            unit=unit.uuid if unit is not None else "",
            never="let a check repair it, resize it, or write to it",
            remedies=(
                Remedy(
                    text="find out what made the device smaller, and take that back. It may be an array that was shrunk or created again, a "
                    "volume or partition made smaller, or a disk whose end is hidden"
                ),
                Remedy(text=f"then check it without repairing: {check}"),
            ),
        )


def unused_findings(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """A finding for each well unit that has grown without its filesystem."""
    graph = graph_of(machine)
    for unit in units:
        device = graph.at(unit.node)
        if device is None or not device.unused_bytes or unit.health is not Health.OK or unit.read_only:
            continue
        shown = f"the {_SHOWN.get(device.type, device.type)} on it"
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.SPACE_UNUSED,
            what=f"{harmless(unit.shown)} has {decimal(device.size_bytes)}, and {shown} leaves {decimal(device.unused_bytes)} of it unused",
            unit=unit.uuid,
            remedies=(_fill(unit, machine, shown),),
        )


def _fill(unit: Unit, machine: Machine, shown: str) -> Remedy:
    from raidtui.steps.enlarge import content_of  # only here, for it loads what builds

    try:
        content_of(unit, machine)
    except Refused as error:
        return Remedy(text=str(error))
    return Remedy(text=f"enlarge {shown}, which stays mounted", procedure=Fill(unit=unit.uuid))


def _check(mount: Mount) -> Remedy:
    program = _CHECKS.get(mount.type, "e2fsck -n")
    return Remedy(
        text=f"find the cause in the kernel log (dmesg), then unmount it and check it without repairing: {program}"
    )
