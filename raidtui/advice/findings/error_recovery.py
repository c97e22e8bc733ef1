"""Disks of a unit that retry a bad sector for longer than the kernel waits, so that one sector costs the disk. Pure.

The commonest reason why arrays of desktop drives lose members (raid.wiki.kernel.org, Timeout Mismatch).
"""

from collections.abc import Callable, Iterator, Sequence

from raidtui.advice.hazards.drives import KERNEL_PATIENCE_SECONDS, has_no_limit, is_limit_off
from raidtui.advice.redundancy import is_redundant_level
from raidtui.backends.unit_words import with_noun
from raidtui.model.finding import Finding, Kind, Remedy, concerned
from raidtui.model.machine import Disk, Machine
from raidtui.model.procedure import LimitRecovery
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Health, Unit


def error_recovery(
    machine: Machine, units: Sequence[Unit], name_of: Callable[[Unit], str]
) -> Iterator[Finding]:
    """A finding for each running unit with such disks that could read the sector from another member."""
    for unit in units:
        if not unit.uuid or unit.health in {Health.INACTIVE, Health.FAILED} or not is_redundant_level(unit):
            continue
        # Of none whose SMART data was not read.
        own = [disk for disk in machine.disks if disk.identity in {member.disk for member in unit.members}]
        drives, others = list(filter(is_limit_off, own)), list(filter(has_no_limit, own))
        if disks := [disk for disk in own if disk in drives or disk in others]:
            names = listed([harmless(one.identity) for one in disks])
            verb = "retries" if len(disks) == 1 else "retry"
            yield Finding(
                name=name_of(unit),
                kind=Kind.ERROR_RECOVERY,
                what=f"{with_noun(unit)}: {names} {verb} a bad sector longer than the kernel waits",
                unit=unit.uuid,
                disks=tuple(concerned(one, _state(one, "off" if one in drives else "none")) for one in disks),
                remedies=(
                    Remedy(
                        text=f"limit that for {count_of(disks, 'disk')}, now and at every boot",
                        procedure=LimitRecovery(
                            unit=unit.uuid,
                            drives=tuple(one.identity for one in drives),
                            kernel=tuple(one.identity for one in others),
                        ),
                    ),
                ),
            )


def _state(disk: Disk, limit: str) -> str:
    return f"error-recovery limit {limit}, kernel timeout {disk.scsi_timeout_seconds or KERNEL_PATIENCE_SECONDS} s"
