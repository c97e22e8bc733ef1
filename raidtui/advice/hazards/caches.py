"""Hazards of drive write caches, which lose writes in a power cut."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.look import Check, Look, of_disks, on_disks
from raidtui.model.machine import Disk
from raidtui.model.plan import Hazard, Severity

_REAL: Final = frozenset({"sata", "ata", "sas", "scsi", "nvme"})
_BACK: Final = "write back"
_THROUGH: Final = "write through"


def flushes_dropped(look: Look) -> Iterator[Hazard]:
    """The kernel believes that a drive has no write cache, and never sends it a flush."""
    seen = []
    ways = []
    for disk in look.disks:
        reported = disk.cache_type.startswith(_BACK)  # or "write back, no read (daft)"
        on = bool(disk.smart and disk.smart.write_cache)
        if disk.transport in _REAL and disk.write_cache == _THROUGH and (reported or on):
            seen.append((disk, "its write cache is on, and the kernel is set to write through"))
            ways.append(
                f"echo '{_BACK}' > /sys/block/{disk.name}/queue/write_cache"
                if reported
                else f"smartctl --set=wcache,off {disk.stable_path}"
            )
    yield from on_disks(
        "flushes-dropped",
        Severity.HIGH,
        seen,
        meaning=(
            "A power cut loses writes that were reported as done, those of the array's metadata too. The kernel never "
            "sends this drive a flush command."
        ),
        advice="; ".join(ways),
        source="Linux Documentation/ABI/stable/sysfs-block, write_cache: write through eliminates cache flushes",
    )


def _unprotected_flash(disk: Disk) -> bool:
    kept = disk.smart is not None and disk.smart.power_loss_protected is True
    return not disk.rotational and disk.transport in _REAL and disk.write_cache == _BACK and not kept


def unprotected(look: Look) -> Iterator[Hazard]:
    """Flash with a volatile cache and no known power-loss protection."""
    seen = [
        (disk, "a test of its capacitors failed")
        if disk.smart and disk.smart.power_loss_protected is False
        else (disk, "volatile write cache, no sign of power-loss protection")
        for disk in look.disks
        if _unprotected_flash(disk)
    ]
    parity = look.facts.parity > 0
    yield from on_disks(
        "no-power-loss-protection",
        Severity.WARN if parity else Severity.INFO,
        seen,
        meaning=(
            "A power cut loses what this drive has not written yet, and some flash drives then lose older data too"
            + ("; data and parity of a stripe no longer match." if parity else ".")
        ),
        advice="Use a UPS, or drives with power-loss protection. Never mount with nobarrier.",
        source="NVM Express base specification, volatile write cache; SMART attribute 175",
    )


CHECKS: Final[tuple[Check, ...]] = (
    flushes_dropped,
    unprotected,
    of_disks(
        "volatile-cache",
        Severity.INFO,
        lambda disk: (
            "write cache on"
            if disk.rotational and disk.transport in _REAL and disk.write_cache == _BACK
            else ""
        ),
        meaning=(
            "A power cut loses writes that the disk has not flushed yet. That is safe as long as barriers are on: "
            "every flush reaches the disk."
        ),
        advice="Use a UPS. Never mount with nobarrier.",
        source="Linux Documentation/block/writeback_cache_control.rst",
    ),
)
"""Every check of this family."""
