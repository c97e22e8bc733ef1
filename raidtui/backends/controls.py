"""The controls of any unit: its own and those of the units below it. Pure."""

from collections.abc import Iterable, Mapping

from raidtui.backends.control import Control, Order
from raidtui.backends.registry import builder
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid


def controls_of(unit: Unit, units: Iterable[Unit]) -> Mapping[Control, Order]:
    """The controls of ``unit``, one of ``units``, with those of the units below it; equal ones become one order."""
    found = dict(builder(unit.backend).controls(unit))
    every = tuple(units)
    for one in every:
        if any(same_uuid(one.uuid, uuid) for uuid in unit.below):
            for control, order in controls_of(one, every).items():
                before = found.get(control)
                actions = (*before.actions, *order.actions) if before else order.actions
                found[control] = Order(actions=actions, message=order.message)
    return found
