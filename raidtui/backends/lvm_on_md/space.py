"""Capacity of a volume group on md arrays: where LVM's data begins on an array, and how many extents fit."""

from raidtui.backends.lvm.space import EXTENT, extents, first_extent
from raidtui.backends.md.geometry import Geometry


def data_start(level: str, members: int, *, chunk: int, width: int) -> int:
    """Bytes before LVM's first extent on an array of ``level``: 1 MiB, aligned to a full stripe."""
    # lvm2 assumes half the members as data disks of raid10, whatever the layout.
    counted = chunk * (members // 2) if level == "raid10" else width
    return first_extent(stripe_width=counted, io_min=chunk, io_opt=width)


def on_md(geometry: Geometry) -> int:
    """Bytes of a volume group on this md array alone."""
    chunk, width = geometry.chunk_bytes, geometry.stripe_width_bytes
    start = data_start(geometry.level, len(geometry.members), chunk=chunk, width=width)
    return extents(geometry.array_bytes, start) * EXTENT
