"""Filesystems on units that the kernel stopped after an error, or in which it counted errors. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import SHUT_DOWN, Machine, Mount
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit

_BACK_UP: Final = Remedy(text="back up what can be read of it now")
_AGAIN: Final = Remedy(text="unmount it and mount it again, which replays its log; then back it up")
_SHOWN: Final = {"xfs": "XFS", "btrfs": "Btrfs"}
_CHECKS: Final = {"xfs": "xfs_repair -n", "btrfs": "btrfs check --readonly"}


def filesystem_findings(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """A finding for each; not where the unit below it has failed, which is the cause then."""
    by_place = {place: unit for unit in units for place in unit.mountpoints}
    found: dict[str, tuple[Unit, list[Mount]]] = {}
    for mount in machine.mounts:
        unit = by_place.get(mount.target)
        if mount.trouble and unit is not None and unit.health is not Health.FAILED:
            found.setdefault(mount.device or mount.target, (unit, []))[1].append(mount)
    for unit, mounts in found.values():
        first = mounts[0]
        yield Finding(
            name=first.target,
            kind=Kind.FILESYSTEM_ERRORS,
            what=f"{_SHOWN.get(first.type, first.type)} at {harmless(listed([one.target for one in mounts]))}: {harmless(first.trouble)}",
            unit=unit.uuid,
            never="repair the filesystem before its files are backed up",
            remedies=(_AGAIN if first.trouble.startswith(SHUT_DOWN) else _BACK_UP, _check(first)),
        )


def _check(mount: Mount) -> Remedy:
    program = _CHECKS.get(mount.type, "e2fsck -n")
    return Remedy(
        text=f"find the cause in the kernel log (dmesg), then unmount it and check it without repairing: {program}"
    )
