"""From a spec and a machine to the plan: the ordered steps, and nothing has happened yet."""

import uuid
from typing import Final

from raidtui.advice.geometry import Geometry, md_geometry
from raidtui.advice.hazards import find_hazards
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind, Step
from raidtui.model.spec import Spec
from raidtui.model.units import both
from raidtui.plan.complete import complete
from raidtui.plan.filesystem import mkfs_step, mount_step, smallest
from raidtui.plan.mdadm import clear_step, create_step, settle_array_step
from raidtui.plan.partitions import partition_step, settle_partitions_step
from raidtui.plan.persistence import array_line, conf_step, fstab_line, fstab_step, initramfs_step
from raidtui.plan.seeds import derived
from raidtui.plan.targets import Target, make_targets, planned_disk
from raidtui.plan.wipe import capsule_step, wipe_step

_MIN_MDADM: Final = (4, 1)


def make_plan(spec: Spec, machine: Machine, *, seed: str) -> Plan:
    """The plan that builds ``spec`` on ``machine``.

    Args:
        seed: a UUID from which those of the array, its filesystem and partitions derive; a fresh one for every
            plan, so that a disk of an earlier build is never taken for a member of this one.

    Raises:
        BadInput: the spec cannot be built.
        Refused: a disk is taken.
        ToolMissing: a program is absent.
    """
    _check_seed(seed)
    wanted = complete(spec, machine)
    targets = make_targets(wanted, machine)
    geometry = geometry_of(wanted, targets, machine)
    filesystem = wanted.filesystem
    array_path, array_uuid = f"/dev/md/{wanted.name}", derived(seed, "array")
    filesystem_uuid = derived(seed, "filesystem") if filesystem.type != "none" else ""
    if filesystem_uuid and geometry.array_bytes < smallest(filesystem.type):
        raise BadInput(
            f"the array will have {both(geometry.array_bytes)}, and {filesystem.type} needs at least "
            f"{both(smallest(filesystem.type))}; take larger disks or another filesystem"
        )
    steps: list[Step] = [capsule_step(targets), wipe_step(targets)]
    if wanted.partition:
        steps += [partition_step(targets, wanted.name, seed), settle_partitions_step(targets)]
    steps.append(create_step(wanted, targets, array_path, array_uuid, geometry, machine))
    steps += [settle_array_step(array_path), clear_step(array_path)]
    if filesystem_uuid:
        steps.append(mkfs_step(filesystem, array_path, filesystem_uuid, geometry))
    line = array_line(wanted, array_path, array_uuid)
    steps.append(conf_step(line, machine))
    if machine.system.initramfs:
        steps.append(initramfs_step(line, machine))
    if filesystem_uuid:
        steps.append(fstab_step(fstab_line(filesystem, filesystem_uuid), filesystem.mountpoint))
        steps.append(mount_step(filesystem, filesystem_uuid))
    return Plan(
        kind=PlanKind.BUILD,
        spec=wanted,
        seed=seed,
        array_uuid=array_uuid,
        array_path=array_path,
        filesystem_uuid=filesystem_uuid,
        array_bytes=geometry.array_bytes,
        disks=tuple(planned_disk(target.disk, target.role) for target in targets),
        hazards=find_hazards(wanted, machine),
        steps=tuple(steps),
    )


def geometry_of(wanted: Spec, targets: tuple[Target, ...], machine: Machine) -> Geometry:
    """The array's geometry, exact, for the members of a plan."""
    numbers = machine.tools.get("mdadm", "4.2").split(".")
    version = (
        (int(numbers[0]), int(numbers[1]))
        if len(numbers) > 1 and all(n.isdigit() for n in numbers[:2])
        else (4, 2)
    )
    if version < _MIN_MDADM:
        raise BadInput(
            f"mdadm is {machine.tools['mdadm']}, and its sizes and defaults differ; update it to 4.1 or newer"
        )
    return md_geometry(
        wanted.level,
        [target.extent.size_bytes for target in targets if target.role == "member"],
        spare_sizes=[target.extent.size_bytes for target in targets if target.role == "spare"],
        chunk=wanted.chunk,
        layout=wanted.layout,
        metadata=wanted.metadata or "1.2",
        consistency=wanted.consistency or "none",
        logical_sector=max(target.disk.logical_sector_bytes for target in targets),
        mdadm=version,
    )


def _check_seed(seed: str) -> None:
    try:
        uuid.UUID(seed)
    except ValueError as error:
        raise BadInput(f"the seed {seed!r} is not a UUID; leave it out to have one made") from error
