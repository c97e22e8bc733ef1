"""Read multi-device Btrfs from the kernel, udev and the disks."""

from collections.abc import Callable

from raidtui.backends.btrfs.reading import BtrfsReading, read, read_now, reading_in
from raidtui.backends.btrfs.units import measured, units_in, units_of
from raidtui.backends.care import Care, Replacement
from raidtui.backends.contract import Reader
from raidtui.machine.ask import Ask
from raidtui.machine.mounts import read_mounts
from raidtui.machine.seats import identity_under
from raidtui.machine.tree import HERE
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


class BtrfsReader(Reader):
    """Btrfs over several disks."""

    interval = 1.0  # only sysfs and ioctls, which have no notification
    claims = frozenset({ClaimKind.BTRFS, ClaimKind.BTRFS_POOL})

    def read(self, machine: Machine, ask: Ask) -> BtrfsReading | None:
        """Every multi-device Btrfs."""
        return read(machine, ask)

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every multi-device Btrfs."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every multi-device Btrfs, from the kernel, udev and the disks: starts no process."""
        mounts = read_mounts(HERE)
        reading = read_now(mounts)
        devices = [device for one in reading.filesystems for device in one.devices]
        paths = {path for device in devices for path in (device.path, *device.alike) if path}
        return units_in(reading, disks={path: identity_under(path) for path in paths}, mounts=mounts)

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care | Replacement, ...]:
        """Separate clones, and replace a missing disk."""
        from raidtui.backends.btrfs.care import care_for

        return care_for(unit, machine)

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """Its profiles and its checksum."""
        reading = reading_in(machine)
        assert reading is not None, "the unit is one of this reading"
        return measured(unit, reading)


READER = BtrfsReader()
