"""The options of a volume group on arrays: md's, and the number of arrays."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.md.options import OPTIONS as MD
from raidtui.backends.options import Option
from raidtui.model.errors import BadInput

_MOST: Final = 128  # MAX_STRIPES of lvm2


def _arrays(text: str) -> str:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST:
        return str(int(text))
    raise BadInput(f"{text!r} is not a number of arrays from 1 to {_MOST}")


OPTIONS: Final = {
    **MD,
    "name": replace(
        MD["name"],
        help="The name of the array and of the volume group on it; the volume becomes /dev/NAME/data, and several "
        "arrays NAME-1, NAME-2 and so on. Use letters, digits, dots, dashes and underscores.",
    ),
    "arrays": Option(
        label="Arrays",
        help="How many arrays are under the volume, all of equal numbers of disks. RAID50 and RAID60 are striped over "
        "them; other levels fill one after the other. Empty: one, or as few as can be striped.",
        own=_arrays,
        of_level=True,
    ),
}
"""By spec key, in the order the Options screen shows them."""
