"""What a missing member may be on: what is not opened or not started, as a LUKS container, an array, a volume group. Pure.

Such a member is not lost. Opening what it is on brings it back; a replacement, or a start without it, makes it stale.
"""

from collections.abc import Collection, Iterator, Sequence

from raidtui.backends.care import called
from raidtui.backends.unit_words import with_noun
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit

_OPENED = {"crypto_LUKS": ("LUKS", "cryptsetup"), "DM_integrity": ("dm-integrity", "integritysetup")}
_GROUPS = frozenset({Backend.LVM, Backend.LVM_ON_MD})


def first_below(unit: Unit, units: Sequence[Unit], machine: Machine) -> Iterator[Remedy]:
    """What has to be opened or started before anything is done about the missing members of ``unit``.

    Only what lies like the members that it has: few people mix disks with LUKS containers.

    Args:
        units: those that need something.
    """
    here = [one.path for one in unit.members if one.path]
    if len(here) >= unit.raid_disks and not any(one.role == "missing" for one in unit.members):
        return
    graph = graph_of(machine)
    kinds = {graph.whole(one).kind for path in here if (one := graph.at(path)) is not None}
    if unit.backend is Backend.LVM:  # a volume group may have disks beside anything
        kinds |= {DeviceKind.CRYPT, DeviceKind.ARRAY}
    for kind, (what, program) in _OPENED.items():
        if DeviceKind.CRYPT in kinds and (locked := list(_locked(graph, kind))):
            names = listed([_called(one, graph, machine) for one in locked])
            it, them = ("container", "it") if len(locked) == 1 else ("containers", "one of them")
            yield Remedy(
                text=f"open the locked {what} {it} on {names} first ({program} open): the missing member may be in {them}"
            )
    # A group on arrays says so itself, and is offered nothing else.
    kinds -= {DeviceKind.ARRAY} if unit.backend is Backend.LVM_ON_MD else set()
    if lower := [one for one in units if _may_be_below(one, unit, kinds)]:
        names = listed([harmless(with_noun(one)) for one in lower])
        what = "which is" if len(lower) == 1 else "which are"
        failed = any(one.health is Health.FAILED for one in lower)
        do, why = ("bring back", "which has failed") if failed else ("start", f"{what} not running")
        yield Remedy(text=f"{do} {names} first, {why}: the missing member may be on it")


def _locked(graph: DeviceGraph, kind: str) -> Iterator[Device]:
    return (one for one in graph if one.type == kind and not graph.on(one))


def _called(device: Device, graph: DeviceGraph, machine: Machine) -> str:
    """The disk that it is on, and its kernel name."""
    names = {one.name for one in graph.disks_under(device)}
    disks = [one for one in machine.disks if one.name in names]
    if len(disks) != 1:
        return device.name
    return (
        called(disks[0]) if disks[0].name == device.name else f"{harmless(disks[0].identity)} ({device.name})"
    )


def _may_be_below(one: Unit, unit: Unit, kinds: Collection[DeviceKind]) -> bool:
    """Whether it makes devices of these kinds, could have a member of ``unit``, and does not lie on it."""
    made = DeviceKind.ARRAY if one.backend is Backend.MDADM and one.level != "container" else None
    if one.backend in _GROUPS and unit.backend not in _GROUPS:
        made = DeviceKind.VOLUME
    return (
        made in kinds
        and one.health in {Health.INACTIVE, Health.FAILED}
        and one.uuid != unit.uuid
        and unit.uuid not in one.below
    )
