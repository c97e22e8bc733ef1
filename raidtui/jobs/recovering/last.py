"""The list of the last recovery trial, so that a number of it can be mounted."""

from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering import record as records
from raidtui.machine.recovery_trial import place, read_record
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import StepFailed
from raidtui.model.recovery import Recovery
from raidtui.model.struct import from_json, to_json

_FILE: Final = "last.json"
_LARGEST: Final = 16 << 20


def write_last(found: Recovery) -> None:
    """Put it on disk."""
    make_folder(place())
    write_file(place() / _FILE, to_json(found).encode())


def _read() -> Recovery | None:
    with suppress(FileNotFoundError):
        return from_json(
            read_bounded(place() / _FILE, most=_LARGEST), Recovery, origin="the last recovery trial"
        )
    return None


def read_last() -> Recovery | None:
    """The list of the last trial, and where one of it is mounted; None if there was none.

    Raises:
        BadInput: a file cannot be understood.
        StepFailed: it cannot be read.
    """
    try:
        last = _read()
        shown = read_record()
    except OSError as error:
        raise StepFailed(f"the record of recovery trials cannot be read: {error.strerror}") from error
    if last is None or shown is None or not shown.kept or not records.is_same_boot(shown):
        return last
    # Of another unit: its files are mounted, and no number of this list.
    return replace(last, mounted_at=shown.mounted_at, mounted=shown.number if shown.name == last.name else 0)
