"""Firmware with a fault that its vendor warns about. Pure.

Only faults are listed for which the vendor names the cards and the first fixed package.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from raidtui.backends.cards.records import Adapter
from raidtui.model.plan import Hazard, warning


class _Fault(NamedTuple):
    fixed: Mapping[str, str]  # the first fixed package, by pattern of the card's model
    meaning: str
    advice: str  # what the update needs besides
    source: str


_FAULTS: Final = (
    _Fault(
        fixed={r"\bH74[05]P?\b": "51.16.0-5150", r"\bH840\b": "51.16.0-5148"},
        meaning="The card may stop on a memory error of its cache. Its virtual drives are gone until it starts "
        "again, and cached writes may be lost.",
        advice="Then shut down and switch the computer off: a reboot does not activate the fix.",
        source="Dell knowledge base 000223830, PERC10 single or multi-bit ECC messages",
    ),
)
_PACKAGE: Final = re.compile(r"\d+(?:[.-]\d+)+")


def old_firmware(adapter: Adapter) -> Iterator[Hazard]:
    """A package older than the first fixed one; nothing if the versions cannot be compared."""
    if not _PACKAGE.fullmatch(adapter.package):
        return
    for fault, model, fixed in ((one, *pair) for one in _FAULTS for pair in one.fixed.items()):
        if re.search(model, adapter.model, re.IGNORECASE) and _parts(adapter.package) < _parts(fixed):
            yield warning(
                id="card-firmware",
                seen=f"{adapter.model}: firmware package {adapter.package}, fixed in {fixed}",
                meaning=fault.meaning,
                advice=f"Update the firmware of the card to {fixed} or newer before you rely on it. {fault.advice}",
                source=fault.source,
            )


def _parts(package: str) -> tuple[int, ...]:
    return tuple(map(int, re.split("[.-]", package)))
