"""The md arrays of this computer as they are now, read without the rest of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from raidtui.backends.md.units import as_units
from raidtui.machine.configured import array_entries, find_mdadm_conf
from raidtui.machine.md.arrays import read_arrays
from raidtui.machine.md.stopped_now import StoppedArrays, read_stopped
from raidtui.machine.md.sync_limits import read_limits
from raidtui.machine.tree import HERE
from raidtui.model.machine import Array
from raidtui.model.unit import Unit

if TYPE_CHECKING:
    from raidtui.machine.watch import Watcher


def units_now() -> tuple[Unit, ...]:
    """Every array, also those that are stopped."""
    arrays = read_arrays()
    return _as_units((*arrays, *read_stopped(arrays)))


def watch_units(changed: Callable[[tuple[Unit, ...]], None]) -> "Watcher":
    """Call ``changed`` with them on every event of md's files; wait with poll(2)."""
    from raidtui.machine.watch import watch_arrays

    stopped = StoppedArrays()
    return watch_arrays(lambda arrays: changed(_as_units((*arrays, *stopped.beside(arrays)))))


def _as_units(arrays: Sequence[Array]) -> tuple[Unit, ...]:
    """All arrays of this computer as units, with the system's sync speed limits and their spare groups."""
    entries = array_entries(HERE, find_mdadm_conf(HERE)) if arrays else ()
    return as_units(arrays, read_limits(HERE), entries)
