"""Fixes: extra steps of a plan, each removing one hazard of this computer or its disks."""

from collections.abc import Callable
from typing import Final

from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Step
from raidtui.model.struct import Record

OF_DISKS: Final = ("erc", "timeout")
"""The disk fixes, available with every backend; their steps are in `raidtui.plan.fixes`."""


def always(hazard: Hazard, machine: Machine) -> bool:
    """Return True: the hazard can be fixed wherever it is found."""
    return True


OF_COMPUTER: Final = ("alerts",)
"""Fixes of the computer itself, which need no hazard; their steps are in `raidtui.plan.alerts`."""


class Fix(Record, frozen=True, kw_only=True):
    """The fix of one hazard, stored under the word that a spec uses for it."""

    hazard: str  # the hazard's id
    step: Callable[[Hazard, Machine], Step]  # with the id fix-WORD
    can: Callable[[Hazard, Machine], bool] = always  # whether this computer has what the fix needs
