"""The backend of virtual drives of Adaptec cards (ARCCONF Command Line Utility User's Guide, CREATE)."""

from typing import Final

from raidtui.backends.cards.backend import card_backend
from raidtui.backends.cards.facts import Rules
from raidtui.backends.cards.levels import LEVELS
from raidtui.backends.cards.options import (
    BACKGROUND,
    FAST,
    FULL,
    OFF,
    ON,
    READ_AHEAD,
    UNCHANGED,
    WRITE_POLICY,
    switch,
)
from raidtui.model.spec import Backend
from raidtui.model.units import KIB

BACKEND: Final = card_backend(
    Backend.ADAPTEC,
    Rules(
        called="an Adaptec card",
        strips=tuple(size * KIB for size in (16, 32, 64, 128, 256, 512, 1024)),
        default_strip=256 * KIB,
        spans_chosen=False,
        accuracy="to within 1 %: arcconf shows sizes in MB, and the card keeps a little for itself",
    ),
    {
        "write_policy": WRITE_POLICY,
        "read_ahead": READ_AHEAD,
        # Not every drive allows its cache to be changed, and the setting stays with the drive.
        "drive_cache": switch(
            "Drive cache",
            "of each drive, and it stays with the drive. off: what the card reports as written survives a power cut. "
            "on: faster, but a power cut loses what is in the drive cache.",
            UNCHANGED,
            OFF,
            ON,
        ),
        "initialization": switch(
            "Initialize",
            "background: usable at once; the card builds copies or parity in the background. fast: usable at once; "
            "parity is made as data is written, which is slower until it is verified. full: zeros all of it first, "
            "which takes hours.",
            BACKGROUND,
            FAST,
            FULL,
            levels=tuple(name for name, one in LEVELS.items() if one.redundant),
        ),
    },
)
