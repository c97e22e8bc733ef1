"""Plans that look at what another system made, and put it away again; not one byte is written to its disks.

What is on an array can be seen only once it is assembled. So looking takes a plan for each layer: the first one
assembles the arrays, the next one maps volumes if there are any, the last one mounts. Each has its exact commands.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.advice.findings.foreign import ForeignSet, foreign_sets
from raidtui.advice.findings.foreign_layers import Layer, closed, layer_of, mountable, unmapped, unreadable
from raidtui.backends.registry import find_tender
from raidtui.backends.units import units_of
from raidtui.model.device import Device
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Role, Run, Step, Undo
from raidtui.model.procedure import PutAway, View
from raidtui.model.text import harmless
from raidtui.plan.of_computer import plan_of_computer
from raidtui.steps.filesystems import MOUNTED, NOT_MOUNTED

_FOLDER: Final = "/mnt"
_OPTIONS: Final = {
    # The journal is not replayed, as that writes to the device: ext4(5), xfs(5), btrfs(5).
    "ext4": "ro,noload",
    "ext3": "ro,noload",
    "ext2": "ro",
    "xfs": "ro,norecovery,nouuid",  # nouuid: another copy of it may be mounted here
    "btrfs": "ro,rescue=nologreplay",
}


def make_foreign(order: View | PutAway, machine: Machine, *, seed: str) -> Plan:
    """Plan the next layer of a look at a set, or all steps that put it away.

    Raises:
        BadInput: there is no such set here.
        Refused: it cannot be read here, and why; or there is nothing to put away.
    """
    if not machine.complete:
        raise Refused("without root it cannot be seen what is on the disks; run raidtui as root")
    found = [one for one in foreign_sets(machine, units_of(machine)) if one.name == order.name]
    if len(found) != 1:
        raise BadInput(f"no disks of another system here are called {harmless(order.name)}")
    steps = tuple(_view(found[0], machine) if isinstance(order, View) else _put_away(found[0], machine))
    if not steps:
        what = "it is mounted read-only already" if isinstance(order, View) else "nothing of it is assembled"
        raise Refused(f"{harmless(order.name)}: {what}")
    # By these the job knows that the devices in its commands are those of the set.
    uuids = tuple(unit.uuid for unit in found[0].units)
    return replace(
        plan_of_computer(order.name, steps, machine, seed=seed), array_uuid=found[0].data[0].uuid, uuids=uuids
    )


def _view(found: ForeignSet, machine: Machine) -> Iterator[Step]:
    layer = layer_of(found, machine)
    if layer is Layer.NONE:
        return
    if layer is Layer.MOUNT:
        yield from _mounts(found, machine)
        return
    units = closed(found) if layer is Layer.ASSEMBLE else unmapped(found, machine)
    for number, unit in enumerate(units, 1):
        called = found.name.replace("-", "_")
        tender = find_tender(unit.backend)
        if tender is None:
            raise Refused(f"{harmless(unit.name)} cannot be read here yet")
        yield from _numbered(
            tender.view(unit, machine, called if number == 1 else f"{called}_{number}"), number
        )


def _numbered(steps: tuple[Step, ...], number: int) -> Iterator[Step]:
    for step in steps:
        yield step if number == 1 else replace(step, id=f"{step.id}-{number}")


def _mounts(found: ForeignSet, machine: Machine) -> Iterator[Step]:
    devices = mountable(found, machine)
    if not devices:
        raise Refused(
            f"{harmless(found.name)}: {'; '.join(unreadable(found, machine)) or 'no filesystem is on it'}"
        )
    for number, device in enumerate(devices, 1):
        name = found.name if len(devices) == 1 else f"{found.name}-{number}"
        yield _mount(device, f"{_FOLDER}/{name}", number)


def _mount(device: Device, place: str, number: int) -> Step:
    path = f"/dev/mapper/{device.dm_name}" if device.dm_name else device.path
    return Step(
        id="mount" if number == 1 else f"mount-{number}",
        role=Role.PERSIST,
        title=f"Mount {path} ({device.type}) read-only at {place}",
        reason="The journal is not replayed, so nothing is written. Files that were being written when it was last used may be "
        "incomplete.",
        actions=(
            Run(argv=("mkdir", "-p", place)),
            Run(
                argv=("mount", "-t", device.type, "-o", _OPTIONS[device.type], path, place),
                timeout_seconds=600,
            ),
        ),
        before=(NOT_MOUNTED.of(place),),
        after=(MOUNTED.of(place, device.uuid),),
        undo=(Run(argv=("umount", place), ok=(0, 32)), Run(argv=("rmdir", place), ok=(0, 1))),
        undo_note="it is unmounted",
    )


def _put_away(found: ForeignSet, machine: Machine) -> Iterator[Step]:
    graph = graph_of(machine)
    blocks = [block for unit in found.data if unit.node and (block := graph.at(unit.node)) is not None]
    above = [one for block in blocks for one in (block, *graph.all_on(block))]
    places = list(dict.fromkeys(one.mount.target for one in graph.mounts_on(*above)))
    for number, place in enumerate(reversed(places), 1):
        yield Step(
            id="unmount" if number == 1 else f"unmount-{number}",
            role=Role.REMOVE,
            title=f"Unmount {harmless(place)}",
            reason="It was mounted read-only, so there is nothing to write back.",
            # Exit code 32: it is not mounted any more; 1: the folder is not empty, and stays.
            actions=(Run(argv=("umount", place), ok=(0, 32)), Run(argv=("rmdir", place), ok=(0, 1))),
            after=(NOT_MOUNTED.of(place),),
            undoable=Undo.NOTHING,
            undo_note="it stays unmounted",
        )
    for unit in (*found.above, *found.data):
        tender = find_tender(unit.backend)
        if tender is not None:
            yield from tender.put_away(unit, machine)
