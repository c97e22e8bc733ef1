"""Filesystems and partition tables on arrays and volumes that lost their beginning, and of which something is left. Pure."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from raidtui.advice.findings.on_units import place_of, unit_of
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.unit_names import command_word

_FROM_COPY: Final = {  # as measured: ntfs-3g 2022.10.3, exfatprogs 1.2.0
    "ntfs": "ntfsfix(8) writes the boot sector there from its copy",
    "exfat": "fsck.exfat(8) with -b writes the boot sector there from its copy",
}
_TABLE_AGAIN: Final = Remedy(
    text="if they are whole there, let gdisk(8) write the table again from its copy: it shows the partitions before it writes"
)


def beginning_findings(machine: Machine, units: Sequence[Unit], apart: Collection[str]) -> Iterator[Finding]:
    """A finding for each. ``apart``: the UUIDs of units of which something else is known that explains it."""
    graph = graph_of(machine)
    for device in machine.devices:
        unit = unit_of(device, units, graph) if device.began else None
        if unit is None or unit.uuid in apart:
            continue
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.BEGINNING_GONE,
            what=f"{place_of(device, unit)}: {harmless(device.began)}",
            unit=unit.uuid,
            never="make a filesystem or partition table on it, or repair what is on it, before its files are copied away",
            remedies=(
                _first(device, unit, graph),
                *((_TABLE_AGAIN,) if device.table else ()),
                Remedy(text="when its files are copied away, remove it (raidtui teardown) and build it anew"),
            ),
        )


def _first(device: Device, unit: Unit, graph: DeviceGraph) -> Remedy:
    """What shows the files."""
    own = _FROM_COPY.get(device.began_type, "")
    if own or graph.whole(device).kind is DeviceKind.CRYPT:  # no trial reads that, or has its key
        do = own or "fsck takes a copy of the superblock there"
        return Remedy(text=f"copy all of it to an image on another disk (ddrescue), and repair that. {do}")
    how = ", in its partitions" if device.table is not None else ", by the copy of the superblock"
    return Remedy(text=f"look for its files on overlays{how}", procedure=Recover(unit=unit.uuid))
