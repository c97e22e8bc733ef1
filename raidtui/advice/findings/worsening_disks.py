"""Disks that do not say that they fail, and whose SMART values become worse. Pure."""

from collections.abc import Iterator, Sequence

from raidtui.advice.findings.failing_disks import members_on
from raidtui.advice.hazards.health import failing
from raidtui.advice.smart_trends import Trend, trends
from raidtui.backends.care import called
from raidtui.model.finding import Finding, Kind, Remedy, concerned
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit


def trends_of(machine: Machine) -> dict[str, tuple[Trend, ...]]:
    """By identity of the disk, what becomes worse; without disks whose history says nothing."""
    rows = machine.history.smart if machine.history is not None else ()
    today = machine.read_at[:10]
    found = {disk.identity: trends(disk, rows, today) for disk in machine.disks if disk.identity and rows}
    return {disk: some for disk, some in found.items() if some}


def worsening(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """A finding for each disk whose values become worse, unless it already says that it fails."""
    known = trends_of(machine)
    for disk in machine.disks:
        if (some := known.get(disk.identity)) and not failing(disk):
            yield _finding(disk, some, [unit for unit in units if members_on(unit, {disk.identity})])


def to_do(disk: Disk, some: Sequence[Trend], units: Sequence[Unit]) -> tuple[str, ...]:
    """What to do about a disk that becomes worse or, without trends, says that it fails: a sentence each.

    Args:
        units: all units here.
    """
    name = harmless(disk.identity)
    in_unit = any(members_on(unit, {disk.identity}) for unit in units)
    if not some:
        some = (Trend(field="", words=""),)
    return tuple(dict.fromkeys(_to_do(one, name, in_unit) for one in some))


def _finding(disk: Disk, some: Sequence[Trend], units: Sequence[Unit]) -> Finding:
    name, words = harmless(disk.identity), listed([one.words for one in some])
    where = f", in {listed([harmless(unit.shown) for unit in units])}" if units else ""
    return Finding(
        name=disk.identity,
        kind=Kind.WORSENING_DISK if any(one.failing for one in some) else Kind.WORN_DISK,
        what=f"disk {called(disk)}{where}: {words}",
        disks=(concerned(disk, words),),
        remedies=tuple(dict.fromkeys(Remedy(text=_to_do(one, name, bool(units))) for one in some)),
    )


def _to_do(trend: Trend, name: str, in_unit: bool) -> str:
    if trend.field == "crc_errors":
        return (
            f"switch off, then plug in or replace the cable of {name}; its data is sent again and is not lost"
        )
    if not trend.failing:
        return f"have a replacement for {name} at hand before its rated life ends"
    if in_unit:
        return (
            f"replace it while it works: 'raidtui replace {name} NEW', with the serial number of the new disk"
        )
    return f"put nothing on {name} that is not elsewhere too"
