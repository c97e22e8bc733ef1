"""What the words of a card mean, whatever its tool: states of drives, switches, operations. Pure.

Tools and firmwares spell one state in many ways, so words are read by their meaning. A word that is not known is
unknown: it is never good and never free.
"""

import re
from typing import Final

from raidtui.backends.cards.records import DriveState

_DRIVES: Final = (  # in this order: the worst word of several counts
    (re.compile(r"\b(?:failed|fail|faulty|dead|bad|ubad|ubunsp|defunct|ddd)\b"), DriveState.FAILED),
    (re.compile(r"\b(?:missing|msng)\b"), DriveState.MISSING),
    (re.compile(r"\b(?:offline|offln|ofln)\b"), DriveState.OFFLINE),
    (re.compile(r"\b(?:rebuild|rebuilding|rbld)\b"), DriveState.REBUILDING),
    (re.compile(r"(?:shld|sntz|sntze)\b|\b(?:clear|eras|saniti)"), DriveState.BUSY),
    (re.compile(r"cpybck|copybk|copy ?back"), DriveState.COPYING),
    (re.compile(r"hot[ -]?spare|\b(?:ghs|dhs|hsp)\b"), DriveState.SPARE),
    (re.compile(r"\b(?:jbod|hba|raw)\b|pass[ -]?through"), DriveState.RAW),
    (re.compile(r"^(?:ugood|uconf good|ready)$"), DriveState.FREE),
    (re.compile(r"^(?:(?:conf )?online|onln|optimal)(?: ?[(,].*)?$"), DriveState.ONLINE),
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
    (re.compile(r"\bbgi\b|background init"), "background initialization"),
    (re.compile(r"rebuild"), "rebuild"),
    (re.compile(r"copy ?back"), "copyback"),
    (re.compile(r"init|\bfgi\b|^clear|^zero|^build"), "initialization"),
    (re.compile(r"\bcc\b|consistency|^verify"), "consistency check"),
    (re.compile(r"migrat|reconstruct|reconfigur|transform|compact|expan|morph"), "migration"),
)


def operation_called(name: str) -> str:
    """Our word for an operation of a card."""
    words = " ".join(name.lower().split())
    return next((called for form, called in _OPERATIONS if form.search(words)), words)
