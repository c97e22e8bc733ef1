"""Build and remove volume groups."""

from collections.abc import Collection
from typing import Final

from raidtui.backends.contract import Builder, Built, NeededTool, Resolved
from raidtui.backends.lvm import care_conditions, conditions, grow_conditions
from raidtui.backends.lvm.conditions import NAME_FREE
from raidtui.backends.lvm.controls import controls
from raidtui.backends.lvm.create import (
    ALIGNMENT,
    devices_step,
    group_step,
    on_disk,
    settle_volume,
    volume_step,
)
from raidtui.backends.lvm.leftover import find_leftovers, removal_of_leftovers
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.now import disks_under_groups, node_of_volume
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import Reading
from raidtui.backends.lvm.teardown import find_group, removal_of
from raidtui.model.errors import BadInput
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.steps.condition import conditions_in
from raidtui.steps.partitions import LINUX_LVM
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    reading = reading_in(machine)
    erased = {path for piece in resolved.pieces for path in piece.disk.every_path}
    _check_name_is_free(resolved.spec.name, machine, reading.known if reading else None, erased=erased)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """Create physical volumes, the group, and one volume that fills it."""
    spec, mark, path = resolved.spec, derive(seed, "array"), f"/dev/{resolved.spec.name}/{VOLUME}"
    devices = [on_disk(piece, seed) for piece in resolved.pieces]
    group = group_step(spec.name, devices, mark=mark, alignment=ALIGNMENT)
    return Built(
        core=(
            devices_step(devices),
            group,
            volume_step(
                spec.name,
                spec.level,
                devices,
                mark=mark,
                size_bytes=resolved.facts.array_bytes,
                group=group,
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
    )


def _removal(word: str, machine: Machine) -> Removal | None:
    group = find_group(word, machine)
    if group is None and (left := find_leftovers(word, machine)):
        return removal_of_leftovers(left)
    # One that is on an array too goes with that, in `raidtui.backends.lvm_on_md`.
    nodes = {array.node for array in machine.arrays}
    return None if group is None or nodes & group.uuids.keys() else removal_of(group, machine)


def _boot_note(spec: Spec, system: System) -> str:
    mounts = ", and fstab mounts the filesystem by UUID with nofail" if spec.filesystem.type != "none" else ""
    return (
        f"After a reboot udev activates the volume group{mounts}. "
        "With a disk missing it stays inactive until you activate it."
    )


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


BUILDER: Final = Builder(
    tools=(NeededTool("lvm"),),
    claims=frozenset({ClaimKind.LVM}),
    conditions=conditions_in(conditions, care_conditions, grow_conditions),
    check_free=_check_free,
    build=_build,
    removal=_removal,
    controls=controls,
    boot_note=_boot_note,
    node_of=node_of_volume,
    disks_under=disks_under_groups,
)
