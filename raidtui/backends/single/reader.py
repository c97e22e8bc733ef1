"""A reader without units: a single disk is shown among the disks."""

from typing import Final

from raidtui.backends.contract import Reader
from raidtui.model.machine import Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


def _measured(unit: Unit, machine: Machine) -> MeasuredUnit:
    raise AssertionError(f"{unit.name} cannot be of a single disk")


READER: Final = Reader(
    interval=0.0, claims=frozenset(), units=lambda machine: (), now=lambda: (), measured=_measured
)
