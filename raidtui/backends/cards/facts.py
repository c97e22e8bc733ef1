"""The facts of a virtual drive: data drives times the smallest drive's usable size."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.disks import data_disks, read_in_rebuild
from raidtui.backends.arithmetic.ideal import ideal, of_groups
from raidtui.backends.arithmetic.survival import all_survive, survival, survival_of, surviving_sets
from raidtui.backends.cards.levels import LEVELS, SPANNED
from raidtui.backends.cards.options import MOST_SPANS
from raidtui.backends.facts import NOT_AT_BOOT, Facts, Options, plain_uses
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import parity_of
from raidtui.model.struct import Record, Whole
from raidtui.model.text import spelled
from raidtui.model.units import spell_size

MOST_DRIVES: Final = 32
_BOOT: Final = "is started degraded by the card"


class Rules(Record, frozen=True, kw_only=True):
    """The rules of a family of cards."""

    called: str  # a MegaRAID card
    strips: tuple[int, ...]  # bytes
    default_strip: Whole
    accuracy: str  # of the size, in words
    spans_chosen: bool = True  # whether the number of spans is an option of the command


def card_facts(level: str, sizes: Sequence[int], options: Options, rules: Rules) -> Facts:
    """The facts of ``level`` on drives of these usable sizes, in bytes.

    Raises:
        CannotBuild: the card would refuse.
    """
    known, drives = LEVELS.get(level), len(sizes)
    if known is None:
        raise CannotBuild(f"{rules.called} has no level {level!r}; it has {', '.join(LEVELS)}")
    _check_number(level, drives)
    strip = options.chunk or rules.default_strip
    if known.has_chunk and strip not in rules.strips:
        has = ", ".join(map(spell_size, rules.strips))
        raise CannotBuild(f"{rules.called} has no strip of {spell_size(strip)}; it has {has}")
    smallest = min(sizes)
    if any(size < smallest for size in options.spare_sizes):
        raise CannotBuild("a hot spare must be as large as the smallest member")
    spans = (
        _spans(level, drives, dict(options.own).get("spans", ""))
        if rules.spans_chosen
        else _only_spans(level, drives)
    )
    per, group = drives // spans, SPANNED.get(level, level)
    data = spans * int(data_disks(group, per))
    layout = known.default_layout
    sets = all_survive(surviving_sets(group, per, layout), spans)
    best = ideal(group, per, layout, rotational=options.rotational)
    lives = survival(group, per, layout) if spans == 1 else survival_of(sets, drives)
    return Facts(
        layout="",
        array_bytes=data * smallest,
        component_bytes=smallest,
        members=plain_uses(sizes, [smallest] * drives, 0, ""),
        spares=plain_uses(options.spare_sizes, [smallest] * len(options.spare_sizes), 0, ""),
        sets=sets,
        survival=lives,
        read_in_rebuild=read_in_rebuild(group, per, smallest),
        ideal=best if spans == 1 else of_groups(best, spans, striped=True),
        accuracy=rules.accuracy,
        boot=_BOOT if lives.guaranteed else NOT_AT_BOOT,
        parity=parity_of(group),
        groups=spans,
        grouped=f"{spans} spans of {per} drives" if spans > 1 else "",
        chunk_bytes=strip if known.has_chunk else 0,
        stripe_width_bytes=strip * data if known.has_chunk else 0,
    )


def _spans(level: str, drives: int, wanted: str) -> int:
    """The number of spans; 1 for a level without spans.

    Raises:
        CannotBuild: the drives cannot be divided into the wanted number of spans.
    """
    if level not in SPANNED:
        return 1
    spans, least = int(wanted or 2), LEVELS[SPANNED[level]].min_disks
    if drives % spans or drives // spans < least:
        raise CannotBuild(
            f"{spelled(level)} in {spans} spans takes a multiple of {spans} drives, at least {spans * least}, not {drives}"
        )
    return spans


def _only_spans(level: str, drives: int) -> int:
    """The number of spans if the card chooses it; 1 for a level without spans.

    The guide does not say how the card chooses, so the drives must divide into spans in exactly one way.

    Raises:
        CannotBuild: they divide in no way, or in several.
    """
    if level not in SPANNED:
        return 1
    least = LEVELS[SPANNED[level]].min_disks
    ways = _ways(drives, least)
    if not ways:
        raise CannotBuild(f"{spelled(level)} cannot divide {drives} drives into spans of {least} or more")
    if len(ways) > 1:
        fewer = next(n for n in range(drives - 1, 0, -1) if len(_ways(n, least)) == 1)
        spans = f"{', '.join(map(str, ways[:-1]))} or {ways[-1]}"
        raise CannotBuild(
            f"{spelled(level)} of {drives} drives has {spans} spans, as the card chooses; use {fewer} drives, "
            "which divide in only one way"
        )
    return ways[0]


def _ways(drives: int, least: int) -> list[int]:
    """The possible numbers of equal spans, each of at least ``least`` drives."""
    return [spans for spans in range(2, drives // least + 1) if drives % spans == 0]


def _check_number(level: str, drives: int) -> None:
    least = LEVELS[level].min_disks
    if drives < least:
        raise CannotBuild(f"{spelled(level)} takes at least {least} drives, not {drives}")
    if drives > MOST_DRIVES:
        raise CannotBuild(f"a virtual drive takes at most {MOST_DRIVES} drives, not {drives}")
    if level == "raid1" and drives != 2:
        raise CannotBuild(f"RAID1 takes 2 drives, not {drives}; for more take RAID10")
    if level == "raid10" and drives > 2 * MOST_SPANS:
        raise CannotBuild(
            f"RAID10 takes at most {2 * MOST_SPANS} drives, in {MOST_SPANS} spans, not {drives}"
        )
    if level == "raid10" and drives % 2:
        raise CannotBuild(f"RAID10 takes an even number of drives, not {drives}")
