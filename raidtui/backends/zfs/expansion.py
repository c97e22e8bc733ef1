"""A raidz with one more disk (zpool-attach(8), raidz expansion): why it is not offered, and what it would hold. Pure.

ZFS writes the configuration with the new disk first, and some transaction groups later how far the data has been moved.
A power cut between leaves a pool whose blocks are looked for where they would be on more disks: it is not imported any
more. That is so in 2.3.9 (``spa_vdev_attach``), and was changed in August 2026 (OpenZFS pull request 18920). No release
with that change has been measured here.
"""

from typing import Final

from raidtui.backends.zfs.options import USUAL_ASHIFT
from raidtui.backends.zfs.report import Pool
from raidtui.backends.zfs.space import DEFAULT_RECORD, PARITY, efficiency
from raidtui.machine.tools import is_older
from raidtui.model.text import harmless
from raidtui.model.units import decimal

SINCE: Final = "2.3"
"""The first OpenZFS that can expand a raidz."""
_GB: Final = 10**9


def is_expandable(version: str) -> bool:
    """Whether the loaded module can expand a raidz at all."""
    return bool(version) and not is_older(version, SINCE)


def why_not_wider(version: str) -> str:
    """Why a raidz does not get one more disk.

    Args:
        version: of the loaded module; empty if it is not known.
    """
    if version and not is_expandable(version):
        return f"raidz expansion needs OpenZFS {SINCE}, and {harmless(version)} is loaded"
    return (
        "a power cut while a raidz expansion starts can leave a pool that cannot be imported any more. With a backup, "
        "zpool-attach(8) does it"
    )


def honest_words(level: str, width: int, pool: Pool, *, shown: int, used: int) -> str:
    """What a raidz with one more disk would show and hold, and why these differ.

    Args:
        width: the number of its devices now.
        shown: the bytes that zfs list would show.
        used: those of them that are stored already.
    """
    ashift, parity = pool.ashift or USUAL_ASHIFT, PARITY[level]
    before, after = (efficiency(DEFAULT_RECORD, count, parity, ashift) for count in (width, width + 1))
    holds = used + int((shown - used) * after / before)
    return (
        f"zfs list would show {decimal(shown)}, and it would hold about {decimal(holds)}. Space is counted by the ratio of "
        f"the old width: a new file of 1 GB is listed as {decimal(int(_GB * before / after))}. What is stored now keeps its "
        "ratio of data to parity until it is written again"
    )
