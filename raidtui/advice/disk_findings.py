"""What is wrong with disks, whatever units are on them: clones, and overwritten superblocks. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import called, called_at
from raidtui.backends.registry import backend, readers
from raidtui.model.finding import Concerned, Finding, Kind, Remedy
from raidtui.model.lost import LostMember
from raidtui.model.machine import ClaimKind, Disk, Machine
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit

SAVE: Final = Remedy(
    text="copy each disk that fails to a new one first (ddrescue). If you are not sure what happened, ask for help with the "
    "output of 'raidtui inspect --json'"
)
"""What comes before anything that writes, where a wrong step loses data."""


def clones(machine: Machine) -> dict[str, tuple[str, ...]]:
    """The units of which a device is here more than once: by UUID, the kernel paths of the first such device."""
    # Each path of a multipath device shows what is on the device.
    below = {
        claim.device for disk in machine.disks for claim in disk.taken_by if claim.what is ClaimKind.MULTIPATH
    }
    found: dict[str, tuple[str, ...]] = {}
    for reader in readers(machine.cards).values():
        for uuid, paths in reader.clones(machine):
            own = tuple(path for path in paths if path not in below)
            if len(own) > 1:
                found.setdefault(uuid, own)
    return found


def doubled(paths: Sequence[str], machine: Machine) -> str:
    """Which devices have one superblock, in words."""
    return (
        f"{listed(called_at(paths, machine))} have the same superblock: a clone beside its original, a disk that was replaced, or "
        "two paths to one disk"
    )


def overwritten(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """The disks with data to which a superblock or partition table belongs that is gone."""
    for disk in machine.disks:
        for claim in disk.taken_by:
            if claim.what is ClaimKind.OVERWRITTEN:
                yield _overwritten(disk, claim.detail, units)


def _overwritten(disk: Disk, detail: str, units: Sequence[Unit]) -> Finding:
    known = [(unit, lost) for unit in units for lost in unit.lost if lost.disk == disk.identity]
    before = "".join(f"; it was in {_name(unit)}{_until(lost)}" for unit, lost in known)
    return Finding(
        name=disk.identity or disk.path,
        kind=Kind.OVERWRITTEN,
        what=f"disk {called(disk)}: {harmless(detail)}{before}",
        disks=(
            Concerned(
                disk=disk.identity,
                state="superblock or partition table overwritten",
                model=disk.model,
                place=disk.port or disk.slot,
                path=disk.path,
                since=next((lost.noticed for _, lost in known), ""),
            ),
        ),
        never="use it for anything, partition it, or create the array again",
        remedies=(Remedy(text="leave it as it is"), SAVE),
    )


def _name(unit: Unit) -> str:
    return f"{backend(unit.backend).noun} {harmless(unit.shown)}"


def _until(lost: LostMember) -> str:
    return f" until {lost.noticed}" if lost.noticed else ""
