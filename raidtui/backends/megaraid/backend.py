"""The backend of virtual drives of MegaRAID and PERC cards."""

from typing import Final

from raidtui.backends.cards.backend import card_backend
from raidtui.backends.cards.facts import Rules
from raidtui.backends.cards.options import DRIVE_CACHE, INITIALIZATION, READ_AHEAD, SPANS, WRITE_POLICY
from raidtui.model.spec import Backend
from raidtui.model.units import KIB

BACKEND: Final = card_backend(
    Backend.MEGARAID,
    Rules(
        called="a MegaRAID card",
        strips=tuple(size * KIB for size in (64, 128, 256, 512, 1024)),
        default_strip=256 * KIB,
        # Data drives times usable size matches every recording to the sector.
        accuracy="exact to the sector for the usable size that the card reports",
    ),
    {
        "spans": SPANS,
        "write_policy": WRITE_POLICY,
        "read_ahead": READ_AHEAD,
        "drive_cache": DRIVE_CACHE,
        "initialization": INITIALIZATION,
    },
)
