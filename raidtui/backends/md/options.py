"""The options of an md array, described."""

from typing import Final

from raidtui.backends.md.geometry import CONSISTENCIES, METADATA
from raidtui.backends.options import Option

OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The array becomes /dev/md/NAME, now and after every reboot. Use letters, digits, dots, dashes and "
        "underscores.",
    ),
    "partition": Option(
        label="Members are",
        help="A GPT partition marks each disk as Linux RAID for every tool and firmware, and leaves a reserve at "
        "the end. Whole disks lose no space, but some firmware writes a partition table over them.",
    ),
    "spares": Option(
        label="Hot spares",
        help="Disks that hold no data until a member fails; then the array rebuilds onto them automatically.",
    ),
    "chunk": Option(
        label="Chunk",
        help="How much goes to one disk before the next. 512KiB, the default, suits most uses. A power of two "
        "from 4KiB; if most writes have one size, make that one stripe width.",
    ),
    "layout": Option(
        label="Layout",
        help="Where parity or copies go. RAID10: n2 keeps two copies side by side, f2 the second in the far "
        "half of the disks, o2 one stripe below.",
    ),
    "metadata": Option(
        label="Metadata",
        help="Where md keeps its superblock. 1.2: near the start, the default. 1.0: at the end, for booting from it.",
        choices=("1.2", "1.0"),
        taken=METADATA,
    ),
    "consistency": Option(
        label="After a crash",
        help="bitmap: resyncs only what was being written, minutes. resync: everything, hours. ppl: a partial "
        "parity log that closes the RAID5 write hole; writes are up to 40 % slower. none: nothing to resync. mdadm 4.6 can also make a lockless bitmap: experimental, so "
        "raidtui shows it, but does not make it.",
        taken=CONSISTENCIES,
    ),
}
"""By spec key, in the order the Options screen shows them."""
