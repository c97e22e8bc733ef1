"""The backend of ZFS pools."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract, Builder
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.replacing import Replacer
from raidtui.backends.zfs.facts import zfs_facts
from raidtui.backends.zfs.hazards import CHECKS, GRADES
from raidtui.backends.zfs.levels import COMPARED, LEVELS
from raidtui.backends.zfs.names import check_name
from raidtui.backends.zfs.options import OPTIONS
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults


class Zfs(BackendContract):
    """ZFS pools."""

    name = Backend.ZFS
    noun = "pool"
    blurb = "A ZFS pool: volumes, checksums and snapshots in one. "
    unreadable = "ZFS reports which files are damaged"
    manual = "zpoolconcepts(7)"
    levels = LEVELS
    own_filesystem = "zfs"
    options = OPTIONS
    hazards = CHECKS
    grades = GRADES

    def check(self, spec: Spec) -> None:
        """Refuse a bad name, a level that ZFS does not have, and whole-disk members."""
        check_name(spec.name)
        if spec.level not in LEVELS:
            raise BadInput(f"ZFS has no level {spec.level!r}; it has {', '.join(LEVELS)}")
        if spec.partition is False:
            raise BadInput(
                "a pool takes one partition of each disk here, because ZFS partitions whole disks in its own way; "
                "leave partition out"
            )

    def defaults(self, spec: Spec) -> Spec:
        """The values of `OPTIONS`; members are partitions that leave room for a smaller replacement.

        ``ashift`` and ``vdevs`` stay open unless given: they depend on the disks.
        """
        open_ones = {key: one.default for key, one in OPTIONS.items() if one.own and one.default}
        return replace(with_member_defaults(spec), options=open_ones | spec.options)

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """The facts of a layout."""
        return zfs_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The usual levels."""
        return usual(COMPARED, wanted)

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Words only: records have no fixed positions."""
        return DataMap(words=LEVELS[wanted.level].placed)

    @cached_property
    def builder(self) -> Builder:
        """zfsutils-linux and the module."""
        from raidtui.backends.zfs.builder import ZfsBuilder

        return ZfsBuilder()

    @cached_property
    def replacer(self) -> Replacer:
        """zpool-replace(8)."""
        from raidtui.backends.zfs.replace import ZfsReplacer

        return ZfsReplacer()


BACKEND = Zfs()
