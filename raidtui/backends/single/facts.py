"""The one level of a single disk, and its facts: the baseline for every array."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.disks import check_sizes
from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.facts import (
    EXACT,
    NOT_AT_BOOT,
    Facts,
    MemberUse,
    Options,
    Shape,
    check_no_spares,
    resilience,
)
from raidtui.backends.level import Level
from raidtui.model.errors import CannotBuild
from raidtui.model.text import spelled

ALONE: Final = Level(
    name="single",
    title="a single disk",
    explains="A filesystem on one disk: all its space, its own speed, and everything is lost with it. To compare "
    "arrays with, and for data that has a copy elsewhere.",
    placed="All of the data is on this disk.",
    suits="a baseline for arrays",
    pros=("all the space of the disk",),
    cons=("everything is lost with it",),
    min_disks=1,
    redundant=False,
)
"""Never offered for several disks."""

LEVELS: Final = {ALONE.name: ALONE}


def single_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of one disk of this size, in bytes.

    Raises:
        CannotBuild: another level, more than one disk, spares, or options of arrays.
    """
    if level != ALONE.name:
        raise CannotBuild(
            f"{spelled(level)} is a level of arrays; the level of a single disk is {ALONE.name}"
        )
    if len(sizes) != 1:
        raise CannotBuild(f"level single takes one disk, and {len(sizes)} are named")
    check_no_spares("a single disk", options, "it has nothing to rebuild from")
    if options.chunk or options.layout or options.consistency:
        raise CannotBuild("a single disk has no chunk, layout or consistency; leave them out")
    check_sizes(sizes)
    (size,) = sizes
    sets, lives = resilience(Shape("raid0"), 1)
    return Facts(
        layout="",
        array_bytes=size,
        component_bytes=size,
        members=(MemberUse(size_bytes=size, used_bytes=size, wasted_bytes=0, why=""),),
        sets=sets,
        survival=lives,
        read_in_rebuild=0,
        ideal=ideal("raid0", 1),
        accuracy=EXACT,
        boot=NOT_AT_BOOT,
    )
