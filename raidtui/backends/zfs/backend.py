"""The backend of ZFS pools."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import DataMap
from raidtui.backends.facts import usual
from raidtui.backends.zfs.facts import zfs_facts
from raidtui.backends.zfs.hazards import CHECKS, GRADES
from raidtui.backends.zfs.levels import LEVELS
from raidtui.backends.zfs.names import check_name
from raidtui.backends.zfs.options import OPTIONS
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults


def _check(spec: Spec) -> None:
    check_name(spec.name)
    if spec.level not in LEVELS:
        raise BadInput(f"ZFS has no level {spec.level!r}; it has {', '.join(LEVELS)}")
    if spec.partition is False:
        raise BadInput(
            "a pool takes one partition of each disk here, because ZFS partitions whole disks in its own way; "
            "leave partition out"
        )


def _defaults(spec: Spec) -> Spec:
    """The values of `OPTIONS`; members are partitions that leave room for a smaller replacement.

    ``ashift`` and ``vdevs`` stay open unless given: they depend on the disks.
    """
    open_ones = {key: one.default for key, one in OPTIONS.items() if one.own and one.default}
    return replace(with_member_defaults(spec), options=open_ones | spec.options)


BACKEND: Final = BackendContract(
    name=Backend.ZFS,
    noun="pool",
    blurb="A ZFS pool: volumes, checksums and snapshots in one. ",
    unreadable="ZFS reports which files are damaged",
    manual="zpoolconcepts(7)",
    levels=LEVELS,
    own_filesystem="zfs",
    options=OPTIONS,
    hazards=CHECKS,
    grades=GRADES,
    check=_check,
    defaults=_defaults,
    facts=zfs_facts,
    compared=lambda wanted, disks, alike: usual(LEVELS, wanted),
    # Records have no fixed positions.
    data_map=lambda wanted, rows: DataMap(words=LEVELS[wanted.level].placed),
)
