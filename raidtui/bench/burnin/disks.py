"""Which disks can be burned in: those that nothing uses. What is on them does not matter while they are only read.

Only blank disks are written, so nothing has to be saved first.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.jobs.confirm import check_named
from raidtui.model.errors import BadInput, Refused
from raidtui.model.journal import BurnInRequest
from raidtui.model.machine import ClaimKind, Disk, Machine, Weight
from raidtui.model.text import harmless
from raidtui.steps.pieces import check_identity, planned

PATIENCE_SECONDS: Final = 900  # longer than disk and kernel try again to read a bad sector
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


def request_for(
    disks: Sequence[Disk],
    *,
    patience_seconds: int = PATIENCE_SECONDS,
    self_tests: bool = True,
    writes: bool = False,
) -> BurnInRequest:
    return BurnInRequest(
        disks=tuple(one.identity for one in disks),
        sizes=tuple(one.size_bytes for one in disks),
        patience_seconds=patience_seconds,
        self_tests=self_tests,
        writes=writes,
    )


def check_to_write(
    disks: Sequence[Disk], erase: Sequence[str], machine: Machine, *, begun: bool = False
) -> None:
    """Check that all of ``disks`` may be written.

    Args:
        erase: names every one of them, as for a build.
        machine: the reading of this computer.
        begun: whether their written pass has begun, so that test data is on them.

    Raises:
        Refused: one is not named, not blank, or cannot be written.
    """
    check_named([planned(disk, disk.path, "member") for disk in disks], erase, machine)
    for disk in disks:
        now = next((one for one in machine.disks if one.identity == disk.identity), None)
        if now is not None:  # one that is gone is not written
            check_identity(now, machine)
            _check_blank(now, begun=begun)


def _check_blank(disk: Disk, *, begun: bool) -> None:
    name = harmless(disk.identity)
    if disk.read_only or disk.zoned != "none":
        raise Refused(f"{name} ({disk.shown}) cannot be written everywhere: it is read-only or zoned")
    known = [*(one.type for one in disk.every_signature), *(part.path for part in disk.partitions)]
    if begun and disk.choosable and not known:
        return
    if not disk.free or known:
        what = disk.taken_by[0].detail if disk.taken_by else ", ".join(known)
        raise Refused(
            f"{name} ({disk.shown}) is not blank: {harmless(what)}. Only blank disks are written; "
            "without --erase it is only read"
        )


def _check(disk: Disk) -> None:
    if why := why_not(disk):
        raise Refused(f"{harmless(disk.identity)} ({disk.shown}) {why}")


def why_not(disk: Disk) -> str:
    """Why ``disk`` cannot be read as a whole; empty if it can."""
    if not disk.has_device:
        return "has no device: its RAID card does not show it"
    if not disk.size_bytes:
        return "reports no size"
    for claim in disk.taken_by:
        if claim.weight is not Weight.DATA and claim.what not in _CAN_BE_READ:
            free = f"; to free it: {claim.how_to_free}" if claim.how_to_free else ""
            return f"is in use: {harmless(claim.detail)}{harmless(free)}"
    return ""
