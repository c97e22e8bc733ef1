"""Tear down a volume over bands: LVM's core, then the array of each band with md's."""

from msgspec.structs import replace

from raidtui.backends.hybrid.units import units_of
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.teardown import Group
from raidtui.backends.lvm_on_md.teardown import group_below
from raidtui.backends.lvm_on_md.teardown import removal_of as removal_over_arrays
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.steps.removal import Removal


def find_group(word: str, machine: Machine) -> Group | None:
    """The group on bands that ``word`` means, directly or by one of its arrays; None if there is none.

    Raises:
        BadInput: there are several.
    """
    reading = reading_in(machine)
    return None if reading is None else group_below(word, units_of(machine), reading, machine)


def removal_of(found: Group, machine: Machine) -> Removal:
    """How a group on bands and every array under it are removed.

    Raises:
        BadInput: no member of an array is on a disk.
        Refused: the group belongs to another system or a cluster, or its contents span other devices too.
    """
    removal = removal_over_arrays(found, machine)
    return replace(removal, spec=replace(removal.spec, backend=Backend.HYBRID, level=found.unit.level))
