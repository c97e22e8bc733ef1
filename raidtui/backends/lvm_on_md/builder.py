"""Build volume groups on arrays: md's steps create the arrays, LVM's the group and its volume on them."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Builder, Built, Resolved
from raidtui.backends.lvm.builder import BUILDER as LVM
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm_on_md.base import arrays_steps, bases_of, devices_step, lines_of
from raidtui.backends.lvm_on_md.conditions import CONDITIONS, HINTS
from raidtui.backends.lvm_on_md.dealing import dealing_of
from raidtui.backends.lvm_on_md.teardown import find_group, removal_of
from raidtui.backends.md.builder import BUILDER as MD
from raidtui.backends.md.create import release_members
from raidtui.backends.md.persistence import boot_steps
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Role
from raidtui.steps.ids import unique_ids
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that no array or group has one of the names, and that mdadm will scan the members at boot."""
    spec = resolved.spec
    for name in dealing_of(spec.level, len(spec.members), spec.options).all_names(spec.name):
        MD.check_free(replace(resolved, spec=replace(spec, name=name)), machine)
    LVM.check_free(resolved, machine)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """The steps of md for each array, then those of LVM."""
    spec, mark, path = resolved.spec, derive(seed, "group"), f"/dev/{resolved.spec.name}/{VOLUME}"
    bases, system = bases_of(resolved, machine, seed=seed), machine.system
    devices, dealing = (
        [one.holder for one in bases],
        dealing_of(spec.level, len(spec.members), spec.options),
    )
    # Users get the volume, not the arrays.
    arrays = (replace(step, role=Role.PREPARE) for step in arrays_steps(bases, system))
    return Built(
        core=(
            *unique_ids(arrays),
            devices_step(bases),
            group_step(spec.name, devices, mark=mark),
            volume_step(
                spec.name,
                dealing.volume,
                devices,
                mark=mark,
                size_bytes=resolved.facts.array_bytes,
                stripe=resolved.facts.piece_bytes,
                what="array",
            ),
            settle_volume(path, udev=system.udev, after=_hints(path, resolved)),
        ),
        what="volume group",
        device="volume",
        uuid=mark,
        path=path,
        uuids=tuple(uuid for one in bases for uuid in (one.uuid, one.holder.uuid)),
        release=tuple(release_members(one.uuid) for one in bases),
        partition_type=LINUX_RAID,
        until="the array is created",
        # A striped volume's device reports LVM's stripe size, not the full stripe over all arrays.
        explicit=dealing.striped,
        boot=boot_steps(lines_of(bases, spec.metadata or ""), system),
    )


def _removal(word: str, machine: Machine) -> Removal | None:
    found = find_group(word, machine)
    return None if found is None else removal_of(found, machine)


def _hints(path: str, resolved: Resolved) -> tuple[Check, ...]:
    facts = resolved.facts
    if not facts.chunk_bytes:
        return ()
    least, best = facts.chunk_bytes, facts.stripe_width_bytes
    if facts.piece_bytes:  # dm-stripe.c, stripe_io_hints
        least, best = facts.piece_bytes, facts.piece_bytes * facts.groups
    return (HINTS.of(path, f"{least} {best}"),)


BUILDER: Final = Builder(
    tools=(*MD.tools, *LVM.tools),
    claims=MD.claims | LVM.claims,
    conditions=CONDITIONS,
    check_free=_check_free,
    build=_build,
    removal=_removal,  # the controls are those of the arrays below
    boot_note=lambda spec, system: f"{MD.boot_note(spec, system)} udev then activates the volume group.",
    node_of=LVM.node_of,
    disks_under=lambda plan: {*MD.disks_under(plan), *LVM.disks_under(plan)},
)
