"""Read pools with zpool and zfs."""

from collections.abc import Callable

from raidtui.backends.care import Care, Replacement
from raidtui.backends.contract import Reader
from raidtui.backends.zfs.reading import now, read
from raidtui.backends.zfs.report import Report, reading_in
from raidtui.backends.zfs.units import measured, units_in, units_of, unknown
from raidtui.machine.ask import Ask, ask_patiently
from raidtui.machine.seats import identity_under
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


class ZfsReader(Reader):
    """ZFS pools."""

    interval = 2.0  # each poll starts processes
    claims = frozenset({ClaimKind.ZFS})

    def read(self, machine: Machine, ask: Ask) -> Report | None:
        """Pools, datasets and services."""
        return read(machine, ask)

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every pool."""
        return units_of(machine)

    def unknown(self, unit: Unit) -> str:
        """The disks of a pool that are not listed."""
        return unknown(unit)

    def now(self) -> tuple[Unit, ...]:
        """Every pool."""
        report = now(ask_patiently)
        if report is None:
            return ()
        paths = {leaf.path for pool in report.pools for leaf in pool.status.leaves if leaf.path}
        paths |= {device for other in report.others for device in other.devices}
        return units_in(report, disks={path: identity_under(path) for path in paths})

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care | Replacement, ...]:
        """Bring a device back, or replace it."""
        from raidtui.backends.zfs.care import care_for

        return care_for(unit, machine)

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """The properties of the pool."""
        report = reading_in(machine)
        assert report is not None, "the unit is one of this reading"
        return measured(unit, report)


READER = ZfsReader()
