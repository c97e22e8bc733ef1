"""What can be replaced in a unit and with which disks, and which disk can join one that grows. Does not load Textual."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raidtui.advice.findings.failing_disks import is_redundant
from raidtui.backends.registry import find_grower, find_replacer
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.plan import Severity
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.units import decimal
from raidtui.steps.seeds import new_seed

if TYPE_CHECKING:
    from raidtui.advice.growths import Growth


def can_grow(unit: Unit) -> bool:
    """Whether raidtui lets such a unit grow: one that has failed does nothing before its files are found."""
    return unit.health is not Health.FAILED and find_grower(unit.backend) is not None


def joining(growth: "Growth", machine: Machine) -> dict[str, str]:
    """The disks of which one joins: identity, and what each is; empty if there is nothing to choose."""
    shape = growth.shape
    if shape.procedure is None or len(shape.procedure.add) != 1 or len(shape.fits) < 2:
        return {}
    disks = {disk.identity: disk for disk in machine.disks}
    return {
        one: harmless(f"{decimal(disks[one].size_bytes)}, {disks[one].model or 'model unknown'}")
        for one in shape.fits
        if one in disks
    }


def can_replace(unit: Unit) -> bool:
    """Whether raidtui replaces disks of such a unit: it must run."""
    runs = unit.health not in {Health.INACTIVE, Health.FAILED}
    return runs and find_replacer(unit.backend) is not None and bool(replaceable(unit))


def replaceable(unit: Unit) -> dict[str, tuple[str, str]]:
    """What can be replaced: as shown, then the word that `find_order` takes, and a sentence about it; the worst first."""
    found: dict[str, tuple[str, str]] = {}
    here = {member.disk for member in unit.members if member.disk}
    for lost in unit.lost:
        if lost.disk and lost.disk not in here:
            found[f"{harmless(lost.disk)} (not in it now)"] = (
                lost.disk,
                "The array is rebuilt onto the new disk.",
            )
    failed = [member for member in unit.members if member.disk and member.role == "faulty"]
    for member in failed:
        found[f"{harmless(member.disk)} (FAILED)"] = (member.disk, "The array is rebuilt onto the new disk.")
    lacks = any(not member.path for member in unit.members)
    if lacks and not found:
        found["the missing disk"] = (unit.uuid, "The array is rebuilt onto the new disk.")
    if found:
        return found  # a disk that works is copied only while no other is missing
    copied = (
        "It is copied and stays a member until then: redundancy does not drop."
        if is_redundant(unit)
        else "What can be read on it is moved. It stays a member until then."
    )
    for member in unit.members:
        if member.disk:
            shown = f"{harmless(member.disk)} ({member.path.removeprefix('/dev/')})"
            found[shown] = (member.disk, copied)
    return found


def candidates(word: str, machine: Machine, units: Sequence[Unit]) -> dict[str, tuple[str, str]]:
    """The free disks that can take the place of the disk ``word``, best first.

    As shown, then the identity, and what speaks against it.

    Raises:
        RaidtuiError: no disk can, and why.
    """
    good: dict[str, tuple[str, str]] = {}
    bad: dict[str, tuple[str, str]] = {}
    why: RaidtuiError | None = None
    for disk in machine.disks:
        behind = not disk.has_device and all(one.weight is Weight.DATA for one in disk.taken_by)
        if not ((disk.free or behind) and disk.identity):
            continue
        try:
            high = _hazards(word, disk, machine, units)
        except RaidtuiError as error:
            why = error
            continue
        shown = f"{harmless(disk.identity)} {disk.short}, {decimal(disk.size_bytes)}, {harmless(disk.model)}"
        (bad if high else good)[shown] = (disk.identity, high or "Nothing speaks against it.")
    if not good and not bad and why is not None:
        raise why
    return good | bad


def _hazards(word: str, disk: Disk, machine: Machine, units: Sequence[Unit]) -> str:
    from raidtui.plan.replace import find_order, make_replace

    plan = make_replace(find_order(word, disk.identity, machine, units), machine, seed=new_seed())
    grave = [one for one in plan.hazards if one.severity in {Severity.BLOCK, Severity.HIGH}]
    return harmless("; ".join(f"{one.severity} {one.id}: {one.meaning}" for one in grave))
