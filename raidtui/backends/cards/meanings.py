"""What the words of a card mean, whatever its tool: states of drives, switches, operations. Pure.

Tools and firmwares spell one state in many ways, so words are read by their meaning. A word that is not known is
unknown: it is never good and never free.
"""

import re
from typing import Final

from raidtui.backends.cards.records import DriveState
from raidtui.model.pattern import late

_DRIVES: Final = (  # in this order: the worst word of several counts
    (late(r"\b(?:failed|fail|faulty|dead|bad|ubad|ubunsp|defunct|ddd)\b"), DriveState.FAILED),
    (late(r"\b(?:missing|msng)\b"), DriveState.MISSING),
    (late(r"\b(?:offline|offln|ofln)\b"), DriveState.OFFLINE),
    (late(r"\b(?:rebuild|rebuilding|rbld)\b"), DriveState.REBUILDING),
    (late(r"(?:shld|sntz|sntze)\b|cpybck|copybk|copy ?back|\b(?:clear|eras|saniti)"), DriveState.BUSY),
    (late(r"hot[ -]?spare|\b(?:ghs|dhs|hsp)\b"), DriveState.SPARE),
    (late(r"\b(?:jbod|hba|raw)\b|pass[ -]?through"), DriveState.RAW),
    (late(r"^(?:ugood|uconf good|ready)$"), DriveState.FREE),
    (late(r"^(?:(?:conf )?online|onln|optimal)(?: ?[(,].*)?$"), DriveState.ONLINE),
)


def drive_state(text: str) -> DriveState:
    """The state of a drive in the card's words; free only if these say exactly that."""
    words = " ".join(text.lower().split())
    return next((state for form, state in _DRIVES if form.search(words)), DriveState.UNKNOWN)


_ON: Final = frozenset({"enabled", "enable", "on", "yes", "true"})
_OFF: Final = frozenset({"disabled", "disable", "off", "no", "false"})


def switch(text: str) -> bool | None:
    """Whether something is on: ``Enabled (write-back)``, ``Disabled``, ``On``, ``Yes``; None: unknown."""
    first = re.split(r"[^a-z]", text.strip().lower(), maxsplit=1)[0]
    return True if first in _ON else False if first in _OFF else None


_OPERATIONS: Final = (
    (late(r"\bbgi\b|background init"), "background initialization"),
    (late(r"rebuild"), "rebuild"),
    (late(r"init|\bfgi\b|^clear|^zero|^build"), "initialization"),
    (late(r"\bcc\b|consistency|^verify"), "consistency check"),
    (late(r"migrat|reconstruct|reconfigur|transform|compact|expan|morph"), "migration"),
)


def operation_called(name: str) -> str:
    """Our word for an operation of a card."""
    words = " ".join(name.lower().split())
    return next((called for form, called in _OPERATIONS if form.search(words)), words)
