"""What is wrong with disks, whatever units are on them: clones, and overwritten superblocks. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.advice.findings.lost_tables import is_of, table_again, without_table
from raidtui.advice.scrub_words import moment
from raidtui.backends.care import Place, called, called_at
from raidtui.backends.registry import readers
from raidtui.backends.unexplained import covers, unexplained, word_of
from raidtui.backends.unit_words import with_noun
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy, concerned
from raidtui.model.lost import LostMember
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine
from raidtui.model.procedure import Recover
from raidtui.model.recovery import EVERY_ORDER
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.steps.partitions import OF_MEMBERS

SAVE: Final = Remedy(
    text="copy each disk that fails to a new one first (ddrescue). If you are not sure what happened, ask for help with the "
    "output of 'raidtui inspect --json'"
)
"""What comes before anything that writes, where a wrong step loses data."""


_LEAVE: Final = Remedy(text="leave it as it is")
_FEWEST: Final = 2  # disks that can be an array


def clones(machine: Machine) -> dict[str, tuple[str, ...]]:
    """The units of which a device is here more than once: by UUID, the kernel paths of the first such device."""
    # Each path of a multipath device shows what is on the device.
    below = {
        claim.device for disk in machine.disks for claim in disk.taken_by if claim.what is ClaimKind.MULTIPATH
    }
    graph = graph_of(machine)
    found: dict[str, tuple[str, ...]] = {}
    for reader in readers(machine.cards).values():
        for uuid, paths in reader.clones(machine):
            # What an overlay or a snapshot lies on shows the same.
            under = {
                one.path for path in paths if (top := graph.at(path)) for one in graph.all_below(top)[1:]
            }
            own = tuple(path for path in paths if path not in below | under)
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
    """The disks with data to which a superblock or partition table belongs that is gone.

    Not those that were last in a unit which has all its redundancy without them.
    """
    left = {disk for unit in units if unit.health is Health.OK for disk in unit.former}
    left -= {lost.disk for unit in units for lost in unit.lost}
    whole = without_table(machine)
    found = (*_claimed(machine, ClaimKind.OVERWRITTEN), *_mirrored_below_tables(machine))
    every = [
        (disk, replace(claim, unit="", member="") if claim.member and (disk, claim) not in whole else claim)
        for disk, claim in found
    ]
    for disk, claim in every:
        if disk.identity in left:
            continue
        if claim.member:
            its = [one for one in units if is_of(claim, one, machine)]
            yield _without_table(disk, claim, its, table_again(disk, claim, its, machine))
            continue
        # Those whose copies name another filesystem belong elsewhere.
        alike = [_place(one, other) for one, other in every if other.unit == claim.unit]
        if not claim.unit:
            known = {other.key for other, _ in every}
            alike += [one for one in _beside(_place(disk, claim), machine) if one.disk.key not in known]
        yield _overwritten(disk, claim, units, alike)


def _without_table(disk: Disk, claim: Claim, units: Sequence[Unit], first: Remedy) -> Finding:
    known = "".join(f"; it is a member of {harmless(with_noun(unit))}" for unit in units)
    return Finding(
        name=disk.identity or disk.path,
        kind=Kind.OVERWRITTEN,
        what=f"disk {called(disk)}: {harmless(claim.detail)}{known}",
        disks=(concerned(disk, "partition table gone", path=claim.device),),
        never="use it for anything, create what is on it again, or let a program remove the signature in its partition",
        remedies=(first, _LEAVE, SAVE),
    )


def _mirrored_below_tables(machine: Machine) -> Iterator[tuple[Disk, Claim]]:
    """Disks that begin with a new partition table, over a filesystem that several have at the same place: a mirror's.

    Its superblock was at the end of each, where the table has its copy: metadata 0.90 or 1.0. One such disk may as well
    have been erased with wipefs before it was partitioned.
    """
    found = [
        (disk, claim)
        for disk, claim in _claimed(machine, ClaimKind.UNKNOWN_DATA)
        if disk.partitions and claim.device == disk.path
    ]
    for disk, claim in found:
        alike = (one.size_bytes == disk.size_bytes and other.detail == claim.detail for one, other in found)
        if sum(alike) >= _FEWEST:
            yield disk, claim


def _beside(place: Place, machine: Machine) -> Iterator[Place]:
    """Where data like that at ``place`` may be: on the disks as large, with partitions like its, whose contents nothing
    explains. Of an array whose members all lost their superblocks, not every one begins with something known.
    """
    disk = place.disk
    for other, _ in unexplained(machine, lambda size: True):
        if other.size_bytes == disk.size_bytes and _places_in(other) == _places_in(disk):
            alike = other.partitions[disk.partitions.index(place.part)] if place.part is not None else None
            yield Place(other, alike)


def _places_in(disk: Disk) -> list[tuple[int, int]]:
    return [(part.start_bytes, part.size_bytes) for part in disk.partitions]


def table_misfits(machine: Machine) -> Iterator[Finding]:
    """The disks whose partitions are not shown, or in the wrong places, because the disk looked different when its table was written."""
    for disk, claim in _claimed(machine, ClaimKind.TABLE_MISFIT):
        yield Finding(
            name=disk.identity or disk.path,
            kind=Kind.TABLE_MISFIT,
            what=f"disk {called(disk)}: {harmless(claim.detail)}",
            disks=(
                concerned(
                    disk, f"partitions {'misplaced' if disk.partitions else 'not shown'}", path=claim.device
                ),
            ),
            never="use it for anything, partition it, or repair its partition table",
            remedies=(
                Remedy(
                    text="connect it as it was when it was partitioned: in its USB enclosure or dock, or to that controller. "
                    "Where a host protected area hides its end, remove that (hdparm -N)"
                ),
                _LEAVE,
            ),
        )


def tables_damaged(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """The disks whose partition table is intact only at their end."""
    for disk, claim in _claimed(machine, ClaimKind.TABLE_DAMAGED):
        yield Finding(
            name=disk.identity or disk.path,
            kind=Kind.OVERWRITTEN,
            what=f"disk {called(disk)}: {harmless(claim.detail)}",
            disks=(concerned(disk, "partitions not shown", path=claim.device),),
            never="use it for anything, or make a new partition table",
            remedies=(
                table_again(disk, claim, [one for one in units if is_of(claim, one, machine)], machine),
                _LEAVE,
                SAVE,
            ),
        )


def _claimed(machine: Machine, what: ClaimKind) -> list[tuple[Disk, Claim]]:
    return [(disk, claim) for disk in machine.disks for claim in disk.taken_by if claim.what is what]


def _place(disk: Disk, claim: Claim) -> Place:
    return Place(disk, next((one for one in disk.partitions if one.path == claim.device), None))


def _source(place: Place, *, of_unit: bool) -> str:
    """What a trial looks at: the partition, if its type says that it was a member; else the whole disk, which may have
    been one before it was partitioned. Empty if the disk has no identity.

    Args:
        of_unit: of a unit whose other members say where data begins in a partition.
    """
    as_whole = place.part is None or place.part.type not in OF_MEMBERS
    if as_whole or not place.disk.identity or (covers(place) and not of_unit):
        return place.disk.identity
    return word_of(place)


def _sources(places: Sequence[Place], *, of_unit: bool = False) -> tuple[str, ...]:
    return tuple(sorted({_source(one, of_unit=of_unit) for one in places} - {""}))


def _overwritten(disk: Disk, claim: Claim, units: Sequence[Unit], alike: Sequence[Place]) -> Finding:
    known = [(unit, lost) for unit in units for lost in unit.lost if lost.disk == disk.identity]
    before = "".join(f"; it was in {harmless(with_noun(unit))}{_until(lost)}" for unit, lost in known)
    return Finding(
        name=disk.identity or disk.path,
        kind=Kind.OVERWRITTEN,
        what=f"disk {called(disk)}{_which(disk, claim)}: {harmless(claim.detail)}{before}",
        disks=(
            concerned(
                disk,
                "superblock or partition table overwritten",
                path=claim.device,
                since=next((lost.noticed for _, lost in known), ""),
            ),
        ),
        never="use it for anything, partition it, or create the array again",
        remedies=(
            *_look_for_files(_place(disk, claim), [unit for unit, _ in known], alike, units, uuid=claim.unit),
            _LEAVE,
            SAVE,
        ),
    )


def _which(disk: Disk, claim: Claim) -> str:
    """Which partition it is about; empty if it is about the whole disk."""
    return next((f", partition {one.number}" for one in disk.partitions if one.path == claim.device), "")


def _look_for_files(
    place: Place, was_in: Sequence[Unit], alike: Sequence[Place], units: Sequence[Unit], *, uuid: str
) -> Iterator[Remedy]:
    """A trial of the unit that it was in, if that does not run; else of all disks that were overwritten as it was.

    Args:
        uuid: that of its unit, from a copy of the superblock; empty without one.
    """
    if uuid:
        was_in = [one for one in units if one.uuid == uuid]
    lost = [one for one in was_in if _is_lost(one)]
    if lost:
        order = Recover(unit=lost[0].uuid, disks=_sources([place], of_unit=True))
    elif was_in or (len(_sources(alike)) < _FEWEST and not uuid):
        return
    elif uuid:
        order = Recover(disks=_sources(alike))
    else:
        lost = [one for one in units if _is_lost(one) and any(each.role == "missing" for each in one.members)]
        unit = lost[0].uuid if len(lost) == 1 else ""
        order = Recover(unit=unit, disks=_sources(alike, of_unit=bool(unit)))
    if not place.disk.identity:
        return
    together = " together" if len(order.disks) > 1 else ""
    whose = (
        f"the files of {harmless(with_noun(lost[0]))}"
        if order.unit
        else f"files on {listed(list(order.disks))}{together}"
    )
    ways = "with the copy of the superblock" if uuid else EVERY_ORDER
    yield Remedy(
        text=f"look for {harmless(whose)} on overlays, {ways}",
        procedure=order,
    )


def _is_lost(unit: Unit) -> bool:
    return bool(unit.uuid) and unit.health in {Health.FAILED, Health.INACTIVE}


def _until(lost: LostMember) -> str:
    return f" until {moment(lost.noticed)}" if lost.noticed else ""
