"""The current state of volume groups. LVM is run only if the kernel or udev shows a volume or physical volume."""

import os
from typing import Final

from raidtui.backends.lvm.reading import NO_REPORT, LvmReading, own_system_id
from raidtui.backends.lvm.report import Reading, read_lvm
from raidtui.backends.lvm.status import read_statuses
from raidtui.backends.lvm.units import main_volume
from raidtui.machine.ask import ask_patiently
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import node
from raidtui.machine.tools import find_tool
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import UntilEvent
from raidtui.model.errors import StepFailed
from raidtui.model.plan import Plan

_OF_LVM: Final = "LVM-"  # followed by the UUIDs of group and volume, without dashes


def reading_now(*, on_arrays: bool) -> LvmReading | None:
    """Read LVM now; None if no volume group shows on md arrays (``on_arrays``), or on anything but arrays.

    Raises:
        StepFailed: LVM is installed and does not answer, or not in its JSON.
    """
    if not any(name.startswith("md") is on_arrays for name in _devices()):
        return None
    known = read_lvm(ask_patiently)
    if known is None and os.geteuid() == 0 and find_tool("lvm"):
        raise StepFailed(NO_REPORT)  # without root it is not permitted
    if known is None:
        return None
    return LvmReading(
        known=known,
        statuses=read_statuses(ask_patiently) or {},
        system_id=own_system_id(known, ask_patiently),
    )


def node_of_volume(plan: Plan) -> str:
    """The node of the plan's volume; empty until it is complete and active.

    Raises:
        StepFailed: LVM does not say.
    """
    known = read_lvm(ask_patiently)
    if known is None:
        raise StepFailed("LVM's report cannot be read, so whether the volume is there is unknown")
    group = known.group(plan.array_uuid)
    volume = main_volume(group, known) if group else None
    if volume is None or not volume.device_number or known.half_made(volume):
        return ""
    return node(volume.device_number)


def disks_under_groups(plan: Plan) -> frozenset[str]:
    """The whole disks under the active devices of the plan's groups, incomplete volumes included."""
    mapped = _mapped()
    known: Reading | None = read_lvm(ask_patiently) if mapped else None
    groups = [known.group(mark) for mark in plan.marks if mark] if known else []
    own = tuple(_OF_LVM + group.uuid.replace("-", "") for group in groups if group is not None)
    return whole_disks(*(number for number, uuid in mapped.items() if uuid.startswith(own)))


def _mapped() -> dict[str, str]:
    """The active devices of LVM, hidden ones included: ``dm/uuid`` by device number."""
    # One that is removed in the meantime has no number.
    found = {HERE.text(f"/sys/block/{name}/dev"): uuid for name, uuid in _volumes(HERE).items()}
    return {number: uuid for number, uuid in found.items() if number}


def _volumes(tree: Tree) -> dict[str, str]:
    """The active devices of LVM, hidden ones included: ``dm/uuid`` by kernel name."""
    every = {
        name: tree.text(f"/sys/block/{name}/dm/uuid")
        for name in tree.names("/sys/block")
        if name.startswith("dm-")
    }
    return {name: uuid for name, uuid in every.items() if uuid.startswith(_OF_LVM)}


def _read_devices(tree: Tree) -> frozenset[str]:
    """Kernel names of the devices below active volumes, and of physical volumes known to udev."""
    volumes = _volumes(tree)
    below = {slave for name in volumes for slave in tree.names(f"/sys/block/{name}/slaves")}
    links = (name for name in tree.names("/dev/disk/by-id") if name.startswith("lvm-pv-uuid-"))
    known = {tree.device_named(f"/dev/disk/by-id/{link}") for link in links}
    return frozenset((below - volumes.keys()) | known)


_devices: Final = UntilEvent(_read_devices)  # three backends ask for it
