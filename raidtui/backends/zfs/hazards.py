"""Hazards of pools of ZFS."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.model.plan import Hazard, Severity
from raidtui.model.units import GIB, both

GRADES: Final = {"raid-controller": Severity.HIGH, "smr": Severity.BLOCK}
"""Hazards of every backend that weigh more here."""


def little_memory(look: Look) -> Iterator[Hazard]:
    """ZFS keeps its cache in memory."""
    if look.machine is None:
        return
    memory = look.machine.system.memory_bytes
    if 0 < memory < 8 * GIB:
        yield Hazard(
            id="little-memory",
            severity=Severity.WARN,
            seen=both(memory),
            meaning="ZFS and other programs will be slow: ZFS keeps its cache in memory and uses up to half of it.",
            advice="Install 8 GiB or more, or limit ZFS: echo options zfs zfs_arc_max=BYTES > /etc/modprobe.d/zfs.conf",
            source="OpenZFS documentation, Hardware: memory",
        )


CHECKS: Final[tuple[Check, ...]] = (little_memory,)
"""Every check of ZFS."""
