"""What a plan can fix besides: a hazard of this computer or its disks that ends with a step of its own."""

from collections.abc import Callable
from typing import Final

from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Step
from raidtui.model.struct import Record

OF_DISKS: Final = ("erc", "timeout")
"""The fixes of disks, which every backend has; `raidtui.plan.fixes` has their steps."""


def always(hazard: Hazard, machine: Machine) -> bool:
    """It can be fixed wherever it is seen."""
    return True


class Fix(Record, frozen=True, kw_only=True):
    """The fix of one hazard. A spec asks for it by a word, under which it is kept."""

    hazard: str  # its id
    step: Callable[[Hazard, Machine], Step]  # with the id fix-WORD
    can: Callable[[Hazard, Machine], bool] = always  # whether there is on this computer what it needs
