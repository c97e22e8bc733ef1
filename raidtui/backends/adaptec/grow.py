"""Let a virtual drive of an Adaptec card grow: arcconf's ``MODIFY``."""

from typing import Final

from raidtui.backends.adaptec.commands import migrate
from raidtui.backends.adaptec.conditions import KINDS
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.adaptec.wording import SMARTRAID
from raidtui.backends.cards.grow import CardGrower, Growing
from raidtui.backends.cards.records import Adapter

# Adaptec Storage Manager guide, changing the RAID level; what has less redundancy is left out.
_TARGETS: Final = {
    "raid0": ("raid0", "raid5"),
    "raid1": ("raid5",),
    "raid5": ("raid5", "raid6"),
    "raid6": ("raid6",),
}


def _why_not(adapter: Adapter) -> str:
    if adapter.driver == SMARTRAID:
        return "a SmartRAID card changes an array, not a virtual drive, and how is not known for certain"
    return ""


GROWER: Final = CardGrower(
    Growing(
        family=ADAPTEC,
        kinds=KINDS,
        targets=_TARGETS,
        migrate=migrate,
        why_not=_why_not,
    )
)
