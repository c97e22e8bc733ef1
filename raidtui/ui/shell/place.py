"""Where somebody is in the app."""

import msgspec

from raidtui.model.struct import Record


class Place(Record, frozen=True):
    """Which screen, and what it is about (`BuildScreen` takes a ``job``, for example)."""

    name: str
    about: dict[str, str] = msgspec.field(default_factory=dict)
