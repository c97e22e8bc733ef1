"""Read volume groups with LVM's own reports."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import Replacement
from raidtui.backends.contract import Reader
from raidtui.backends.lvm.now import reading_now
from raidtui.backends.lvm.reading import group_in, read
from raidtui.backends.lvm.units import cloned_groups, measured, units_in, units_of
from raidtui.machine.mounts import read_mounts
from raidtui.machine.seats import identity_under
from raidtui.machine.tree import HERE
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.unit import Unit


def _now() -> tuple[Unit, ...]:
    """Every volume group; LVM is run only if the kernel or udev shows one."""
    reading = reading_now(on_arrays=False)
    if reading is None:
        return ()
    disks = {one.path: identity_under(one.path) for one in reading.known.devices if one.path}
    return units_in(reading, disks=disks, mounts=read_mounts(HERE))


def _members_missing(unit: Unit, machine: Machine) -> Iterator[str]:
    found = group_in(unit, machine)
    if found is not None:
        reading, group = found
        yield from (one.uuid for one in reading.known.devices_of(group) if one.missing or not one.path)


def _care(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    from raidtui.backends.lvm.care import care_for

    return care_for(unit, machine)


def _expected(machine: Machine) -> Iterator[Finding]:
    from raidtui.backends.lvm.fill import filling
    from raidtui.backends.lvm.hidden import hidden
    from raidtui.backends.lvm.moving import moving
    from raidtui.backends.lvm.shrunk import cut_off

    yield from filling(machine)
    yield from hidden(machine)
    yield from moving(machine)
    yield from cut_off(machine)


def _removed(source: str, machine: Machine) -> Iterator[Remedy]:
    from raidtui.backends.lvm.removed import removed

    return removed(source, machine)


def _scrub_means(unit: Unit) -> str:
    from raidtui.backends.mismatches import mismatch_words

    return mismatch_words(unit)


READER: Final = Reader(
    interval=2.0,  # each poll starts a process
    claims=frozenset({ClaimKind.LVM}),
    read=read,
    units=units_of,
    now=_now,
    care=_care,
    members_missing=_members_missing,
    expected=_expected,
    removed=_removed,
    clones=cloned_groups,
    measured=measured,
    scrub_means=_scrub_means,
)
