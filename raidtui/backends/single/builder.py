"""Build and remove a filesystem on a single disk."""

from collections.abc import Mapping

from raidtui.backends.contract import Built, Resolved, Tool
from raidtui.backends.control import Control, Order
from raidtui.backends.single.teardown import find_alone, removal_of
from raidtui.machine.mounted import disk_under_mount
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.plan import Plan
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.unit import Unit
from raidtui.steps.condition import Condition
from raidtui.steps.partitions import LINUX_FILESYSTEM
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


class SingleBuilder:
    """Partition and filesystem."""

    tools: tuple[Tool, ...] = ()
    claims: frozenset[ClaimKind] = frozenset()
    conditions: tuple[Condition, ...] = ()

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """Check nothing: a single disk has no name that could be taken."""

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """Nothing of its own: a filesystem on a partition."""
        files = derive(seed, "filesystem")
        return Built(
            core=(),
            what="filesystem",
            device="disk",
            uuid="",
            folder_mark=files,
            path=resolved.pieces[0].device,
            partition_type=LINUX_FILESYSTEM,
            until="the filesystem is made",
            stale=False,
            on_disk=True,
        )

    def removal(self, word: str, machine: Machine) -> Removal | None:
        """How to remove a single disk's filesystem."""
        found = find_alone(word, machine)
        return None if found is None else removal_of(found, machine)

    def controls(self, unit: Unit) -> Mapping[Control, Order]:
        """None."""
        return {}

    def boot_note(self, spec: Spec, system: System) -> str:
        """fstab."""
        return "After a reboot fstab mounts the filesystem by UUID with nofail."

    def node_of(self, plan: Plan) -> str:
        """The partition."""
        return plan.array_path

    def disks_under(self, plan: Plan) -> frozenset[str]:
        """The disk while its filesystem is mounted; else none."""
        return disk_under_mount(plan.array_path)
