"""Make devices writable that were set read-only (blockdev(8)), unless a recovery trial keeps them so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from raidtui.machine.devices import device_number
from raidtui.machine.recovery_trial import read_trial
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_in
from raidtui.model.plan import Check, Role, Run, Step, Undo
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.condition import Condition, Held
from raidtui.steps.devices import PRESENT


class IsWritable(Condition):
    """The kernel does not refuse writes to the device."""

    kind = "writable"
    says = "{subject} can be written to"
    source = r"""
is_writable() {
    written=$(node_of "$1") || return 1
    [ "$(cat "/sys/class/block/${written##*/}/ro")" = 0 ]
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        number = device_number(check.subject)
        if not number:
            return no(f"there is no {check.subject}")
        try:
            found = Path(f"/sys/dev/block/{number}/ro").read_text(encoding="ascii").strip()
        except OSError as error:
            return unknown(f"{check.subject}: {error.strerror}")
        return either(
            holds=found == "0", text=f"{check.subject} is {'not ' if found == '0' else ''}set read-only"
        )


class NoTrial(Condition):
    """No recovery trial is recorded that has not ended: it sets members read-only, and needs them so."""

    kind = "no-trial"
    says = "no recovery trial has set {subject} read-only"
    source = r"""
no_trial() {
    trial=${RAIDTUI_STATE:-/var/lib/raidtui}/recovery/trial.json
    [ ! -e "$trial" ] && [ ! -L "$trial" ]
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        trial = read_trial()
        if trial is None:
            return yes("no recovery trial is recorded")
        if not trial.read:
            return unknown("the record of a recovery trial cannot be read")
        return no(f"a recovery trial of {harmless(trial.name)} has not ended: raidtui recover --clean")


WRITABLE: Final = IsWritable()
NO_TRIAL: Final = NoTrial()


def read_only_under(unit: Unit, graph: DeviceGraph) -> tuple[Device, ...]:
    """The disks and partitions of its members that are set read-only, each disk before its partition."""
    found: dict[str, Device] = {}
    for member in unit.members:
        device = graph.at(member.path) if member.path else None
        if device is not None:
            for one in (graph.whole(device), device):
                if one.read_only and one.kind in {DeviceKind.DISK, DeviceKind.PARTITION}:
                    found[one.name] = one
    return tuple(found.values())


def others_on(devices: tuple[Device, ...], graph: DeviceGraph) -> tuple[str, ...]:
    """What else is on them and may need them read-only: mapped devices that are not LVM's, and loop devices."""
    return tuple(
        dict.fromkeys(
            one.dm_name or one.name
            for device in devices
            for one in graph.on(device)
            if one.kind in {DeviceKind.MAPPED, DeviceKind.LOOP}
        )
    )


def make_writable(unit: Unit, machine: Machine) -> Iterator[Step]:
    """Set what is below a unit writable again; no step if nothing of it is set read-only.

    Raises:
        Refused: something else may need it so.
    """
    graph = graph_of(machine)
    devices = read_only_under(unit, graph)
    if not devices:
        return
    if machine.trial is not None:
        raise Refused(
            "a recovery trial has not ended, and its members stay read-only: raidtui recover --clean"
        )
    if others := others_on(devices, graph):
        raise Refused(f"{listed(others)} may need {listed([one.path for one in devices])} read-only")
    stable = stable_in(machine.disks)
    paths = [stable.get(one.path, one.path) for one in devices]
    disks = {path: disk.identity for disk in machine.disks for path in disk.every_path}
    names = listed(list(dict.fromkeys(disks.get(one.path, "") or one.path for one in devices)))
    yield Step(
        id="writable",
        role=Role.PREPARE,
        title=f"Set {names} writable again",
        reason="The kernel refuses writes to a device that is set read-only. That is forgotten at each boot, and is not on the disk.",
        actions=tuple(Run(argv=("blockdev", "--setrw", path)) for path in paths),
        before=tuple(check for path in paths for check in (PRESENT.of(path), NO_TRIAL.of(path))),
        after=tuple(WRITABLE.of(path) for path in paths),
        undoable=Undo.NOTHING,
        undo_note="it stays writable",
    )
