"""The levels of RAID cards (MegaRAID SAS Software User Guide and Adaptec's guides, RAID levels)."""

from typing import Final

from raidtui.backends.level import Level, by_name

_CARD: Final = (
    "The card does the work and caches writes while its battery is good. Only such a card reads it again."
)
_SAME: Final = "only a card of the same family reads it"
_CACHE: Final = "small writes wait for the card's cache only"

_PLACED: Final = "Each span of drives is an array with parity of its own, and strips go to the spans in turn."

SPANNED: Final = {"raid50": "raid5", "raid60": "raid6"}
"""Levels made of spans, with the level of each span."""
WITHOUT: Final = frozenset({"raid0", "raid00", "jbod", "volume", "simple_volume", "spanned_volume"})
"""Levels without redundancy, those too in which raidtui builds nothing."""

LEVELS: Final = by_name(
    Level(
        name="raid0",
        min_disks=1,
        redundant=False,
        title="stripe, no redundancy",
        explains=f"Strips go to all drives in turn; one failed drive loses everything. {_CARD}",
        suits="scratch data only",
        pros=("fastest reads and writes", _CACHE),
        cons=("any failed drive loses everything", _SAME),
        has_chunk=True,
    ),
    Level(
        name="raid1",
        min_disks=2,
        title="mirror of two drives",
        explains=f"Both drives hold the same data. {_CARD}",
        suits="two drives, the system",
        pros=("either drive is enough", "quick rebuild from the other drive"),
        cons=("space of one drive only", _SAME),
    ),
    Level(
        name="raid5",
        min_disks=3,
        title="one drive's worth of parity",
        explains=f"Data and parity rotate over all drives, and any one can fail. {_CARD}",
        suits="3 to 5 drives",
        pros=("any one drive can fail", _CACHE),
        cons=("a second failure while it rebuilds loses all", _SAME),
        has_chunk=True,
    ),
    Level(
        name="raid6",
        min_disks=4,
        title="two drives' worth of parity",
        explains=f"Two parities rotate over all drives, and any two can fail. {_CARD}",
        suits="large drives, four and more",
        pros=("any two drives can fail", _CACHE),
        cons=("costs the space of two drives", _SAME),
        has_chunk=True,
    ),
    Level(
        name="raid10",
        min_disks=4,
        default_layout="n2",
        title="stripe over mirrors",
        explains=f"Pairs of drives hold the same data, striped over all pairs; the number is even. {_CARD}",
        suits="databases and many small writes",
        pros=("fast small writes", "quick rebuild from one partner"),
        cons=("every byte is stored twice", _SAME),
        has_chunk=True,
    ),
    Level(
        name="raid50",
        min_disks=6,
        title="stripe over RAID5 spans",
        explains=f"Strips go to two or more RAID5 spans in turn; each span can lose one drive. {_CARD}",
        suits="6 and more drives, faster rebuilds",
        pros=("any one drive can fail, one in each span", _CACHE),
        cons=("a second failure in one span loses all", _SAME),
        has_chunk=True,
        placed=_PLACED,
    ),
    Level(
        name="raid60",
        min_disks=8,
        title="stripe over RAID6 spans",
        explains=f"Strips go to two or more RAID6 spans in turn; each span can lose two drives. {_CARD}",
        suits="8 and more large drives",
        pros=("any two drives can fail, two in each span", _CACHE),
        cons=("costs the space of two drives a span", _SAME),
        has_chunk=True,
        placed=_PLACED,
    ),
)
