"""Look for the files of a lost unit: first as superblocks say, then in other orders, older states, and without a mount."""

from collections.abc import Callable, Sequence
from typing import Final

from raidtui.backends.recovering import Recoverer, Wanted
from raidtui.jobs.recovering.arrays import over_arrays
from raidtui.jobs.recovering.trial import Trial, attempt
from raidtui.model.recovery import Candidate, Source, Tried, ranked
from raidtui.model.text import count_of

MOST_ORDERS: Final = 240

Asked = Sequence[tuple[Recoverer, tuple[Candidate, ...]]]
"""Each backend that may have made the unit, with what superblocks say."""


def ask(recoverers: Sequence[Recoverer], sources: Sequence[Source], wanted: Wanted) -> Asked:
    """What superblocks say, of units that lie on the members themselves.

    Raises:
        Refused: the sources have superblocks of several units.
        OSError: one cannot be read.
    """
    return [(one, one.by_superblocks(sources, wanted)) for one in recoverers if not one.inside]


def search(
    here: Trial,
    asked: Asked,
    recoverers: Sequence[Recoverer],
    sources: Sequence[Source],
    wanted: Wanted,
    *,
    orders: bool,
    report: Callable[[str], None],
) -> list[Tried]:
    """Try what is likely, until files are found whole; return what was tried, the most likely first.

    Args:
        asked: what `ask` returned.
        orders: look for other orders even if files are found.
        report: gets a line about each.

    Raises:
        Refused: the sources have superblocks of several units.
        StepFailed: an overlay cannot be made, or something cannot be removed.
        OSError: a source cannot be read.
    """
    tried = attempt(here, [one for _, found in asked for one in found], report)
    seen = {one.contents for one in tried}
    for each in recoverers:
        if each.inside and (not asked or each.inside in seen):
            tried = ranked([*tried, *attempt(here, over_arrays(here.stack, each, sources, wanted), report)])
    settled = {one.candidate.of for one in tried if one.right}
    open_ones = {one.candidate.of for one in tried} - settled
    if not (orders or open_ones or not settled):
        return tried
    # Once files are found, what the members have been otherwise is not looked for.
    going = [each for each, found in asked if found or not settled]
    known = {one.candidate.attempted for one in tried}
    more = [
        one
        for each in going
        for one in each.by_order(sources, wanted, MOST_ORDERS)
        if (orders or one.of not in settled)
        and one.attempted not in known
        and not (one.unmounted and any(each.found for each in tried))
    ]
    if more:
        report(f"trying at most {count_of(more, 'further way')}")
    return ranked([*tried, *attempt(here, more, report)])
