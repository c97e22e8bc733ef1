"""What MegaRAID and PERC cards take beside the options of every card."""

from typing import Final

from raidtui.backends.cards.options import DRIVE_CACHE, INITIALIZATION, READ_AHEAD, SPANS, WRITE_POLICY

OPTIONS: Final = {
    "spans": SPANS,
    "write_policy": WRITE_POLICY,
    "read_ahead": READ_AHEAD,
    "drive_cache": DRIVE_CACHE,
    "initialization": INITIALIZATION,
}
"""By the key of a spec, in the order in which they are asked."""
