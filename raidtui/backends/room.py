"""Room for a unit that grows: the free disks that fit, and the space behind the partitions that its members are in. Pure."""

from collections.abc import Iterator, Sequence

from raidtui.backends.care import Place, sectors_fit
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import partition_path
from raidtui.model.plan import KEPT, PlannedDisk, Role, Run, Step
from raidtui.model.units import MIB
from raidtui.steps.devices import PARTITION
from raidtui.steps.pieces import DEFAULT_RESERVE, called, planned


def fitting(places: Sequence[Place], least: int, machine: Machine) -> list[Disk]:
    """The free disks that can take a further member, the smallest first.

    Args:
        places: of the members; a new one is like the first.
        least: bytes of a member that is a whole disk.
    """
    if not places:
        return []
    present, part = [one.disk for one in places], places[0].part
    found = [
        disk
        for disk in machine.disks
        if disk.free
        and disk.has_device
        and disk.identity
        and disk.size_bytes >= least_disk(places, least)
        and sectors_fit(disk, present, part.start_bytes if part is not None else 0)
    ]
    return sorted(found, key=lambda disk: (disk.size_bytes, disk.identity))


def least_disk(places: Sequence[Place], least: int) -> int:
    """The bytes that a new disk has at least; the backup GPT takes the last 33 sectors."""
    part = places[0].part if places else None
    return least if part is None else part.start_bytes + part.size_bytes + MIB


def member_bytes(place: Place) -> int:
    """The bytes that the member at ``place`` can have: of a partition, as far as the free space after it goes.

    As much stays free at the end of the disk as a build leaves there, unless less is free now.
    """
    part, disk = place.part, place.disk
    if part is None or disk.partition_table != "gpt":
        return place.size_bytes
    behind = [one.start_bytes for one in disk.partitions if one.start_bytes > part.start_bytes]
    end = min(behind, default=usable_end(disk))
    return max(part.size_bytes, (end - part.start_bytes) // MIB * MIB)


def usable_end(disk: Disk) -> int:
    """Where the last partition of a disk ends at most: before what a build leaves free for a smaller replacement."""
    # On small disks not more than a hundredth.
    reserve = min(DEFAULT_RESERVE, disk.size_bytes // 100)
    return (disk.size_bytes - MIB - reserve) // MIB * MIB


def reserve_taken(places: Sequence[Place]) -> int:
    """The bytes of each disk that its member takes as it is enlarged, if those are only what a build leaves free there.

    A replacement may then not be a little smaller. 0: one of the disks at least has more, or nothing is taken.
    """
    least = min((member_bytes(one) - one.size_bytes for one in places), default=0)
    return least if least <= DEFAULT_RESERVE else 0


def widened(places: Sequence[Place]) -> Iterator[PlannedDisk]:
    """The disks whose partition is enlarged: they stay members, and nothing on them is erased."""
    for place in places:
        if place.part is not None and member_bytes(place) > place.part.size_bytes:
            others = tuple(one.number for one in place.disk.partitions if one is not place.part)
            yield planned(place.disk, place.disk.stable_path, KEPT, shares=others)


def wider_partitions(places: Sequence[Place]) -> Iterator[Step]:
    """Let each member's partition take the free space after it; its start stays, and so does everything in it."""
    for number, place in enumerate([one for one in places if one.part is not None], 1):
        part, disk, size = place.part, place.disk, member_bytes(place)
        assert part is not None
        if size <= part.size_bytes:
            continue
        whole, sector = disk.stable_path, disk.logical_sector_bytes
        device = partition_path(whole, part.number)
        yield Step(
            id=f"widen-{number}",
            role=Role.MEMBER,
            title=f"Enlarge partition {part.number} of {called(disk)} to the end of its free space",
            reason="Its start and all that is in it stay, and the array can be used meanwhile.",
            actions=_resize(whole, part.number, size // sector),
            after=(PARTITION.of(device, f"{part.start_bytes} {size}"),),
            undo=_resize(whole, part.number, part.size_bytes // sector),
            undo_note="the partition has its old size again",
        )


def _resize(whole: str, number: int, sectors: int) -> tuple[Run, ...]:
    """Set the size of a partition that is in use: sfdisk keeps its start, type and UUID."""
    return (
        Run(
            argv=("sfdisk", "--no-reread", "--no-tell-kernel", "-N", str(number), whole),
            input=f", {sectors}\n",
        ),
        Run(argv=("partx", "--update", "--nr", str(number), whole)),
    )
