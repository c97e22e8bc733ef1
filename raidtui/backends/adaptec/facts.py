"""The rules of Adaptec cards (ARCCONF Command Line Utility User's Guide, CREATE)."""

from typing import Final

from raidtui.backends.cards.facts import Rules
from raidtui.model.units import KIB

STRIPS: Final = tuple(size * KIB for size in (16, 32, 64, 128, 256, 512, 1024))
RULES: Final = Rules(
    called="an Adaptec card",
    strips=STRIPS,
    default_strip=256 * KIB,
    spans_chosen=False,
    accuracy="to within 1 %: arcconf shows sizes in MB, and the card keeps a little for itself",
)
