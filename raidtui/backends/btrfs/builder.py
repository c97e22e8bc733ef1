"""Build and remove multi-device Btrfs filesystems."""

from typing import Final

from raidtui.backends.btrfs import conditions, grow_conditions
from raidtui.backends.btrfs.controls import NIGHTS, controls
from raidtui.backends.btrfs.create import make_step, scan
from raidtui.backends.btrfs.reading import read_now
from raidtui.backends.btrfs.signs import FOLDER
from raidtui.backends.btrfs.superblock import read_superblock
from raidtui.backends.btrfs.teardown import removal
from raidtui.backends.btrfs.units import BY_UUID, units_of
from raidtui.backends.contract import Builder, Built, NeededTool, Resolved
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import device_number, node
from raidtui.machine.mounts import read_mounts
from raidtui.machine.tree import HERE
from raidtui.model.errors import BadInput
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.plan import DataProbe, Plan
from raidtui.model.text import harmless
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import conditions_in
from raidtui.steps.partitions import LINUX_FILESYSTEM
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that no other multi-device Btrfs has the name, so that it stays unambiguous."""
    erased = {path for piece in resolved.pieces for path in piece.disk.every_path}
    for unit in units_of(machine):
        on = {member.path for member in unit.members if member.path}
        if unit.name == resolved.spec.name and not on <= erased:
            raise BadInput(
                f"a Btrfs filesystem of this computer has the label {harmless(unit.name)}; choose another name"
            )


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """Create the filesystem over all members."""
    uuid, devices = derive(seed, "filesystem"), [piece.device for piece in resolved.pieces]
    return Built(
        core=(make_step(resolved, uuid=uuid),),
        what="filesystem",
        uuid=uuid,
        path=f"{BY_UUID}{uuid}",
        uuids=(uuid,),
        probe=DataProbe(device=devices[0], filesystem_uuid=uuid, first=(scan(devices),)),
        partition_type=LINUX_FILESYSTEM,
        until="the filesystem is made",
        stale=False,
        on_disk=True,
    )


def _node_of(plan: Plan) -> str:
    """The device in its mount or, while not mounted, the first member of the plan."""
    for one in read_now(read_mounts(HERE)).filesystems:
        if same_uuid(one.uuid, plan.array_uuid) and one.node:
            return one.node
    device = plan.probe.device if plan.probe is not None else plan.array_path
    number = device_number(device)
    block = read_superblock(device) if number else None
    return node(number) if block is not None and same_uuid(block.uuid, plan.array_uuid) else ""


def _disks_under(plan: Plan) -> frozenset[str]:
    """The whole disks of its members while it is mounted; else none."""
    folders = [f"{FOLDER}/{mark}/devices" for mark in plan.marks if mark]
    numbers = [HERE.text(f"{folder}/{name}/dev") for folder in folders for name in HERE.names(folder)]
    return whole_disks(*numbers)


BUILDER: Final = Builder(
    tools=(NeededTool("mkfs.btrfs"), NeededTool("btrfs")),
    claims=frozenset({ClaimKind.BTRFS}),
    conditions=conditions_in(conditions, grow_conditions),
    check_free=_check_free,
    build=_build,
    removal=removal,
    controls=controls,
    nights=NIGHTS,
    boot_note=lambda spec, system: (
        "After a reboot fstab mounts it by UUID with nofail, once udev has seen every disk. "
        "With a disk missing it is not mounted; mount it by hand with -o degraded."
    ),
    node_of=_node_of,
    disks_under=_disks_under,
)
