"""Read md arrays from the kernel."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from raidtui.backends.care import Care, Replacement
from raidtui.backends.contract import Reporter
from raidtui.backends.md.units import array_in, as_units, measured, units_of
from raidtui.machine.arrays import read_arrays
from raidtui.machine.ask import Ask
from raidtui.machine.stopped import StoppedArrays, read_stopped
from raidtui.machine.sync_limits import read_limits
from raidtui.machine.tree import HERE
from raidtui.model.machine import Array, ClaimKind, Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit

if TYPE_CHECKING:
    from raidtui.machine.watch import Watcher


class MdReader(Reporter):
    """md arrays."""

    interval = 0.0  # poll(2) on md's files reports changes
    claims = frozenset({ClaimKind.ARRAY, ClaimKind.MD_MEMBER})

    def read(self, machine: Machine, ask: Ask) -> None:
        """Return None: arrays are part of every reading."""

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every array, also those that are stopped."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every array, also those that are stopped."""
        arrays = read_arrays()
        return _as_units((*arrays, *read_stopped(arrays)))

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """The properties of its array."""
        return measured(array_in(unit))

    def document(self, unit: Unit) -> Array:
        """Its array, with everything that the kernel reports about it."""
        return array_in(unit)

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care | Replacement, ...]:
        """Start it, replace a member, mount it."""
        from raidtui.backends.md.care import care_for  # half a dozen modules that the screens do not need

        return care_for(array_in(unit), machine)

    def reserved(self, machine: Machine) -> frozenset[str]:
        """The names of the arrays in mdadm.conf."""
        lines = (line.split() for line in machine.system.mdadm_conf_arrays)
        return frozenset(words[1].rpartition("/")[2] for words in lines if len(words) > 1)

    def watch(self, changed: Callable[[tuple[Unit, ...]], None]) -> "Watcher":
        """Wait with poll(2) on md's files."""
        from raidtui.machine.watch import watch_arrays

        stopped = StoppedArrays()
        return watch_arrays(lambda arrays: changed(_as_units((*arrays, *stopped.beside(arrays)))))


def _as_units(arrays: Sequence[Array]) -> tuple[Unit, ...]:
    """All arrays of this computer as units, with the system's sync speed limits."""
    return as_units(arrays, read_limits(HERE))


READER = MdReader()
