"""The facts of an md array: geometry, survival, ideal speed, and what happens at boot if a disk is missing."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.disks import read_in_rebuild
from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.arithmetic.survival import survival, surviving_sets
from raidtui.backends.facts import EXACT, NOT_AT_BOOT, Facts, Options
from raidtui.backends.md.geometry import DEFAULT_METADATA, Geometry, md_geometry, mdadm_version
from raidtui.backends.md.growing.growable import why_level_stays
from raidtui.model.md_levels import parity_of

_MD_BOOT: Final = "starts degraded after half a minute"
_PARITY_BOOT: Final = f"{_MD_BOOT}; if it is also dirty it does not start automatically"


def boot_of(geometry: Geometry) -> str:
    """What happens at boot if a disk is missing."""
    if geometry.consistency == "none":
        return NOT_AT_BOOT
    return _PARITY_BOOT if parity_of(geometry.level) else _MD_BOOT


def geometry_with(level: str, sizes: Sequence[int], options: Options) -> Geometry:
    """The geometry of ``level`` on members of these sizes, in bytes, with ``options``.

    Raises:
        CannotBuild: mdadm or md would refuse.
    """
    return md_geometry(
        level,
        sizes,
        spare_sizes=options.spare_sizes,
        chunk=options.chunk,
        layout=options.layout,
        metadata=options.metadata or DEFAULT_METADATA,
        consistency=options.consistency,
        logical_sector=options.logical_sector,
        mdadm=mdadm_version(dict(options.tools)),
    )


def md_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of ``level`` on members of these sizes, in bytes.

    Raises:
        CannotBuild: mdadm or md would refuse.
    """
    return facts_of(geometry_with(level, sizes, options), options)


def facts_of(geometry: Geometry, options: Options) -> Facts:
    level, layout, disks = geometry.level, geometry.layout, len(geometry.members)
    return Facts(
        paced_by_md=True,
        layout=layout,
        array_bytes=geometry.array_bytes,
        component_bytes=geometry.component_bytes,
        members=geometry.members,
        spares=geometry.spares,
        sets=surviving_sets(level, disks, layout),
        survival=survival(level, disks, layout),
        read_in_rebuild=read_in_rebuild(level, disks, geometry.component_bytes),
        ideal=ideal(level, disks, layout, consistency=geometry.consistency, rotational=options.rotational),
        accuracy=EXACT,
        boot=boot_of(geometry),
        metadata=geometry.metadata,
        chunk_bytes=geometry.chunk_bytes,
        consistency=geometry.consistency,
        data_offset_bytes=geometry.data_offset_bytes,
        stripe_width_bytes=geometry.stripe_width_bytes,
        parity=parity_of(level),
        grows_bytes=_grows(geometry),
        grows_by_reshape=bool(_grows(geometry)),
        no_growth=why_level_stays(level),
    )


def _grows(geometry: Geometry) -> int | None:
    """What one more such disk adds: a further copy adds no space."""
    if why_level_stays(geometry.level):
        return None
    return geometry.component_bytes if parity_of(geometry.level) else 0
