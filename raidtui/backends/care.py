"""What a unit needs the administrator to do. Pure."""

from raidtui.model.struct import Record


class Care(Record, frozen=True, kw_only=True):
    """One thing to do: a sentence without its full stop, and the commands in order."""

    text: str
    commands: tuple[str, ...] = ()
