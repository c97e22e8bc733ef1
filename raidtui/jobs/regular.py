"""What raidtui records regularly: each recorder takes one whole reading and adds to the history file.

`raidtui status --alert`, which a timer starts every five minutes, calls them all. A recorder decides itself whether
something is due, and is quick if nothing is.
"""

from collections.abc import Callable, Sequence
from typing import Final

from raidtui.jobs.recording_smart import record_smart
from raidtui.jobs.scrub_records import record_scrubs
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit

Recorder = Callable[[Machine, Sequence[Unit]], None]
"""Records what is due. Raises `RaidtuiError` or `OSError` if it cannot."""

RECORDERS: Final[tuple[Recorder, ...]] = (record_smart, record_scrubs)


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
