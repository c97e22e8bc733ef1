"""Make the plan of a build: deterministic ordered steps from a spec and one reading of the machine."""

from raidtui.advice.hazards import find_hazards, sort_hazards
from raidtui.backends.registry import builder
from raidtui.backends.resolve import check_usable, resolve
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.spec import Spec
from raidtui.plan.fixes import fix_steps, settled
from raidtui.steps.mount_names import check_uuids_are_new
from raidtui.steps.pieces import planned
from raidtui.steps.seeds import derive


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
    built = builder(whole.backend).build(resolved, machine, seed=seed)
    files = derive(seed, "filesystem") if whole.filesystem.type != "none" else ""
    erased = frozenset(piece.disk.path for piece in resolved.pieces)
    check_uuids_are_new(seed, built.uuids, machine, erased=erased)
    hazards = find_hazards(resolved, machine)
    return Plan(
        kind=PlanKind.BUILD,
        spec=whole,
        seed=seed,
        host=machine.system.hostname,
        array_uuid=built.uuid,
        array_path=built.path,
        filesystem_uuid=files,
        uuids=built.uuids,
        array_bytes=resolved.facts.array_bytes,
        disks=tuple(planned(piece.disk, piece.whole, piece.role) for piece in resolved.pieces),
        hazards=sort_hazards(settled(whole, hazards, machine)),
        steps=(*built.steps, *fix_steps(whole, hazards, machine)),
        release=built.release,
        probe=built.probe,
    )
