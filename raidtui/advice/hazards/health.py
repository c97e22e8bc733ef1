"""Hazards that the disks report themselves through SMART."""

from collections.abc import Callable, Iterator
from typing import Final

from raidtui.backends.look import Check, Look, of_disks, on_disks, on_each
from raidtui.model.machine import Disk
from raidtui.model.packages import to_install
from raidtui.model.plan import Hazard, Severity
from raidtui.model.smart import Smart

OLD_HOURS: Final = 43_800  # five years
VERY_OLD_HOURS: Final = 70_000  # eight years
_PREDICTORS: Final = "Backblaze, SMART statistics: 5, 187, 188, 197 and 198 go before failures"
TIMEOUTS: Final = 100
TESTED_HOURS: Final = 720  # a month
RESET_HOURS: Final = 100  # more than the two logs differ by because they are written at different times
_HOT: Final = 0b10
_NO_COUNT: Final = 0xFFFF  # all bits of 16, or of more
_WARNINGS: Final = {  # NVM Express base specification, SMART log, byte 0: Critical Warning
    0b1: "spare blocks below the threshold",
    _HOT: "temperature outside its limits",
    0b100: "reliability degraded",
    0b1000: "read-only",
    0b10000: "the backup of its volatile memory failed",
    0b100000: "persistent memory unreliable",
}


def _on_smart(
    id: str,  # noqa: A002
    severity: Severity,
    what: Callable[[Smart], str],
    *,
    meaning: str,
    advice: str,
    source: str,
    command: str = "",
) -> Check:
    """A check of the SMART data of each disk; the arguments are those of `of_disks`."""

    def seen(disk: Disk) -> str:
        return what(disk.smart) if disk.smart is not None else ""

    return of_disks(id, severity, seen, meaning=meaning, advice=advice, source=source, command=command)


def _failed(smart: Smart) -> str:
    below = [f"{one} below the maker's limit" for one in smart.below_limit]
    if smart.passed is not False or smart.critical_warning == _HOT:
        return ", ".join(below)
    warnings = [words for bit, words in _WARNINGS.items() if (smart.critical_warning or 0) & bit]
    return ", ".join(["SMART overall health: FAILED", *warnings, *below])


def _hot(smart: Smart) -> str:
    only = smart.critical_warning == _HOT
    return f"{smart.temperature_celsius} °C, outside the drive's own limits" if only else ""


def _few_spare_blocks(smart: Smart) -> str:
    left, limit = smart.available_spare, smart.available_spare_threshold
    few = left is not None and limit is not None and left < limit
    return f"{left} % of the spare blocks left, the maker's limit is {limit} %" if few else ""


def _test_failed(smart: Smart) -> str:
    """A failed self-test that no later test has cleared."""
    if smart.failed_test:
        return f"self-test failed: {smart.failed_test}"
    word = smart.self_test.lower()
    bad = any(sign in word for sign in ("fail", "fatal", "read failure", "servo", "electrical"))
    return f"last self-test: {smart.self_test}" if bad and "without error" not in word else ""


def _unreadable(smart: Smart) -> str:
    counts = {
        "pending sectors": smart.pending_sectors,
        "uncorrectable sectors": smart.uncorrectable_sectors,
        "reported uncorrectable errors": smart.reported_uncorrectable,
        "uncorrected errors": smart.uncorrected_errors,
        "media errors": smart.media_errors,
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def failing(disk: Disk) -> str:
    """What says that ``disk`` is about to fail, in words; empty if nothing does.

    Counters that never fall say only that something went wrong once. Drives that pack several values into one number,
    or do not count at all, report more sectors than they have.
    """
    if disk.smart is None:
        return ""
    sectors = disk.size_bytes // disk.logical_sector_bytes
    counts = {
        "pending sectors": disk.smart.pending_sectors or 0,
        "uncorrectable sectors": disk.smart.uncorrectable_sectors or 0,
    }
    bad = (f"{count} {name}" for name, count in counts.items() if 0 < count < min(sectors, _NO_COUNT))
    return ", ".join(filter(None, (_failed(disk.smart), _test_failed(disk.smart), *bad)))


def _slow(smart: Smart) -> str:
    now, best = smart.link_bits_per_second, smart.link_best_bits_per_second
    if now is None or best is None or now >= best:
        return ""
    return f"link at {now / 1e9:g} Gb/s, the drive can do {best / 1e9:g} Gb/s"


def _untested(smart: Smart) -> str:
    now = smart.power_on_hours
    if now is None:
        return ""
    if smart.self_tests_logged is None:  # NVMe does not tell long tests from short ones
        return _since(now, smart.self_test_hours, "self-test")
    if smart.long_test_hours is None and now > TESTED_HOURS:
        return (
            f"none of the last {smart.self_tests_logged} self-tests was a long one that passed"
            if smart.self_tests_logged
            else "no self-test in the drive's log"
        )
    return _since(now, smart.long_test_hours, "long self-test")


def _since(now: int, then: int | None, what: str) -> str:
    if then is None:
        return ""
    hours = (now - then) % 65536  # the log keeps 16 bits of the hour
    return f"last {what} {hours} power-on hours ago" if hours > TESTED_HOURS else ""


def age(look: Look) -> Iterator[Hazard]:
    """Disks more than five years old."""
    hours = [
        (disk, disk.smart.power_on_hours) for disk in look.disks if disk.smart and disk.smart.power_on_hours
    ]
    oldest = max((number for _, number in hours if number), default=0)
    yield from on_disks(
        "age",
        Severity.HIGH if oldest > VERY_OLD_HOURS else Severity.WARN,
        [(disk, f"{number:,} hours powered on") for disk, number in hours if number and number > OLD_HOURS],
        meaning="Disks fail more often from their sixth year on.",
        advice="Assume a higher failure rate (raidtui calc --afr 3%), and keep a replacement on the shelf.",
        source="Backblaze drive statistics 2025: peak at ten years",
    )


def _was_reset(smart: Smart) -> str:
    """A used drive sold as new: its SMART counters were reset, but not the vendor's log."""
    says, own = smart.power_on_hours, smart.farm_hours
    lies = own is not None and says is not None and own > says + RESET_HOURS
    return f"SMART says {says:,} hours powered on, the maker's own log {own:,}" if lies else ""


def unknown(look: Look) -> Iterator[Hazard]:
    """Disks whose SMART was not read, although they may have it."""
    seen = [
        (disk, "SMART was not read" if disk.smart is None else "SMART says nothing of its health")
        for disk in look.disks
        if (disk.smart is None or disk.smart.is_silent) and disk.transport in {"sata", "ata", "sas", "nvme"}
    ]
    reachable = [(disk, what) for disk, what in seen if disk.has_device or disk.smart_words]
    check = on_each("smartctl -x", reachable) if reachable else "with the tool of its RAID card"
    yield from on_disks(
        "smart-unread",
        Severity.INFO,
        seen,
        meaning="Health and error-recovery limits are unknown.",
        advice=(
            f"Install smartctl ({to_install(['smartmontools'], look.machine.system.family)}), then run raidtui as root"
            if look.machine and "smartctl" not in look.machine.tools
            else f"Check it: {check}"
        ),
        source="smartctl(8)",
    )


CHECKS: Final[tuple[Check, ...]] = (
    _on_smart(
        "smart-failing",
        Severity.BLOCK,
        _failed,
        meaning="This drive reports that it is failing.",
        advice="Replace the disk before building. A build reads and writes all of it.",
        source=_PREDICTORS,
    ),
    _on_smart(
        "smart-temperature",
        Severity.HIGH,
        _hot,
        meaning="The drive slows down or switches itself off at this temperature, and a build heats it further.",
        advice="Cool it before building, with a heat sink or more air. Then look again: raidtui inspect",
        source="NVM Express base specification, SMART log: Critical Warning",
    ),
    _on_smart(
        "spare-blocks",
        Severity.HIGH,
        _few_spare_blocks,
        meaning="The drive will soon refuse writes: it has almost no blocks left to replace bad ones.",
        advice="Replace the drive before building: {}",
        command="smartctl -A",
        source="NVM Express base specification, SMART log: Available Spare",
    ),
    _on_smart(
        "self-test-failed",
        Severity.BLOCK,
        _test_failed,
        meaning="The drive failed its own self-test.",
        advice="Replace the disk, or run a long self-test that passes: {}",
        command="smartctl -t long",
        source="smartctl(8), --log=selftest",
    ),
    _on_smart(
        "smart-unreadable",
        Severity.HIGH,
        _unreadable,
        meaning="This disk has sectors that it could not read. Such disks fail far more often in the following months.",
        advice="Test it before you trust it: {}. Replace the disk if the count does not go away.",
        command="smartctl -t long",
        source=_PREDICTORS,
    ),
    _on_smart(
        "smart-reallocated",
        Severity.WARN,
        lambda smart: f"{smart.reallocated_sectors} reallocated sectors" if smart.reallocated_sectors else "",
        meaning="The drive has replaced bad sectors with spare ones. If the count grows, the disk is failing.",
        advice="Note the count, and check it again after the build: {}",
        command="smartctl -A",
        source=_PREDICTORS,
    ),
    _on_smart(
        "smart-timeouts",
        Severity.WARN,
        lambda smart: (
            f"{smart.command_timeouts} commands timed out" if (smart.command_timeouts or 0) > TIMEOUTS else ""
        ),
        meaning="The drive often did not answer in time. The power supply is weak, the cable is bad, or the drive is failing.",
        advice="Check power and cable, then see whether the count grows: {}",
        command="smartctl -A",
        source=_PREDICTORS,
    ),
    _on_smart(
        "smart-crc",
        Severity.WARN,
        lambda smart: f"{smart.crc_errors} interface CRC errors" if smart.crc_errors else "",
        meaning="Data was damaged between drive and controller. The cause is nearly always the cable or its plug.",
        advice="Reseat or replace the cable. The count never falls, so see whether it grows: {}",
        command="smartctl -A",
        source="SMART attribute 199",
    ),
    _on_smart(
        "slow-link",
        Severity.WARN,
        _slow,
        meaning="The link runs slower than the drive can. The port is old, or the cable failed at full speed.",
        advice="Try another cable and port, reboot, and check again: {}",
        command="smartctl -i",
        source="Serial ATA, speed negotiation; smartctl(8), --info",
    ),
    _on_smart(
        "ata-password",
        Severity.HIGH,
        lambda smart: "an ATA password is set" if smart.password_set else "",
        meaning="The drive locks itself whenever it loses power. It is then missing from the array until somebody unlocks it.",
        advice="Remove the password first: {}",
        command="hdparm --security-disable PASSWORD",
        source="hdparm(8), --security-disable; ATA security feature set",
    ),
    _on_smart(
        "untested",
        Severity.WARN,
        _untested,
        meaning="The build may hit bad sectors: no long self-test has looked for them lately.",
        advice="Run a long self-test before building: {}",
        command="smartctl -t long",
        source="smartctl(8), --test=long",
    ),
    age,
    _on_smart(
        "smart-reset",
        Severity.HIGH,
        _was_reset,
        meaning="This drive is older than it reports: its SMART counters were reset. Its SMART history cannot be trusted.",
        advice="Return it if it was sold as new: {}",
        command="smartctl -l farm",
        source="smartctl(8), --log=farm; Seagate drives resold as new in 2025",
    ),
    _on_smart(
        "wear",
        Severity.WARN,
        lambda smart: (
            f"{smart.percentage_used} % of its rated writes" if (smart.percentage_used or 0) >= 80 else ""
        ),
        meaning="This SSD has used most of the writes that its maker rates it for.",
        advice="Replace it before building.",
        source="NVMe SMART log, percentage used",
    ),
    unknown,
)
