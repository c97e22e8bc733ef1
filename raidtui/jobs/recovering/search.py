"""Look for the files of a lost unit: first as superblocks say, then in other orders, older states, and without a mount."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final

from msgspec.structs import replace

from raidtui.backends.recovering import Recoverer, Wanted
from raidtui.jobs.recovering.not_taken import NotTaken
from raidtui.jobs.recovering.stack import Stack
from raidtui.jobs.recovering.trial import Trial, attempt
from raidtui.machine.contents.partition_places import read_partitions
from raidtui.model.recovery import Below, Candidate, Place, Shape, Source, Tried, Way, ranked
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
    # A volume that is right on the arrays confirms how these lie: no order of members finds what lies on another.
    if not orders and any(one.right and one.candidate.below for one in tried):
        return tried
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


_MOST_WAYS: Final = 48  # of one array, in which its members may be put together
_MOST_LABELED: Final = 4  # of these, if they show a physical volume
_MOST_BLIND: Final = 4  # of these, if none shows one
_MOST_TOGETHER: Final = 12  # ways of all arrays together
_MOST_PRODUCT: Final = 4096


def over_arrays(
    stack: Stack, recoverer: Recoverer, sources: Sequence[Source], wanted: Wanted
) -> tuple[Candidate, ...]:
    """Every way in which a volume may lie on arrays of ``sources``, the most likely first; nothing without arrays.

    Raises:
        Refused: the arrays have metadata of several groups.
        StepFailed: an overlay cannot be made.
        OSError: a source cannot be read.
    """
    ways = recoverer.arrays(sources, wanted, _MOST_WAYS)
    likely = {name: found for name, some in ways.items() if (found := _likely(stack, recoverer, name, some))}
    every: dict[object, Candidate] = {}
    for chosen in _together([*likely.values()]) if likely else ():
        arrays = dict(zip(likely, chosen, strict=True))
        for one in _over(stack, recoverer, arrays, wanted):
            every.setdefault(one.attempted, one)
    return tuple(every.values())


def _likely(
    stack: Stack, recoverer: Recoverer, name: str, ways: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Those that superblocks confirm; of others those with a physical volume on the array, if any has one."""
    if not any(one.way is Way.ORDER for one in ways):
        return tuple(ways)
    labeled: list[Candidate] = []
    for one in ways:
        if len(labeled) == _MOST_LABELED:
            break
        try:
            (array,) = stack.open_arrays((Below(name=name, shape=one.shape),))
            if recoverer.members(_in_partitions(recoverer, [array])):
                labeled.append(one)
        except NotTaken:
            continue
        finally:
            stack.take_apart()
    return tuple(labeled or ways[:_MOST_BLIND])


def _together(ways: Sequence[Sequence[Candidate]]) -> Iterator[tuple[Candidate, ...]]:
    """One way of each array; the most likely of all of them first."""
    most = max(2, int(_MOST_PRODUCT ** (1 / len(ways))))
    places = product(*(range(min(len(one), most)) for one in ways))
    for chosen in sorted(places, key=sum)[:_MOST_TOGETHER]:
        yield tuple(one[place] for one, place in zip(ways, chosen, strict=True))


def _over(
    stack: Stack, recoverer: Recoverer, chosen: dict[str, Candidate], wanted: Wanted
) -> Iterator[Candidate]:
    """What the arrays say, put together as ``chosen``."""
    below = tuple(
        Below(name=name, shape=one.shape, array=one.array, events=one.events, moved=one.moved)
        for name, one in chosen.items()
    )
    try:
        opened = stack.open_arrays(below)
        sources = _in_partitions(recoverer, opened)
        # The group may have another name than its array.
        for some in dict.fromkeys((wanted, wanted._replace(unit=""))):
            found = (
                *recoverer.by_superblocks(sources, some),
                *recoverer.by_order(sources, some, _MOST_TOGETHER),
            )
            if found:
                break
    except NotTaken:
        return
    finally:
        stack.take_apart()
    sure = all(one.way is not Way.ORDER for one in chosen.values())
    words = "; ".join(f"{name}: {one.words}" for name, one in chosen.items())
    events = sum(min(one.events, default=0) for one in chosen.values())
    for one in found:
        pool = one.pool
        plain = one.why_not or (one.shape.is_plain and (pool is None or pool.metadata.is_plain))
        if plain and pool is not None:
            pool = replace(pool, metadata=_on_arrays(pool.metadata, sources, opened))
        yield replace(
            one,
            shape=_on_arrays(one.shape, sources, opened) if one.shape.is_plain else one.shape,
            pool=pool,
            way=one.way if sure else Way.ORDER,
            words=f"{one.words}; {words}",
            below=below,
            events=(events,) if sure else (),
            confirmed=one.confirmed + sum(each.confirmed for each in chosen.values()),
            why_not=one.why_not
            if plain
            else "it has copies of its own on the arrays, which raidtui does not look into",
        )


def _in_partitions(recoverer: Recoverer, arrays: Sequence[Source]) -> tuple[Source, ...]:
    """``arrays``; one with nothing of the unit on itself, but in a partition, is replaced by its partitions."""
    found: list[Source] = []
    for array in arrays:
        ranges = () if recoverer.members([array]) else read_partitions(array.path)
        parts = [
            replace(
                array, name=f"{array.name} partition {number}", size_bytes=one.length, begin_bytes=one.begin
            )
            for number, one in enumerate(ranges, 1)
        ]
        found += parts if recoverer.members(parts) else [array]
    return tuple(found)


def _on_arrays(shape: Shape, sources: Sequence[Source], arrays: Sequence[Source]) -> Shape:
    """``shape``, a row of ranges on ``sources`` that lie in ``arrays``, with its places counted from where these start."""
    begins = {
        one.name: (array.name, one.begin_bytes)
        for one in sources
        for array in arrays
        if array.path == one.path
    }

    def moved(place: Place) -> Place:
        array, begin = begins.get(place.source, ("", 0))
        return Place(source=array, offset_bytes=begin + place.offset_bytes)

    slots = []
    for slot in shape.slots:
        parts = tuple(replace(part, on=tuple(map(moved, part.on))) for part in slot.parts)
        slots.append(replace(slot, source=begins.get(slot.source, ("", 0))[0], parts=parts))
    return replace(shape, slots=tuple(slots))
