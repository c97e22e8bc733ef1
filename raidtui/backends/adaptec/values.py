"""Values in arcconf's output: sizes, levels, counts. Pure; a value that cannot be parsed is None, never a guess."""

import re
from typing import Final

from raidtui.model.units import GIB, KIB, MIB, TIB

_UNITS: Final = {"": 1, "B": 1, "BYTES": 1, "KB": KIB, "MB": MIB, "GB": GIB, "TB": TIB}
_SIZE: Final = re.compile(r"(\d{1,19}(?:\.\d{1,19})?)\s*(Bytes|[KMGT]?B)", re.ASCII | re.IGNORECASE)
_SECTOR: Final = re.compile(r"(512|4096|4K)(?:\s*Bytes)?", re.ASCII | re.IGNORECASE)
_LEVEL: Final = re.compile(r"(\d{1,19}(?:E|EE)?)(?:\s.*)?", re.ASCII | re.IGNORECASE)
_DIGITS: Final = re.compile(r"(\d{1,18})(?:\s.*)?", re.ASCII)
_CELSIUS: Final = re.compile(r"(-?\d{1,9})\s*(?:deg )?C\b.*", re.ASCII)


def size_of(text: str) -> int | None:
    """Bytes of ``953869 MB``, which the tool has rounded."""
    found = _SIZE.fullmatch(text.strip())
    return round(float(found[1]) * _UNITS[found[2].upper()]) if found else None


def sector_of(text: str) -> int:
    """Bytes of a sector: ``512 Bytes``, ``4K``; 512 if not given."""
    found = _SECTOR.fullmatch(text.strip())
    return 4096 if found and found[1].upper() in {"4K", "4096"} else 512


def level_of(text: str) -> str:
    """``raid6`` for ``6 Reed-Solomon``; the tool's word for anything else."""
    found = _LEVEL.fullmatch(text.strip())
    return f"raid{found[1].lower()}" if found else text.strip().lower()


def number_of(text: str) -> int | None:
    """A count: ``6``, ``100 percent``."""
    found = _DIGITS.fullmatch(text.strip())
    return int(found[1]) if found else None


def celsius_of(text: str) -> int | None:
    """The number in ``29 deg C`` or ``33 C/ 91 F (Normal)``."""
    found = _CELSIUS.fullmatch(text.strip())
    return int(found[1]) if found else None
