"""A sweep made small: to see that all of it works, or how its results look, in minutes. Its figures are rough."""

from typing import Final

import msgspec

from raidtui.model.sweep import Sweep
from raidtui.model.units import MIB

SLICE: Final = 512 * MIB  # XFS is made on 300 MiB and more, and 64 MiB of it are its log
SIZE: Final = 256 * MIB  # Bonnie++ tells no figure of what took less than half a second
TOLD: Final = (
    "Quick: each array, chunk and filesystem once, with one run of one second. Its figures are rough."
)


def quickened(sweep: Sweep) -> Sweep:
    """``sweep`` with each value of its lists once, in one pass of short runs on a small part of each disk."""
    return msgspec.structs.replace(
        sweep, quick=True, passes=1, slice=SLICE, size_bytes=SIZE, runs=1, seconds=1
    )
