"""The options of a virtual drive, for people."""

from typing import Final

from raidtui.backends.options import Option

OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The name of the virtual drive, at most 8 letters, digits, dashes and underscores. raidtui adds a "
        "mark of 6 digits to it, by which it knows the virtual drive again.",
    ),
    "chunk": Option(
        label="Strip",
        help="How much goes to one drive before the next. 256KiB is the card's default; it takes 64KiB to 1MiB. "
        "Larger for large files, smaller for databases.",
    ),
    "spares": Option(
        label="Hot spares",
        help="Drives that take over by themselves when a member of this virtual drive fails.",
    ),
}
"""By the key of a spec, in the order in which they are asked."""
