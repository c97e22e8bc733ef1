"""Large arrays without a write-intent bitmap. Pure.

mdadm makes one for arrays whose members are larger than 100 GB (Create.c, "automatically enabling write-intent bitmap
on large array"), so somebody turned it off, or mdadm 4.4 or later was run with --run.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import MD_LEVELS, loses_all_with_one
from raidtui.model.units import GIB

_LARGE: Final = 100 * GIB


def no_bitmaps(machine: Machine) -> Iterator[Finding]:
    """A finding for each that is whole and at rest."""
    for array in machine.arrays:
        if _lacks_one(array):
            yield Finding(
                name=array.shown,
                kind=Kind.NO_BITMAP,
                what=f"array {array.shown}: it has no write-intent bitmap",
                unit=array.uuid,
                remedies=(
                    Remedy(
                        text="add an internal bitmap: see --grow and --bitmap=internal in mdadm(8). The array can be used meanwhile"
                    ),
                ),
            )


def _lacks_one(array: Array) -> bool:
    redundant = array.level in MD_LEVELS and not loses_all_with_one(array.level) and array.raid_disks > 1
    at_rest = array.started and array.degraded == 0 and array.sync is None and array.sync_action == "idle"
    own = not array.metadata.startswith("external:")
    return redundant and at_rest and own and array.consistency == "resync" and array.component_bytes > _LARGE
