"""The current state of volume groups. LVM is run only if the kernel or udev shows a volume or physical volume."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.backends.lvm.reading import NO_REPORT, LvmReading
from raidtui.backends.lvm.report import Reading, read_lvm
from raidtui.backends.lvm.status import read_statuses
from raidtui.backends.lvm.units import main_volume
from raidtui.machine.ask import ask_patiently
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import node
from raidtui.machine.tools import find_tool
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
    return None if known is None else LvmReading(known=known, statuses=read_statuses(ask_patiently) or {})


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
    found = {}
    for block in Path("/sys/block").glob("dm-*"):
        with suppress(OSError):  # removed in the meantime
            found[(block / "dev").read_text().strip()] = (block / "dm/uuid").read_text().strip()
    return {number: uuid for number, uuid in found.items() if uuid.startswith(_OF_LVM)}


def _devices() -> set[str]:
    """Kernel names of the devices below active volumes, and of physical volumes known to udev."""
    folders = [Path(f"/sys/dev/block/{number}") for number in _mapped()]
    volumes = {os.path.basename(os.path.realpath(folder)) for folder in folders}
    below = {slave.name for folder in folders for slave in folder.glob("slaves/*")}
    links = Path("/dev/disk/by-id").glob("lvm-pv-uuid-*")
    return (below - volumes) | {os.path.basename(os.path.realpath(link)) for link in links}
