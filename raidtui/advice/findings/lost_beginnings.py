"""Filesystems on arrays and volumes whose beginning was overwritten, and of which a copy of the superblock is left. Pure."""

from collections.abc import Collection, Iterator, Sequence

from raidtui.model.device import Device, DeviceKind
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.unit_names import command_word

_OF_LVM = "LVM-"  # in dm/uuid, the UUID of the group follows without its hyphens


def beginning_findings(machine: Machine, units: Sequence[Unit], apart: Collection[str]) -> Iterator[Finding]:
    """A finding for each. ``apart``: the UUIDs of units of which something else is known that explains it."""
    for device in machine.devices:
        if not device.began:
            continue
        unit = next((one for one in units if one.uuid and _is_of(device, one)), None)
        if unit is None or unit.uuid in apart:
            continue
        on = f"volume {device.dm_name}" if device.kind is DeviceKind.VOLUME else f"array {unit.shown}"
        yield Finding(
            name=command_word(unit, units),
            kind=Kind.BEGINNING_GONE,
            what=f"{harmless(on)}: {harmless(device.began)}",
            unit=unit.uuid,
            never="make a filesystem on it, or repair what is on it, before its files are copied away",
            remedies=(
                Remedy(
                    text="look for its files on overlays, by the copy of the superblock",
                    procedure=Recover(unit=unit.uuid),
                ),
                Remedy(text="when its files are copied away, remove it (raidtui teardown) and build it anew"),
            ),
        )


def _is_of(device: Device, unit: Unit) -> bool:
    if device.kind is DeviceKind.VOLUME:
        return device.dm_uuid.startswith(_OF_LVM + unit.uuid.replace("-", ""))
    return unit.node == device.path
