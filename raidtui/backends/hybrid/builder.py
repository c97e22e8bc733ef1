"""Build a volume over bands: md's steps create the array of each band, LVM's the group and its volume on them."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Builder, Built, Resolved
from raidtui.backends.hybrid.arrays import arrays_of, base_of
from raidtui.backends.hybrid.levels import LEVELS
from raidtui.backends.hybrid.teardown import find_group, removal_of
from raidtui.backends.lvm.builder import BUILDER as LVM
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm_on_md.base import arrays_steps, devices_step, lines_of
from raidtui.backends.lvm_on_md.conditions import CONDITIONS
from raidtui.backends.lvm_on_md.units import BANDS
from raidtui.backends.md.builder import BUILDER as MD
from raidtui.backends.md.create import release_members
from raidtui.backends.md.persistence import boot_steps
from raidtui.model.machine import Machine
from raidtui.model.plan import Role
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.steps.ids import unique_ids
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that no array or group has one of the names, and that mdadm will scan the members at boot."""
    for array in arrays_of(resolved, machine):
        MD.check_free(array, machine)
    LVM.check_free(resolved, machine)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """The steps of md for the array of each band, then those of LVM."""
    spec, mark, path = resolved.spec, derive(seed, "group"), f"/dev/{resolved.spec.name}/{VOLUME}"
    arrays, system = arrays_of(resolved, machine), machine.system
    bases = [base_of(array, number, seed) for number, array in enumerate(arrays, 1)]
    devices = [one.holder for one in bases]
    # Users get the volume, not the arrays.
    steps = (replace(step, role=Role.PREPARE) for step in arrays_steps(bases, system))
    return Built(
        core=(
            *unique_ids(steps),
            devices_step(bases),
            group_step(spec.name, devices, mark=mark, tags=(BANDS,)),
            volume_step(
                spec.name,
                "linear",
                devices,
                mark=mark,
                size_bytes=resolved.facts.array_bytes,
                what="array",
            ),
            settle_volume(path, udev=system.udev),
        ),
        what="volume group",
        device="volume",
        uuid=mark,
        path=path,
        uuids=tuple(uuid for one in bases for uuid in (one.uuid, one.holder.uuid)),
        release=tuple(release_members(one.uuid) for one in bases),
        partition_type=LINUX_RAID,
        pieces=tuple(piece for array in arrays for piece in array.pieces),
        until="the first array is created",
        explicit=True,  # the volume reports a mixture of the full stripes of its arrays
        boot=boot_steps(lines_of(bases, spec.metadata or ""), system),
    )


def _removal(word: str, machine: Machine) -> Removal | None:
    found = find_group(word, machine)
    return None if found is None else removal_of(found, machine)


def _boot_note(spec: Spec, system: System) -> str:
    array = replace(spec, level=LEVELS[spec.level].placed_as)
    return f"{MD.boot_note(array, system)} udev then activates the volume group."


BUILDER: Final = Builder(
    tools=(*MD.tools, *LVM.tools),
    claims=MD.claims | LVM.claims,
    conditions=CONDITIONS,
    check_free=_check_free,
    build=_build,
    removal=_removal,  # the controls are those of the arrays below
    boot_note=_boot_note,
    node_of=LVM.node_of,
    disks_under=lambda plan: {*MD.disks_under(plan), *LVM.disks_under(plan)},
)
