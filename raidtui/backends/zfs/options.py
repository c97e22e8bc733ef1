"""The options of a pool, for people."""

from typing import Final

from raidtui.backends.options import Option

OPTIONS: Final = {
    "spares": Option(
        label="Hot spares",
        help="Disks that hold no data until a device fails; then zed(8) resilvers onto them.",
    ),
}
"""By the key of a spec."""
