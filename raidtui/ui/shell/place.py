"""A place in the app."""

import msgspec

from raidtui.model.struct import Record


class Place(Record, frozen=True):
    """A screen by name, and its arguments (`BuildScreen` takes a ``job``, for example)."""

    name: str
    about: dict[str, str] = msgspec.field(default_factory=dict)
