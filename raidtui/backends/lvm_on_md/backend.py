"""The backend of LVM logical volumes on md arrays."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract, Builder
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options, usual
from raidtui.backends.fix import Fix
from raidtui.backends.lvm.names import check_name
from raidtui.backends.lvm_on_md.dealing import dealing_of
from raidtui.backends.lvm_on_md.facts import lvm_on_md_facts
from raidtui.backends.lvm_on_md.hazards import CHECKS
from raidtui.backends.lvm_on_md.levels import COMPARED, LEVELS, MIXED, STRIPED
from raidtui.backends.lvm_on_md.options import OPTIONS
from raidtui.backends.md.backend import BACKEND as MD
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.model.text import spelled
from raidtui.steps.pieces import with_member_defaults


class LvmOnMd(BackendContract):
    """LVM logical volumes on md arrays."""

    name = Backend.LVM_ON_MD
    noun = "volume group"
    blurb = "One LVM volume over md arrays. "
    unreadable = "md records them as bad blocks and continues"
    manual = "md(4)"
    levels = LEVELS
    options = OPTIONS
    hazards = CHECKS

    def check(self, spec: Spec) -> None:
        """Refuse levels that cannot be built, names that are not valid for the arrays and the group, and what md refuses."""
        if spec.level in LEVELS and not LEVELS[spec.level].builds:
            raise BadInput(
                f"{spelled(spec.level)} can be calculated but not built; build its arrays one by one, or use one of md's levels"
            )
        dealing = dealing_of(spec.level, len(spec.members or spec.sizes), spec.options)
        for name in dealing.all_names(spec.name):
            MD.check(replace(spec, name=name))
        check_name(spec.name)

    def defaults(self, spec: Spec) -> Spec:
        """md's defaults; the layout of a mixed one stays open, since its facts decide."""
        if spec.level in MIXED:
            return with_member_defaults(spec)
        array = MD.defaults(replace(spec, level=STRIPED.get(spec.level, spec.level)))
        return replace(array, level=spec.level)

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """The facts of a layout."""
        return lvm_on_md_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The usual levels, striped ones with six or more disks, and mixed layouts on disks of different sizes."""
        enough = [level for level in STRIPED if disks >= min(LEVELS[one].min_disks for one in STRIPED)]
        return usual((*COMPARED, *enough, *(() if alike else MIXED)), wanted)

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Placement as in md within each array; words for bands of arrays."""
        from raidtui.backends.lvm_on_md.placement import data_map

        return data_map(wanted, rows)

    @property
    def fixes(self) -> Mapping[str, Fix]:
        """Mail when a disk fails, and a scrub."""
        from raidtui.backends.md.fixes import FIXES

        return FIXES

    @cached_property
    def builder(self) -> Builder:
        """mdadm and lvm2."""
        from raidtui.backends.lvm_on_md.builder import LvmOnMdBuilder

        return LvmOnMdBuilder()


BACKEND = LvmOnMd()
