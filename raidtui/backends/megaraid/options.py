"""The options of MegaRAID and PERC cards beyond those of every card."""

from typing import Final

from raidtui.backends.cards.options import DRIVE_CACHE, INITIALIZATION, READ_AHEAD, SPANS, WRITE_POLICY

OPTIONS: Final = {
    "spans": SPANS,
    "write_policy": WRITE_POLICY,
    "read_ahead": READ_AHEAD,
    "drive_cache": DRIVE_CACHE,
    "initialization": INITIALIZATION,
}
"""By spec key, in the order the Options screen shows them."""
