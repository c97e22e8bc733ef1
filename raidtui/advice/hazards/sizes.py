"""Hazards of sizes: no room for a replacement that is slightly smaller."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look
from raidtui.model.plan import Hazard, Severity, notice
from raidtui.model.units import both


def no_slack(look: Look) -> Iterator[Hazard]:
    """Members up to the last sector: a replacement that is one sector smaller cannot be added."""
    if not look.redundant or not look.members or not all(disk.has_device for disk in look.members):
        return  # a RAID card reserves room by itself
    reserve = look.spec.reserve
    if look.partition and (reserve is None or reserve > 0):
        return
    yield Hazard(
        id="no-reserve",
        severity=Severity.INFO if all(disk.rotational for disk in look.members) else Severity.WARN,
        seen="whole-disk members" if not look.partition else "reserve is 0",
        meaning="A replacement disk that is slightly smaller will not fit: the members reach to the last sector.",
        advice='Set partition = true and reserve = "100MiB" in the spec.',
        source="disks of one nominal size differ between makers",
    )


def nearly_equal(look: Look) -> Iterator[Hazard]:
    """Disks of one nominal size that differ slightly: a replacement may be smaller still."""
    if not look.redundant or len(look.facts.members) < 2:
        return
    sizes = look.sizes
    spread = max(sizes) - min(sizes)
    if not 0 < spread <= 0.01 * max(sizes):
        return
    yield notice(
        id="nearly-equal-sizes",
        seen=f"the members differ by {both(spread)}",
        meaning="A replacement may be slightly smaller than all of these: disks of one nominal size differ.",
        advice="Leave a reserve at the end of the members that is larger than this difference.",
        source="disks of one nominal size differ between makers",
        disks=tuple(disk.identity for disk in look.members),
    )


CHECKS: Final[tuple[Check, ...]] = (nearly_equal, no_slack)
