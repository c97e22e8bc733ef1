"""Disks with data that nothing explains, which may be members that lost their superblock or label. Pure."""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from raidtui.backends.care import Place
from raidtui.model.errors import BadInput
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.text import harmless
from raidtui.model.units import MIB
from raidtui.steps.partitions import OF_MEMBERS

_UNEXPLAINED: Final = frozenset({ClaimKind.UNKNOWN_DATA, ClaimKind.REMAINS, ClaimKind.OVERWRITTEN})
_BESIDE: Final = _UNEXPLAINED | {ClaimKind.PARTITION_TABLE}  # what the table that overwrote it shows


def unexplained(
    machine: Machine, fits: Callable[[int], bool], of_none: Collection[str] = ()
) -> Iterator[Place]:
    """The disks with data, or partitions of them, whose size ``fits`` and whose contents nothing explains.

    Args:
        of_none: devices with a label that was made anew, of nothing.
    """
    for disk in machine.disks:
        for place in (Place(disk, None), *(Place(disk, part) for part in disk.partitions)):
            own = (
                disk.taken_by if place.part is None else [c for c in disk.taken_by if c.device == place.path]
            )
            kinds = {
                ClaimKind.REMAINS if c.device in of_none and c.what is ClaimKind.LVM else c.what for c in own
            }
            if any(claim.member for claim in own):
                continue  # what it is a member of is known
            if disk.identity and kinds & _UNEXPLAINED and kinds <= _BESIDE and fits(place.size_bytes):
                yield place
                break


def word_of(place: Place) -> str:
    """How a command names it: the disk, or a partition of it."""
    return place.disk.identity if place.part is None else f"{place.disk.identity}-part{place.part.number}"


def covers(place: Place) -> bool:
    """Whether ``place`` is a partition without a superblock that takes a whole disk: the table may be newer than the data.

    A trial that looks at the whole disk finds data that begins in the partition too.
    """
    disk, part = place
    if part is None or len(disk.partitions) > 1 or part.signatures:
        return False
    return part.start_bytes <= MIB and disk.size_bytes - part.size_bytes <= 4 * MIB


def device_of(word: str, machine: Machine, *, of_unit: bool = False) -> str:
    """The disk that ``word`` names, or with -partN a partition of it; without, the one that was made for a member; or an array.

    A disk whose partitions were not may have been a member as a whole, before somebody partitioned it.

    Args:
        of_unit: of a unit whose other members say where data begins in a partition.

    Raises:
        BadInput: it has no such partition, or several that may be meant.
    """
    if array := next((one for one in machine.arrays if one.started and word in {one.path, one.node}), None):
        return array.node
    serial, _, number = word.rpartition("-part")
    disk = machine.disk(serial if serial and number.isdigit() else word)
    if serial and number.isdigit():
        found = [part.path for part in disk.partitions if part.number == int(number)]
        if not found:
            raise BadInput(harmless(f"{disk.identity} has no partition {number}"))
        return found[0]
    members = [
        one
        for one in disk.partitions
        if one.signatures or (one.type in OF_MEMBERS and (of_unit or not covers(Place(disk, one))))
    ]
    if len(members) > 1:
        raise BadInput(
            harmless(f"{disk.identity} has several partitions; name the member: {disk.identity}-partN")
        )
    return members[0].path if members else disk.path
