"""Valid disk sizes."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.errors import CannotBuild
from raidtui.model.units import TIB

LARGEST_DEVICE: Final = 1024 * 1024 * TIB  # 1 EiB: no disk is larger, so the number is a typing error


def check_sizes(sizes: Sequence[int]) -> None:
    """Refuse sizes that no disk has.

    Raises:
        CannotBuild: zero, negative, or more than 1 EiB.
    """
    for number, size in enumerate(sizes, 1):
        if size <= 0:
            raise CannotBuild(f"disk {number} has {size:,} bytes; a size must be positive")
        if size > LARGEST_DEVICE:
            raise CannotBuild(f"disk {number} has {size:,} bytes, more than 1 EiB; no disk is that large")
