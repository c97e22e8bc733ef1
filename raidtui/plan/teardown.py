"""The plan that removes what a word means: an array, or the filesystem of a single disk."""

from raidtui.backends.registry import FOLDERS, backend, card_readers
from raidtui.backends.units import find_unit, units_of
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.text import harmless


def make_teardown(word: str, machine: Machine, *, seed: str) -> Plan:
    """The steps that remove a unit and leave its disks blank.

    Args:
        word: its name, UUID or node; of a single disk its serial number, WWN or by-id name, or its mount point.

    Raises:
        BadInput: nothing is called so, or it cannot be distinguished from others.
        Refused: the running system is on it, or on another part of one of its disks, a member is on something
            else than disks, or what is on it is on other devices too; or nothing is called so, and a card that
            may have it did not answer.
        ToolMissing: nothing is called so, and the program is absent that reads the cards here.
    """
    unit = find_unit(word, machine)
    for name in (*(() if unit is None else (unit.backend,)), *FOLDERS):
        maker = backend(name).builder
        if maker is not None and (plan := maker.teardown(word, machine, seed=seed)) is not None:
            return plan
    for reader in card_readers().values():
        reader.check_read(machine)
    there = [f"the {backend(unit.backend).noun} {harmless(unit.name)}" for unit in units_of(machine)]
    removable = [*there, "the filesystem of a single disk, by its serial number or mount point"]
    raise BadInput(f"nothing here is called {harmless(word)!r}; a teardown removes {', or '.join(removable)}")
