"""A raidz with one more disk (zpool-attach(8), raidz expansion): whether this ZFS does it, and what it holds then. Pure."""

from typing import Final

from raidtui.backends.zfs.options import USUAL_ASHIFT
from raidtui.backends.zfs.report import Pool
from raidtui.backends.zfs.space import DEFAULT_RECORD, PARITY, efficiency
from raidtui.machine.tools import is_older
from raidtui.model.text import harmless
from raidtui.model.units import decimal

FEATURE: Final = "feature@raidz_expansion"
SINCE: Final = "2.3"
"""The first OpenZFS that can expand a raidz."""
_GB: Final = 10**9


def why_not_wider(pool: Pool, version: str, vdevs: int) -> str:
    """Why a raidz does not get one more disk here; empty if it can.

    Args:
        version: of the loaded module.
        vdevs: how many the pool has.
    """
    if not version:
        return "the version of ZFS is not known"
    if is_older(version, SINCE):
        return f"raidz expansion needs OpenZFS {SINCE}, and {harmless(version)} is loaded"
    if vdevs > 1:
        return f"it has {vdevs} vdevs, which would have different widths"
    feature = pool.properties.get(FEATURE, "")
    if feature == "disabled":
        return "the pool has not enabled raidz_expansion; 'zpool upgrade' does that, and an older ZFS cannot import it any more"
    if feature not in {"enabled", "active"}:
        return "whether the pool has enabled raidz_expansion is not known"
    return ""


def honest_words(level: str, width: int, pool: Pool, *, shown: int, used: int) -> str:
    """What a raidz with one more disk shows and holds, and why these differ.

    Args:
        width: the number of its devices before.
        shown: the bytes that zfs list shows afterwards.
        used: those of them that are stored already.
    """
    ashift, parity = pool.ashift or USUAL_ASHIFT, PARITY[level]
    before, after = (efficiency(DEFAULT_RECORD, count, parity, ashift) for count in (width, width + 1))
    holds = used + int((shown - used) * after / before)
    return (
        f"zfs list shows {decimal(shown)}, and it holds about {decimal(holds)}. Space is counted by the ratio of the old "
        f"width: a new file of 1 GB is listed as {decimal(int(_GB * before / after))}. What is stored now keeps its ratio "
        "of data to parity until it is written again"
    )
