"""What a unit needs from a person. Pure."""

from raidtui.model.struct import Record


class Care(Record, frozen=True, kw_only=True):
    """One thing to do: a sentence without its full stop, and the commands for it, in order."""

    text: str
    commands: tuple[str, ...] = ()
