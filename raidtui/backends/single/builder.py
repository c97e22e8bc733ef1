"""Build and remove a filesystem on a single disk: a partition and nothing of its own. Remove an empty table too."""

from typing import Final

from raidtui.backends.contract import Builder, Built, Resolved
from raidtui.backends.single.empty_table import empty_removal, find_empty
from raidtui.backends.single.firmware_set import find_firmware_set, firmware_set_removal
from raidtui.backends.single.teardown import find_alone, removal_of
from raidtui.machine.mounted import disk_under_mount
from raidtui.model.machine import Machine
from raidtui.steps.partitions import LINUX_FILESYSTEM
from raidtui.steps.removal import Removal
from raidtui.steps.seeds import derive


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    return Built(
        core=(),
        what="filesystem",
        device="disk",
        uuid="",
        folder_mark=derive(seed, "filesystem"),
        path=resolved.pieces[0].device,
        partition_type=LINUX_FILESYSTEM,
        until="the filesystem is made",
        stale=False,
        on_disk=True,
    )


def _removal(word: str, machine: Machine) -> Removal | None:
    if (empty := find_empty(word, machine)) is not None:
        return empty_removal(empty)
    if (left := find_firmware_set(word, machine)) is not None:
        return firmware_set_removal(left)
    found = find_alone(word, machine)
    return None if found is None else removal_of(found, machine)


BUILDER: Final = Builder(
    build=_build,
    removal=_removal,
    boot_note=lambda spec, system: "After a reboot fstab mounts the filesystem by UUID with nofail.",
    node_of=lambda plan: plan.array_path,
    disks_under=lambda plan: disk_under_mount(plan.array_path),
)
