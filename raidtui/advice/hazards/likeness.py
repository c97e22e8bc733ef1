"""Hazards of disks that are too much alike and may fail at the same time."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from raidtui.backends.look import Check, Look, on_disks
from raidtui.model.machine import Disk
from raidtui.model.plan import Hazard, Severity

_PHYSICAL: Final = frozenset({"sata", "ata", "sas", "nvme"})
_NEAR_WWN: Final = 10_000  # our own guess of one batch
_NEAR_HOURS: Final = 24


def _wwn(disk: Disk) -> int | None:
    try:
        return int(disk.wwn.removeprefix("0x"), 16)
    except ValueError:
        return None


def _hours(disk: Disk) -> int | None:
    return disk.smart.power_on_hours if disk.smart else None


def _one_batch(a: Disk, b: Disk) -> bool:
    if a.transport not in _PHYSICAL or not a.model or (a.model, a.firmware) != (b.model, b.firmware):
        return False
    wwns = _wwn(a), _wwn(b)
    if wwns[0] is not None and wwns[1] is not None and abs(wwns[0] - wwns[1]) < _NEAR_WWN:
        return True
    if a.smart and b.smart and a.smart.assembled and a.smart.assembled == b.smart.assembled:
        return True
    hours = _hours(a), _hours(b)
    same_age = hours[0] is not None and hours[1] is not None and abs(hours[0] - hours[1]) <= _NEAR_HOURS
    return same_age and len(a.serial) > 5 and a.serial[:5] == b.serial[:5]


def same_batch(look: Look) -> Iterator[Hazard]:
    """Disks that appear to come from one production batch and to have the same history."""
    if not look.redundant:
        return
    alike = {disk.key for pair in combinations(look.disks, 2) if _one_batch(*pair) for disk in pair}
    yield from on_disks(
        "same-batch",
        Severity.WARN,
        [(disk, f"{disk.model} {disk.firmware}".strip()) for disk in look.disks if disk.key in alike],
        meaning=(
            "These disks may fail close together. They seem to come from one batch: assembled in one week, or "
            "close WWNs, or close serials and equal hours."
        ),
        advice="Mix batches or makers, at least within a mirror. Keep a replacement of another make on the shelf.",
        source="Paris and Long, StorageSS 2006; which disks are one batch is our own guess",
    )


def equal_wear(look: Look) -> Iterator[Hazard]:
    """Mirrored flash of one model, which wears out together."""
    if not look.redundant or look.facts.parity:
        return
    worn = [
        d
        for d in look.disks
        if not d.rotational and d.smart and d.smart.percentage_used is not None and d.model
    ]
    alike = {
        disk.path
        for a, b in combinations(worn, 2)
        if a.model == b.model and a.smart and b.smart and a.smart.percentage_used == b.smart.percentage_used
        for disk in (a, b)
    }
    yield from on_disks(
        "equal-wear",
        Severity.WARN,
        [(disk, f"{disk.smart.percentage_used} % worn") for disk in worn if disk.key in alike and disk.smart],
        meaning="SSDs of one model and equal wear wear out together: both halves of a mirror get the same writes.",
        advice="Use different models in a mirror, or replace one of them early.",
        source="practice of rsync.net: mixed models in every mirror",
    )


CHECKS: Final[tuple[Check, ...]] = (same_batch, equal_wear)
