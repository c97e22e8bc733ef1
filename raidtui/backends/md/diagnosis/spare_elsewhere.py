"""A hot spare of another array, for one that lacks a member while no blank disk is free. Pure."""

from raidtui.backends.care import called
from raidtui.machine.md.health import missing, rebuilding
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import RemoveSpare
from raidtui.model.text import harmless
from raidtui.model.units import decimal


def spares_elsewhere(array: Array, least: int, machine: Machine) -> list[Remedy]:
    """A hot spare of an array with all its members, if no blank disk is free."""
    for other in machine.arrays:
        if other.uuid == array.uuid or not other.started or missing(other) or rebuilding(other):
            continue
        for one in other.members:
            disk = next((disk for disk in machine.disks if disk.path == one.path), None)
            spare = one.slot is None and one.state == ("spare",)
            if spare and disk is not None and disk.identity and disk.size_bytes >= least:
                name = other.name or other.uuid
                take = (
                    f"take the hot spare {called(disk)} from array {harmless(name)}, then it is free. Within one spare group "
                    "mdadm's monitor moves it, if that runs"
                )
                order = RemoveSpare(unit=other.uuid, disk=disk.identity)
                return [
                    Remedy(text=f"connect a blank disk of {decimal(least)} or more"),
                    Remedy(text=take, procedure=order, of=name),
                ]
    return []
