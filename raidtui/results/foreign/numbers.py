"""Parse numbers as other programs write them, in any locale."""

import hashlib
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.units import GIB, KIB, MIB, TIB

_UNITS: Final = {"B": 1} | {
    k + i: size for k, size in zip("KMGT", (KIB, MIB, GIB, TIB), strict=True) for i in ("B", "IB")
}
_BETWEEN: Final = dict.fromkeys(map(ord, "\u00a0\u202f'\u2019"))
"""What locales write between thousands: blanks that do not break, apostrophes."""
_DATE: Final = re.compile(r"(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})[ T](\d{1,2}):(\d{2})(?::(\d{2}))?")


def number(text: str, *, where: str) -> float:
    """The number in ``text``: the last of ``.`` and ``,`` is the decimal mark, unless it occurs several times.

    Raises:
        BadInput: it is not a number, not finite, or below zero.
    """
    digits = text.strip().translate(_BETWEEN)
    mark = max(digits.rfind("."), digits.rfind(","))
    if mark >= 0:
        decimal = digits.count(digits[mark]) == 1
        whole = digits[:mark].replace(".", "").replace(",", "")
        digits = f"{whole}.{digits[mark + 1 :]}" if decimal else whole + digits[mark + 1 :]
    try:
        value = float(digits.replace("_", "?"))
    except ValueError as error:
        raise BadInput(f"{where}: {text.strip()[:80]!r} is not a number") from error
    return finite(value, where=where)


def finite(value: float, *, where: str) -> float:
    """Return ``value`` if it can have been measured. Raises BadInput: it is NaN, infinite or below zero."""
    if not math.isfinite(value) or value < 0:
        raise BadInput(f"{where}: {value} cannot be a measured speed")
    return value


def block_name(block_bytes: int) -> str:
    """A block size as in the names of cells: ``4K``, ``1M``; empty if it is not known."""
    if block_bytes and block_bytes % MIB == 0:
        return f"{block_bytes // MIB}M"
    return f"{block_bytes // KIB}K" if block_bytes and block_bytes % KIB == 0 else ""


def size_of(amount: str, unit: str) -> int:
    """Bytes of ``1`` ``GiB``; other programs write KB for 1024 bytes."""
    return int(float(amount.replace(",", ".")) * _UNITS[unit.upper()])


def moment(text: str) -> str:
    """The first date and time in ``text`` as ISO 8601, taken as UTC because these files have no zone; else empty."""
    found = _DATE.search(text)
    if found is None:
        return ""
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).isoformat()
    except ValueError:
        return ""


def identity(content: str) -> str:
    """An id derived from the content, so that a second import finds the result already stored."""
    return identities(content)("")


def identities(content: str) -> Callable[[str], str]:
    """The ids of several results with the same ``content``, each with a text of its own after it."""
    begin = hashlib.sha256(content.encode("utf-8", "replace"))

    def of(own: str) -> str:
        whole = begin.copy()
        whole.update(own.encode("utf-8", "replace"))
        return whole.hexdigest()[:12]

    return of


USUAL_MIX: Final = 70  # percent of reads; the default of CrystalDiskMark, KDiskMark and raidtui


def mix_name(name: str, read_percent: int) -> str:
    """The name of a mixed cell, with its shares of reads and writes unless usual: ``… 50/50``."""
    return name if read_percent == USUAL_MIX else f"{name} {read_percent}/{100 - read_percent}"


_NOT_JSON: Final = re.compile(
    # Possessive, and a string that is not closed is one too: a damaged file takes no longer than a good one.
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+"?)|(?<=[:\s,\[])[-+]?(?:nan|inf|infinity)\b',
    re.IGNORECASE | re.DOTALL,
)


def without_nan(text: str) -> str:
    """``text`` with nan and inf, which JSON lacks, replaced by null; strings stay as they are."""
    return _NOT_JSON.sub(lambda match: match[1] or "null", text)
