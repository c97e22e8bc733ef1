"""Let a virtual drive of a MegaRAID or PERC card grow: storcli's ``start migrate``."""

import posixpath
from typing import Final

from raidtui.backends.cards.grow import CardGrower, Growing
from raidtui.backends.cards.records import Adapter
from raidtui.backends.megaraid.commands import migrate
from raidtui.backends.megaraid.conditions import KINDS
from raidtui.backends.megaraid.reader import MEGARAID

# PERC and MegaRAID guides, RAID level migration and online capacity expansion; what has less redundancy is left out.
_TARGETS: Final = {
    "raid0": ("raid0", "raid1", "raid5", "raid6"),
    "raid1": ("raid5", "raid6"),
    "raid5": ("raid5", "raid6"),
    "raid6": ("raid6",),
}


def _why_not(adapter: Adapter) -> str:
    if posixpath.basename(adapter.tool).endswith("2"):
        return f"'{adapter.tool}' has other commands for it than storcli, which are not known for certain"
    return ""


GROWER: Final = CardGrower(
    Growing(
        family=MEGARAID,
        kinds=KINDS,
        targets=_TARGETS,
        migrate=migrate,
        why_not=_why_not,
    )
)
