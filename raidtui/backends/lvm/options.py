"""The options of a volume group and its volume, described."""

from typing import Final

from raidtui.backends.options import Option

OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The name of the volume group; its volume becomes /dev/NAME/data. Use letters, digits, dots, dashes and "
        "underscores.",
    ),
    "partition": Option(
        label="Members are",
        help="A GPT partition marks each disk as Linux LVM for every tool and firmware, and leaves a reserve at "
        "the end. Whole disks lose no space, but some firmware writes a partition table over them.",
    ),
    "chunk": Option(
        label="Stripe size",
        help="How much goes to one disk before the next: 'lvcreate --stripesize'. 64KiB is LVM's default. A power "
        "of two from 4KiB to 4MiB.",
    ),
}
"""By spec key, in the order the Options screen shows them."""
