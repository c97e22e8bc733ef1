"""Build a volume over bands: md's steps create the array of each band, LVM's the group and its volume on them."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Built, Resolved
from raidtui.backends.hybrid.bands import Band, bands_of
from raidtui.backends.hybrid.levels import LEVELS, redundancy_of
from raidtui.backends.hybrid.teardown import removal
from raidtui.backends.lvm.builder import BUILDER as LVM
from raidtui.backends.lvm.create import group_step, settle_volume, volume_step
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm_on_md.base import base_of, builder_of, built_on
from raidtui.backends.lvm_on_md.units import BANDS
from raidtui.backends.md.backend import BACKEND as ARRAYS
from raidtui.backends.md.builder import BUILDER as MD
from raidtui.backends.md.facts import facts_of
from raidtui.backends.resolve import layout_options
from raidtui.model.machine import Machine
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Extent
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.steps.pieces import Piece
from raidtui.steps.seeds import derive


def _check_free(resolved: Resolved, machine: Machine) -> None:
    """Check that no array or group has one of the names, and that mdadm will scan the members at boot."""
    for array in arrays_of(resolved, machine):
        MD.check_free(array, machine)
    LVM.check_free(resolved, machine)


def _build(resolved: Resolved, machine: Machine, seed: str) -> Built:
    """The steps of md for the array of each band, then those of LVM."""
    spec, mark = resolved.spec, derive(seed, "group")
    arrays, system = arrays_of(resolved, machine), machine.system
    bases = [base_of(array, str(number), seed=seed) for number, array in enumerate(arrays, 1)]
    devices = [one.holder for one in bases]
    size_bytes = resolved.facts.array_bytes
    group = group_step(spec.name, devices, mark=mark, tags=(BANDS,))
    steps = (
        group,
        volume_step(
            spec.name, "linear", devices, mark=mark, size_bytes=size_bytes, group=group, what="array"
        ),
        settle_volume(f"/dev/{spec.name}/{VOLUME}", udev=system.udev),
    )
    built = built_on(bases, steps, resolved, system, mark=mark, until="the first array is created")
    return replace(built, pieces=tuple(piece for array in arrays for piece in array.pieces))


BUILDER: Final = builder_of(
    _build,
    check_free=_check_free,
    removal=removal,
    boot_note=lambda spec, system: MD.boot_note(replace(spec, level=LEVELS[spec.level].placed_as), system),
)


def arrays_of(resolved: Resolved, machine: Machine) -> tuple[Resolved, ...]:
    """The array of each band, from the start of the disks to the end, without a filesystem.

    Raises:
        CannotBuild: mdadm would refuse one.
    """
    spec, pieces = resolved.spec, resolved.pieces
    options = layout_options(spec, pieces, machine)
    found = bands_of([piece.extent.length for piece in pieces], redundancy_of(spec.level), options)
    return tuple(
        Resolved(
            spec=_spec(spec, number, band),
            pieces=_pieces(pieces, number, band),
            facts=facts_of(band.geometry, options),
        )
        for number, band in enumerate(found, 1)
    )


def _spec(spec: Spec, number: int, band: Band) -> Spec:
    level = band.geometry.level
    return ARRAYS.defaults(
        replace(
            spec,
            name=f"{spec.name}-{number}",
            backend=Backend.MDADM,
            level=level,
            members=tuple(spec.members[place] for place in band.disks),
            chunk=spec.chunk if MD_LEVELS[level].chunked else None,
            filesystem=FilesystemSpec(),
            options={},
        )
    )


def _pieces(pieces: Sequence[Piece], number: int, band: Band) -> tuple[Piece, ...]:
    """Its partitions. A disk in this band is in every one below, so the numbers of partitions and bands are the same."""
    return tuple(
        replace(
            piece,
            number=slot,
            part=number,
            device=partition_path(piece.whole, number),
            extent=Extent(offset=piece.extent.offset + band.start, length=band.height),
        )
        for slot, piece in enumerate(pieces[place] for place in band.disks)
    )
