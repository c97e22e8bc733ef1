"""Logical volumes of LVM on bare disks, behind the contract: it can be calculated."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from raidtui.backends.facts import Facts, Options
from raidtui.backends.look import Check
from raidtui.backends.lvm.facts import lvm_facts
from raidtui.backends.lvm.levels import COMPARED, LEVELS
from raidtui.backends.lvm.options import OPTIONS
from raidtui.model.plan import Severity
from raidtui.model.spec import Backend, Spec

if TYPE_CHECKING:
    from raidtui.backends.contract import BackendContract


class Lvm:
    """Logical volumes of LVM on bare disks."""

    name = Backend.LVM
    noun = "volume group"
    blurb = "LVM's own RAID: md's code inside a volume group. "
    unreadable = "md records them as bad blocks and continues"
    levels = LEVELS
    own_filesystem = False
    options = OPTIONS
    hazards: tuple[Check, ...] = ()
    grades: Mapping[str, Severity] = {}
    builder = None

    def defaults(self, spec: Spec) -> Spec:
        """What is left open, its facts decide."""
        return spec

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """What it gives."""
        return lvm_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The usual levels."""
        plain = Options(spare_sizes=wanted.spare_sizes, record=wanted.record)
        return ((level, plain) for level in COMPARED)


BACKEND: "BackendContract" = Lvm()
