"""Hazards that a burn-in found, or that no burn-in has looked for."""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.burnin import verdict
from raidtui.backends.look import Check, Look, on_disks
from raidtui.model.history import BurnIn
from raidtui.model.machine import Disk
from raidtui.model.plan import Hazard, Severity
from raidtui.model.text import count_of

SLOW: Final = "burn-in-slow"
_NEW_HOURS: Final = 100  # a disk that has run longer has been tried by its use


def _tried(look: Look) -> Iterator[tuple[Disk, BurnIn]]:
    """The disks that were burned in, each with the last result."""
    history = look.machine.history if look.machine is not None else None
    last = {one.subject: one for one in history.burn_ins} if history is not None else {}
    yield from ((disk, last[disk.identity]) for disk in look.disks if disk.identity in last)


def errors(look: Look) -> Iterator[Hazard]:
    """Disks that could not be read in their burn-in."""
    yield from on_disks(
        "burn-in-errors",
        Severity.HIGH,
        [(disk, f"{one.at[:10]}: {verdict(one)}") for disk, one in _tried(look) if one.has_errors],
        meaning="The burn-in could not read all of this disk. What is built on it will meet the same sectors.",
        advice="Replace the disk. If it was repaired since, burn it in again: raidtui burnin",
        source="raidtui burnin, the last result of the disk",
    )


def slow(look: Look) -> Iterator[Hazard]:
    """Disks that were slower than their sisters in their burn-in."""
    yield from on_disks(
        SLOW,
        Severity.WARN,
        [
            (disk, f"{one.at[:10]}: {verdict(one)}")
            for disk, one in _tried(look)
            if one.slow and not one.has_errors
        ],
        meaning="An array is as slow as its slowest member. A disk slower than others of its model may be failing.",
        advice="Try another cable and port and burn it in again, or use another disk: raidtui burnin",
        source="raidtui burnin, the last result of the disk",
    )


def untried(look: Look) -> Iterator[Hazard]:
    """New disks that were never read as a whole here."""
    if look.machine is None or look.machine.history is None:
        return
    known = {disk.key for disk, _ in _tried(look)}
    yield from on_disks(
        "not-burned-in",
        Severity.INFO,
        [
            (disk, f"{count_of(hours, 'hour')} powered on")
            for disk in look.disks
            if disk.key not in known
            and disk.smart is not None
            and (hours := disk.smart.power_on_hours) is not None
            and hours <= _NEW_HOURS
        ],
        meaning="These disks are new, and nobody has read all of them yet.",
        advice="Read them all once before you trust them, side by side: raidtui burnin",
        source="raidtui's own rule: what fails early should fail before it holds data",
    )


CHECKS: Final[tuple[Check, ...]] = (errors, slow, untried)
