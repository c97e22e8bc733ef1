"""Pools with little room left: ZFS writes new blocks beside the old ones, and searches longer for room. Pure.

Source: the practices for storage pools in the Solaris ZFS administration guide, which says to stay below 80 percent.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.zfs.report import reading_in
from raidtui.model.chance import share
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.text import harmless

_FILLING: Final = 0.80
_FULL: Final = 0.95


def filling(machine: Machine) -> Iterator[Finding]:
    """A finding for each imported pool that is nearly full."""
    report = reading_in(machine)
    for pool in report.pools if report is not None else ():
        part = pool.allocated_bytes / pool.size_bytes if pool.size_bytes else 0.0
        if part >= _FILLING:
            yield Finding(
                name=pool.name,
                kind=Kind.FULL if part >= _FULL else Kind.FILLING,
                what=f"pool {harmless(pool.name)}: {share(min(1.0, part))} full",
                unit=pool.guid,
                remedies=(
                    Remedy(
                        text="delete what is not needed, old snapshots first (-t snapshot in zfs-list(8)), or let the pool grow "
                        "(raidtui grow)"
                    ),
                ),
            )
