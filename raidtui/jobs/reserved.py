"""The disks that a sweep has reserved: between two turns they are blank, and nothing else shows that they are in use."""

from collections.abc import Iterator
from contextlib import suppress

from msgspec.structs import replace

from raidtui.jobs.disk_locks import is_reserved
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Weight


def with_reserved(machine: Machine) -> Machine:
    """``machine`` with a claim on each disk that a running sweep has reserved and that can be chosen otherwise."""
    # Every job locks its disks while it runs, so jobs are looked through only if one of these is locked.
    taken = dict(_reserved(machine)) if any(map(_is_reserved, machine.disks)) else {}
    disks = tuple(_claimed(disk, taken.get(disk.key, "")) for disk in machine.disks)
    return replace(machine, disks=disks) if taken else machine


def _is_reserved(disk: Disk) -> bool:
    with suppress(OSError):  # only root's locks can be asked for
        return is_reserved(disk.identity)
    return False


def _reserved(machine: Machine) -> Iterator[tuple[str, str]]:
    """The key of each such disk, with the id of the sweep."""
    from raidtui.jobs.journal import LOCK  # mostly no disk is reserved, and no job is looked at
    from raidtui.jobs.lock import is_locked
    from raidtui.jobs.store import job_folders, read_request

    try:
        folders = job_folders()
    except BadInput:
        return
    for folder in folders:
        with suppress(RaidtuiError, OSError):  # of what cannot be read, only root's locks tell
            sweep = read_request(folder).sweep if is_locked(folder / LOCK) else None
            for word in sweep.disks if sweep is not None else ():
                with suppress(BadInput):  # it is pulled
                    yield machine.disk(word).key, folder.name


def _claimed(disk: Disk, job: str) -> Disk:
    if not job or not disk.choosable:
        return disk
    claim = Claim(
        what=ClaimKind.PROCESS,
        weight=Weight.BUSY,
        device=disk.path,
        detail=f"reserved by raidtui job {job} until its end",
        how_to_free=f"wait until that job ends; to follow it: raidtui attach {job}",
    )
    return replace(disk, free=False, taken_by=(claim, *disk.taken_by))
