"""Models with drive-managed SMR that neither the drive nor smartmontools' drive database reports.

Patterns match the whole model number: WD120EFAX is not a WD20EFAX. A model that is not listed is unknown, not CMR.
"""

import re
from typing import Final, NamedTuple


class Listed(NamedTuple):
    """A list of models, and its source."""

    pattern: re.Pattern[str]
    source: str


def _models(source: str, *patterns: str) -> Listed:
    return Listed(re.compile(rf"(?:WDC |WD |TOSHIBA |SEAGATE )?(?:{'|'.join(patterns)})(?:[- ].*)?"), source)


_LISTS: Final = (
    _models(
        "the maker's own statement of April 2020",
        r"WD[2346]0EFAX",
        r"WD[26]0EZAZ",
        r"WD[12]0SPZX",
        r"WD10SPSX",
        r"HDWD2[46]0\w*",
        r"DT02ABA[46]00V?\w*",
        r"HDWL1[12]0\w*",
        r"MQ04\w*",
        r"ST(?:2000DM00[58]|3000DM007|[48]000DM004|6000DM003)",
        r"ST[568]000AS000[12]",
        r"ST(?:500LM030|1000LM048|2000LM015|[34]000LM024|5000LM000)",
    ),
    _models(
        "lists kept by users, not confirmed by the maker",
        r"WD[46]0EMAZ",
        r"WD\d0(?:NDZM|NDZW|NMRW|NMZM|NMZW|NPZZ|SDZM|SDZW|SMZM|SMZW|SPWX|LPZX|LPSX)",
        r"ST8000AS0003",
        r"ST5000DM00[03]",
        r"ST500DM009",
        r"ST2000LM0(?:07|10)",
        r"ST1000LM0(?:35|38|49)",
        r"ST500LM034",
        r"ST\d000LX0(?:01|15|25)",
        r"HDWC360\w*",
    ),
)


def listed_as_shingled(model: str) -> str:
    """The source that lists this model as SMR; empty if none does."""
    word = model.strip().upper()
    return next((entry.source for entry in _LISTS if entry.pattern.fullmatch(word)), "")
