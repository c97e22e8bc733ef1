"""Make the plan of a build: deterministic ordered steps from a spec and one reading of the machine.

The frame is the same for every backend: mount point, capsule, wipe, partitions, the backend's core, stale signatures,
mkfs, what makes it come back at boot, mount.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from raidtui.advice.hazards import find_hazards, sort_hazards
from raidtui.backends.contract import Built, Resolved
from raidtui.backends.registry import backend, builder
from raidtui.backends.resolve import check_usable, resolve
from raidtui.model.machine import Machine
from raidtui.model.plan import DataProbe, Plan, PlanKind, Run, Step
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.plan.alerts import alerts_with
from raidtui.plan.fixes import fix_steps, settled
from raidtui.steps.fstab import fstab_step, mount_step, mountpoint_step
from raidtui.steps.mkfs import clear_step, mkfs_step
from raidtui.steps.mount_names import check_uuids_are_new
from raidtui.steps.partitions import partition_step
from raidtui.steps.pieces import planned
from raidtui.steps.seeds import derive
from raidtui.steps.settle import settle_filesystem, settle_partitions
from raidtui.steps.wipe import capsule_step, wipe_step


def make_plan(spec: Spec, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps that build ``spec`` on ``machine``.

    Hazards are only listed; blocking ones are refused when a job starts.

    Args:
        seed: a UUID, from which those of the array, its partitions and its filesystem are derived.

    Raises:
        BadInput: the spec cannot be built, its name or mount point is taken, or the seed was used before.
        Refused: a disk is in use, cannot be used, or has the running system on it.
        ToolMissing: a required program is missing or too old.
    """
    resolved = resolve(spec, machine)
    check_usable(resolved, machine)
    whole = resolved.spec
    built = builder(whole.backend).build(resolved, machine, seed)
    files = derive(seed, "filesystem") if whole.filesystem.type != "none" else ""
    own = bool(backend(whole.backend).own_filesystem)
    uuids = built.uuids if own or not files else (*built.uuids, files)
    probe = DataProbe(device=built.path, filesystem_uuid=files) if files and not own else built.probe
    erased = frozenset(piece.disk.path for piece in resolved.pieces)
    check_uuids_are_new(seed, uuids, machine, erased=erased)
    hazards = find_hazards(resolved, machine)
    return Plan(
        kind=PlanKind.BUILD,
        spec=whole,
        seed=seed,
        host=machine.system.hostname,
        array_uuid=built.uuid,
        array_path=built.path,
        filesystem_uuid=files,
        uuids=uuids,
        array_bytes=resolved.facts.array_bytes,
        disks=tuple(planned(piece.disk, piece.whole, piece.role) for piece in resolved.pieces),
        hazards=sort_hazards(settled(whole, hazards, machine)),
        steps=(
            *_steps(built, resolved, machine, seed=seed, files=files, probe=probe),
            *fix_steps(whole, hazards, machine),
            *(
                alerts_with(whole.alerts, machine, monitor_too="mail" not in whole.fixes)
                if "alerts" in whole.fixes
                else ()
            ),
        ),
        release=built.release,
        probe=probe,
    )


def _steps(
    built: Built, resolved: Resolved, machine: Machine, *, seed: str, files: str, probe: DataProbe | None
) -> list[Step]:
    """The steps of the frame, with the core in the middle; ``files``: the UUID of the filesystem, empty without one."""
    steps = (
        [mountpoint_step(resolved.spec.filesystem, built=built.folder_mark or built.uuid)] if files else []
    )
    steps += _blank(built, resolved, machine, seed=seed)
    steps += built.core
    device = built.device or built.what
    if built.stale:
        steps.append(clear_step(built.path, what=device))
    steps += built.initialize
    steps += _filesystem(built, resolved, machine, files=files, probe=probe)
    return steps


def _blank(built: Built, resolved: Resolved, machine: Machine, *, seed: str) -> Iterator[Step]:
    """Make the disks blank, and create a partition on each."""
    spec, pieces = resolved.spec, built.pieces or resolved.pieces
    if not built.partition_type:
        return
    capsule = capsule_step(pieces, until=built.until or f"the {built.what} is created")
    yield replace(capsule, before=(*built.free, *capsule.before))
    yield wipe_step(pieces, what=built.what)
    if spec.partition:
        kind, reserve = built.partition_type, spec.reserve or 0
        yield partition_step(pieces, name=spec.name, seed=seed, reserve=reserve, kind=kind)
        devices = built.devices or [piece.device for piece in pieces]
        yield settle_partitions(devices, udev=machine.system.udev)


def _filesystem(
    built: Built, resolved: Resolved, machine: Machine, *, files: str, probe: DataProbe | None
) -> Iterator[Step]:
    """Make the filesystem, make all come back after a reboot, and mount it."""
    spec, system, filesystem = resolved.spec, machine.system, resolved.spec.filesystem
    held = tuple(piece.whole for piece in resolved.pieces) if built.on_disk else ()
    uuid = probe.filesystem_uuid if probe is not None else ""
    if uuid and probe is not None:
        if not backend(spec.backend).own_filesystem:
            what = built.device or built.what
            made = mkfs_step(
                filesystem, resolved.stripes, path=built.path, uuid=uuid, bare_disk=built.on_disk, what=what
            )
            yield replace(made, holds=held)
        yield settle_filesystem(probe.device, kind=filesystem.type, uuid=uuid, udev=system.udev)
    if spec.persistent:
        yield from built.boot
        if uuid:
            line = fstab_step(filesystem, uuid=uuid, system=system, what=built.what)
            # With its line there, a boot mounts it before the next step does.
            by_boot = mount_step(filesystem, uuid, persistent=True)
            yield replace(line, undo=(*line.undo, *by_boot.undo))
    if built.mount is not None:
        yield _labeled(built.mount, filesystem.mountpoint, system)
    elif uuid and probe is not None:
        mount = mount_step(filesystem, uuid, persistent=spec.persistent)
        mount = replace(mount, actions=(*probe.first, *mount.actions), holds=held)
        yield _labeled(mount, filesystem.mountpoint, system)


def _labeled(mount: Step, path: str, system: System) -> Step:
    """Mount it, and give its root the SELinux label of the policy: a new filesystem has none."""
    if not system.selinux:
        return mount
    return replace(
        mount,
        reason=f"{mount.reason} restorecon gives it the SELinux label that services need to use it.",
        actions=(*mount.actions, Run(argv=("restorecon", path))),
    )
