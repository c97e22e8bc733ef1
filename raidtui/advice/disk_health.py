"""The health of each disk in one line: its worst value, how that changed, and a verdict. Pure."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from raidtui.advice.hazards.health import failing
from raidtui.advice.smart_trends import Trend, trends
from raidtui.model.history import SmartRow
from raidtui.model.machine import Disk, Machine
from raidtui.model.smart import Smart
from raidtui.model.struct import Record


class Verdict(StrEnum):
    """What is to be done about a disk."""

    OK = "OK"
    WATCH = "WATCH"  # something becomes worse
    REPLACE = "REPLACE"  # it says that it fails
    UNKNOWN = "UNKNOWN"  # it says nothing: no SMART, asleep, or not read


_COUNTS: Final = {
    "pending_sectors": "pending",
    "uncorrectable_sectors": "uncorrectable",
    "uncorrected_errors": "uncorrected",
    "media_errors": "media errors",
    "reported_uncorrectable": "reported",
    "reallocated_sectors": "reallocated",
    "crc_errors": "CRC errors",
}
"""The counts of errors, the gravest first, in a word or two."""


class DiskHealth(Record, frozen=True, kw_only=True):
    """One disk."""

    disk: str  # its identity
    path: str
    model: str
    place: str  # the port or slot
    verdict: Verdict
    worst: str  # field of the value that is worst; empty if none is above zero
    words: str  # that value, in words; empty if none is above zero
    why: str  # of the verdict; empty if it is well
    trends: tuple[Trend, ...] = ()
    smart: Smart | None = None
    rows: tuple[SmartRow, ...] = ()  # oldest first


def health_of(machine: Machine, rows: Sequence[SmartRow] | None = None) -> tuple[DiskHealth, ...]:
    """The health of every disk of ``machine``, in its order.

    Args:
        rows: more history than the machine carries.
    """
    if rows is None:
        rows = machine.history.smart if machine.history is not None else ()
    today = machine.read_at[:10]
    return tuple(
        _of(disk, [row for row in rows if row.subject == disk.identity], today) for disk in machine.disks
    )


def _of(disk: Disk, rows: Sequence[SmartRow], today: str) -> DiskHealth:
    found = trends(disk, rows, today)
    bad = failing(disk)
    if bad:
        verdict, why = Verdict.REPLACE, bad
    elif found:
        verdict, why = Verdict.WATCH, "; ".join(one.words for one in found)
    elif disk.smart is None:
        verdict, why = Verdict.UNKNOWN, "it reports no SMART values, or they could not be read"
    elif disk.smart.is_silent or (disk.smart.passed is None and disk.smart.temperature_celsius is None):
        verdict, why = Verdict.UNKNOWN, "it reports no verdict of its own"
    else:
        verdict, why = Verdict.OK, ""
    worst = next((one.field for one in found), "") or _worst(disk.smart)
    return DiskHealth(
        disk=disk.identity,
        path=disk.path,
        model=disk.model,
        place=disk.port or disk.slot,
        verdict=verdict,
        worst=worst,
        words=_words(worst, disk.smart, rows),
        why=why,
        trends=found,
        smart=disk.smart,
        rows=tuple(rows),
    )


def _worst(smart: Smart | None) -> str:
    return next((field for field in _COUNTS if smart is not None and getattr(smart, field)), "")


def _words(field: str, smart: Smart | None, rows: Sequence[SmartRow]) -> str:
    now = getattr(smart, field, None) if field else None
    if now is None and field and rows:
        now = getattr(rows[-1], field)
    if now is None:
        return ""
    if field == "percentage_used":
        return f"{now} % worn"
    before = next((old for row in rows if (old := getattr(row, field)) is not None), None)
    change = f" (+{now - before})" if before is not None and now > before else ""
    return f"{now} {_COUNTS[field]}{change}"


def long_test_words(smart: Smart | None) -> str:
    """When the last long self-test that passed ended, or what failed; empty if the disk does not say."""
    if smart is None:
        return ""
    if smart.failed_test:
        return "FAILED"
    if smart.power_on_hours is None or smart.self_tests_logged is None:
        return ""
    if smart.long_test_hours is None:
        return "never"
    days = (smart.power_on_hours - smart.long_test_hours) % 65536 // 24  # the log keeps 16 bits of the hour
    return f"{days} d ago"


def history_lines(one: DiskHealth) -> list[str]:
    """What is known of a disk, and a line for each day."""
    lines = [f"{one.disk} ({one.path.removeprefix('/dev/')}), {one.model}: {one.verdict.value}"]
    if one.why:
        lines.append(f"   !  {one.why}")
    if not one.rows:
        return [*lines, "nothing is recorded yet; 'raidtui status --alert' records a row a day"]
    named = {
        name: word
        for name, word in _COLUMNS.items()
        if any(getattr(row, name) is not None for row in one.rows)
    }
    head = ("day", *named.values())
    cells = [head, *(_row(row, named) for row in one.rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    return [
        *lines,
        *("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells),
    ]


_COLUMNS: Final = {
    "temperature_celsius": "°C",
    "reallocated_sectors": "reallocated",
    "pending_sectors": "pending",
    "uncorrectable_sectors": "uncorrectable",
    "reported_uncorrectable": "reported",
    "uncorrected_errors": "uncorrected",
    "media_errors": "media errors",
    "crc_errors": "CRC errors",
    "percentage_used": "% worn",
}


def _row(row: SmartRow, named: dict[str, str]) -> tuple[str, ...]:
    values = (getattr(row, name) for name in named)
    return (row.day, *("-" if value is None else str(value) for value in values))
