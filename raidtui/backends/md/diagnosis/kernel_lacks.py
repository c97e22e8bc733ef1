"""What the running kernel lacks to start an array that is sound: its level, or what a newer kernel has stored. Pure."""

from collections.abc import Mapping
from typing import Final

from raidtui.machine.tools import is_older
from raidtui.model.machine import Machine
from raidtui.model.superblock import Superblock
from raidtui.model.text import harmless, spelled

_KNOWS_LOCKLESS: Final = "6.18"
STORES_SECTORS: Final = "6.19"
"""From this Linux on md stores the sector size in what it creates; before, it takes such a superblock for damaged."""


def kernel_lacks(stored: Mapping[str, Superblock], machine: Machine) -> str:
    """Why the running kernel cannot start the array with these superblocks; empty if nothing speaks against it."""
    kernel, every = machine.system.kernel, stored.values()
    shown = harmless(kernel)
    if level := next((one.level for one in every if machine.system.lacks_level(one.level)), ""):
        return (
            f"this kernel ({shown}) has neither {spelled(level)} nor a module for it. After a kernel update, reboot; else "
            "connect the disks to a computer whose kernel has it"
        )
    if any(one.lockless for one in every) and _is_before(kernel, _KNOWS_LOCKLESS):
        return (
            f"it has a lockless bitmap, which this kernel ({shown}) does not know: start it on Linux {_KNOWS_LOCKLESS} "
            "or later"
        )
    if any(one.sector_bytes for one in every) and _is_before(kernel, STORES_SECTORS):
        return (
            f"it was created on Linux {STORES_SECTORS} or later, and this kernel ({shown}) takes its superblocks for "
            f"damaged. They are not: start it on Linux {STORES_SECTORS} or later"
        )
    return ""


def stores_sectors(kernel: str, metadata: str) -> bool:
    """Whether an array that ``kernel`` creates cannot be started by Linux before `STORES_SECTORS`."""
    return bool(kernel) and not is_older(kernel, STORES_SECTORS) and metadata != "0.90"


def _is_before(kernel: str, than: str) -> bool:
    return bool(kernel) and is_older(kernel, than)
