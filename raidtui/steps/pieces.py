"""The devices of a plan: each chosen disk with its path in commands, and the member on it, with its extent."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.model.errors import CannotBuild, Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Extent, PlannedDisk
from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.units import MIB, both, spell_size


class Piece(Record, frozen=True, kw_only=True):
    """One disk of a plan and the member device on it; a disk with several members has a piece for each."""

    disk: Disk
    role: str  # member or spare
    number: int  # md's slot of a member; spares are numbered separately
    whole: str  # path of the whole disk
    device: str  # path of the member: a partition, or the whole disk
    part: int = 1  # the number of its partition, if it is one
    extent: Extent


def by_disk(pieces: Sequence[Piece]) -> list[tuple[Piece, ...]]:
    """The pieces of each disk, in the order of the disks."""
    wholes = dict.fromkeys(piece.whole for piece in pieces)
    return [tuple(piece for piece in pieces if piece.whole == whole) for whole in wholes]


def with_member_defaults(spec: Spec) -> Spec:
    """Fill in the member defaults of ``spec``: partitions that leave room for a smaller replacement."""
    partition = spec.partition is not False
    reserve = (DEFAULT_RESERVE if partition else 0) if spec.reserve is None else spec.reserve
    return replace(spec, partition=partition, reserve=reserve)


def pieces_of(spec: Spec, machine: Machine) -> tuple[Piece, ...]:
    """The disks of a completed ``spec``: members in slot order, then spares.

    Raises:
        BadInput: a disk is not there, or is too small for its partition.
    """
    return tuple(
        _piece(machine.disk(word), role, number, spec)
        for role, words in (("member", spec.members), ("spare", spec.spares))
        for number, word in enumerate(words)
    )


def _piece(disk: Disk, role: str, number: int, spec: Spec) -> Piece:
    whole = disk.stable_path
    return Piece(
        disk=disk,
        role=role,
        number=number,
        whole=whole,
        device=partition_path(whole, 1) if spec.partition else whole,
        extent=extent_on(disk, spec),
    )


def extent_on(disk: Disk, spec: Spec) -> Extent:
    """The extent of the member on ``disk`` for a completed ``spec``.

    Raises:
        CannotBuild: the disk is too small for its partition.
    """
    return member_extent(
        disk.size_bytes,
        disk.logical_sector_bytes,
        partition=bool(spec.partition),
        reserve=spec.reserve or 0,
        most=spec.slice,
    )


def planned(disk: Disk, whole: str, role: str, shares: tuple[int, ...] = ()) -> PlannedDisk:
    """``disk`` as recorded in a plan; ``shares``: its partitions that something else uses."""
    return PlannedDisk(
        identity=disk.identity,
        path=whole,
        serial=disk.serial,
        wwn=disk.wwn,
        model=disk.model,
        size_bytes=disk.size_bytes,
        contents=contents_of(disk),
        role=role,
        shares=shares,
    )


def check_identity(disk: Disk, machine: Machine) -> None:
    """Check that ``disk`` has an identity to confirm it by, and that no other disk has the same.

    Raises:
        Refused: it has none, or another disk has the same.
    """
    if not disk.identity:
        raise Refused(f"{disk.path} has no serial number, WWN or by-id name to confirm it by")
    same = [one.path for one in machine.disks if one != disk and one.identity == disk.identity]
    if same:
        raise Refused(
            f"{disk.path} is called {called(disk)}, and so is {same[0]}. The name does not identify one of them; "
            "erase the right one by hand"
        )


def contents_of(disk: Disk) -> tuple[str, ...]:
    """Every signature on ``disk`` and its partitions, ``disk gpt UUID`` or ``partition 1 ext4 UUID``, sorted.

    Without kernel names, which may change at a reboot.
    """
    found = [f"disk {s.type} {s.uuid}" for s in disk.signatures]
    for partition in disk.partitions:
        found += [f"partition {partition.number} {s.type} {s.uuid}" for s in partition.signatures]
    return tuple(sorted({harmless(one) for one in found}))


def called(disk: Disk) -> str:
    """The name of a disk for people: its identity, else its path, made harmless."""
    return harmless(disk.identity or disk.path)


ALIGNMENT: Final = MIB
DEFAULT_RESERVE: Final = 100 * MIB  # left free at the end for a slightly smaller replacement
_ENTRIES: Final = (
    128 * 128
)  # bytes of a GPT entry array; the backup of array and header is at the end of the disk


def member_extent(
    disk_bytes: int, logical_sector: int, *, partition: bool, reserve: int, most: int | None = None
) -> Extent:
    """The member on a disk of ``disk_bytes``.

    A whole-disk member is the disk, without reserve. A partition starts at 1 MiB, ends on a whole MiB before the
    backup GPT (33 sectors of 512 bytes, 5 of 4096) and leaves ``reserve`` bytes free after it, so that a replacement
    may be slightly smaller. ``most`` limits its size in bytes.

    Raises:
        CannotBuild: no space is left for the member.
    """
    if not partition:
        return Extent(offset=0, length=disk_bytes)
    if reserve < 0:
        raise CannotBuild(f"a reserve of {reserve:,} bytes is negative")
    backup = (1 + -(-_ENTRIES // logical_sector)) * logical_sector
    usable_end = disk_bytes // logical_sector * logical_sector - backup
    room = usable_end - ALIGNMENT - reserve
    size = (room if most is None else min(room, most)) // ALIGNMENT * ALIGNMENT
    if size <= 0:
        if most is not None and most < ALIGNMENT <= room:
            raise CannotBuild(f"a slice of {spell_size(most)} is less than {spell_size(ALIGNMENT)}")
        raise CannotBuild(
            f"a disk of {both(disk_bytes)} has no room for a partition "
            f"after a partition table and a reserve of {spell_size(reserve)}"
        )
    return Extent(offset=ALIGNMENT, length=size)


def member_sizes(
    disks: Sequence[int], *, partition: bool, reserve: int, most: int | None = None
) -> tuple[int, ...]:
    """Bytes of the members on disks of these sizes, which need not exist.

    Raises:
        CannotBuild: one of the disks has no space for a partition.
    """
    return tuple(
        member_extent(size, 512, partition=partition, reserve=reserve, most=most).length for size in disks
    )
