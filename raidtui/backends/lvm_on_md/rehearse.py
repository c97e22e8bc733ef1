"""A volume group on arrays for a rehearsal: its metadata is written anew from LVM's report, for arrays that are small.

The copies of the members hold no data, so the physical volumes on their arrays are not there.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.backends.lvm.metadata import Section
from raidtui.backends.lvm.reading import group_in
from raidtui.backends.lvm.rehearse import own_group, restored
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, VolumeGroup
from raidtui.backends.lvm_on_md.units import arrays_of
from raidtui.backends.md.rehearse import lessened_bytes
from raidtui.backends.rehearsing import Rehearser
from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import SECTOR

_PLAIN: Final = frozenset({"linear", "striped"})


class OverArraysRehearser(Rehearser):
    """vgcfgrestore(8) of metadata with the same names and UUIDs; each array fills its physical volume."""

    def why_not(self, unit: Unit, machine: Machine) -> str:
        """A group that this computer may not use, that lacks an array, or that has volumes of other types."""
        found = own_group(unit, machine)
        if isinstance(found, str):
            return found
        reading, group = found
        if len(arrays_of(unit, machine)) != len(reading.known.devices_of(group)):
            return f"an array of {unit.shown} is missing"
        volumes = [one for one in reading.known.volumes if one.group == group.uuid]
        if other := sorted({one.type for volume in volumes for one in volume.segments} - _PLAIN):
            return f"{unit.shown} has volumes of type {harmless(listed(other))}"
        return ""

    def no_growth(self, unit: Unit, order: Grow) -> str:
        """A new array is as large as its band."""
        return "it syncs all of each new array" if order.to_largest else ""

    def remake(self, unit: Unit, machine: Machine, contents: Mapping[str, bytes], member_bytes: int) -> str:
        """Restore the group. The ends of a member that were copied may hold its label: it is erased first."""
        found = group_in(unit, machine)
        assert found is not None, "`why_not` has seen it"
        reading, group = found
        arrays = arrays_of(unit, machine)
        devices = {
            one.uuid: (one, array)
            for one in reading.known.devices_of(group)
            for array in arrays
            if one.path in {array.node, array.path}
        }
        sizes = [(one, lessened_bytes(array, member_bytes)) for one, array in devices.values()]
        paths = {uuid: shlex.quote(array.path or array.node) for uuid, (_, array) in devices.items()}
        volumes = [one for one in reading.known.volumes if one.group == group.uuid]
        return "\n".join(
            [
                f"vgchange -qq --activate n {shlex.quote(group.name)} || :; udevadm settle",
                " ".join(["wipefs", "--all", "--quiet", *paths.values()]),
                *restored(described(group, sizes, volumes), paths),
            ]
        )


def described(
    group: VolumeGroup, sizes: Sequence[tuple[PhysicalVolume, int]], volumes: Sequence[LogicalVolume]
) -> Section:
    """The text of metadata of ``group`` on physical volumes with these devices' sizes, in bytes.

    The segments on one of them share it evenly, and are as short as the shortest of their stripes.
    """
    extents = {
        one.path: min(size - one.data_start_bytes, one.size_bytes) // group.extent_bytes
        for one, size in sizes
    }
    names = {one.path: f"pv{number}" for number, (one, _) in enumerate(sizes)}
    every = [path for volume in volumes for segment in volume.segments for path in segment.devices]
    share = {path: extents[path] // max(1, every.count(path)) for path in extents}
    begin = dict.fromkeys(extents, 0)
    logical: Section = {}
    for volume in volumes:
        segments: Section = {}
        start = 0
        for number, segment in enumerate(volume.segments, 1):
            real = segment.size_bytes // group.extent_bytes // len(segment.devices)
            each = min(real, *(share[path] for path in segment.devices))
            places = [word for path in segment.devices for word in (f'"{names[path]}"', str(begin[path]))]
            begin |= {path: begin[path] + each for path in segment.devices}
            count = each * len(segment.devices)
            segments[f"segment{number}"] = {
                "start_extent": str(start),
                "extent_count": str(count),
                "type": '"striped"',
                "stripe_count": str(len(segment.devices)),
                **({"stripe_size": str(segment.stripe_bytes // SECTOR)} if len(segment.devices) > 1 else {}),
                "stripes": places,
            }
            start += count
        logical[volume.name] = {
            "id": f'"{volume.uuid}"',
            "status": ['"READ"', '"WRITE"', '"VISIBLE"'],
            "flags": [],
            "tags": _quoted(volume.tags),
            "segment_count": str(len(segments)),
            **segments,
        }
    described: Section = {
        "id": f'"{group.uuid}"',
        "seqno": "1",
        "format": '"lvm2"',
        "status": ['"RESIZEABLE"', '"READ"', '"WRITE"'],
        "flags": [],
        "tags": _quoted(group.tags),
        **({"system_id": f'"{group.system_id}"'} if group.system_id else {}),
        "extent_size": str(group.extent_bytes // SECTOR),
        "max_lv": "0",
        "max_pv": "0",
        "metadata_copies": "0",
        "physical_volumes": {
            names[one.path]: {
                "id": f'"{one.uuid}"',
                "device": f'"{one.path}"',
                "status": ['"ALLOCATABLE"'],
                "flags": [],
                "dev_size": str(size // SECTOR),
                "pe_start": str(one.data_start_bytes // SECTOR),
                "pe_count": str(extents[one.path]),
            }
            for one, size in sizes
        },
        "logical_volumes": logical,
    }
    return {"contents": '"Text Format Volume Group"', "version": "1", group.name: described}


def _quoted(words: Sequence[str]) -> list[str]:
    return [f'"{one}"' for one in words]


REHEARSER: Final = OverArraysRehearser()
