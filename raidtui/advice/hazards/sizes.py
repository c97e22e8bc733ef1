"""Hazards of sizes: what unequal disks waste, and room for a replacement that is a little smaller."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from raidtui.advice.hazards.context import Check, Look
from raidtui.model.plan import Hazard, Severity
from raidtui.model.units import both, spell_size

LITTLE: Final = 0.01  # mdadm asks from here on
MUCH: Final = 0.10


def _list(look: Look) -> str:
    """The disks as ``raidtui calc --disks`` takes them."""
    sizes = [disk.size_bytes for disk in look.members] or look.sizes
    return ",".join(f"{len(list(same))}x{spell_size(size)}" for size, same in groupby(sizes))


def unequal(look: Look) -> Iterator[Hazard]:
    """Space beyond the smallest disk that no member can use."""
    if not look.md or not look.redundant:
        return
    smallest = min(look.sizes)
    waste = sum(size - smallest for size in look.sizes)
    share = waste / sum(look.sizes)
    if share <= LITTLE:
        return
    yield Hazard(
        id="unequal-sizes",
        severity=Severity.HIGH if share > MUCH else Severity.WARN,
        seen=f"{both(waste)} of {both(sum(look.sizes))}, {share:.0%}, is beyond the size of the smallest disk",
        meaning="Space is wasted: every member uses only as much as the smallest disk has.",
        advice=f"Compare other layouts: raidtui calc --disks {_list(look)}; level hybrid1 of lvm-on-md "
        "uses larger disks in bands, and Btrfs raid1 nearly all of them.",
        source="mdadm(8), --size",
        disks=tuple(
            disk.identity for disk, size in zip(look.members, look.sizes, strict=False) if size > smallest
        ),
    )


def no_slack(look: Look) -> Iterator[Hazard]:
    """A replacement that is one sector smaller cannot be added."""
    if not look.redundant or not look.members:
        return
    reserve = look.spec.reserve
    if look.partition and (reserve is None or reserve > 0):
        return
    yield Hazard(
        id="no-reserve",
        severity=Severity.INFO if all(disk.rotational for disk in look.members) else Severity.WARN,
        seen="whole-disk members" if not look.partition else "reserve is 0",
        meaning="A replacement disk that is slightly smaller will not fit: the members reach to the last sector.",
        advice='Set partition = true and reserve = "100MiB" in the spec.',
        source="mdadm(8), --add; disks of one nominal size differ between makers",
    )


def nearly_equal(look: Look) -> Iterator[Hazard]:
    """Disks of one nominal size that differ a little: the next one may be smaller still."""
    if not look.redundant or len(look.sizes) < 2:
        return
    spread = max(look.sizes) - min(look.sizes)
    if not 0 < spread <= 0.01 * max(look.sizes):
        return
    yield Hazard(
        id="nearly-equal-sizes",
        severity=Severity.INFO,
        seen=f"the members differ by {both(spread)}",
        meaning="A replacement may be slightly smaller than all of these: disks of one nominal size differ.",
        advice="Leave a reserve at the end of the members that is larger than this difference.",
        source="mdadm(8), --size",
        disks=tuple(disk.identity for disk in look.members),
    )


CHECKS: Final[tuple[Check, ...]] = (unequal, nearly_equal, no_slack)
