"""The backend of a filesystem on a single disk."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.data_map import DataMap
from raidtui.backends.facts import Options
from raidtui.backends.names import check_plain
from raidtui.backends.options import NO_OPTIONS
from raidtui.backends.single.facts import ALONE, LEVELS, single_facts
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, Spec
from raidtui.model.text import spelled


def _check(spec: Spec) -> None:
    """Check that the spec is one disk with a filesystem in a partition. Raises BadInput: it is not."""
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
    check_plain(spec.name, of="a filesystem")


def _compared(wanted: Options, disks: int, alike: bool) -> Iterator[tuple[str, Options]]:
    return ((level, wanted) for level in LEVELS)


BACKEND: Final = BackendContract(
    name=Backend.DISK,
    noun="single disk",
    blurb="A filesystem on one disk, a baseline for arrays. ",
    unreadable="the filesystem returns an error",
    manual="smartctl(8)",
    levels=LEVELS,
    options=NO_OPTIONS,
    check=_check,
    # One partition without a reserve, since no replacement has to fit.
    defaults=lambda spec: replace(spec, partition=True, reserve=spec.reserve or 0),
    facts=single_facts,
    compared=_compared,
    data_map=lambda wanted, rows: DataMap(words=LEVELS[wanted.level].placed),
)
