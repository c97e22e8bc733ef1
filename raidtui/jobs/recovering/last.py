"""The list of the last recovery trial, so that a number of it can be mounted."""

from contextlib import suppress
from typing import Final

from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering.record import place
from raidtui.machine.textfile import read_bounded
from raidtui.model.recovery import Recovery
from raidtui.model.struct import from_json, to_json

_LARGEST: Final = 16 << 20


def write_last(found: Recovery) -> None:
    """Put it on disk."""
    make_folder(place())
    write_file(place() / "last.json", to_json(found).encode())


def read_last() -> Recovery | None:
    """The list of the last trial; None if there was none.

    Raises:
        BadInput: the file cannot be understood.
    """
    with suppress(FileNotFoundError):
        return from_json(
            read_bounded(place() / "last.json", most=_LARGEST), Recovery, origin="the last recovery trial"
        )
    return None
