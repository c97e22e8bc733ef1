"""Which disks can be burned in: those that nothing uses. What is on them does not matter while they are only read."""

from collections.abc import Sequence
from typing import Final

from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import ClaimKind, Disk, Machine, Weight
from raidtui.model.text import harmless

# What no build can use, but what can be read all the same.
_CAN_BE_READ: Final = frozenset({ClaimKind.UNREADABLE, ClaimKind.READ_ONLY})


def disks_to_read(words: Sequence[str], machine: Machine) -> tuple[Disk, ...]:
    """The disks that ``words`` (serials, WWNs or by-id names) name, each once.

    Raises:
        BadInput: a word names no disk, or several.
        Refused: a disk is in use, or has no device or nothing to name it by; or they are unknown without root.
    """
    if not machine.complete:
        raise Refused("only root can see whether a disk is in use; run the same command with sudo")
    disks = tuple({disk.key: disk for disk in map(machine.disk, words)}.values())
    if not disks:
        raise BadInput("name the disks to burn in by their serial numbers")
    for disk in disks:
        _check(disk)
    return disks


def _check(disk: Disk) -> None:
    shown = f"{harmless(disk.identity)} ({disk.shown})"
    if not disk.has_device:
        raise Refused(f"{shown} has no device: its RAID card does not show it")
    if not disk.size_bytes:
        raise Refused(f"{shown} reports no size")
    for claim in disk.taken_by:
        if claim.weight is not Weight.DATA and claim.what not in _CAN_BE_READ:
            free = f"; to free it: {claim.how_to_free}" if claim.how_to_free else ""
            raise Refused(f"{shown} is in use: {harmless(claim.detail)}{harmless(free)}")
