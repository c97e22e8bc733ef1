"""The units that share a disk with what is measured: what they do meanwhile disturbs it."""

import os
from collections.abc import Collection, Iterable

from raidtui.backends.registry import reader
from raidtui.bench.device_stack import Below
from raidtui.machine.blocks import Blocks
from raidtui.model.unit import Health, Unit

_NOT_IDLE = frozenset({Health.SYNCING, Health.BUILDING})


def units_beside(below: Below, units: Iterable[Unit], blocks: Blocks) -> tuple[Unit, ...]:
    """Those of ``units`` with a member on one of the disks below, the unit that is measured among them."""
    return tuple(one for one in units if _disks_of(one, blocks) & set(below.disks))


def _disks_of(unit: Unit, blocks: Blocks) -> set[str]:
    # The disk of a virtual drive is the card's: its members have no device.
    names = (os.path.realpath(member.path).removeprefix("/dev/") for member in unit.members if member.path)
    own = unit.node.removeprefix("/dev/")
    found = (blocks.named(name) for name in names)
    return {own, *(disk for block in found if block is not None for disk in blocks.disks_under(block))}


def as_now(units: Collection[Unit]) -> tuple[Unit, ...]:
    """The same units as they are this moment; those that are gone are left out."""
    those = {one.uuid or one.node for one in units}
    found = (one for name in dict.fromkeys(u.backend for u in units) for one in reader(name).now())
    return tuple(one for one in found if (one.uuid or one.node) in those)


def activity_of(units: Iterable[Unit]) -> tuple[str, str]:
    """The node of the first of these that is not idle, and what it does; two empty texts if all are idle."""
    for unit in units:
        if unit.activity is not None:
            paused = "paused " if unit.activity.paused else ""
            return unit.node, f"{paused}{unit.activity.what}"
        if unit.health in _NOT_IDLE:  # it is paused before it has begun
            return unit.node, "paused sync"
    return "", ""


def degraded_of(units: Iterable[Unit]) -> str:
    """The node of the first of these that a member is missing in, else nothing."""
    return next((one.node for one in units if one.health is Health.DEGRADED), "")
