"""The backend of LVM logical volumes on bare disks."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract, Builder
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.lvm.facts import lvm_facts
from raidtui.backends.lvm.hazards import CHECKS
from raidtui.backends.lvm.levels import COMPARED, LEVELS
from raidtui.backends.lvm.names import check_name
from raidtui.backends.lvm.options import OPTIONS
from raidtui.backends.lvm.space import DEFAULT_STRIPE
from raidtui.backends.replacing import Replacer
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.steps.pieces import with_member_defaults


class Lvm(BackendContract):
    """LVM logical volumes on bare disks."""

    name = Backend.LVM
    noun = "volume group"
    blurb = "LVM's own RAID: md's code inside a volume group. "
    unreadable = "md records them as bad blocks and continues"
    manual = "lvmraid(7)"
    levels = LEVELS
    options = OPTIONS
    hazards = CHECKS

    def check(self, spec: Spec) -> None:
        """Refuse a bad name or a level that LVM does not have."""
        check_name(spec.name)
        if spec.level not in LEVELS:
            raise BadInput(f"LVM has no level {spec.level!r}; it has {', '.join(LEVELS)}")

    def defaults(self, spec: Spec) -> Spec:
        """LVM's defaults for the type; members are partitions that leave room for a smaller replacement."""
        level = LEVELS.get(spec.level)
        chunked = level is not None and level.has_chunk and spec.chunk is None
        return replace(with_member_defaults(spec), chunk=DEFAULT_STRIPE if chunked else spec.chunk)

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """The facts of a layout."""
        return lvm_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The usual levels."""
        return usual(COMPARED, wanted)

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Placement as in md: LVM's RAID is md's code."""
        from raidtui.backends.md.placement import alike

        return alike(LEVELS[wanted.level], wanted, rows)

    @cached_property
    def builder(self) -> Builder:
        """lvm2."""
        from raidtui.backends.lvm.builder import LvmBuilder

        return LvmBuilder()

    @cached_property
    def replacer(self) -> Replacer:
        """lvconvert(8)."""
        from raidtui.backends.lvm.replace import LvmReplacer

        return LvmReplacer()


BACKEND = Lvm()
