"""Where the data of each member may begin, if superblocks do not agree on it.

A power cut as a reshape ends leaves the place of before in some superblocks (`raidtui.model.superblock.missed_end`). md
reads these members there, and with its next write of superblocks the place that the reshape moved the data to is lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.md.recovery.agreement import agreement, read_rows
from raidtui.backends.md.recovery.stored import Stored
from raidtui.machine.md.arrays import layout_word
from raidtui.model.recovery import Candidate, Shape, Source
from raidtui.model.text import listed
from raidtui.model.units import SECTOR

_MOST: Final = 4  # places; more come from members that were added at different times


def in_places(
    found: Candidate, stored: Mapping[str, Stored], sources: Sequence[Source]
) -> Iterator[Candidate]:
    """``found``, with all its members, as superblocks say; then with data that begins where it may have been moved to.

    Each says how far parity and copies confirm it.

    Raises:
        OSError: a source cannot be opened.
    """
    slots = found.shape.slots
    own = {one.source: one.offset_bytes for one in slots}
    moved = {name: stored[name].new_offset_bytes for name in own if stored[name].new is not None}
    if len({*own.values()} | {*moved.values()}) == 1:
        yield found
        return
    alike = [dict.fromkeys(own, place) for place in sorted({*own.values()})]
    others = [own | moved] if moved else alike if len(alike) <= _MOST else []
    room = {one.name: one.size_bytes for one in sources}
    for at in (own, *others):
        if any(not 0 <= at[one] <= room[one] - found.shape.component_bytes for one in own):
            continue
        again = {one: begin for one, begin in at.items() if begin != own[one]}
        words = f"{found.words}, {_words(again)}" if again else found.words
        shape = replace(found.shape, slots=tuple(replace(one, offset_bytes=at[one.source]) for one in slots))
        confirmed = _confirmed(shape, at, sources)
        yield replace(found, words=words, shape=shape, moved=tuple(again), confirmed=confirmed)


def _words(places: Mapping[str, int]) -> str:
    sectors = listed([f"{at // SECTOR}s" for at in dict.fromkeys(places.values())])
    return f"the data of {listed(list(places))} at {sectors}"


def _confirmed(shape: Shape, places: Mapping[str, int], sources: Sequence[Source]) -> int:
    used = [one for one in sources if one.name in places]
    order: list[str] = [one.source for one in shape.slots]
    layout = layout_word(shape.level, shape.layout)
    return agreement(shape.level, layout, shape.chunk_bytes, order, read_rows(used, places))
