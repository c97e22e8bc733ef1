"""A backend's own data in a reading of the computer, recorded or not. Pure."""

from typing import TypeVar

import msgspec

from raidtui.model.decode_errors import in_words
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Record, to_record

T = TypeVar("T", bound=Record)


def kept_in(machine: Machine, name: Backend, kind: type[T], *, of: str) -> T | None:
    """Return what `Reader.read` of backend ``name`` returned for ``machine``; None if nothing.

    Args:
        of: what the data is about, for the error.

    Raises:
        BadInput: the recorded file is damaged.
    """
    kept = machine.readings.get(name.value)
    try:
        return None if kept is None else to_record(kept, kind)
    except msgspec.DecodeError as error:
        raise BadInput(
            f"what the recorded machine says of {of} cannot be understood: {in_words(str(error))}"
        ) from error
