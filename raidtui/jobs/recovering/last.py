"""The list of the last recovery trial, so that a number of it can be mounted."""

from typing import Final

from msgspec.structs import replace

from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering import record as records
from raidtui.jobs.recovering.record import kept_in, place
from raidtui.model.errors import StepFailed
from raidtui.model.recovery import Recovery
from raidtui.model.struct import to_json

_LARGEST: Final = 16 << 20


def write_last(found: Recovery) -> None:
    """Put it on disk."""
    make_folder(place())
    write_file(place() / "last.json", to_json(found).encode())


def read_last() -> Recovery | None:
    """The list of the last trial, and where one of it is mounted; None if there was none.

    Raises:
        BadInput: a file cannot be understood.
        StepFailed: it cannot be read.
    """
    try:
        last = kept_in("last.json", Recovery, "the last recovery trial", most=_LARGEST)
        shown = records.read()
    except OSError as error:
        raise StepFailed(f"the record of recovery trials cannot be read: {error.strerror}") from error
    if last is None or shown is None or not shown.kept or not records.is_same_boot(shown):
        return last
    # Of another unit: its files are mounted, and no number of this list.
    return replace(last, mounted_at=shown.mounted_at, mounted=shown.number if shown.name == last.name else 0)
