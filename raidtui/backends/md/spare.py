"""What a hot spare of an array has to be like."""

from raidtui.backends.md.replace import MdNeed, need_of
from raidtui.backends.md.states import shown_name
from raidtui.backends.md.units import array_in
from raidtui.backends.replacing import Leaving
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit


def spare(unit: Unit, machine: Machine) -> MdNeed:
    """Like the members that it has."""
    array = array_in(unit)
    if not array.started:
        raise Refused(f"{shown_name(array)} is not started")
    if array.metadata.startswith("external:"):
        raise Refused(f"{shown_name(array)} is of a firmware RAID, whose spares belong to its container")
    return need_of(array, None, "", Leaving("", None, (), machine), spare=True)
