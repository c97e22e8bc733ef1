"""A quick form of a sweep, to see in minutes that it works and what its results look like. Its figures are rough."""

from typing import Final

import msgspec

from raidtui.model.sweep import Sweep
from raidtui.model.units import MIB

SLICE: Final = 512 * MIB  # XFS needs at least 300 MiB, 64 MiB of it for its log
SIZE: Final = 256 * MIB  # Bonnie++ prints no figure for a test of less than half a second
NOTE: Final = (
    "Quick: each array, chunk and filesystem once, with one run of one second. Its figures are rough."
)


def quickened(sweep: Sweep) -> Sweep:
    """``sweep`` with each value of its lists once, in one pass of short runs on a small part of each disk."""
    return msgspec.structs.replace(
        sweep, quick=True, passes=1, slice=SLICE, size_bytes=SIZE, runs=1, seconds=1
    )
