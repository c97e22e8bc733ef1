"""New bands in the free space at the end of disks: the array of each, its partitions, and its first sync."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.contract import Resolved
from raidtui.backends.facts import Options
from raidtui.backends.hybrid.bands import Band
from raidtui.backends.hybrid.room import Room
from raidtui.backends.lvm_on_md.base import Base, base_of
from raidtui.backends.md.backend import BACKEND as MD
from raidtui.backends.md.conditions import ARRAY_WHOLE
from raidtui.backends.md.facts import facts_of
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Extent, Role, Run, Step, waiting_step
from raidtui.model.spec import Spec
from raidtui.model.unit import Unit
from raidtui.steps.devices import PARTITION
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.pieces import Piece, called
from raidtui.steps.seeds import derive
from raidtui.steps.wipe import END_BYTES, zero

_DAYS: Final = 30 * 24 * 3600


def _numbers(unit: Unit, machine: Machine) -> Iterator[int]:
    """The numbers that no array has yet, for the names of new ones."""
    lines = machine.system.mdadm_conf_arrays
    number = 1
    while True:
        name = f"{unit.name}-{number}"
        known = any(array.is_called(name) for array in machine.arrays)
        if not known and not any(f"/dev/md/{name}" in line.split() for line in lines):
            yield number
        number += 1


def bases_in(unit: Unit, arrays: Sequence[Array], room: Room, machine: Machine) -> list[Base]:
    found = []
    nth: dict[str, int] = {}
    for number, band in zip(_numbers(unit, machine), room.bands, strict=False):
        pieces = []
        for slot, tail in enumerate(room.tails[place] for place in band.disks):
            whole = tail.disk.stable_path
            part = tail.number(nth.get(whole, 0))
            nth[whole] = nth.get(whole, 0) + 1
            pieces.append(
                Piece(
                    disk=tail.disk,
                    role="member",
                    number=slot,
                    whole=whole,
                    device=partition_path(whole, part),
                    part=part,
                    extent=Extent(offset=tail.start + band.start, length=band.height),
                )
            )
        mark = derive(arrays[0].uuid, "band", *(f"{one.disk.identity} {one.extent.offset}" for one in pieces))
        found.append(base_of(_resolved(unit, number, band, pieces), str(number), seed=mark))
    return found


def _resolved(unit: Unit, number: int, band: Band, pieces: Sequence[Piece]) -> Resolved:
    geometry = band.geometry
    spec = Spec(
        name=f"{unit.name}-{number}",
        level=geometry.level,
        members=tuple(piece.disk.identity for piece in pieces),
        chunk=geometry.chunk_bytes if MD_LEVELS[geometry.level].chunked else None,
        metadata=geometry.metadata,
        consistency=geometry.consistency,
    )
    return Resolved(spec=MD.defaults(spec), pieces=tuple(pieces), facts=facts_of(geometry, Options()))


def partition_steps(bases: Sequence[Base]) -> Iterator[Step]:
    """A further partition on each disk, in its free space; what is there stays, and is in use meanwhile."""
    for base in bases:
        for piece in base.resolved.pieces:
            disk, whole, extent = piece.disk, piece.whole, piece.extent
            sector = disk.logical_sector_bytes
            line = (
                f"start={extent.offset // sector}, size={extent.length // sector}, type={LINUX_RAID}, "
                f'name="{base.resolved.spec.name}-{piece.number}"'
            )
            quietly = ("--no-reread", "--no-tell-kernel")
            drop = (
                Run(argv=("partx", "--delete", "--nr", str(piece.part), whole), ok=(0, 1)),
                Run(argv=("sfdisk", *quietly, "--delete", whole, str(piece.part)), ok=(0, 1)),
            )
            yield Step(
                id="partition",
                role=Role.MEMBER,
                title=f"Create partition {piece.part} in the free space of {called(disk)}",
                reason="What is on its other partitions stays, and is in use meanwhile.",
                actions=(
                    zero(whole, extent.offset, END_BYTES),
                    zero(whole, extent.end - END_BYTES, END_BYTES),
                    Run(
                        argv=("sfdisk", *quietly, "--wipe-partitions=always", "--append", whole),
                        input=f"{line}\n",
                    ),
                    Run(argv=("partx", "--add", "--nr", str(piece.part), whole)),
                ),
                after=(PARTITION.of(piece.device, f"{extent.offset} {extent.length}"),),
                undo=drop,
                undo_note="the partition is removed",
                repair=drop,
            )


def wait_step(base: Base) -> Step:
    return waiting_step(
        id="sync",
        title=f"Wait until {base.path} is in sync",
        reason="The volume can be used meanwhile; md continues if raidtui ends.",
        actions=(
            # After a boot it waits for the first write. Exit code 1: it is writable already, or there is nothing to wait for.
            Run(argv=("mdadm", "--readwrite", base.path), ok=(0, 1)),
            Run(argv=("mdadm", "--wait", base.path), timeout_seconds=_DAYS, ok=(0, 1)),
        ),
        after=(ARRAY_WHOLE.of(base.uuid),),
        as_long_as="writing the new partition of one disk",
        sync_bytes=base.resolved.facts.component_bytes,
    )
