"""How an array is given to md through sysfs: without superblocks and bitmap, read-only from its first moment.

Documentation/admin-guide/md.rst. What mdadm does for metadata that the kernel does not know: md has nothing to write.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from raidtui.model.units import KIB, SECTOR

NO_METADATA: Final = "none"
"""The metadata version of such an array in sysfs."""


class Given(NamedTuple):
    """A member that md is given."""

    held: str  # its name in sysfs: sda1, dm-3
    number: str  # its device number
    slot: int
    offset_bytes: int = 0  # of its data
    size_bytes: int = 0  # of its data; 0: all that follows the offset


def settings(
    called: str,
    level: str,
    raid_disks: int,
    members: Sequence[Given],
    *,
    chunk_bytes: int = 0,
    layout: int = 0,
    component_bytes: int = 0,
) -> Iterator[tuple[str, str]]:
    """The files of sysfs and what is written to each, in this order; the last starts the array.

    Args:
        called: the name of its node, which must start with ``md_``.
        chunk_bytes, layout, component_bytes: 0 if the level has none.
    """
    md = f"/sys/block/{called}/md"
    yield "/sys/module/md_mod/parameters/new_array", called
    yield f"{md}/metadata_version", NO_METADATA
    yield f"{md}/raid_disks", str(raid_disks)
    yield f"{md}/level", level
    if chunk_bytes:
        yield f"{md}/chunk_size", str(chunk_bytes)
    if layout:
        yield f"{md}/layout", str(layout)
    if component_bytes:
        yield f"{md}/component_size", str(component_bytes // KIB)
    for one in members:
        device = f"{md}/dev-{one.held}"
        yield f"{md}/new_dev", one.number
        yield f"{device}/offset", str(one.offset_bytes // SECTOR)
        if one.size_bytes:
            yield f"{device}/size", str(one.size_bytes // KIB)
        yield f"{device}/slot", str(one.slot)
    yield f"{md}/resync_start", "none"  # nothing is to be synced
    yield f"{md}/array_state", "readonly"
