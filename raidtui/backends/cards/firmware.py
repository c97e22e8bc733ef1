"""Firmware with a fault that its maker warns of. Pure.

A fault is listed only where the maker names the cards and the first package without it.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from raidtui.backends.cards.records import Adapter
from raidtui.model.plan import Hazard, Severity


class _Fault(NamedTuple):
    models: re.Pattern[str]  # found in the card's model
    fixed: str  # the first package without it
    meaning: str
    advice: str  # what else the update needs
    source: str


_CACHE_MEMORY: Final = (
    "The card may stop on a memory error of its cache. Its virtual drives are gone until it starts again, "
    "and cached writes may be lost."
)
_COLD_START: Final = "Then shut down and switch the computer off: a reboot does not activate the fix."
_DELL: Final = "Dell knowledge base 000223830, PERC10 single or multi-bit ECC messages"
_FAULTS: Final = (
    _Fault(re.compile(r"\bH74[05]P?\b", re.IGNORECASE), "51.16.0-5150", _CACHE_MEMORY, _COLD_START, _DELL),
    _Fault(re.compile(r"\bH840\b", re.IGNORECASE), "51.16.0-5148", _CACHE_MEMORY, _COLD_START, _DELL),
)
_PACKAGE: Final = re.compile(r"\d+(?:[.-]\d+)+")


def old_firmware(adapter: Adapter) -> Iterator[Hazard]:
    """A package older than the one that ends a fault; nothing where the two cannot be compared."""
    if not _PACKAGE.fullmatch(adapter.package):
        return
    for fault in _FAULTS:
        if fault.models.search(adapter.model) and _parts(adapter.package) < _parts(fault.fixed):
            yield Hazard(
                id="card-firmware",
                severity=Severity.WARN,
                seen=f"{adapter.model}: firmware package {adapter.package}, fixed in {fault.fixed}",
                meaning=fault.meaning,
                advice=f"Update the firmware of the card to {fault.fixed} or newer before you rely on it. {fault.advice}",
                source=fault.source,
            )


def _parts(package: str) -> tuple[int, ...]:
    return tuple(map(int, re.split("[.-]", package)))
