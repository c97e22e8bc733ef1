"""The plan of a build: from a spec and one reading of the machine to ordered steps, the same ones every time."""

from collections.abc import Sequence

from raidtui.advice.geometry import Geometry, mdadm_version
from raidtui.advice.hazards import find_hazards, sort_hazards
from raidtui.model.machine import Machine, System
from raidtui.model.plan import DataProbe, Plan, PlanKind, Role, Step
from raidtui.model.spec import Spec
from raidtui.plan.complete import check_usable, complete
from raidtui.plan.devices import Piece, geometry_of, pieces_of, planned
from raidtui.plan.filesystem import clear_step, mkfs_step
from raidtui.plan.fixes import fix_steps, settled
from raidtui.plan.mdadm import create_step, release_members, settle_step
from raidtui.plan.names import check_uuids_are_new, home_host
from raidtui.plan.partitions import partition_step
from raidtui.plan.persistence import (
    array_line,
    conf_step,
    fstab_step,
    initramfs_steps,
    mount_step,
    mountpoint_step,
)
from raidtui.plan.single_disk import alone_steps
from raidtui.plan.uuids import derive
from raidtui.plan.wipe import capsule_step, wipe_step
from raidtui.steps.devices import PRESENT
from raidtui.steps.filesystems import FILESYSTEM


def make_plan(spec: Spec, machine: Machine, *, seed: str) -> Plan:
    """The steps that build ``spec`` on ``machine``.

    Hazards are listed, not judged: whoever starts the plan refuses the blocking ones.

    Args:
        seed: a UUID; all UUIDs of the array, its partitions and its filesystem derive from it.

    Raises:
        BadInput: the spec cannot be built, its name or mount point is taken, or the seed was used before.
        Refused: a disk is in use, cannot be used, or is the system's.
        ToolMissing: a program that is needed is absent or too old.
    """
    whole = complete(spec, machine)
    check_usable(whole, machine)
    pieces = pieces_of(whole, machine)
    geometry = geometry_of(whole, pieces, mdadm_version(machine))
    filesystem_uuid = derive(seed, "filesystem") if whole.filesystem.type != "none" else ""
    if whole.alone:
        uuid, path = "", pieces[0].device
        steps = alone_steps(
            whole, pieces[0], geometry, seed=seed, uuid=filesystem_uuid, system=machine.system
        )
    else:
        uuid, path = derive(seed, "array"), f"/dev/md/{whole.name}"
        steps = _array_steps(
            whole,
            pieces,
            geometry,
            seed=seed,
            uuid=uuid,
            path=path,
            files=filesystem_uuid,
            system=machine.system,
        )
    erased = frozenset(piece.disk.path for piece in pieces)
    check_uuids_are_new(seed, (uuid, filesystem_uuid), machine, erased=erased)
    hazards = find_hazards(whole, machine)
    steps += fix_steps(whole.fixes, hazards, machine)
    return Plan(
        kind=PlanKind.BUILD,
        spec=whole,
        seed=seed,
        host=machine.system.hostname,
        array_uuid=uuid,
        array_path=path,
        filesystem_uuid=filesystem_uuid,
        array_bytes=geometry.array_bytes,
        disks=tuple(planned(piece.disk, piece.whole, piece.role) for piece in pieces),
        hazards=sort_hazards(settled(hazards, whole.fixes, machine)),
        steps=tuple(steps),
        release=(release_members(uuid),) if uuid else (),
        probe=DataProbe(device=path, filesystem_uuid=filesystem_uuid) if filesystem_uuid else None,
    )


def _array_steps(
    whole: Spec,
    pieces: Sequence[Piece],
    geometry: Geometry,
    *,
    seed: str,
    uuid: str,
    path: str,
    files: str,
    system: System,
) -> list[Step]:
    """The steps of an array with ``uuid`` at ``path``; ``files``: the UUID of its filesystem, empty without one."""
    filesystem = whole.filesystem
    line = array_line(path, uuid=uuid, metadata=whole.metadata or "")

    steps: list[Step] = []
    if files:
        steps.append(mountpoint_step(filesystem, built=uuid))
    steps += [capsule_step(pieces), wipe_step(pieces)]
    if whole.partition:
        steps += [
            partition_step(pieces, name=whole.name, seed=seed, reserve=whole.reserve or 0),
            settle_step(
                "settle-partitions",
                role=Role.PREPARE,
                title="Wait for the partitions' device names",
                reason="udev creates the /dev/disk/by-id links as soon as raidtui releases its lock.",
                udev=system.udev,
                after=tuple(PRESENT.of(piece.device) for piece in pieces),
            ),
        ]
    steps += [
        create_step(
            whole, pieces, geometry, path=path, uuid=uuid, host=home_host(whole.name, system.hostname)
        ),
        settle_step(
            "settle-array",
            role=Role.CREATE,
            title=f"Wait for {path}",
            reason="udev creates the device name a moment after the array starts.",
            name=path,
            udev=system.udev,
            after=(PRESENT.of(path),),
        ),
        clear_step(path),
    ]
    if files:
        steps += [
            mkfs_step(filesystem, geometry, path=path, uuid=files),
            settle_step(
                "settle-filesystem",
                role=Role.FORMAT,
                title="Wait for the filesystem's UUID link",
                reason="The mount finds the filesystem by the UUID link that udev creates.",
                name=f"/dev/disk/by-uuid/{files}",
                udev=system.udev,
                after=(FILESYSTEM.of(path, f"{filesystem.type} {files}"),),
            ),
        ]
    if whole.persistent:
        steps += [conf_step(line, system), *initramfs_steps(line, system)]
        if files:
            steps.append(fstab_step(filesystem, uuid=files, system=system))
    if files:
        steps.append(mount_step(filesystem, files, persistent=whole.persistent))
    return steps
