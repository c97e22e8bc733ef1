"""Units that another system has: a virtual machine writes to their disks by itself. Pure.

The kernel lets this computer start such a unit too, as the program took no exclusive claim: then two systems write to
it, and neither knows of the other's writes.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from raidtui.model.errors import Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.open_by import FOR_OTHERS, WRITTEN
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Noted, Unit

_IN_USE: Final = frozenset({Weight.SYSTEM, Weight.BUSY})


def writer_of(unit: Unit, disks: Iterable[Disk]) -> Claim | None:
    """The claim of a program that writes to a member by itself, while nothing of ``unit`` is active here."""
    paths = {one.path for one in unit.members if one.path}
    found = None
    for disk in disks:
        if not (own := paths.intersection(disk.every_path)):
            continue
        for claim in disk.taken_by:
            if claim.weight not in _IN_USE or claim.device not in {*own, disk.path}:
                continue
            if claim.what is not ClaimKind.PROCESS:
                return None
            if claim.detail.startswith(WRITTEN):
                found = found or claim
    return found


def as_used(unit: Unit, machine: Machine) -> Unit:
    """``unit``, of which nothing is wrong if another system has it: what it lacks is for that system to say."""
    claim = writer_of(unit, machine.disks)
    if claim is None or not claim.detail.endswith(FOR_OTHERS):
        return unit
    state = f"not running here: {claim.device} is {claim.detail}"
    return replace(
        unit,
        health=Health.OK,
        state=state,
        lost=(),
        back=(),
        activity=None,
        untouched=False,
        noted=Noted.NOTHING,
    )


def check_not_elsewhere(unit: Unit, machine: Machine) -> None:
    """Check that no other system has ``unit``.

    Raises:
        Refused: one has, and what writes to its disks.
    """
    if claim := writer_of(unit, machine.disks):
        raise Refused(
            f"{harmless(unit.shown)}: {claim.device} is {claim.detail}. Two systems that write to one "
            f"{'array' if unit.raid_disks else 'unit'} destroy it; to use it here: {claim.how_to_free}"
        )
