"""The devices of physical volumes by paths that survive a reboot. Pure."""

from collections.abc import Iterator
from typing import Final

from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.unit import Unit

_BY_UUID: Final = "/dev/disk/by-id/lvm-pv-uuid-"


def stable_paths_in(machine: Machine) -> dict[str, str]:
    """The path that survives a reboot of what may hold a physical volume, by the kernel's path."""
    # The other links of an array have colons, after which pvmove expects extents.
    by_uuid = {one.path: link for one in machine.devices for link in one.links if link.startswith(_BY_UUID)}
    return by_uuid | stable_in(machine.disks)


def devices_of(unit: Unit, machine: Machine) -> Iterator[str]:
    """The physical volumes of a group that are here, by paths that survive a reboot."""
    stable = stable_paths_in(machine)
    return (stable.get(one.path, one.path) for one in unit.members if one.path)
