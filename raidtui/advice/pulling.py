"""What happens when a disk is pulled out of a running computer. Pure."""

from collections.abc import Iterator, Sequence

from raidtui.advice.redundancy import Redundancy, is_redundant_level, redundancy
from raidtui.model.machine import Disk, Weight
from raidtui.model.struct import Record
from raidtui.model.text import harmless, spelled
from raidtui.model.unit import WELL, Health, Unit


class Pull(Record, frozen=True, kw_only=True):
    """What pulling a disk does to one unit, or to what else uses the disk."""

    harm: bool  # something in use stops, or loses its last redundancy
    text: str  # a sentence


def pulls(identity: str, disk: Disk | None, units: Sequence[Unit]) -> tuple[Pull, ...]:
    """What pulling the disk ``identity`` does, the worst first; empty if nothing uses it.

    Args:
        disk: it, as it was read; None if it is not connected.
        units: every unit of the computer.
    """
    on_it = [_of(unit, identity) for unit in units if identity in {m.disk for m in unit.members}]
    found = [one for one in on_it if one is not None]
    if disk is not None:
        found += _otherwise(disk, in_units=bool(on_it))
    return tuple(sorted(found, key=lambda one: not one.harm))


def _of(unit: Unit, identity: str) -> Pull | None:
    name = f"{harmless(unit.shown)} ({spelled(unit.level)})" if unit.level else harmless(unit.shown)
    mine = [one for one in unit.members if one.disk == identity]
    if not mine or unit.level == "container":  # a unit below it, or a volume in the container, has the disk
        return None
    if unit.stopped or unit.health is Health.INACTIVE:
        return Pull(harm=False, text=f"{name} is not running; it needs this disk to start whole.")
    if not any(one.role in WELL for one in mine):
        return Pull(
            harm=False, text=f"{name} does not need it: its member there is {harmless(mine[0].state)}."
        )
    if all(one.role == "spare" for one in mine):
        return Pull(harm=False, text=f"It is a hot spare of {name}, which then has one fewer.")
    left = redundancy(unit)
    if left is None:
        return Pull(harm=True, text=f"Whether {name} survives without it is not known.")
    if not is_redundant_level(unit):
        return Pull(harm=True, text=f"{name} has no redundancy and stops at once.")
    if left is Redundancy.REDUCED:
        return Pull(harm=False, text=f"{name} keeps running without it, with one more member missing.")
    if left is not Redundancy.WHOLE:
        return Pull(harm=True, text=f"{name} needs it: {harmless(unit.state)}.")
    return Pull(harm=False, text=f"{name} keeps running without it, degraded.")


def _otherwise(disk: Disk, *, in_units: bool) -> Iterator[Pull]:
    """What else uses the disk. What units put on it is theirs to say."""
    for claim in disk.taken_by:
        if claim.weight is Weight.SYSTEM or (claim.weight is Weight.BUSY and not in_units):
            yield Pull(harm=True, text=f"{harmless(claim.device or disk.path)}: {harmless(claim.detail)}.")
