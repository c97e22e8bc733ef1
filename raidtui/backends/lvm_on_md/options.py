"""The options of a volume group on an array: md's, whose name is the group's too."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.md.options import OPTIONS as MD

OPTIONS: Final = {
    **MD,
    "name": replace(
        MD["name"],
        help="The name of the array and of the volume group on it; the volume becomes /dev/NAME/data. Use letters, "
        "digits, dots, dashes and underscores.",
    ),
}
"""By the key of a spec, in the order in which they are asked."""
