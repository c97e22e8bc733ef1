"""The backend of a filesystem on a single disk."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract, Builder
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options
from raidtui.backends.names import check_plain
from raidtui.backends.options import NO_OPTIONS
from raidtui.backends.single.facts import single_facts
from raidtui.backends.single.levels import ALONE, LEVELS
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.model.text import spelled


class Single(BackendContract):
    """One disk with a filesystem."""

    name = Backend.DISK
    noun = "single disk"
    blurb = "A filesystem on one disk, a baseline for arrays. "
    unreadable = "the filesystem returns an error"
    manual = "smartctl(8)"
    levels = LEVELS
    options = NO_OPTIONS

    def check(self, spec: Spec) -> None:
        """Refuse anything but one disk with a filesystem, and a bad name."""
        _check_alone(spec)
        check_plain(spec.name, of="a filesystem")

    def defaults(self, spec: Spec) -> Spec:
        """One partition without a reserve, since no replacement has to fit."""
        return replace(spec, partition=True, reserve=spec.reserve or 0)

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """The facts of the disk."""
        return single_facts(level, sizes, options)

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """Its one level."""
        return ((level, wanted) for level in LEVELS)

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Words only: everything is on the disk."""
        return DataMap(words=LEVELS[wanted.level].placed)

    @cached_property
    def builder(self) -> Builder:
        """Partition and filesystem."""
        from raidtui.backends.single.builder import SingleBuilder

        return SingleBuilder()


def _check_alone(spec: Spec) -> None:
    """Check that the spec is one disk with a filesystem in a partition.

    Raises:
        BadInput: it is not.
    """
    if spec.level != ALONE.name:
        raise BadInput(f"{spelled(spec.level)} is an array level; the level of a single disk is {ALONE.name}")
    if len(spec.members) > 1:
        raise BadInput(
            f"the spec {spec.name} names {len(spec.members)} disks, and its level {ALONE.name} means a single disk"
        )
    if spec.partition is False:
        raise BadInput("a single disk has its filesystem in a partition; leave partition = false out")
    if spec.filesystem.type == "none" and not spec.sizes:  # sizes only calculate
        raise BadInput('a single disk needs a filesystem; write [filesystem] with type = "ext4"')


BACKEND = Single()
