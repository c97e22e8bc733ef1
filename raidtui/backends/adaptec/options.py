"""The options of Adaptec cards beyond those of every card, described."""

from typing import Final

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

METHODS: Final = {BACKGROUND: "BUILD", FAST: "QUICK", FULL: "CLEAR"}
"""The methods of CREATE. A level without redundancy takes only QUICK: it has nothing to build."""

OPTIONS: Final = {
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
        *METHODS,
        levels=tuple(name for name, one in LEVELS.items() if one.redundant),
    ),
}
"""By spec key, in the order the Options screen shows them."""
