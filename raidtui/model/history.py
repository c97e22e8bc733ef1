"""What raidtui recorded on this computer over time: a `Machine` carries it, so that the diagnosis stays pure.

Every record has a time and is about one thing: a disk by its identity, a unit by its UUID, or the computer itself.
"""

from raidtui.model.struct import Record


class Recorded(Record, frozen=True, kw_only=True):
    """Something recorded once. A subclass says what; its name must not change, it is in the file."""

    subject: str  # identity of a disk, UUID of a unit; empty: this computer
    at: str  # ISO 8601, UTC


class AlertTested(Recorded, frozen=True, kw_only=True):
    """A test was sent on one way. Subject: this computer."""

    way: str
    code: str  # that came with it


class AlertProven(Recorded, frozen=True, kw_only=True):
    """A person gave the code of a test: alerts arrive on this way. Subject: the way."""


class History(Record, frozen=True, kw_only=True):
    """What was recorded, as far as a diagnosis needs it: a tuple for each kind of record, oldest first."""

    alert_proofs: tuple[AlertProven, ...] = ()  # the last of each way
