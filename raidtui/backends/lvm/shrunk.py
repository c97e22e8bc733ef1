"""Physical volumes whose device has become smaller than they are: LVM activates nothing that ends beyond it. Pure."""

from raidtui.backends.care import end_hidden
from raidtui.backends.lvm.report import Reading, VolumeGroup
from raidtui.model.device_graph import graph_of
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.units import binary

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
