"""The list of the last recovery trial, so that a number of it can be mounted."""

from typing import Final

from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering.record import kept_in, place
from raidtui.model.recovery import Recovery
from raidtui.model.struct import to_json

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
    return kept_in("last.json", Recovery, "the last recovery trial", most=_LARGEST)
