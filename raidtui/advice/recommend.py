"""Recommend a level for a set of disks, with the reason and the cases for another level."""

from collections.abc import Iterable
from typing import Final

from raidtui.advice.ranking import five_year_loss
from raidtui.advice.report import Report
from raidtui.backends.registry import backend
from raidtui.model.chance import odds
from raidtui.model.spec import USUAL, Backend
from raidtui.model.struct import Record

# Highest acceptable chance of data loss within five years. Our own limit: one in a hundred such arrays is lost.
_TOO_MUCH: Final = 0.01
_MANY: Final = 16  # members; beyond this, several smaller arrays rebuild sooner


class Recommendation(Record, frozen=True, kw_only=True):
    """A level and layout, the reason, and a sentence on the needs that another level meets better."""

    level: str
    layout: str = ""
    because: str
    otherwise: str


def recommend(reports: Iterable[Report], of: Backend = USUAL) -> Recommendation | None:
    """Recommend one of these layouts of the same disks; ``None`` if the backend has no redundant level for them."""
    possible = {
        (one.level, one.layout if backend(one.backend).levels[one.level].called_with_layout else ""): one
        for one in reports
        if one.backend is of and one.refused is None
    }
    disks = max((len(one.members) for one in possible.values()), default=0)
    if disks == 2 and ("raid1", "") in possible:
        return Recommendation(
            level="raid1",
            because="with two disks it is the simplest level that survives a failure.",
            otherwise="Choose RAID0 only for data that you can lose.",
        )
    raid5, raid6 = possible.get(("raid5", "")), possible.get(("raid6", ""))
    if raid5 and disks <= 4:
        risk = five_year_loss(raid5)
        if risk <= _TOO_MUCH:
            return Recommendation(
                level="raid5",
                because="it gives the most space that survives a failed disk.",
                otherwise="Choose RAID10 for many small writes, or "
                f"{'RAID6' if raid6 else 'RAID1'} if you have no good backup.",
            )
        return Recommendation(
            level="raid6" if raid6 else "raid1",
            because=f"with RAID5 the chance of losing data over 5 years is {odds(risk)}.",
            otherwise="Choose RAID10 for many small writes, or RAID5 for more space.",
        )
    if raid6:
        return Recommendation(
            level="raid6",
            because=f"with {disks} disks a second can fail before the first is replaced.",
            otherwise="Several arrays of 8 to 12 disks rebuild sooner."
            if disks > _MANY
            else "Choose RAID10 for databases and virtual machines.",
        )
    for layout in ("n3", "n2"):
        if ("raid10", layout) in possible:
            return Recommendation(
                level="raid10",
                layout=layout,
                because=f"it is the safest level that leaves {disks} disks some space.",
                otherwise="Several smaller RAID6 arrays give more space.",
            )
    return None
