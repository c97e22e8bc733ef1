"""Members whose disk lost its partition table, and which are whole where their partition was. Pure.

Such a member is not lost: with the table it is back. A replacement, or a start without it, makes it stale.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import called
from raidtui.backends.registry import reader
from raidtui.model.finding import Remedy
from raidtui.model.machine import UNSEEN, Claim, Disk, Machine
from raidtui.model.text import listed
from raidtui.model.unit import Unit
from raidtui.model.uuids import bare

TABLE_AGAIN: Final = Remedy(
    text="write its partition table again as it was, from a copy of it, or like that of a disk that was partitioned alike (sfdisk(8)). "
    "What is in its partitions stays as it is"
)


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
    if len(here) >= unit.raid_disks and not any(one.role == "missing" for one in unit.members):
        return
    if disks := [disk for disk, claim in without_table(machine) if is_of(claim, unit, machine)]:
        many = len(disks) > 1
        yield Remedy(
            text=f"{listed(list(map(called, disks)))} {'have missing members' if many else 'has the missing member'}, which "
            f"{'are' if many else 'is'} whole: only the partition table is lost. Write that again first, as the advice on the "
            f"{'disks' if many else 'disk'} says, and replace nothing until then"
        )
