"""What raidtui records regularly: each recorder takes one whole reading and adds to the history file.

`raidtui status --alert`, which a timer starts every five minutes, calls them all. A recorder decides itself whether
something is due, and is quick if nothing is.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Final

from raidtui.advice.smart_trends import thinned
from raidtui.jobs.container_records import record_containers
from raidtui.jobs.scrub_records import record_scrubs
from raidtui.machine.history import HistoryFile
from raidtui.model.errors import RaidtuiError
from raidtui.model.history import SmartRow
from raidtui.model.machine import Machine
from raidtui.model.smart import Smart
from raidtui.model.unit import Unit

Recorder = Callable[[Machine, Sequence[Unit]], None]
"""Records what is due. Raises `RaidtuiError` or `OSError` if it cannot."""


_KEPT: Final = tuple(name for name in SmartRow.__struct_fields__ if name in Smart.__struct_fields__)


def row_of(disk: str, smart: Smart, at: str) -> SmartRow:
    """The row of the disk with the identity ``disk``, read ``at`` that time."""
    return SmartRow(subject=disk, at=at, **{name: getattr(smart, name) for name in _KEPT})


def record_smart(machine: Machine, units: Sequence[Unit], file: HistoryFile | None = None) -> None:
    """Add the rows of today that are missing, and remove old ones that are too many.

    A disk that sleeps, or reports nothing, has no row that day: its values are not known.
    """
    file = HistoryFile() if file is None else file
    today = machine.read_at[:10]
    # Not only the last row of each: after a day on which the clock was ahead, that one stays the last for long.
    known = {row.subject for row in file.of(SmartRow) if row.day == today}
    new = [
        row_of(disk.identity, disk.smart, machine.read_at)
        for disk in machine.disks
        if disk.smart is not None and disk.identity and disk.identity not in known
    ]
    if not new:
        return
    file.add(new)
    for row in new:
        file.remove(thinned(file.of(SmartRow, row.subject), date.fromisoformat(today)))


RECORDERS: Final[tuple[Recorder, ...]] = (record_smart, record_scrubs, record_containers)


def regular(
    machine: Machine, units: Sequence[Unit], *, recorders: Sequence[Recorder] | None = None
) -> tuple[str, ...]:
    """Call every recorder; return what went wrong, a sentence for each that failed.

    Args:
        machine: a whole reading.
        units: its units, with what the journal of units knows of their lost members.
        recorders: by default `RECORDERS`.
    """
    failed: list[str] = []
    for record in RECORDERS if recorders is None else recorders:
        try:
            record(machine, units)
        except (RaidtuiError, OSError) as error:
            failed.append(str(error))
    return tuple(failed)
