"""Build volume groups on arrays: md's steps create the arrays, LVM's the group and its volume on them."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Built, Resolved
from raidtui.backends.control import Control, Order
from raidtui.backends.lvm.builder import LvmBuilder
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.now import disks_under_group, node_of_volume
from raidtui.backends.lvm_on_md.base import bases_of
from raidtui.backends.lvm_on_md.conditions import CONDITIONS, HINTS
from raidtui.backends.lvm_on_md.create import devices_step
from raidtui.backends.lvm_on_md.dealing import dealing_of
from raidtui.backends.lvm_on_md.teardown import find_group, removal_of
from raidtui.backends.md.builder import MdBuilder
from raidtui.backends.md.create import array_steps, release_members
from raidtui.backends.md.persistence import array_line, boot_note, boot_steps
from raidtui.machine.arrays import read_member_paths
from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import device_number
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.plan import Check, Plan, Role
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid
from raidtui.steps.ids import unique_ids
from raidtui.steps.mkfs import clear_step
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive

_MD: Final = MdBuilder()
_LVM: Final = LvmBuilder()


class LvmOnMdBuilder:
    """mdadm, with lvm2 on its arrays."""

    tools = (*_MD.tools, *_LVM.tools)
    claims = frozenset({ClaimKind.ARRAY, ClaimKind.LVM})
    conditions = CONDITIONS

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """Check that no array or group has one of the names, and that mdadm will scan the members at boot."""
        spec = resolved.spec
        for name in dealing_of(spec.level, len(spec.members), spec.options).all_names(spec.name):
            _MD.check_free(replace(resolved, spec=replace(spec, name=name)), machine)
        _LVM.check_free(resolved, machine)

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """The steps of md for each array, then those of LVM."""
        spec, mark, path = resolved.spec, derive(seed, "group"), f"/dev/{resolved.spec.name}/{VOLUME}"
        bases, system = bases_of(resolved, machine, seed=seed), machine.system
        devices, dealing = (
            [one.holder for one in bases],
            dealing_of(spec.level, len(spec.members), spec.options),
        )
        lines = [array_line(one.path, uuid=one.uuid, metadata=spec.metadata or "") for one in bases]
        # Users get the volume, not the arrays.
        arrays = (
            replace(step, role=Role.PREPARE)
            for one in bases
            for step in (
                *array_steps(one.resolved, system, uuid=one.uuid, path=one.path),
                replace(clear_step(one.path), id="clear-array"),
            )
        )
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
            boot=boot_steps(lines, system),
        )

    def removal(self, word: str, machine: Machine) -> Removal | None:
        """How to remove a group with the arrays under it."""
        found = find_group(word, machine)
        return None if found is None else removal_of(found, machine)

    def controls(self, unit: Unit) -> Mapping[Control, Order]:
        """None: the arrays below have them."""
        return {}

    def boot_note(self, spec: Spec, system: System) -> str:
        """As for md arrays, then udev."""
        return f"{boot_note(spec, system)} udev then activates the volume group."

    def node_of(self, plan: Plan) -> str:
        """The node of the plan's volume; empty until it is complete and active."""
        return node_of_volume(plan.array_uuid)

    def disks_under(self, plan: Plan) -> frozenset[str]:
        """The whole disks under the plan's arrays and under the active devices of its group."""
        paths = (
            path
            for uuid, some in read_member_paths().items()
            if any(same_uuid(uuid, mark) for mark in plan.marks)
            for path in some
        )
        return whole_disks(*map(device_number, paths)) | disks_under_group(plan.array_uuid)


def _hints(path: str, resolved: Resolved) -> tuple[Check, ...]:
    facts = resolved.facts
    if not facts.chunk_bytes:
        return ()
    least, best = facts.chunk_bytes, facts.stripe_width_bytes
    if facts.piece_bytes:  # dm-stripe.c, stripe_io_hints
        least, best = facts.piece_bytes, facts.piece_bytes * facts.groups
    return (HINTS.of(path, f"{least} {best}"),)
