"""The options of a logical volume over a volume group, for people."""

from typing import Final

from raidtui.backends.options import Option

OPTIONS: Final = {
    "chunk": Option(
        label="Stripe size",
        help="How much goes to one disk before the next: 'lvcreate --stripesize'. 64KiB is LVM's default. A power "
        "of two from 4KiB to 4MiB.",
    ),
}
"""By the key of a spec, in the order in which they are asked."""
