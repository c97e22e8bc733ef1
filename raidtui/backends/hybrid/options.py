"""The options of bands: those of md that hold for every array of them."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.md.options import OPTIONS as MD
from raidtui.backends.options import Option

OPTIONS: Final = {
    "name": replace(
        MD["name"],
        help="The name of the volume group; the volume becomes /dev/NAME/data, and the arrays of the bands NAME-1, "
        "NAME-2 and so on. Use letters, digits, dots, dashes and underscores.",
    ),
    "partition": Option(
        label="Members are",
        help="Each disk gets one GPT partition for every band that it reaches, from the start of the disk to the end.",
        choices=("partition",),
    ),
    "chunk": MD["chunk"],
    "metadata": replace(
        MD["metadata"], help="Where md keeps its superblocks. 1.2: near the start of each partition."
    ),
    "consistency": replace(
        MD["consistency"],
        help="bitmap: resyncs only what was being written, minutes. resync: everything, hours.",
    ),
}
"""By spec key, in the order the Options screen shows them."""
