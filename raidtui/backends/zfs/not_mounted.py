"""Datasets that zfs mounts at boot and that are not mounted, such as one whose key is not loaded. Pure."""

import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.backends.zfs.report import Dataset, reading_in
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.text import count_of, harmless, listed

_NAMED: Final = 3


def not_mounted(machine: Machine) -> Iterator[Finding]:
    """A finding for each imported pool with such datasets."""
    report = reading_in(machine)
    if report is None:
        return
    for pool in report.pools:
        found = [one for one in report.of(pool) if _waits(one)]
        if found:
            locked = [one for one in found if one.locked]
            yield Finding(
                name=pool.name,
                kind=Kind.WAITING,
                what=f"pool {harmless(pool.name)}: {_not_mounted(found)}{_without_key(locked, found)}",
                unit=pool.guid,
                remedies=(_remedy(found, locked),),
            )


def _waits(one: Dataset) -> bool:
    return one.mounts_itself and not one.mounted and one.mountpoint.startswith("/")


def _not_mounted(found: list[Dataset]) -> str:
    if len(found) == 1:
        return f"dataset {harmless(found[0].name)} is not mounted at {harmless(found[0].mountpoint)}"
    return f"{count_of(found, 'dataset')} are not mounted: {_named(found)}"


def _without_key(locked: list[Dataset], found: list[Dataset]) -> str:
    if not locked:
        return ""
    if len(locked) == len(found):
        return f", because {'its key is' if len(found) == 1 else 'their keys are'} not loaded"
    keys = "the key of {} is" if len(locked) == 1 else "the keys of {} are"
    return f"; {keys.format(_named(locked))} not loaded"


def _named(some: list[Dataset]) -> str:
    more = len(some) - _NAMED
    names = [harmless(one.name) for one in some[:_NAMED]]
    return listed([*names, f"{more} more"] if more > 0 else names)


def _remedy(found: list[Dataset], locked: list[Dataset]) -> Remedy:
    alone = found[0].name if len(found) == 1 else ""
    if locked:
        keys = "the key" if len(locked) == 1 else "the keys"
        return Remedy(
            text=f"load {keys} and mount what is locked: zfs asks for the passphrase, or reads the file in keylocation",
            commands=(f"zfs mount -l {shlex.quote(alone)}" if alone else "zfs mount -l -a",),
        )
    return Remedy(
        text="mount what is not mounted; if zfs refuses, its message says why (files at the mount point, as a rule)",
        commands=(f"zfs mount {shlex.quote(alone)}" if alone else "zfs mount -a",),
    )
