"""Read volume groups on arrays. The arrays are part of every reading, and the LVM backend stores LVM's report."""

from typing import Final

from raidtui.backends.care import Replacement
from raidtui.backends.contract import Reader
from raidtui.backends.lvm_on_md.units import measured, units_now, units_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.unit import Unit


def _care(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    from raidtui.backends.lvm_on_md.care import care_for

    return care_for(unit, machine)


READER: Final = Reader(
    interval=2.0,  # LVM is polled; the arrays below report changes
    claims=frozenset({ClaimKind.ARRAY, ClaimKind.MD_MEMBER, ClaimKind.LVM}),
    units=units_of,
    now=units_now,
    measured=measured,
    care=_care,
)
