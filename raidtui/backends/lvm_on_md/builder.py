"""Volume groups on arrays: md's steps make the array, LVM's the group and its volume on it."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Built, Control, Resolved
from raidtui.backends.lvm.builder import LvmBuilder
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.now import disks_under_group, node_of_volume
from raidtui.backends.lvm_on_md.base import Base, base_of
from raidtui.backends.lvm_on_md.conditions import CONDITIONS, HINTS
from raidtui.backends.lvm_on_md.create import devices_step
from raidtui.backends.lvm_on_md.levels import LEVELS
from raidtui.backends.lvm_on_md.teardown import find_group, remove_group
from raidtui.backends.lvm_on_md.units import measured, units_now, units_of
from raidtui.backends.md.array_steps import array_steps, disk_steps
from raidtui.backends.md.builder import MdBuilder
from raidtui.backends.md.create import release_members
from raidtui.backends.md.persistence import array_line, boot_note, boot_steps
from raidtui.machine.arrays import read_member_paths
from raidtui.machine.ask import Ask
from raidtui.machine.devices import device_number, whole_disks
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, DataProbe, Plan, Role, Step
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid
from raidtui.steps.fstab import fstab_step, mount_step, mountpoint_step
from raidtui.steps.mkfs import clear_step, mkfs_step
from raidtui.steps.seeds import derive
from raidtui.steps.settle import settle_filesystem

_MD: Final = MdBuilder()
_LVM: Final = LvmBuilder()


class LvmOnMdBuilder:
    """mdadm, and lvm2 on what it makes."""

    tools = (*_MD.tools, *_LVM.tools)
    conditions = CONDITIONS
    controls: frozenset[Control] = frozenset()

    def check(self, spec: Spec) -> None:
        """The name is an array's and a group's; everything else is md's."""
        if spec.level in LEVELS and not LEVELS[spec.level].builds:
            raise BadInput(
                f"{spec.level} can be calculated and not built; build its arrays one by one, or take one of md's levels"
            )
        _MD.check(spec)
        _LVM.check(Spec(name=spec.name, level="linear"))

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """See that no array and no group has the name, and that mdadm looks at the members at the next start."""
        _MD.check_free(resolved, machine)
        _LVM.check_free(resolved, machine)

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """The steps of md, then those of LVM."""
        spec, mark, path = resolved.spec, derive(seed, "group"), f"/dev/{resolved.spec.name}/{VOLUME}"
        files = derive(seed, "filesystem") if spec.filesystem.type != "none" else ""
        base = base_of(resolved, machine, seed=seed)
        return Built(
            steps=_steps(resolved, base, machine, seed=seed, mark=mark, path=path, files=files),
            uuid=mark,
            path=path,
            uuids=(base.uuid, base.holder.uuid, *filter(None, [files])),
            release=(release_members(base.uuid),),
            probe=DataProbe(device=path, filesystem_uuid=files) if files else None,
        )

    def teardown(self, word: str, machine: Machine, *, seed: str) -> Plan | None:
        """The plan that removes a group with the arrays under it."""
        found = find_group(word, machine)
        return None if found is None else remove_group(found, machine, seed=seed)

    def read(self, machine: Machine, ask: Ask) -> None:
        """Arrays are in every reading, and LVM's own backend keeps what LVM says."""

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every group on arrays."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every group on arrays, with the arrays as they are now."""
        return units_now()

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """What is known of the arrays under it."""
        return measured(unit, machine)

    def boot_note(self, spec: Spec, system: System) -> str:
        """The array as md's, then udev."""
        return f"{boot_note(spec, system)} udev then activates the volume group."

    def node_of(self, plan: Plan) -> str:
        """The node of the plan's volume, once it is whole and active."""
        return node_of_volume(plan.array_uuid)

    def disks_under(self, plan: Plan) -> frozenset[str]:
        """The whole disks under the plan's arrays, and under what of its group the kernel has."""
        paths = (
            path
            for uuid, some in read_member_paths().items()
            if any(same_uuid(uuid, mark) for mark in plan.marks)
            for path in some
        )
        of_arrays: frozenset[str] = frozenset().union(*(whole_disks(device_number(path)) for path in paths))
        return of_arrays | disks_under_group(plan.array_uuid)


def _steps(
    resolved: Resolved,
    base: Base,
    machine: Machine,
    *,
    seed: str,
    mark: str,
    path: str,
    files: str,
) -> list[Step]:
    """The steps of a group known by ``mark``; ``files``: the UUID of its filesystem, empty without one."""
    spec, system, filesystem = resolved.spec, machine.system, resolved.spec.filesystem
    devices = [base.holder]
    steps: list[Step] = []
    if files:
        steps.append(mountpoint_step(filesystem, built=mark))
    steps += disk_steps(base.resolved, system, seed=seed)
    steps += map(_as_base, array_steps(base.resolved, system, uuid=base.uuid, path=base.path))
    steps += [
        devices_step([base]),
        group_step(spec.name, devices, mark=mark),
        volume_step(
            spec.name,
            "linear",
            devices,
            mark=mark,
            size_bytes=resolved.facts.array_bytes,
            what="array",
        ),
        settle_volume(path, udev=system.udev, after=_hints(path, resolved)),
        clear_step(path, what="volume"),
    ]
    if files:
        steps += [
            mkfs_step(filesystem, resolved.stripes, path=path, uuid=files, what="volume"),
            settle_filesystem(path, kind=filesystem.type, uuid=files, udev=system.udev),
        ]
    if spec.persistent:
        steps += boot_steps([array_line(base.path, uuid=base.uuid, metadata=spec.metadata or "")], system)
        if files:
            steps.append(fstab_step(filesystem, uuid=files, system=system, what="volume group"))
    if files:
        steps.append(mount_step(filesystem, files, persistent=spec.persistent))
    return steps


def _as_base(step: Step) -> Step:
    """A step of md's as one before there is anything that anybody can use: the array is for the group alone."""
    if step.role is Role.CLEAN:
        return replace(step, id="clear-array", role=Role.PREPARE)
    return replace(step, role=Role.PREPARE)


def _hints(path: str, resolved: Resolved) -> tuple[Check, ...]:
    facts = resolved.facts
    if not facts.chunk_bytes:
        return ()
    return (HINTS.of(path, f"{facts.chunk_bytes} {facts.stripe_width_bytes}"),)
