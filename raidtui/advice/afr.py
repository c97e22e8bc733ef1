"""The annual failure rate of a disk: from counted failures, by model where published, and by age."""

import math
import re
from typing import Final

from raidtui.advice.risk import AFR_SOURCE, DEFAULT_AFR, DEFAULT_AFR_FLASH
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record

# model → failures, drive-days. Backblaze, lifetime to the third quarter of 2025.
_COUNTED: Final = {
    "WUH722222ALE6L4": (50, 3_555_491),
    "MG10ACA20TE": (21, 1_416_127),
    "ST16000NM001G": (57, 3_125_133),
}
# model → annual failure rate, where only the rate was published. Backblaze, fourth quarter of 2025 or lifetime.
_RATES: Final = {
    "HUH721212ALE600": 0.0061,
    "HUH721212ALE604": 0.0254,
    "HUH721212ALN604": 0.0308,
    "HUH728080ALE600": 0.1029,
    "ST8000DM002": 0.0170,
    "ST8000NM0055": 0.0168,
    "ST10000NM0086": 0.0523,
    "ST14000NM0138": 0.0597,
    "ST12000NM0007": 0.0947,
    "HMS5C4040BLE640": 0.0041,
    "HMS5C4040ALE640": 0.0053,
    "ST4000DM000": 0.0254,
    "ST6000DX000": 0.0089,
}
DAYS_A_YEAR: Final = 365
_PERCENT: Final = re.compile(r"\s*(\d{1,19}(?:\.\d{1,19})?)\s*(%?)\s*", re.ASCII)


class Rate(Record, frozen=True, kw_only=True):
    """Failures of a disk per year, and the source of the figure."""

    afr: float
    source: str


def counted_rate(failures: int, drive_days: float) -> float:
    """Failures per year as usually published: ``failures / (drive_days / 365)``."""
    return failures / drive_days * DAYS_A_YEAR


def posterior_mean(failures: int, drive_days: float) -> float:
    """Expected failures per year, given these: never zero, however few disks were observed."""
    return (failures + 1) / drive_days * DAYS_A_YEAR


def posterior_limit(failures: int, drive_days: float, confidence: float = 0.95) -> float:
    """The upper limit of failures per year with this confidence (quantile of a Gamma distribution).

    For a whole number of failures it is the rate at which this few failures or fewer have a probability of
    ``1 - confidence``.
    """
    low, high = 0.0, 10.0 * (failures + 10)
    for _ in range(200):
        mean = (low + high) / 2
        term = total = math.exp(-mean)
        for count in range(1, failures + 1):
            term *= mean / count
            total += term
        low, high = (mean, high) if total > 1 - confidence else (low, mean)
    return high / drive_days * DAYS_A_YEAR


def rate_of(model: str = "", *, rotational: bool = True, power_on_hours: int | None = None) -> Rate:
    """The rate to assume for a disk of this model and age.

    It grows with age: times 1.5 beyond five years, times 3 beyond eight. The factors are our own reading of
    Backblaze's curves by age, which peak at ten years.
    """
    name = next((known for known in (*_COUNTED, *_RATES) if known in model.upper()), "")
    if name in _COUNTED:
        counted = _COUNTED[name]
        afr = posterior_mean(*counted)
        source = (
            f"Backblaze, {name}: {counted[0]} failures, {in_percent(counted_rate(*counted), 2)} a year to 2025, "
            f"at most {in_percent(posterior_limit(*counted), 2)} with 95 % confidence"
        )
    elif name:
        afr, source = _RATES[name], f"Backblaze, {name}, 2025"
    elif rotational:
        afr, source = DEFAULT_AFR, AFR_SOURCE
    else:
        afr, source = DEFAULT_AFR_FLASH, "our own default for flash"
    years = (power_on_hours or 0) / 8760
    factor = 3.0 if years > 8 else 1.5 if years > 5 else 1.0
    if factor > 1:
        source += f", times {factor:g} at {years:.0f} years of age"
    return Rate(afr=min(0.5, afr * factor), source=source)


def parse_rate(text: str) -> float:
    """Parse an annual failure rate: ``1.5%`` or ``0.015``.

    Raises:
        BadInput: not a number, or not between 0 and 100 %.
    """
    match = _PERCENT.fullmatch(text)
    if match is None:
        raise BadInput(f"{text!r} is not an annual failure rate; write for example 1.5%")
    rate = float(match[1]) / (100 if match[2] else 1)
    if not 0 < rate < 1:
        raise BadInput(
            f"an annual failure rate of {text.strip()} is not between 0 and 100 %; write for example 1.5%"
        )
    return rate
