"""Values in storcli's output: sizes, sectors, times left. Pure; a value that cannot be parsed is None, never a guess."""

import re
from collections.abc import Mapping
from typing import Any, Final

from raidtui.backends.cards.asking import quoted
from raidtui.model.units import GIB, KIB, MIB, TIB

# storcli writes TB and means 1024^4; storcli2 writes TiB.
_UNITS: Final = {
    "B": 1,
    "KB": KIB,
    "KiB": KIB,
    "MB": MIB,
    "MiB": MIB,
    "GB": GIB,
    "GiB": GIB,
    "TB": TIB,
    "TiB": TIB,
    "PB": 1024 * TIB,
    "PiB": 1024 * TIB,
}
_SIZE: Final = re.compile(r"\s*(\d{1,19}(?:\.\d{1,19})?)\s*([KMGTP]?i?B)\s*", re.ASCII)
_SECTORS: Final = re.compile(
    r"\s*(\d{1,19}(?:\.\d{1,19})?\s*[KMGTP]?i?B)\s*\[0x([0-9a-f]+) Sectors\]\s*", re.IGNORECASE
)
_LEFT: Final = re.compile(r"(\d{1,19}) (Day|Hour|Minute|Second)s?")
_SECONDS: Final = {"Day": 86400, "Hour": 3600, "Minute": 60, "Second": 1}
_RUNNING: Final = "in progress"
_OFF_BY: Final = 0.01  # tolerance between a size rounded to three decimals and the exact one
_SECTOR_SIZES: Final = (512, 4096)


def text_of(values: Mapping[str, Any], *keys: str) -> str:
    """The text under the first of ``keys`` that exists, without padding spaces; see `quoted`."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return quoted(str(value).strip())
    return ""


def size_of(text: str) -> int | None:
    """Bytes of ``256 KB`` or ``9.094 TiB``, which the tool has rounded."""
    found = _SIZE.fullmatch(text)
    factor = _UNITS.get(found[2]) if found else None
    return round(float(found[1]) * factor) if found and factor else None


def exact_size(text: str) -> int | None:
    """Bytes of ``2.728 TB [0x15d400000 Sectors]``; None if the two numbers do not agree."""
    found = _SECTORS.fullmatch(text)
    rough = size_of(found[1]) if found else None
    return None if found is None or rough is None else agreeing(int(found[2], 16), rough)


def agreeing(blocks: int, rough: int) -> int | None:
    """Bytes of ``blocks``, of 512 or 4096 bytes each: whichever matches the ``rough`` size; None if neither does."""
    sizes = (blocks * one for one in _SECTOR_SIZES)
    return next((size for size in sizes if rough and abs(size - rough) <= _OFF_BY * rough), None)


def seconds_left(text: str) -> int | None:
    """Seconds of ``4 Days 3 Hours 51 Minutes``; None for ``-``."""
    parts = _LEFT.findall(text)
    return sum(int(count) * _SECONDS[unit] for count, unit in parts) if parts else None


def is_running(row: Mapping[str, Any]) -> bool:
    """Whether the operation of a row of ``show rebuild`` and the like runs."""
    return text_of(row, "Status").lower() == _RUNNING


def is_paused(row: Mapping[str, Any]) -> bool:
    """Whether it is paused, so that it can be resumed."""
    return text_of(row, "Status").lower().startswith(("paused", "suspended"))
