"""Whether a card's cache survives a power cut, from its words for battery, capacitor or flash backup. Pure.

Tools and firmwares spell one state in many ways, so words are read by their meaning.
"""

import re
from enum import StrEnum
from typing import Final


class Protection(StrEnum):
    """Whether the battery or capacitor of a card keeps its cache through a power cut."""

    KEEPS = "keeps"
    NOT_NOW = "not now"  # charging, learning, too hot
    FAILED = "failed"
    ABSENT = "absent"
    UNKNOWN = "unknown"


_OWN_NAME: Final = re.compile(  # "ZMM Optimal", "Battery: Failed"
    r"(?:zmm|bbu|cvpm\w*|battery|super-?cap\w*|capacitor|cachevault|energy pack|flash|backup|power|pack|unit|module|"
    r"status|state|is)\b[\s:=-]*"
)
_ABSENT: Final = re.compile(
    r"\bnot? (?:installed|present|fitted|found|detected|connected|battery|zmm|capacitor|supercap|bbu|backup)\b"
    r"|\b(?:absent|missing|msng|none|uninstalled|removed)\b"
)
_FAILED: Final = re.compile(
    r"fail|fault|\bbad\b|\bdead\b|defect|defunct|degrad|\bdgd\b|\bdgrd\b|replac|\bworn\b|\bweak\b|error|critical"
    r"|\bnot charging\b|attention|ndatn|\bexpired\b"
)
_NOT_NOW: Final = re.compile(
    r"charging|recharg|discharg|not (?:fully )?charged|\bcharge\b|learn|calibrat|not ready|\blow\b|temperature|\bhot\b"
    r"|initializ|maintenance"
)
_KEEPS: Final = re.compile(
    r"(?:optimal|optl|okay|ok|ready|good|healthy|normal|operational|(?:fully )?charged)(?:\W.*)?"
)


def protection_of(text: str) -> Protection:
    """The meaning of the state of a battery, capacitor or flash backup, in the card's words."""
    words = " ".join(text.lower().split())
    while (own := _OWN_NAME.match(words)) is not None:
        words = words[own.end() :]
    doubts = _FAILED.search(words) or _NOT_NOW.search(words)
    if _KEEPS.fullmatch(words):
        return Protection.UNKNOWN if doubts else Protection.KEEPS
    if _ABSENT.search(words):
        return Protection.ABSENT
    if _FAILED.search(words):
        return Protection.FAILED
    return Protection.NOT_NOW if doubts else Protection.UNKNOWN
