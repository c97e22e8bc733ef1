"""The backend of md(4) arrays."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Options
from raidtui.backends.md.facts import md_facts
from raidtui.backends.md.geometry import (
    DEFAULT_METADATA,
    METADATA,
    check_chunk,
    check_consistency,
    check_metadata,
)
from raidtui.backends.md.hazards import CHECKS
from raidtui.backends.md.layouts import PARITY_LAYOUTS, check_layout, default_layout
from raidtui.backends.md.levels import LEVELS, common_layouts
from raidtui.backends.md.names import LONGEST_NAME
from raidtui.backends.md.options import OPTIONS
from raidtui.backends.names import check_plain
from raidtui.model.errors import BadInput, CannotBuild
from raidtui.model.md_levels import DEFAULT_CHUNK
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults


def _check(spec: Spec) -> None:
    check_plain(spec.name, of="an array", longest=LONGEST_NAME)
    if spec.metadata == "0.90":
        raise BadInput("metadata 0.90 cannot store the array name; use 1.2, or 1.0 for a boot partition")


def _defaults(spec: Spec) -> Spec:
    """mdadm's defaults for the level; members are partitions that leave room for a smaller replacement."""
    level = LEVELS.get(spec.level)
    chunked = level is not None and level.has_chunk and spec.chunk is None
    return replace(
        with_member_defaults(spec),
        chunk=DEFAULT_CHUNK if chunked else spec.chunk,
        layout=spec.layout or default_layout(spec.level) or None,
        metadata=spec.metadata or DEFAULT_METADATA,
        consistency=spec.consistency or (level.consistencies[0] if level else None),
    )


def _compared(wanted: Options, disks: int, alike: bool) -> Iterator[tuple[str, Options]]:
    """Every level, RAID10 in its common layouts; options that a level does not have are dropped.

    A chunk that is not a power of two is refused here: only raid0 takes one, and has to be named for it.
    """
    if wanted.metadata:
        check_metadata(wanted.metadata)
    check_chunk("raid5", wanted.chunk)
    if wanted.consistency is not None:
        check_consistency(wanted.consistency)
    if wanted.layout:
        of = [level for level, known in PARITY_LAYOUTS.items() if wanted.layout in known]
        if of:
            raise CannotBuild(f"{wanted.layout} is a layout of {' and '.join(of)}; give the level too")
        check_layout("raid10", wanted.layout, disks)
    for level in LEVELS.values():
        layouts = common_layouts(level.name, disks)
        for layout in (wanted.layout,) if wanted.layout and level.name == "raid10" else layouts:
            yield (
                level.name,
                replace(
                    wanted,
                    chunk=wanted.chunk if level.has_chunk else None,
                    layout=layout,
                    metadata=wanted.metadata if wanted.metadata in METADATA else "",
                    consistency=wanted.consistency if wanted.consistency in level.consistencies else None,
                ),
            )


def _data_map(wanted: Arrangement, rows: int) -> DataMap:
    from raidtui.backends.md.placement import data_map  # loaded for maps only

    return data_map(wanted, rows)


BACKEND: Final = BackendContract(
    name=Backend.MDADM,
    noun="array",
    blurb="",
    rebuild_note="a lockless bitmap (mdadm 4.6, experimental) rebuilds only written data",
    unreadable="md records them as bad blocks and continues",
    manual="md(4)",
    levels=LEVELS,
    options=OPTIONS,
    hazards=CHECKS,
    check=_check,
    defaults=_defaults,
    facts=md_facts,
    compared=_compared,
    data_map=_data_map,
)
