"""Read multi-device Btrfs from the kernel, udev and the disks."""

import re
from collections.abc import Iterator
from typing import Final

from raidtui.backends.btrfs.reading import read, read_now, reading_in
from raidtui.backends.btrfs.units import measured, units_in, units_of
from raidtui.backends.care import Replacement
from raidtui.backends.contract import Reader
from raidtui.machine.mounts import read_mounts
from raidtui.machine.seats import identity_under
from raidtui.machine.tree import HERE
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.system import System
from raidtui.model.unit import Unit

_TIMER: Final = "btrfs-scrub"
_PLAIN: Final = re.compile(r"/[A-Za-z0-9_/]*")  # what needs no further escapes


def _now() -> tuple[Unit, ...]:
    """Every multi-device Btrfs, from the kernel, udev and the disks: starts no process."""
    mounts = read_mounts(HERE)
    reading = read_now(mounts)
    devices = [device for one in reading.filesystems for device in one.devices]
    paths = {path for device in devices for path in (device.path, *device.alike) if path}
    return units_in(reading, disks={path: identity_under(path) for path in paths}, mounts=mounts)


def _care(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    from raidtui.backends.btrfs.care import care_for

    return care_for(unit, machine)


def _expected(machine: Machine) -> Iterator[Finding]:
    from raidtui.backends.btrfs.degraded_option import mounted_degraded
    from raidtui.backends.btrfs.fill import filling

    yield from mounted_degraded(machine)
    yield from filling(machine)


def _clones(machine: Machine) -> Iterator[tuple[str, tuple[str, ...]]]:
    reading = reading_in(machine)
    for one in reading.filesystems if reading is not None else ():
        for device in one.devices:
            if device.alike:
                yield one.uuid, (device.path, *device.alike)


def _scrub_timers(unit: Unit, system: System) -> tuple[str, ...]:
    """The timer for its first mount point, which systemd-escape(1) writes with - for /; none for unusual names."""
    place = unit.mountpoints[-1] if unit.mountpoints else ""
    plain = bool(_PLAIN.fullmatch(place))
    name = place.strip("/").replace("/", "-") or "-"
    return (f"{_TIMER}@{name}.timer",) if plain and f"{_TIMER}@.timer" in system.scrub_timers else ()


def _scrub_means(unit: Unit) -> str:
    if not unit.scrub_found:
        return ""
    return (
        "Checksums decide which copy is right, so what was corrected is right again. The kernel's log names the files with "
        "uncorrectable errors. Files without checksums (nodatacow) are not compared."
    )


READER: Final = Reader(
    interval=1.0,  # only sysfs and ioctls, which have no notification
    claims=frozenset({ClaimKind.BTRFS, ClaimKind.BTRFS_POOL}),
    read=read,
    units=units_of,
    now=_now,
    care=_care,
    catches_up=False,
    clones=_clones,
    expected=_expected,
    measured=measured,
    scrub_timers=_scrub_timers,
    scrub_means=_scrub_means,
)
