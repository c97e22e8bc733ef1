"""What the child that sends a message gets on its standard input."""

from raidtui.advice.alerting import Message
from raidtui.model.alerts import Mail
from raidtui.model.struct import Record


class Parcel(Record, frozen=True, kw_only=True):
    """The message, and where it goes: one of ``mail`` and ``url``."""

    message: Message
    host: str
    mail: Mail | None = None
    url: str = ""
