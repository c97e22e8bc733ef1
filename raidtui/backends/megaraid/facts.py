"""What a virtual drive gives: data drives times the smallest drive's usable size, to the sector in every recording."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.arithmetic.rebuild import read_in_rebuild
from raidtui.backends.arithmetic.space import data_disks
from raidtui.backends.facts import NOT_AT_BOOT, Facts, Options, Shape, plain_uses, resilience
from raidtui.backends.megaraid.levels import LEVELS
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import parity_of
from raidtui.model.units import KIB, spell_size

STRIPS: Final = tuple(size * KIB for size in (64, 128, 256, 512, 1024))
DEFAULT_STRIP: Final = 256 * KIB
MOST_DRIVES: Final = 32
_BOOT: Final = "the card starts it degraded by itself"


def megaraid_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """What ``level`` gives on drives of these usable sizes.

    Raises:
        CannotBuild: the card would refuse.
    """
    known, drives = LEVELS.get(level), len(sizes)
    if known is None:
        raise CannotBuild(f"a MegaRAID card has no level {level!r}; it has {', '.join(LEVELS)}")
    _check_number(level, drives)
    strip = options.chunk or DEFAULT_STRIP
    if known.has_chunk and strip not in STRIPS:
        raise CannotBuild(
            f"a MegaRAID card has no strip of {spell_size(strip)}; it has {', '.join(map(spell_size, STRIPS))}"
        )
    smallest = min(sizes)
    if any(size < smallest for size in options.spare_sizes):
        raise CannotBuild("a hot spare must be as large as the smallest member")
    data = int(data_disks(level, drives))
    sets, lives = resilience(Shape(level, known.default_layout), drives)
    return Facts(
        layout="",
        array_bytes=data * smallest,
        component_bytes=smallest,
        members=plain_uses(sizes, [smallest] * drives, 0, ""),
        spares=plain_uses(options.spare_sizes, [smallest] * len(options.spare_sizes), 0, ""),
        sets=sets,
        survival=lives,
        read_in_rebuild=read_in_rebuild(level, drives, smallest),
        ideal=ideal(level, drives, known.default_layout, rotational=options.rotational),
        accuracy="exact to the sector for the usable size that the card reports",
        boot=_BOOT if lives.guaranteed else NOT_AT_BOOT,
        parity=parity_of(level),
        chunk_bytes=strip if known.has_chunk else 0,
        stripe_width_bytes=strip * data if known.has_chunk else 0,
    )


def _check_number(level: str, drives: int) -> None:
    least = LEVELS[level].min_disks
    if drives < least:
        raise CannotBuild(f"{level} takes at least {least} drives, not {drives}")
    if drives > MOST_DRIVES:
        raise CannotBuild(f"a virtual drive takes at most {MOST_DRIVES} drives, not {drives}")
    if level == "raid1" and drives != 2:
        raise CannotBuild(f"raid1 takes 2 drives, not {drives}; for more take raid10")
    if level == "raid10" and drives % 2:
        raise CannotBuild(f"raid10 takes an even number of drives, not {drives}")
