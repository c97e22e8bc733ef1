"""Read pools with zpool and zfs."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import Replacement
from raidtui.backends.contract import Reader
from raidtui.backends.zfs.reading import now, read
from raidtui.backends.zfs.units import measured, units_in, units_of, unknown
from raidtui.machine.ask import ask_patiently
from raidtui.machine.seats import identity_under
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.system import System
from raidtui.model.unit import Unit

_TIMER: Final = "zfs-scrub-monthly"


def _now() -> tuple[Unit, ...]:
    report = now(ask_patiently)
    if report is None:
        return ()
    paths = {leaf.path for pool in report.pools for leaf in pool.status.leaves if leaf.path}
    paths |= {device for other in report.others for device in other.devices}
    return units_in(report, disks={path: identity_under(path) for path in paths})


def _care(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    from raidtui.backends.zfs.care import care_for

    return care_for(unit, machine)


def _expected(machine: Machine) -> Iterator[Finding]:
    from raidtui.backends.zfs.fill import filling
    from raidtui.backends.zfs.not_installed import not_installed
    from raidtui.backends.zfs.not_mounted import not_mounted

    yield from not_installed(machine)
    yield from filling(machine)
    yield from not_mounted(machine)


def _scrub_timers(unit: Unit, system: System) -> tuple[str, ...]:
    return (f"{_TIMER}@{unit.name}.timer",) if f"{_TIMER}@.timer" in system.scrub_timers else ()


def _scrub_means(unit: Unit) -> str:
    if not unit.scrub_found:
        return ""
    return "'zpool status -v' names the files that could not be corrected."


READER: Final = Reader(
    interval=2.0,  # each poll starts processes
    claims=frozenset({ClaimKind.ZFS}),
    read=read,
    units=units_of,
    unknown=unknown,
    now=_now,
    care=_care,
    expected=_expected,
    measured=measured,
    scrub_timers=_scrub_timers,
    scrub_means=_scrub_means,
)
