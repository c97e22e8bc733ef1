"""The options of a Btrfs over several disks, described."""

from typing import Final

from raidtui.backends.btrfs.space import METADATA
from raidtui.backends.options import Option

OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The label of the filesystem. It is mounted by its UUID. Use letters, digits, dots, dashes and "
        "underscores.",
    ),
    "partition": Option(
        label="Members are",
        help="A GPT partition marks each disk as used for every tool and firmware, and leaves a reserve at the "
        "end. Whole disks lose no space, but some firmware writes a partition table over them.",
    ),
    "metadata": Option(
        label="Metadata",
        help="The profile of the metadata: 'mkfs.btrfs --metadata'. The filesystem survives a failed disk only "
        "if data and metadata do. RAID1C3 survives two failed disks, RAID1C4 three. Never RAID5 or RAID6.",
        choices=METADATA,
    ),
}
"""By spec key, in the order the Options screen shows them."""
