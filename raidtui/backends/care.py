"""What a replacement for a missing member of a unit has to be like. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine, Partition
from raidtui.model.md_levels import Left
from raidtui.model.procedure import Procedure, Recover, Scrub
from raidtui.model.text import harmless
from raidtui.model.units import binary


class Place(NamedTuple):
    """Where a member is on a disk."""

    disk: Disk
    part: Partition | None  # None: the whole disk

    @property
    def path(self) -> str:
        """The kernel's path of the member."""
        return self.disk.path if self.part is None else self.part.path

    @property
    def size_bytes(self) -> int:
        """The size of the disk or partition that the member is on."""
        return self.disk.size_bytes if self.part is None else self.part.size_bytes

    def least(self, whole: int, sector: int) -> int:
        """The smallest disk, in bytes, on which a member can be where this one is.

        Args:
            whole: minimum size in bytes if the member is a whole disk.
            sector: the size of a logical sector of that disk.
        """
        if self.part is None:
            return whole
        from raidtui.steps.partitions import room_behind  # what builds is not loaded to look

        return self.part.start_bytes + self.part.size_bytes + room_behind(self.disk, sector)


def places_at(paths: Iterable[str], machine: Machine) -> Iterator[Place]:
    """The places of the devices with these kernel paths, in their order; without those on no disk of ``machine``."""
    for path in paths:
        for disk in machine.disks:
            if path == disk.path:
                yield Place(disk, None)
            yield from (Place(disk, part) for part in disk.partitions if part.path == path)


class Room(NamedTuple):
    """The pattern for a new member, from an existing one."""

    least: int  # minimum size of the disk, in bytes
    start: int  # of the partition, in bytes
    part: Partition | None  # of the existing member; None for a whole disk
    disk: Disk  # with the existing member


class Replacement(NamedTuple):
    """A missing member that needs a new disk. `raidtui.advice.replacements` chooses the disk, for all units at once."""

    what: str  # "the missing member"
    rooms: tuple[Room, ...]  # one for each member that the new one may be like; not empty
    partition_type: str  # GPT type of its partition
    left: Left  # what one more failure does to the unit
    by: Callable[[Disk], Procedure] | None = None  # how the disk gets in; None: as `Replace` does it
    lost: frozenset[str] = frozenset()  # identities of the disks that are missing or failed, as far as known
    suspect: frozenset[str] = frozenset()  # those of disks that failed before
    failed: tuple[str, ...] = ()  # disks that failed, which the unit's own members do not show
    model: str = ""  # of the lost disk, if known
    one_sector_size: bool = False  # whether its backend refuses members with other logical sectors
    # The keys of the disks that it can be; None: any free disk with a device.
    among: frozenset[str] | None = None
    otherwise: tuple[Remedy, ...] = ()  # what to do if no disk is free


def room_of(path: str, machine: Machine, *, least: int) -> Room | None:
    """The pattern of the member at ``path``; None if it is on no disk of this machine.

    Args:
        least: minimum size in bytes if the member is a whole disk.
    """
    place = next(places_at([path], machine), None)
    if place is None:
        return None
    disk, part = place
    start = part.start_bytes if part is not None else 0
    return Room(place.least(least, disk.logical_sector_bytes), start, part, disk)


def no_pattern(name: str, paths: Iterable[str], machine: Machine) -> str:
    """Why a new member of the unit ``name`` has no pattern, though it has members at ``paths``."""
    graph = graph_of(machine)
    devices = (graph.at(path) for path in paths)
    layered = next((one.name for one in devices if one is not None and graph.below(one)), None)
    if layered is None:
        return f"no member of {name} is on a disk of this computer, so the size of a new one is not known"
    return (
        f"members of {name}, such as {layered}, are not disks but devices on disks, encrypted ones for example. Make the "
        "same on a new disk and add that device by hand; raidtui does neither"
    )


def while_it_works(what: str, path: str, paths: Iterable[str], machine: Machine) -> Replacement | None:
    """The need to replace a member that still works, in a unit with full redundancy; None if it is on no disk here.

    Args:
        what: names the member, and says what is wrong with it.
        path: of the member.
        paths: of every member of the unit.
    """
    place = next(places_at([path], machine), None)
    if place is None:
        return None
    whole = place.disk.size_bytes
    rooms = (room_of(one, machine, least=whole) for one in dict.fromkeys((path, *paths)))
    own = frozenset({place.disk.identity} - {""})
    return Replacement(
        what=what,
        rooms=tuple(filter(None, rooms)),
        partition_type=place.part.type if place.part is not None else "",
        left=Left.SOME,
        lost=own,
        suspect=own,
        model=place.disk.model,
    )


def end_hidden(disk: Disk, needed: int, so: str) -> str:
    """What to do with a disk that is smaller than the ``needed`` bytes of what is on it."""
    return (
        f"{called(disk)} shows {binary(disk.size_bytes)}, and its data needs {binary(needed)}, so {so}. An enclosure, a controller "
        "or a host protected area (hdparm -N) hides its end: connect it as it was before, and change nothing on it"
    )


def about_mismatches(unit: str, *, copies: bool) -> tuple[Remedy, Remedy]:
    """What to do about members that do not agree, in an array of md or a RAID volume of LVM, which is the same code.

    A repair does not know which of them is right, so it may make wrong data permanent.

    Args:
        unit: its UUID.
        copies: whether the members hold copies, else data and parity.
    """
    why = (
        "a copy is wrong, or a file was mapped into memory or a virtual machine wrote it, which does no harm"
        if copies
        else "parity was never computed (made without a resync), or a power cut came between two writes, or data is wrong"
    )
    return (
        Remedy(
            text="check it again: what still differs then is not just being written",
            procedure=Scrub(unit=unit),
        ),
        Remedy(
            text=f"if the data is right, repair it. Either {why}. Compare important files with a backup first",
            procedure=Scrub(unit=unit, repair=True),
        ),
    )


def sectors_fit(new: Disk, present: Sequence[Disk], start: int) -> bool:
    """Whether the sectors of a unit do not grow with ``new``: a filesystem made on smaller ones may not mount then.

    Args:
        present: the disks of its members.
        start: where the new member starts on its disk, in bytes.
    """
    if new.logical_sector_bytes > max(
        (one.logical_sector_bytes for one in present), default=new.logical_sector_bytes
    ):
        return False
    physical = max((one.physical_sector_bytes for one in present), default=new.physical_sector_bytes)
    return new.physical_sector_bytes <= physical or start % new.physical_sector_bytes == 0


def called(disk: Disk) -> str:
    """The name of a disk in a sentence."""
    return f"{harmless(disk.identity or disk.path)} ({disk.short})"


AS_ROOT: Final = Remedy(text="run raidtui as root: without it, nobody can see which disk is free")


def look_for_files(uuid: str) -> Remedy:
    """A trial on overlays, for what is lost beyond redundancy."""
    return Remedy(
        text="look for its files on overlays, in every way in which its members may belong together",
        procedure=Recover(unit=uuid),
    )


def called_at(paths: Iterable[str], machine: Machine) -> list[str]:
    """The names of the disks with the devices ``paths``; the path itself if it is on none of them."""
    disks = {path: disk for disk in machine.disks for path in disk.every_path}
    return list(dict.fromkeys(called(disks[path]) if path in disks else path for path in paths))
