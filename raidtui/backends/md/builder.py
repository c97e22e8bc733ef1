"""Build and remove md arrays."""

from typing import Final

from raidtui.backends.contract import Builder, Built, NeededTool, Resolved
from raidtui.backends.md import conditions
from raidtui.backends.md.controls import NIGHTS, controls
from raidtui.backends.md.create import array_steps, release_members
from raidtui.backends.md.diagnosis.kept_down import is_scanned
from raidtui.backends.md.growing import grow_conditions
from raidtui.backends.md.names import check_name_is_free
from raidtui.backends.md.persistence import array_line, boot_note, boot_steps
from raidtui.backends.md.procedures import care_conditions, place_conditions
from raidtui.backends.md.teardown import removal_of
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import device_number
from raidtui.machine.md.arrays import read_arrays, read_member_paths
from raidtui.machine.md.health import topmost
from raidtui.model.errors import Refused
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Plan
from raidtui.model.text import harmless
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import conditions_in
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.pieces import called
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive

OLDEST_MDADM: Final = "4.1"  # older ones use another data offset than we calculate


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that the name is free and that mdadm will scan the members at boot."""
    spec = resolved.spec
    check_name_is_free(spec.name, machine, erased=frozenset(one.disk.path for one in resolved.pieces))
    if spec.persistent:
        _check_found_at_boot(resolved, machine)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """Create the array, and name it in mdadm.conf."""
    spec, uuid, path = resolved.spec, derive(seed, "array"), f"/dev/md/{resolved.spec.name}"
    line = array_line(path, uuid=uuid, metadata=spec.metadata or "")
    return Built(
        core=array_steps(resolved, machine.system, uuid=uuid, path=path),
        what="array",
        uuid=uuid,
        path=path,
        uuids=(uuid,),
        release=(release_members(uuid),),
        partition_type=LINUX_RAID,
        boot=boot_steps([line], machine.system),
    )


def _removal(word: str, machine: Machine) -> Removal | None:
    array = next((one for one in machine.arrays if one.is_called(word)), None)
    return None if array is None else removal_of(topmost(machine.array(word), machine.arrays), machine)


def _node_of(plan: Plan) -> str:
    return next((one.node for one in read_arrays() if same_uuid(one.uuid, plan.array_uuid)), "")


def disks_under(plan: Plan) -> frozenset[str]:
    """The device numbers of the whole disks under the plan's arrays; none unless these are assembled."""
    paths = (
        path
        for one, some in read_member_paths().items()
        if any(same_uuid(one, mark) for mark in plan.marks)
        for path in some
    )
    return whole_disks(*map(device_number, paths))


def _check_found_at_boot(resolved: Resolved, machine: Machine) -> None:
    """Check that mdadm will scan the members at boot: a DEVICE line may exclude them (mdadm.conf(5)).

    Raises:
        Refused: it excludes one.
    """
    words = machine.system.mdadm_conf_devices
    for piece in resolved.pieces:
        disk = piece.disk
        names = [disk.path, *(f"/dev/disk/by-id/{link}" for link in disk.by_id)]
        names = [partition_path(name, piece.part) if resolved.spec.partition else name for name in names]
        if not is_scanned(names, machine.system):
            raise Refused(
                f"{machine.system.mdadm_conf} limits arrays to {harmless(' '.join(words))}, so mdadm would ignore "
                f"{called(disk)} at boot; add the word partitions to its DEVICE line"
            )


BUILDER: Final = Builder(
    tools=(NeededTool("mdadm", OLDEST_MDADM),),
    claims=frozenset({ClaimKind.ARRAY}),
    conditions=conditions_in(conditions, care_conditions, place_conditions, grow_conditions),
    check_free=_check_free,
    build=_build,
    removal=_removal,
    controls=controls,
    nights=NIGHTS,
    boot_note=boot_note,
    node_of=_node_of,
    disks_under=disks_under,
)
