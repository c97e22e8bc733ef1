"""Hazards of logical volumes on bare disks."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.backends.md.hazards import hole_left
from raidtui.model.plan import Hazard


def write_hole(look: Look) -> Iterator[Hazard]:
    """The write hole: dm-raid is md's code, and LVM gives it no journal."""
    if look.facts.parity:
        yield hole_left(
            look,
            seen=f"LVM {look.spec.level}",
            advice='Use a UPS, or take raid10. backend = "lvm-on-md" with level = "raid5" has consistency = "ppl" '
            "against it.",
            source="md(4); lvmraid(7); Linux Documentation/admin-guide/device-mapper/dm-raid.rst",
        )


CHECKS: Final[tuple[Check, ...]] = (write_hole,)
"""Every check of LVM."""
