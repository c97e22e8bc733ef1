"""The backend of bands of unequal disks: md arrays, joined by LVM."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Options
from raidtui.backends.hybrid.bands import MOST_BANDS
from raidtui.backends.hybrid.facts import hybrid_facts
from raidtui.backends.hybrid.hazards import CHECKS
from raidtui.backends.hybrid.levels import LEVELS
from raidtui.backends.hybrid.options import OPTIONS
from raidtui.backends.lvm.names import check_name
from raidtui.backends.md.backend import BACKEND as MD
from raidtui.backends.md.geometry import DEFAULT_METADATA
from raidtui.model.errors import BadInput
from raidtui.model.md_levels import DEFAULT_CHUNK
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults


def _check(spec: Spec) -> None:
    """Refuse names that do not fit the arrays and the group, metadata that is not 1.2, and members without partitions."""
    MD.check(replace(spec, name=f"{spec.name}-{MOST_BANDS}"))
    check_name(spec.name)
    if spec.metadata not in {None, DEFAULT_METADATA}:
        raise BadInput(
            f"the arrays of a hybrid volume have metadata {DEFAULT_METADATA}; leave metadata = '{spec.metadata}' out"
        )
    if spec.partition is False:
        raise BadInput(
            "the members of a hybrid volume are partitions, one for each band; leave partition = false out"
        )


def _defaults(spec: Spec) -> Spec:
    return replace(
        with_member_defaults(spec),
        chunk=spec.chunk or DEFAULT_CHUNK,
        metadata=spec.metadata or DEFAULT_METADATA,
        consistency=spec.consistency or "bitmap",
    )


def _compared(wanted: Options, disks: int, alike: bool) -> Iterator[tuple[str, Options]]:
    for level, known in LEVELS.items():
        fits = wanted.consistency if wanted.consistency in known.consistencies else None
        yield level, replace(wanted, layout=None, metadata="", consistency=fits)


def _data_map(wanted: Arrangement, rows: int) -> DataMap:
    from raidtui.backends.hybrid.placement import data_map  # loaded for maps only

    return data_map(wanted, rows)


BACKEND: Final = BackendContract(
    name=Backend.HYBRID,
    noun="volume group",
    blurb="One LVM volume over md arrays, one array for each band of equal size on unequal disks. ",
    rebuild_note=MD.rebuild_note,
    unreadable=MD.unreadable,
    manual=MD.manual,
    levels=LEVELS,
    options=OPTIONS,
    hazards=CHECKS,
    for_unequal=True,
    check=_check,
    defaults=_defaults,
    facts=hybrid_facts,
    compared=_compared,
    data_map=_data_map,
)
