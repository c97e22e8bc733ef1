"""Build and remove volume groups."""

from collections.abc import Collection, Mapping

from raidtui.backends.contract import Built, Resolved, Tool
from raidtui.backends.control import Control, Order
from raidtui.backends.lvm.conditions import CONDITIONS, NAME_FREE
from raidtui.backends.lvm.controls import controls
from raidtui.backends.lvm.create import devices_step, group_step, on_disk, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.now import disks_under_group, node_of_volume
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import Reading
from raidtui.backends.lvm.teardown import find_group, removal_of
from raidtui.model.errors import BadInput
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.plan import Plan
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.unit import Unit
from raidtui.steps.partitions import LINUX_LVM
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


class LvmBuilder:
    """lvm2."""

    tools = (Tool("lvm"),)
    claims = frozenset({ClaimKind.LVM})
    conditions = CONDITIONS

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """Check that no group and no device has the name."""
        reading = reading_in(machine)
        erased = {path for piece in resolved.pieces for path in piece.disk.every_path}
        _check_name_is_free(resolved.spec.name, machine, reading.known if reading else None, erased=erased)

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """Create physical volumes, the group, and one volume that fills it."""
        spec, mark, path = resolved.spec, derive(seed, "array"), f"/dev/{resolved.spec.name}/{VOLUME}"
        devices = [on_disk(piece, seed) for piece in resolved.pieces]
        return Built(
            core=(
                devices_step(devices),
                group_step(spec.name, devices, mark=mark),
                volume_step(
                    spec.name,
                    spec.level,
                    devices,
                    mark=mark,
                    size_bytes=resolved.facts.array_bytes,
                    stripe=spec.chunk,
                ),
                settle_volume(path, udev=machine.system.udev),
            ),
            what="volume group",
            device="volume",
            uuid=mark,
            path=path,
            uuids=tuple(one.uuid for one in devices),
            partition_type=LINUX_LVM,
            devices=tuple(one.device for one in devices),
            until="the physical volumes are made",
            free=(NAME_FREE.of(f"/dev/{spec.name}"),),
            # A raid10 device reports stripes of all its disks, copies included, as its stripe width.
            explicit=spec.level == "raid10",
        )

    def removal(self, word: str, machine: Machine) -> Removal | None:
        """How to remove a volume group."""
        group = find_group(word, machine)
        return None if group is None else removal_of(group, machine)

    def controls(self, unit: Unit) -> Mapping[Control, Order]:
        """Scrub, and speed of a sync."""
        return controls(unit)

    def boot_note(self, spec: Spec, system: System) -> str:
        """udev, and fstab."""
        mounts = (
            ", and fstab mounts the filesystem by UUID with nofail" if spec.filesystem.type != "none" else ""
        )
        return (
            f"After a reboot udev activates the volume group{mounts}. "
            "With a disk missing it stays inactive until you activate it."
        )

    def node_of(self, plan: Plan) -> str:
        """The node of the plan's volume; empty until it is complete and active."""
        return node_of_volume(plan.array_uuid)

    def disks_under(self, plan: Plan) -> frozenset[str]:
        """The whole disks under the active devices of the plan's group, incomplete volumes included."""
        return frozenset().union(*map(disks_under_group, filter(None, plan.marks)))


def _check_name_is_free(
    name: str, machine: Machine, known: Reading | None, *, erased: Collection[str]
) -> None:
    """Check that no other volume group has the name.

    Args:
        known: LVM's report; None if there is none or it cannot be read.
        erased: paths of the disks and partitions that the plan erases; a group on these alone does not count.

    Raises:
        BadInput: a group has the name, even one of another system, or another device in /dev.
    """
    for group in known.groups if known else ():
        on = {device.path for device in known.devices_of(group)} if known else set()
        if group.name == name and not on <= set(erased):
            raise BadInput(f"the name {name} is used by a volume group of this computer; choose another")
    devices = {path for disk in machine.disks for path in disk.every_path}
    devices |= {path for array in machine.arrays for path in (array.node, array.path)}
    if f"/dev/{name}" in devices:
        raise BadInput(f"/dev/{name} is a device of this computer; choose another name")
