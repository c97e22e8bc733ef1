"""The rules of MegaRAID and PERC cards. Data drives times usable size matches every recording to the sector."""

from typing import Final

from raidtui.backends.cards.facts import Rules
from raidtui.model.units import KIB

STRIPS: Final = tuple(size * KIB for size in (64, 128, 256, 512, 1024))
DEFAULT_STRIP: Final = 256 * KIB
RULES: Final = Rules(
    called="a MegaRAID card",
    strips=STRIPS,
    default_strip=DEFAULT_STRIP,
    accuracy="exact to the sector for the usable size that the card reports",
)
