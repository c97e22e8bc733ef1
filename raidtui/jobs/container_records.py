"""Record on which device each encrypted container is: once its header is gone, nothing on the device says so."""

from collections.abc import Sequence
from contextlib import suppress

from raidtui.advice.findings.containers_seen import containers_here
from raidtui.machine.history import HistoryFile
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit


def record_containers(machine: Machine, units: Sequence[Unit]) -> None:
    """Add the containers that are not where their last record says.

    Raises:
        BadInput, Refused, StepFailed: the history file cannot be read or written.
    """
    if machine.history is None:  # it could not be read
        return
    known = {one.subject: one.place for one in machine.history.containers}
    if new := [one for one in containers_here(machine) if known.get(one.subject) != one.place]:
        HistoryFile().add(new)


def note_containers(machine: Machine) -> None:
    """`record_containers` for a reading that is shown: where nothing can be recorded, it is shown all the same."""
    with suppress(RaidtuiError, OSError):
        record_containers(machine, ())
