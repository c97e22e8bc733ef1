"""The backend of LVM logical volumes on md arrays."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Options, usual
from raidtui.backends.lvm.names import check_name
from raidtui.backends.lvm_on_md.facts import lvm_on_md_facts
from raidtui.backends.lvm_on_md.hazards import CHECKS
from raidtui.backends.lvm_on_md.levels import COMPARED, LEVELS, STRIPED, dealing_of
from raidtui.backends.lvm_on_md.options import OPTIONS
from raidtui.backends.md.backend import BACKEND as MD
from raidtui.model.spec import Backend, Spec


def _check(spec: Spec) -> None:
    """Refuse names that are not valid for the arrays and the group, and what md refuses."""
    dealing = dealing_of(spec.level, len(spec.members or spec.sizes), spec.options)
    for name in dealing.all_names(spec.name):
        MD.check(replace(spec, name=name))
    check_name(spec.name)


def _defaults(spec: Spec) -> Spec:
    """md's defaults for the level of the arrays."""
    array = MD.defaults(replace(spec, level=STRIPED.get(spec.level, spec.level)))
    return replace(array, level=spec.level)


def _compared(wanted: Options, disks: int, alike: bool) -> Iterator[tuple[str, Options]]:
    """The usual levels, and striped ones with six or more disks."""
    enough = [level for level in STRIPED if disks >= min(LEVELS[one].min_disks for one in STRIPED)]
    return usual((*COMPARED, *enough), wanted)


def _data_map(wanted: Arrangement, rows: int) -> DataMap:
    from raidtui.backends.lvm_on_md.placement import data_map

    return data_map(wanted, rows)


BACKEND: Final = BackendContract(
    name=Backend.LVM_ON_MD,
    noun="volume group",
    blurb="One LVM volume over md arrays. ",
    rebuild_note=MD.rebuild_note,
    unreadable=MD.unreadable,
    manual=MD.manual,
    levels=LEVELS,
    options=OPTIONS,
    hazards=CHECKS,
    check=_check,
    defaults=_defaults,
    facts=lvm_on_md_facts,
    compared=_compared,
    data_map=_data_map,
)
