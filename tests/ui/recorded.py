"""Machines recorded in the lab."""

from pathlib import Path

from raidtui.machine.reader import load_machine
from raidtui.model.machine import Machine

MACHINES = Path(__file__).parents[1] / "machines"


def recorded(name: str) -> Machine:
    """The machine in ``tests/machines/NAME.json``."""
    return load_machine(str(MACHINES / f"{name}.json"))
