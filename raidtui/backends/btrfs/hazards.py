"""Hazards of Btrfs over several disks."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.btrfs.space import PROFILES, metadata_of
from raidtui.backends.look import Check, Look, mixed_sectors
from raidtui.model.plan import Hazard, Severity, high, warning
from raidtui.model.text import count_of, spelled

GRADES: Final = {"smr": Severity.BLOCK}
"""Hazards of every backend that weigh more here."""


def btrfs_parity(look: Look) -> Iterator[Hazard]:
    """Btrfs RAID5 and RAID6."""
    if look.spec.level in {"raid5", "raid6"}:
        yield high(
            id="btrfs-parity",
            seen=f"Btrfs {spelled(look.spec.level)}",
            meaning=(
                "After a power cut data and parity may differ, and nothing guards against it. The Btrfs manual says not to use "
                "RAID5 and RAID6 in production."
            ),
            advice='Set level = "raid1" or "raid1c3", or use backend = "mdadm" with RAID6 and Btrfs on it.',
            source="btrfs(5), RAID56 status and recommended practices",
        )


def weak_metadata(look: Look) -> Iterator[Hazard]:
    """Metadata that survives fewer failed disks than the data."""
    data, metadata = PROFILES.get(look.spec.level), PROFILES.get(look.facts.metadata)
    if data is not None and metadata is not None and metadata.survives < data.survives:
        usual = metadata_of(look.spec.level)
        yield warning(
            id="btrfs-metadata",
            seen=f"data {spelled(look.spec.level)}, metadata {spelled(look.facts.metadata)}",
            meaning=f"The metadata survives {count_of(metadata.survives, 'failed disk')} and the data {data.survives}. Without its "
            "metadata the whole filesystem is lost.",
            advice=f'Set metadata = "{usual}", or leave it out.',
            source="mkfs.btrfs(8), profiles",
        )


sector_sizes: Final = mixed_sectors(
    Severity.INFO,
    meaning="Btrfs takes these disks together: it writes blocks of 4 KiB, which are whole sectors on all of them.",
    advice="Nothing to do. A replacement may have either sector size.",
    source="mkfs.btrfs(8), --sectorsize",
)
"""Btrfs writes blocks of 4 KiB or more, whatever the sectors of its disks."""


CHECKS: Final[tuple[Check, ...]] = (btrfs_parity, weak_metadata, sector_sizes)
"""Every check of Btrfs."""
