"""Hazards that the disks report themselves through SMART."""

from collections.abc import Callable, Iterator
from typing import Final

from raidtui.backends.look import Check, Look, on_disks, on_each
from raidtui.model.machine import Disk, Smart
from raidtui.model.plan import Hazard, Severity

OLD_HOURS: Final = 43_800  # five years
VERY_OLD_HOURS: Final = 70_000  # eight years
_PREDICTORS: Final = "Backblaze, SMART statistics: 5, 187, 188, 197 and 198 go before failures"


def _reported(look: Look, what: Callable[[Smart], str]) -> list[tuple[Disk, str]]:
    return [(disk, words) for disk in look.disks if disk.smart is not None and (words := what(disk.smart))]


_HOT: Final = 0b10
_WARNINGS: Final = {  # NVM Express base specification, SMART log, byte 0: Critical Warning
    0b1: "spare blocks below the threshold",
    _HOT: "temperature outside its limits",
    0b100: "reliability degraded",
    0b1000: "read-only",
    0b10000: "the backup of its volatile memory failed",
    0b100000: "persistent memory unreliable",
}


def _failed(smart: Smart) -> str:
    if smart.passed is not False or smart.critical_warning == _HOT:
        return ""
    warnings = [words for bit, words in _WARNINGS.items() if (smart.critical_warning or 0) & bit]
    return ", ".join(["SMART overall health: FAILED", *warnings])


def failing(look: Look) -> Iterator[Hazard]:
    """A drive that reports that it is failing."""
    yield from on_disks(
        "smart-failing",
        Severity.BLOCK,
        _reported(look, _failed),
        meaning="This drive reports that it is failing.",
        advice="Replace the disk before building. A build reads and writes all of it.",
        source=_PREDICTORS,
    )


def hot(look: Look) -> Iterator[Hazard]:
    """An NVMe drive whose only warning is its temperature."""
    yield from on_disks(
        "smart-temperature",
        Severity.HIGH,
        _reported(
            look,
            lambda smart: (
                f"{smart.temperature_celsius} °C, outside the drive's own limits"
                if smart.critical_warning == _HOT
                else ""
            ),
        ),
        meaning="The drive slows down or switches itself off at this temperature, and a build heats it further.",
        advice="Cool it before building, with a heat sink or more air. Then look again: raidtui inspect",
        source="NVM Express base specification, SMART log: Critical Warning",
    )


def spare_blocks(look: Look) -> Iterator[Hazard]:
    """Flash with few spare blocks left."""
    seen = [
        (disk, f"{smart.available_spare} % of the spare blocks left, the maker's limit is {limit} %")
        for disk in look.disks
        if (smart := disk.smart) is not None
        and (limit := smart.available_spare_threshold) is not None
        and smart.available_spare is not None
        and smart.available_spare < limit
    ]
    yield from on_disks(
        "spare-blocks",
        Severity.HIGH,
        seen,
        meaning="The drive will soon refuse writes: it has almost no blocks left to replace bad ones.",
        advice="Replace the drive before building: " + on_each("smartctl -A", seen),
        source="NVM Express base specification, SMART log: Available Spare",
    )


def _unreadable(smart: Smart) -> str:
    counts = {
        "pending sectors": smart.pending_sectors,
        "uncorrectable sectors": smart.uncorrectable_sectors,
        "reported uncorrectable errors": smart.reported_uncorrectable,
        "uncorrected errors": smart.uncorrected_errors,
        "media errors": smart.media_errors,
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def unreadable(look: Look) -> Iterator[Hazard]:
    """Sectors that could not be read."""
    seen = _reported(look, _unreadable)
    yield from on_disks(
        "smart-unreadable",
        Severity.HIGH,
        seen,
        meaning="This disk has sectors that it could not read. Such disks fail far more often in the following months.",
        advice=(
            "Test it before you trust it: "
            + on_each("smartctl -t long", seen)
            + ". Replace the disk if the count does not go away."
        ),
        source=_PREDICTORS,
    )


def reallocated(look: Look) -> Iterator[Hazard]:
    """Sectors replaced by spare ones."""
    seen = _reported(
        look,
        lambda smart: f"{smart.reallocated_sectors} reallocated sectors" if smart.reallocated_sectors else "",
    )
    yield from on_disks(
        "smart-reallocated",
        Severity.WARN,
        seen,
        meaning="The drive has replaced bad sectors with spare ones. If the count grows, the disk is failing.",
        advice="Note the count, and check it again after the build: " + on_each("smartctl -A", seen),
        source=_PREDICTORS,
    )


TIMEOUTS: Final = 100


def timeouts(look: Look) -> Iterator[Hazard]:
    """Commands that the drive did not answer in time."""
    seen = _reported(
        look,
        lambda smart: (
            f"{smart.command_timeouts} commands timed out" if (smart.command_timeouts or 0) > TIMEOUTS else ""
        ),
    )
    yield from on_disks(
        "smart-timeouts",
        Severity.WARN,
        seen,
        meaning="The drive often did not answer in time. The power supply is weak, the cable is bad, or the drive is failing.",
        advice="Check power and cable, then see whether the count grows: " + on_each("smartctl -A", seen),
        source=_PREDICTORS,
    )


def slow_link(look: Look) -> Iterator[Hazard]:
    """A SATA link slower than the drive supports."""
    seen = []
    for disk in look.disks:
        now, best = (
            (disk.smart.link_bits_per_second, disk.smart.link_best_bits_per_second)
            if disk.smart
            else (None, None)
        )
        if now is not None and best is not None and now < best:
            seen.append((disk, f"link at {now / 1e9:g} Gb/s, the drive can do {best / 1e9:g} Gb/s"))
    yield from on_disks(
        "slow-link",
        Severity.WARN,
        seen,
        meaning="The link runs slower than the drive can. The port is old, or the cable failed at full speed.",
        advice="Try another cable and port, reboot, and check again: " + on_each("smartctl -i", seen),
        source="Serial ATA, speed negotiation; smartctl(8), --info",
    )


def password(look: Look) -> Iterator[Hazard]:
    """A drive that locks itself at the next power loss."""
    seen = _reported(look, lambda smart: "an ATA password is set" if smart.password_set else "")
    yield from on_disks(
        "ata-password",
        Severity.HIGH,
        seen,
        meaning="The drive locks itself whenever it loses power. It is then missing from the array until somebody unlocks it.",
        advice="Remove the password first: " + on_each("hdparm --security-disable PASSWORD", seen),
        source="hdparm(8), --security-disable; ATA security feature set",
    )


def checksums(look: Look) -> Iterator[Hazard]:
    """Corrupted transfers between drive and controller."""
    seen = _reported(
        look, lambda smart: f"{smart.crc_errors} interface CRC errors" if smart.crc_errors else ""
    )
    yield from on_disks(
        "smart-crc",
        Severity.WARN,
        seen,
        meaning="Data was damaged between drive and controller. The cause is nearly always the cable or its plug.",
        advice=(
            "Reseat or replace the cable. The count never falls, so see whether it grows: "
            + on_each("smartctl -A", seen)
        ),
        source="SMART attribute 199",
    )


def _test_failed(smart: Smart) -> str:
    if smart.failed_test:
        return f"self-test failed: {smart.failed_test}"
    word = smart.self_test.lower()
    bad = any(sign in word for sign in ("fail", "fatal", "read failure", "servo", "electrical"))
    return f"last self-test: {smart.self_test}" if bad and "without error" not in word else ""


def self_test_failed(look: Look) -> Iterator[Hazard]:
    """A failed self-test that no later test has cleared."""
    seen = _reported(look, _test_failed)
    yield from on_disks(
        "self-test-failed",
        Severity.BLOCK,
        seen,
        meaning="The drive failed its own self-test.",
        advice="Replace the disk, or run a long self-test that passes: " + on_each("smartctl -t long", seen),
        source="smartctl(8), --log=selftest",
    )


TESTED_HOURS: Final = 720  # a month


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


def untested(look: Look) -> Iterator[Hazard]:
    """A drive with a self-test log, but without a recent long self-test."""
    seen = _reported(look, _untested)
    yield from on_disks(
        "untested",
        Severity.WARN,
        seen,
        meaning="The build may hit bad sectors: no long self-test has looked for them lately.",
        advice="Run a long self-test before building: " + on_each("smartctl -t long", seen),
        source="smartctl(8), --test=long",
    )


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


RESET_HOURS: Final = 100  # more than the two logs differ by because they are written at different times


def reset(look: Look) -> Iterator[Hazard]:
    """A used drive sold as new: its SMART counters were reset, but not the vendor's log."""
    seen = _reported(
        look,
        lambda smart: (
            f"SMART says {smart.power_on_hours:,} hours powered on, the maker's own log {smart.farm_hours:,}"
            if smart.farm_hours is not None
            and smart.power_on_hours is not None
            and smart.farm_hours > smart.power_on_hours + RESET_HOURS
            else ""
        ),
    )
    yield from on_disks(
        "smart-reset",
        Severity.HIGH,
        seen,
        meaning="This drive is older than it reports: its SMART counters were reset. Its SMART history cannot be trusted.",
        advice="Return it if it was sold as new: " + on_each("smartctl -l farm", seen),
        source="smartctl(8), --log=farm; Seagate drives resold as new in 2025",
    )


def wear(look: Look) -> Iterator[Hazard]:
    """Flash that is nearly worn out."""
    yield from on_disks(
        "wear",
        Severity.WARN,
        _reported(
            look,
            lambda smart: (
                f"{smart.percentage_used} % of its rated writes" if (smart.percentage_used or 0) >= 80 else ""
            ),
        ),
        meaning="This SSD has used most of the writes that its maker rates it for.",
        advice="Replace it before building.",
        source="NVMe SMART log, percentage used",
    )


def unknown(look: Look) -> Iterator[Hazard]:
    """Disks whose SMART was not read, although they may have it."""
    seen = [
        (disk, "SMART was not read")
        for disk in look.disks
        if disk.smart is None and disk.transport in {"sata", "ata", "sas", "nvme"}
    ]
    reachable = [(disk, what) for disk, what in seen if disk.has_device or disk.smart_words]
    check = on_each("smartctl -x", reachable) if reachable else "with the tool of its RAID card"
    yield from on_disks(
        "smart-unread",
        Severity.INFO,
        seen,
        meaning="Health and error-recovery limits are unknown.",
        advice=(
            "Run: apt-get install smartmontools, then raidtui as root"
            if look.machine and "smartctl" not in look.machine.tools
            else f"Check it: {check}"
        ),
        source="smartctl(8)",
    )


CHECKS: Final[tuple[Check, ...]] = (
    failing,
    hot,
    spare_blocks,
    self_test_failed,
    unreadable,
    reallocated,
    timeouts,
    checksums,
    slow_link,
    password,
    untested,
    age,
    reset,
    wear,
    unknown,
)
