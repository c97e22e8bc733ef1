"""The backend of Btrfs over several disks."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from raidtui.backends.btrfs.facts import btrfs_facts
from raidtui.backends.btrfs.hazards import CHECKS, GRADES
from raidtui.backends.btrfs.levels import COMPARED, LEVELS
from raidtui.backends.btrfs.options import OPTIONS
from raidtui.backends.btrfs.space import METADATA, metadata_of
from raidtui.backends.contract import BackendContract, Builder
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.names import check_plain
from raidtui.backends.replacing import Replacer
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults


class Btrfs(BackendContract):
    """Btrfs over several disks."""

    name = Backend.BTRFS
    noun = "Btrfs filesystem"
    blurb = "A Btrfs filesystem over all disks, with checksums and snapshots. "
    unreadable = "Btrfs reports which files are damaged"
    manual = "btrfs(5)"
    levels = LEVELS
    own_filesystem = "btrfs"
    options = OPTIONS
    hazards = CHECKS
    grades = GRADES

    def check(self, spec: Spec) -> None:
        """Refuse a bad name, and a level or metadata profile that Btrfs does not have."""
        check_plain(spec.name, of="a filesystem")
        if spec.level not in LEVELS:
            raise BadInput(f"Btrfs has no level {spec.level!r}; it has {', '.join(LEVELS)}")
        if spec.metadata and spec.metadata not in METADATA:
            raise BadInput(f"Btrfs metadata cannot be {spec.metadata!r}; use one of {', '.join(METADATA)}")

    def defaults(self, spec: Spec) -> Spec:
        """Metadata survives as many disks as data; members are partitions that leave room for a smaller replacement."""
        return replace(with_member_defaults(spec), metadata=spec.metadata or metadata_of(spec.level))

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """The facts of a layout."""
        return btrfs_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The usual levels."""
        metadata = wanted.metadata if wanted.metadata in METADATA else ""
        return ((level, replace(options, metadata=metadata)) for level, options in usual(COMPARED, wanted))

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Words only: chunks have no fixed positions."""
        return DataMap(words=LEVELS[wanted.level].placed)

    @cached_property
    def builder(self) -> Builder:
        """btrfs-progs."""
        from raidtui.backends.btrfs.builder import BtrfsBuilder

        return BtrfsBuilder()

    @cached_property
    def replacer(self) -> Replacer:
        """btrfs-replace(8)."""
        from raidtui.backends.btrfs.replace import BtrfsReplacer

        return BtrfsReplacer()


BACKEND = Btrfs()
