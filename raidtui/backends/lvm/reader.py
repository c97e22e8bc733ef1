"""Read volume groups with LVM's own reports."""

from collections.abc import Callable

from raidtui.backends.care import Care, Replacement
from raidtui.backends.contract import Reader
from raidtui.backends.lvm.now import reading_now
from raidtui.backends.lvm.reading import LvmReading, read, reading_in
from raidtui.backends.lvm.units import measured, units_in, units_of
from raidtui.machine.ask import Ask
from raidtui.machine.mounts import read_mounts
from raidtui.machine.seats import identity_under
from raidtui.machine.tree import HERE
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


class LvmReader(Reader):
    """Volume groups of LVM."""

    interval = 2.0  # each poll starts a process
    claims = frozenset({ClaimKind.LVM})

    def read(self, machine: Machine, ask: Ask) -> LvmReading | None:
        """LVM's report, the kernel's status, and signatures on volumes."""
        return read(machine, ask)

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every volume group."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every volume group; LVM is run only if the kernel or udev shows one."""
        reading = reading_now(on_arrays=False)
        if reading is None:
            return ()
        disks = {one.path: identity_under(one.path) for one in reading.known.devices if one.path}
        return units_in(reading, disks=disks, mounts=read_mounts(HERE))

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care | Replacement, ...]:
        """Activate it, or replace a disk."""
        from raidtui.backends.lvm.care import care_for

        return care_for(unit, machine)

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """The properties of its volume."""
        reading = reading_in(machine)
        assert reading is not None, "the unit is one of this reading"
        return measured(unit, reading)


READER = LvmReader()
