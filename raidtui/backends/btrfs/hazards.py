"""Hazards of Btrfs over several disks."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.model.plan import Hazard, Severity

GRADES: Final = {"smr": Severity.BLOCK}
"""Hazards of every backend that weigh more here."""


def btrfs_parity(look: Look) -> Iterator[Hazard]:
    """Btrfs raid5 and raid6."""
    if look.spec.level in {"raid5", "raid6"}:
        yield Hazard(
            id="btrfs-parity",
            severity=Severity.HIGH,
            seen=f"Btrfs {look.spec.level}",
            meaning=(
                "After a power cut data and parity may differ, and nothing guards against it. The Btrfs manual says not to use "
                "raid5 and raid6 in production."
            ),
            advice='Set level = "raid1" or "raid1c3", or use backend = "mdadm" with raid6 and Btrfs on it.',
            source="btrfs(5), RAID56 status and recommended practices",
        )


CHECKS: Final[tuple[Check, ...]] = (btrfs_parity,)
"""Every check of Btrfs."""
