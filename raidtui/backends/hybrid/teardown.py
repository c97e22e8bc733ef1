"""Tear down a volume over bands: LVM's core, then the array of each band with md's."""

from msgspec.structs import replace

from raidtui.backends.hybrid.units import units_of
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm_on_md.teardown import group_below, removal_of
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.steps.removal import Removal


def removal(word: str, machine: Machine) -> Removal | None:
    """How the group on bands that ``word`` means, itself or by one of its arrays, is removed; None if there is none.

    Raises:
        BadInput: there are several, or no member of an array is on a disk.
        Refused: the group belongs to another system or a cluster, or its contents span other devices too.
    """
    reading = reading_in(machine)
    found = None if reading is None else group_below(word, units_of(machine), reading, machine)
    if found is None:
        return None
    whole = removal_of(found, machine)
    return replace(whole, spec=replace(whole.spec, backend=Backend.HYBRID, level=found.unit.level))
