"""The arrays of the bands to be built: each resolved for md, with its partitions."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.contract import Resolved
from raidtui.backends.hybrid.bands import Band, bands_of
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.md.backend import BACKEND as MD
from raidtui.backends.md.facts import facts_of
from raidtui.backends.resolve import layout_options
from raidtui.model.machine import Machine
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Extent
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.steps.pieces import Piece


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
    return MD.defaults(
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
