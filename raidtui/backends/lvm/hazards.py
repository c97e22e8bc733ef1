"""Hazards of logical volumes on bare disks."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look, mixed_sectors
from raidtui.backends.md.hazards import hole_left
from raidtui.model.plan import Hazard, Severity
from raidtui.model.text import spelled


def write_hole(look: Look) -> Iterator[Hazard]:
    """The write hole: dm-raid is md's code, and LVM gives it no journal."""
    if look.facts.parity:
        yield hole_left(
            look,
            seen=f"LVM {spelled(look.spec.level)}",
            advice='Use a UPS, or take raid10. backend = "lvm-on-md" with level = "raid5" has consistency = "ppl" '
            "against it.",
            source="md(4); lvmraid(7); Linux Documentation/admin-guide/device-mapper/dm-raid.rst",
        )


sector_sizes: Final = mixed_sectors(
    Severity.BLOCK,
    meaning="vgcreate refuses these disks together: a volume group takes one logical sector size.",
    source="lvm.conf(5), devices/allow_mixed_block_sizes",
)
"""LVM puts disks of one logical sector size into a group."""


CHECKS: Final[tuple[Check, ...]] = (write_hole, sector_sizes)
"""Every check of LVM."""
