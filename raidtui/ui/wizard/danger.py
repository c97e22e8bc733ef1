"""The first line on Review and Confirm: what a plan erases. Pure."""

from collections.abc import Collection, Sequence
from typing import Final

from raidtui.backends.registry import backend
from raidtui.backends.units import find_unit
from raidtui.model.machine import ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import Plan, PlannedDisk
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.ui.wizard import disk_words

SAFE: Final = "---- nothing is lost above this line ----"
NOTHING_ERASED: Final = "Erases no disk"
_MOST_NAMED: Final = 3  # maximum kinds of contents that the line names


def erases(disks: Sequence[Disk], *, also: str = "", former: int = 0, shared: Collection[str] = ()) -> str:
    """How many disks are erased and what is on them; those with data first, disks with the same contents grouped.

    Args:
        also: what else is lost, such as the unit that they are members of.
        former: how many of them are former members, with an old copy of their part of it.
        shared: identities of those of which only some partitions are erased; the others stay.
    """
    parted = sum(disk.identity in shared for disk in disks)
    disks = [disk for disk in disks if disk.identity not in shared]
    count = len(disks)
    holders: dict[str, list[str]] = {}
    for disk in disks:
        if found := (_beside_the_unit(disk) if also else disk_words.losses(disk)):
            holders.setdefault("; ".join(found), []).append(disk.short)
    parts = [_holding(names, held, count) for held, names in list(holders.items())[:_MOST_NAMED]]
    if unnamed := sum(map(len, list(holders.values())[_MOST_NAMED:])):
        parts.append(f"{unnamed} more hold data")
    blank = count - sum(map(len, holders.values()))
    if not count and not also and not parted:
        return NOTHING_ERASED
    if not holders and not also and not parted:
        return (
            f"ERASES {count} disks, all apparently blank" if count > 1 else "ERASES 1 disk, apparently blank"
        )
    if blank and not also:
        parts.append(f"{blank} blank")
    things = [count_of(disks, "disk")] if disks else []
    if parted:
        things.append(f"a part of {parted} more" if disks else f"a part of {count_of(parted, 'disk')}")
    erased = f"ERASES {listed([*things, *([also] if also else [])])}"
    if former:
        own = count + parted - former
        members = "members" if own != 1 else "a member"
        parts.insert(0, f"{own} of them {members}, {former} former member{'s'[: former != 1]} (old copy)")
    return f"{erased}: {', '.join(parts)}" if parts else erased


def shared_in(disks: Sequence[PlannedDisk]) -> frozenset[str]:
    """The identities of the disks of a removal with partitions that something else uses, which stay."""
    return frozenset(disk.identity for disk in disks if disk.shares)


def removal(plan: Plan, place: str) -> str:
    """The title of a removal on the computer ``place``."""
    if plan.leftover:
        return f"{harmless(plan.leftover)} on {place}"
    noun = backend(plan.spec.backend).noun
    return f"Remove {noun} {harmless(plan.spec.name)} on {place}: everything on it is lost"


def lost_with(array: str, machine: Machine) -> str:
    """The unit to remove, with its contents and mount points; empty for a single disk.

    Args:
        array: the UUID of a unit, or the identity of a disk.
    """
    unit = find_unit(array, machine)
    return with_contents(unit) if unit is not None else ""


def with_contents(unit: Unit) -> str:
    """The unit to remove, with its contents and mount points."""
    held = " and ".join(
        f"{harmless(one.type)} '{harmless(one.label)}'" if one.label else harmless(one.type)
        for one in unit.signatures
    )
    places = ", ".join(map(harmless, unit.mountpoints))
    return (
        f"{backend(unit.backend).noun} {harmless(unit.name)}"
        + (f" with {held}" if held else "")
        + (f", mounted at {places}" if places else "")
    )


def _beside_the_unit(disk: Disk) -> tuple[str, ...]:
    """What is lost on a member besides the unit, which includes its partition table."""
    return tuple(
        harmless(claim.detail)
        for claim in disk.taken_by
        if claim.weight is Weight.DATA and claim.what is not ClaimKind.PARTITION_TABLE
    )


def _holding(names: Sequence[str], held: str, count: int) -> str:
    """A phrase: which of ``count`` disks hold ``held``."""
    if len(names) == count > _MOST_NAMED:
        return f"each holds {held}"
    if len(names) == 1:
        return f"{names[0]} holds {held}"
    if len(names) <= _MOST_NAMED:
        return f"{', '.join(names[:-1])} and {names[-1]} each hold {held}"
    return f"{len(names)} disks each hold {held}"
