"""Parse and format sizes, rates and durations.

Internally a size is an ``int`` of bytes, a rate is bytes a second, a time is seconds; a sector is always
512 bytes, regardless of the disk's sector size.
"""

import math
import re
from functools import lru_cache
from typing import Final

from raidtui.model.errors import BadInput

SECTOR: Final = 512
KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3
TIB: Final = 1024**4

_DECIMAL: Final = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}
_BINARY: Final = {"KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "PiB": 1024**5}
_UNITS: Final = {name.lower(): factor for name, factor in (_DECIMAL | _BINARY | {"s": SECTOR}).items()}
_BY_FACTOR: Final = sorted((_DECIMAL | _BINARY).items(), key=lambda item: -item[1])
_DECIMAL_STEPS: Final = [(factor, unit) for unit, factor in reversed(_DECIMAL.items())][:-1]
_BINARY_STEPS: Final = [(factor, unit) for unit, factor in reversed(_BINARY.items())]
_SIZE: Final = r"(?a)\s*(?P<number>\d{1,19}(?:\.\d{1,19})?)\s*(?P<unit>[A-Za-z]*)\s*"
_LONGEST_SHOWN: Final = 80  # characters


def _shown(text: str) -> str:
    """``text`` in quotation marks, as far as an error repeats it: a whole document may be given for a size."""
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")


def parse_size(text: str) -> int:
    """Parse a size such as ``4TB``, ``512 KiB`` or ``7811891200s`` (sectors of 512 bytes) into bytes.

    The unit is required: a bare 512 could be bytes, sectors or KiB. ``KB``, ``MB`` … are powers of 1000,
    ``KiB``, ``MiB`` … powers of 1024; case is ignored.

    Raises:
        BadInput: no number, no unit, an unknown unit, or not a whole number of bytes.
    """
    match = re.fullmatch(_SIZE, text)
    if match is None:
        raise BadInput(f"{_shown(text)} is not a size; write a number and a unit, such as 4TB or 512KiB")
    number, unit = match["number"], match["unit"]
    if not unit:
        raise BadInput(
            f"{text!r} has no unit; write for example {number}GB, {number}GiB or {number}s (sectors)"
        )
    factor = _UNITS.get(unit.lower())
    if factor is None:
        raise BadInput(
            f"{text!r} has the unknown unit {unit!r}; valid units: {', '.join([*_DECIMAL, *_BINARY])} and s"
        )
    whole, _, fraction = number.partition(".")
    scale: int = 10 ** len(fraction)
    size, rest = divmod(int(whole + fraction) * factor, scale)
    if rest:
        raise BadInput(f"{text!r} is not a whole number of bytes")
    return size


def spell_size(size: int) -> str:
    """The shortest exact form of ``size`` bytes for `parse_size`: ``512KiB``, ``4TB``, ``1025B``."""
    return exact(size).replace(" ", "")


def exact(size: int) -> str:
    """The shortest exact form of ``size`` bytes for people: ``100 MiB``."""
    if size:
        for unit, factor in _BY_FACTOR:
            if size % factor == 0:
                return f"{size // factor} {unit}"
    return f"{size} B"


def _scaled(value: float, steps: list[tuple[int, str]]) -> str:
    for place, (factor, unit) in enumerate(steps):
        if value >= factor:
            number = value / factor
            if place and round(number) * factor >= steps[place - 1][0]:
                return f"1.00 {steps[place - 1][1]}"  # a disk of 1 TB less a label has 1.00 TB, not 1,000 GB
            digits = 2 if number < 9.995 else 1 if number < 99.95 else 0
            return f"{number:,.{digits}f} {unit}"  # 1,020 MiB is less than a GiB
    return f"{value:,.0f} B"


def decimal(size: float) -> str:
    """Format ``size`` bytes in powers of 1000, three digits: ``4.00 TB``."""
    return _scaled(size, _DECIMAL_STEPS)


def binary(size: float) -> str:
    """Format ``size`` bytes in powers of 1024, three digits: ``3.64 TiB``."""
    return _scaled(size, _BINARY_STEPS)


@lru_cache(maxsize=1024)  # a table of layouts names the same sizes hundreds of times
def both(size: float) -> str:
    """Format ``size`` bytes both ways, as for every capacity: ``4.00 TB (3.64 TiB)``."""
    return f"{decimal(size)} ({binary(size)})"


def millions(bytes_per_second: float, decimals: int = 1) -> str:
    """A rate in millions of bytes a second without its unit, for a column of MB/s: ``1,512.3``."""
    return f"{bytes_per_second / 1e6:,.{decimals}f}"


def rate(bytes_per_second: float) -> str:
    """Format a rate in millions of bytes a second, as benchmarks do: ``512.3 MB/s``."""
    return f"{millions(bytes_per_second)} MB/s"


def fitting_count(count: float, room: int) -> str:
    """A count as exact as fits in ``room`` characters: ``3,581``, ``3.58k``, ``3.6k``, ``4k``; exact if none fits."""
    exact = f"{count:,.0f}"
    number, letter = (count / 1e6, "M") if count >= 999_500 else (count / 1e3, "k")
    most = 2 if number < 9.995 else 1 if number < 99.95 else 0
    short = (f"{number:,.{decimals}f}{letter}" for decimals in range(most, -1, -1))
    return next((text for text in (exact, *short) if len(text) <= room), exact)


_TIME: Final = r"(?a)(?:(?P<h>\d{1,4})\s*h)?\s*(?:(?P<m>\d{1,5})\s*m(?:in)?)?\s*(?:(?P<s>\d{1,6})\s*s)?"


def parse_time(text: str) -> int:
    """Parse a time such as ``10m``, ``90s`` or ``1h30m`` into seconds; a unit is required.

    Raises:
        BadInput: not a time.
    """
    match = re.fullmatch(_TIME, text.strip().lower())
    if match is None or not any(match.groups()):
        raise BadInput(f"{_shown(text)} is not a time; write a number and a unit, such as 10m, 90s or 1h30m")
    hours, minutes, seconds = (int(match[unit] or 0) for unit in "hms")
    return 3600 * hours + 60 * minutes + seconds


def duration(seconds: float) -> str:
    """Format a duration in at most two units: ``45 s``, ``3 min 20 s``, ``5 h``, ``2 d 4 h``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _in_two(whole, 60, "min", "s")
    minutes = round(whole / 60)
    if minutes < 48 * 60:
        return _in_two(minutes, 60, "h", "min")
    return _in_two(round(whole / 3600), 24, "d", "h")


def _in_two(count: int, size: int, unit: str, lower: str) -> str:
    many, rest = divmod(count, size)
    return f"{many} {unit}" + (f" {rest} {lower}" if rest else "")


def rounded(seconds: float) -> str:
    """Format an estimate, rounded to 10 s or to minutes: ``50 s``, ``6 min``, ``2 h 10 min``."""
    if seconds < 115:
        return f"{max(10, round(seconds / 10) * 10)} s"
    return duration(round(seconds / 60) * 60)


def about(seconds: float) -> str:
    """Format an estimate with "about": ``about 6 min``."""
    return f"about {rounded(seconds)}"


_RANGES: Final = (
    (1, "s", 120),
    (60, "min", 120),
    (3600, "h", 48),
    (86400, "d", math.inf),
)  # the most of each
_LONGEST_RANGE: Final = 200  # of the smaller unit, where the lower end is less than 2 of the larger one


def duration_range(least: float, most: float) -> str:
    """Format a range in one unit, as exact as an estimate is: ``14 to 29 h``; one duration if both ends look the same.

    It is the unit of the upper end, or the next smaller one if the lower end is small: ``45 to 190 min``.
    """
    place = next(place for place, (size, _, limit) in enumerate(_RANGES) if round(most / size) < limit)
    if place and least < 1.5 * _RANGES[place][0] and most < _LONGEST_RANGE * _RANGES[place - 1][0]:
        place -= 1
    size, unit, _ = _RANGES[place]
    low, high = (max(0, round(seconds / size)) for seconds in (least, most))
    low = max(low, 1) if place else low  # "0 to 5 h" would read as if it could be over at once
    return f"{high} {unit}" if low >= high else f"{low} to {high} {unit}"


def latency(seconds: float | None) -> str:
    """Format a latency with three digits: ``82.2 µs``, ``3.34 ms``; a dash if it is not known."""
    if seconds is None:
        return "-"
    factor, unit = next(((f, u) for f, u in ((1.0, "s"), (1e-3, "ms")) if seconds >= f), (1e-6, "µs"))
    number = seconds / factor
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {unit}"


def age_words(hours: int | None) -> str:
    """How long a disk has run, in years or days; empty if it does not say."""
    if hours is None:
        return ""
    return f"{hours / 8766:.1f} y" if hours >= 8766 else f"{hours // 24} d"
