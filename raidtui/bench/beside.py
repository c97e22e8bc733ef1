"""Units that share a disk with the target: their activity disturbs the measurement."""

from collections.abc import Collection, Iterable

from raidtui.backends.registry import reader
from raidtui.bench.device_stack import Below
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.unit import Health, Unit

_NOT_IDLE = frozenset({Health.SYNCING, Health.BUILDING})


def units_beside(below: Below, units: Iterable[Unit], graph: DeviceGraph) -> tuple[Unit, ...]:
    """Those of ``units`` with a member on one of the disks below, including the measured unit."""
    return tuple(
        one for one in units if not {disk.name for disk in graph.disks_of(one)}.isdisjoint(below.disks)
    )


def as_now(units: Collection[Unit]) -> tuple[Unit, ...]:
    """Read these units again; those that no longer exist are left out."""
    those = {one.uuid or one.node for one in units}
    found = (one for name in dict.fromkeys(u.backend for u in units) for one in reader(name).now())
    return tuple(one for one in found if (one.uuid or one.node) in those)


def activity_of(units: Iterable[Unit]) -> tuple[str, str]:
    """Node and activity of the first unit that is not idle; two empty strings if all are idle."""
    for unit in units:
        if unit.activity is not None:
            paused = "paused " if unit.activity.paused else ""
            return unit.node, f"{paused}{unit.activity.what}"
        if unit.health in _NOT_IDLE:  # paused before it began
            return unit.node, "paused sync"
    return "", ""


def degraded_of(units: Iterable[Unit]) -> str:
    """The node of the first degraded unit; empty if there is none."""
    return next((one.node for one in units if one.health is Health.DEGRADED), "")
