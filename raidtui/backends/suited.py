"""Which backends can build on the chosen disks: a card's backend on drives behind that card, and only on those."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.registry import FOLDERS, OF_CARDS
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk
from raidtui.model.spec import Backend
from raidtui.model.text import harmless
from raidtui.steps.pieces import called

OF_DISKS: Final = tuple(name for name in FOLDERS if name is not Backend.DISK and name not in OF_CARDS)
"""Backends that build on disks that the kernel sees, the usual one first."""


def suited_to(disks: Sequence[Disk]) -> tuple[Backend, ...]:
    """The backends that can build on ``disks``, the usual one first.

    Raises:
        BadInput: no backend takes these disks together; the text names two that do not go together.
    """
    behind = [disk for disk in disks if not disk.has_device]
    if not behind:
        return OF_DISKS
    first = behind[0]
    for disk in disks:
        if disk.has_device:
            raise BadInput(
                f"{called(first)} ({first.shown}) is behind a RAID card and {called(disk)} ({disk.shown}) is not; "
                "choose drives of one card, or disks that are not behind one"
            )
        if _card(disk) != _card(first):
            raise BadInput(
                f"{called(first)} ({first.shown}) and {called(disk)} ({disk.shown}) are behind two RAID cards; "
                "choose drives of one card"
            )
    driver = first.controller.driver if first.controller is not None else ""
    found = tuple(name for name, drivers in OF_CARDS.items() if driver in drivers)
    if not found:
        raise BadInput(
            f"raidtui cannot build behind a RAID card with the driver {harmless(driver) or 'unknown'}"
        )
    return found


def _card(disk: Disk) -> str:
    return disk.controller.address if disk.controller is not None else ""
