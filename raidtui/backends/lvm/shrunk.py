"""Physical volumes whose device has become smaller than they are: LVM activates nothing that ends beyond it. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import end_hidden, look_for_files
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.units import units_of
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health
from raidtui.model.unit_names import command_word
from raidtui.model.units import binary

_IMAGE: Final = re.compile(r"_(r|m)(image|meta)_\d+$")
_SO = "LVM does not activate what ends there"


def smaller(group: VolumeGroup, known: Reading, machine: Machine) -> str:
    """What to do about the first such one of a group that is not active; empty if there is none."""
    graph = graph_of(machine)
    for one in known.devices_of(group):
        device = graph.at(one.path)
        needed = one.data_start_bytes + one.size_bytes
        if device is None or not 0 < device.size_bytes < needed:
            continue
        disk = next((each for each in machine.disks if each.path == device.path), None)
        if disk is not None:
            return end_hidden(disk, needed, _SO)
        return (
            f"{harmless(one.path)} has {binary(device.size_bytes)}, and its physical volume needs {binary(needed)}, so {_SO}. Find "
            "out what made it smaller, and take that back. It may be a partition or an array that was made again, or a hidden end"
        )
    return ""


def cut_off(machine: Machine) -> Iterator[Finding]:
    """A finding for each group of which some volumes reach beyond the end of a device: LVM activates the others, and says no more."""
    reading = reading_in(machine)
    units = units_of(machine)
    for unit in units:
        group = reading.known.group(unit.uuid) if reading is not None and unit.health is Health.OK else None
        if reading is None or group is None or not (why := smaller(group, reading.known, machine)):
            continue
        beyond = {_IMAGE.sub("", one.name) for one in _beyond(group, reading.known, machine)}
        whole = [one.name for one in reading.known.of(group) if one.name not in beyond]
        if not beyond:
            continue
        rest = f"; {harmless(listed(whole))} {'does' if len(whole) == 1 else 'do'} not" if whole else ""
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.INACTIVE,
            what=f"volume group {unit.shown}: a disk is smaller than its physical volume. "
            f"{harmless(listed(sorted(beyond)))} {'reaches' if len(beyond) == 1 else 'reach'} beyond its end{rest}",
            unit=unit.uuid,
            never="reduce a volume or its physical volume, or let fsck repair what was cut off",
            remedies=(Remedy(text=why), look_for_files(unit.uuid)),
        )


def _beyond(group: VolumeGroup, known: Reading, machine: Machine) -> Iterator[LogicalVolume]:
    """The volumes, also those inside of others, that end beyond a device."""
    graph = graph_of(machine)
    sizes = {one.path: (one, graph.at(one.path)) for one in known.devices_of(group) if one.path}
    for volume in (one for one in known.volumes if one.group == group.uuid):
        for segment in volume.segments:
            each = segment.size_bytes // max(1, segment.stripes)
            for path, first in zip(segment.devices, segment.first_extents, strict=False):
                own, device = sizes.get(path, (None, None))
                if own is None or device is None:
                    continue
                if own.data_start_bytes + first * group.extent_bytes + each > device.size_bytes > 0:
                    yield volume
