"""Members whose disk lost its partition table, and which are whole where their partition was. Pure.

Such a member is not lost: with the table it is back. A replacement, or a start without it, makes it stale.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import called
from raidtui.backends.registry import reader
from raidtui.model.device_graph import TABLES
from raidtui.model.finding import Remedy
from raidtui.model.machine import UNSEEN, Claim, ClaimKind, Disk, Machine
from raidtui.model.procedure import RestoreTable
from raidtui.model.table_before import TableBefore
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import binary
from raidtui.model.uuids import bare

_NOT_KNOWN: Final = "how it was is not known"
_STAYS: Final = "What is in its partitions stays as it is"
_BESIDE: Final = frozenset({ClaimKind.PARTITION_TABLE, ClaimKind.CONFIGURED})
"""What may take the disk too: what is left of that table, and a line of a file that names it."""


def without_table(machine: Machine) -> tuple[tuple[Disk, Claim], ...]:
    """The disks with a member and without the partition table that led to it.

    If one member is on several disks, or on an array too, an array held it, and that lost superblocks.
    """
    held = {bare(one.uuid) for array in machine.arrays for one in array.signatures}
    found = [
        (disk, claim)
        for disk in machine.disks
        for claim in disk.taken_by
        if claim.member and claim.what in UNSEEN
    ]
    times = Counter(claim.member for _, claim in found)
    return tuple(
        (disk, claim) for disk, claim in found if times[claim.member] == 1 and bare(claim.unit) not in held
    )


def is_of(claim: Claim, unit: Unit, machine: Machine) -> bool:
    """Whether the member that ``claim`` is about is one of ``unit``."""
    marks = {bare(unit.uuid), *map(bare, reader(unit.backend).members_missing(unit, machine))} - {""}
    return bare(claim.unit) in marks


def first_table(unit: Unit, machine: Machine) -> Iterator[Remedy]:
    """What has to be done before anything is done about the missing members of ``unit``."""
    here = [one for one in unit.members if one.path]
    if 0 < unit.raid_disks <= len(here) and not any(one.role == "missing" for one in unit.members):
        return
    if disks := [disk for disk, claim in without_table(machine) if is_of(claim, unit, machine)]:
        many = len(disks) > 1
        yield Remedy(
            text=f"{listed(list(map(called, disks)))} {'have missing members' if many else 'has the missing member'}, which "
            f"{'are' if many else 'is'} whole: only the partition table is lost. Write that again first, as the advice on the "
            f"{'disks' if many else 'disk'} says, and replace nothing until then"
        )


def table_again(disk: Disk, claim: Claim, units: Sequence[Unit], machine: Machine) -> Remedy:
    """How the table of a disk comes back: by raidtui where it is certain how it was, else as a person finds out.

    Args:
        units: those that its member is of.
    """
    if why := why_not(disk, claim, machine):
        how = "like that of a disk that was partitioned alike (sfdisk(8))"
        if claim.what is ClaimKind.TABLE_DAMAGED:
            how = "as gdisk(8) or, if only the first header is damaged, fdisk(8) shows it before they write"
        return Remedy(
            text=f"write its partition table again as it was, from a copy of it, or {how}. {_STAYS}. raidtui does not: {why}"
        )
    assert claim.table is not None, "else it is not known"
    return Remedy(
        text=f"{_said(claim.table, units, machine)}. {_STAYS}", procedure=RestoreTable(disk=disk.identity)
    )


def _said(table: TableBefore, units: Sequence[Unit], machine: Machine) -> str:
    if table.copied:
        return f"write its partition table again from its copy, with {count_of(table.parts, 'partition')}"
    (part,) = table.parts
    paths = {one.path for unit in units for one in unit.members}
    alike = [
        called(disk)
        for disk in machine.disks
        for one in disk.partitions
        if one.path in paths and (one.start_bytes, one.size_bytes) == (part.start_bytes, part.size_bytes)
    ]
    too = f" and as {listed(alike)} {'have' if len(alike) > 1 else 'has'} it" if alike else ""
    return (
        f"write its partition table again: one partition of {binary(part.size_bytes)} at {binary(part.start_bytes)}, as the member "
        f"in it says{too}"
    )


def why_not(disk: Disk, claim: Claim, machine: Machine) -> str:
    """Why the table of ``disk`` is not written again by raidtui; empty if it can be."""
    table = claim.table
    if table is None or not table.parts:
        return (table.unsure if table is not None else "") or _NOT_KNOWN
    if table.unsure:
        return table.unsure
    if not disk.identity or not disk.has_device:
        return "the disk has no serial number, WWN or by-id name to confirm it by"
    if claim.member and (disk, claim) not in without_table(machine):
        return "its member is on another disk or on an array too, so an array may have held it"
    for other in disk.taken_by:
        if other != claim and other.what not in _BESIDE:
            return f"the disk is in use, or something else is on it: {harmless(other.detail)}"
    if disk.partitions or any(one.type not in TABLES for one in disk.signatures):
        return "the disk shows something else, too"
    if not table.copied and disk.signatures:
        return "the disk has a partition table of another kind"
    return ""
