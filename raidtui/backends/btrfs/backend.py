"""The backend of Btrfs over several disks."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.btrfs.facts import btrfs_facts
from raidtui.backends.btrfs.hazards import CHECKS, GRADES
from raidtui.backends.btrfs.levels import LEVELS
from raidtui.backends.btrfs.space import METADATA, metadata_of
from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import DataMap
from raidtui.backends.facts import Options, usual
from raidtui.backends.names import check_plain
from raidtui.backends.options import Option
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults

OPTIONS: Final = {
    "name": Option(
        label="Name",
        help="The label of the filesystem. It is mounted by its UUID. Use letters, digits, dots, dashes and "
        "underscores.",
    ),
    "partition": Option(
        label="Members are",
        help="A GPT partition marks each disk as used for every tool and firmware, and leaves a reserve at the "
        "end. Whole disks lose no space, but some firmware writes a partition table over them.",
    ),
    "metadata": Option(
        label="Metadata",
        help="The profile of the metadata: 'mkfs.btrfs --metadata'. The filesystem survives a failed disk only "
        "if data and metadata do. RAID1C3 survives two failed disks, RAID1C4 three. Never RAID5 or RAID6.",
        choices=METADATA,
    ),
}
"""By spec key, in the order the Options screen shows them."""


def _check(spec: Spec) -> None:
    check_plain(spec.name, of="a filesystem")
    if spec.level not in LEVELS:
        raise BadInput(f"Btrfs has no level {spec.level!r}; it has {', '.join(LEVELS)}")
    if spec.metadata and spec.metadata not in METADATA:
        raise BadInput(f"Btrfs metadata cannot be {spec.metadata!r}; use one of {', '.join(METADATA)}")


def _defaults(spec: Spec) -> Spec:
    """Metadata survives as many disks as data; members are partitions that leave room for a smaller replacement."""
    return replace(with_member_defaults(spec), metadata=spec.metadata or metadata_of(spec.level))


def _compared(wanted: Options, disks: int, alike: bool) -> Iterator[tuple[str, Options]]:
    metadata = wanted.metadata if wanted.metadata in METADATA else ""
    return ((level, replace(options, metadata=metadata)) for level, options in usual(LEVELS, wanted))


BACKEND: Final = BackendContract(
    name=Backend.BTRFS,
    noun="Btrfs filesystem",
    blurb="A Btrfs filesystem over all disks, with checksums and snapshots. ",
    unreadable="Btrfs reports which files are damaged",
    manual="btrfs(5)",
    levels=LEVELS,
    own_filesystem="btrfs",
    options=OPTIONS,
    hazards=CHECKS,
    grades=GRADES,
    check=_check,
    defaults=_defaults,
    facts=btrfs_facts,
    compared=_compared,
    # Chunks have no fixed positions.
    data_map=lambda wanted, rows: DataMap(words=LEVELS[wanted.level].placed),
)
