"""Filesystems on arrays and volumes whose beginning was overwritten, and of which a copy of the superblock is left. Pure."""

from collections.abc import Collection, Iterator, Sequence

from raidtui.advice.findings.on_units import place_of, unit_of
from raidtui.model.device import DeviceKind
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.unit_names import command_word

_TRIED = frozenset({DeviceKind.ARRAY, DeviceKind.VOLUME})  # a trial reads these


def beginning_findings(machine: Machine, units: Sequence[Unit], apart: Collection[str]) -> Iterator[Finding]:
    """A finding for each. ``apart``: the UUIDs of units of which something else is known that explains it."""
    graph = graph_of(machine)
    for device in machine.devices:
        unit = unit_of(device, units, graph) if device.began else None
        if unit is None or unit.uuid in apart:
            continue
        look = Remedy(
            text="look for its files on overlays, by the copy of the superblock",
            procedure=Recover(unit=unit.uuid),
        )
        by_hand = Remedy(
            text="copy all of it to an image on another disk first (ddrescue), and repair the image. "
            "fsck takes a copy of the superblock"
        )
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.BEGINNING_GONE,
            what=f"{place_of(device, unit)}: {harmless(device.began)}",
            unit=unit.uuid,
            never="make a filesystem on it, or repair what is on it, before its files are copied away",
            remedies=(
                look if device.kind in _TRIED else by_hand,
                Remedy(text="when its files are copied away, remove it (raidtui teardown) and build it anew"),
            ),
        )
