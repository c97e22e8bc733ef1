"""Candidates for an array whose superblocks are gone or wrong: which member is in which slot, and in which shape.

A filesystem begins on the member in the first data slot, and has copies of its superblock all over the array. Each
copy is on one certain member in each shape, so most orders are ruled out by reading a few blocks. What is left is
tried on overlays.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from raidtui.backends.arithmetic.copies import copies_of
from raidtui.backends.md.layouts import PARITY_LAYOUTS, default_layout
from raidtui.backends.md.placement import place_of
from raidtui.backends.md.recovery.agreement import Row, agreement, read_rows
from raidtui.backends.md.recovery.starts import Mark, Start, find_starts
from raidtui.backends.md.recovery.stored import Stored
from raidtui.backends.recovering import Wanted, read_source
from raidtui.machine.md.arrays import PARITY_LAYOUTS as NUMBERS
from raidtui.machine.md.arrays import layout_word
from raidtui.model.md_levels import MD_LEVELS, parity_of, raid10_layout
from raidtui.model.recovery import Candidate, Shape, Slot, Source, Way
from raidtui.model.text import listed
from raidtui.model.units import KIB, MIB, SECTOR, spell_size

_CHUNKS: Final = tuple(one * KIB for one in (512, 64, 256, 128, 1024, 32, 2048, 16))
_OFFSETS: Final = (MIB, 2 * MIB, 128 * MIB, 129 * MIB, 0)  # without any trace of a filesystem
_PAGE: Final = 4096
_ENOUGH: Final = 20_000  # orders looked at in one shape
_FITS: Final = 0.9  # a filesystem is commonly as large as its array


class _Guess(NamedTuple):
    """A shape without its order."""

    level: str
    layout: str
    chunk: int  # bytes
    disks: int
    offset: int  # bytes; negative: each member's own, as its superblock says
    component: int  # bytes


class _Scored(NamedTuple):
    confirmed: int  # marks that are where they must be, less those that are not; and how the members agree
    order: tuple[str, ...]  # sources by slot; empty: missing


def likely_orders(
    sources: Sequence[Source], stored: Mapping[str, Stored], wanted: Wanted, most: int
) -> tuple[Candidate, ...]:
    """At most ``most`` orders that what is on the sources does not rule out, the most likely first.

    Raises:
        OSError: a source cannot be read.
    """
    if not sources:
        return ()
    starts = {one.name: find_starts(one, wanted.offset_bytes) for one in sources}
    pages = _Pages(sources)
    rows: dict[tuple[int, ...], tuple[Row, ...]] = {}  # by the offsets of the members
    # Shapes that are as likely take turns; those with mdadm's own layout come first.
    found: list[tuple[int, bool, int, int, _Guess, _Scored]] = []
    looked: set[tuple[_Guess, tuple[int, ...]]] = set()
    for place, guess in enumerate(_guesses(sources, starts, stored, wanted)):
        own = {name: _offset(name, guess, stored) for name in starts}
        begins = [one for some in starts.values() for one in some if one.offset_bytes == own[one.source]]
        where = tuple(own.values())
        # Each member's own offset is often the one that all have: the same shape would be tried twice.
        if (shape := (guess._replace(offset=0), where)) in looked:
            continue
        looked.add(shape)
        if where not in rows:
            rows[where] = read_rows(sources, own)
        for number, scored in enumerate(_orders(guess, sources, begins, own, stored, pages, rows[where])):
            usual = guess.layout == default_layout(guess.level)
            found.append((-scored.confirmed, not usual, number, place, guess, scored))
            if number >= most * 4:
                break
    found.sort(key=lambda one: one[:4])
    return tuple(_candidate(guess, scored, stored) for *_, guess, scored in found[:most])


def _guesses(
    sources: Sequence[Source],
    starts: Mapping[str, tuple[Start, ...]],
    stored: Mapping[str, Stored],
    wanted: Wanted,
) -> list[_Guess]:
    """The shapes that are possible, the most likely first."""
    known = max(stored.values(), key=lambda one: one.superblock.events, default=None)
    begins = [one for some in starts.values() for one in some]
    offsets = [wanted.offset_bytes] if wanted.offset_bytes >= 0 else []
    if not offsets:
        offsets = [-1] if known is not None and len(stored) == len(sources) else []
        offsets += [one.offset_bytes for one in stored.values()]
        counted = sorted(
            {one.offset_bytes for one in begins},
            key=lambda at: -sum(one.offset_bytes == at for one in begins),
        )
        offsets += counted or _OFFSETS
    found: list[tuple[float, _Guess]] = []
    for offset in dict.fromkeys(offsets):
        here = [one for one in begins if offset < 0 or one.offset_bytes == offset]
        room = min(
            one.size_bytes - (_offset(one.name, None, stored) if offset < 0 else offset) for one in sources
        )
        size = max((one.size_bytes for one in here), default=0)
        hinted = [one for one in here if one.chunk_bytes]
        mirrored = not wanted.level and _all_have_one(here, len(sources))
        for level, layout, chunk, disks in _shapes(len(sources), known, hinted, wanted):
            grain = chunk or 64 * KIB
            component = room // grain * grain
            # That of an array created over it by mistake is not its own: with another chunk, data begins elsewhere.
            if known is not None and known.component_bytes and known.geometry.chunk_bytes == chunk:
                component = min(component, known.component_bytes)
            total = _data_disks(level, layout, disks) * component
            if component <= 0 or size > total or (mirrored and level != "raid1"):
                continue
            fits = not size or size >= total * _FITS
            found.append(
                (len(found) + 1000 * (not fits), _Guess(level, layout, chunk, disks, offset, component))
            )
    return [guess for _, guess in sorted(found, key=lambda one: one[0])]


def _all_have_one(begins: Sequence[Start], count: int) -> bool:
    """Whether one filesystem begins at the same place on each source: they are a mirror, whatever else they may be read as."""
    return len(begins) == count > 1 and len({one.marks for one in begins}) == 1 and bool(begins[0].marks)


def _shapes(
    count: int, known: Stored | None, hinted: Sequence[Start], wanted: Wanted
) -> Iterator[tuple[str, str, int, int]]:
    """Level, layout, chunk and number of members, the most likely first."""
    told = next(iter(hinted), None)
    if known is not None and not (wanted.level or wanted.layout or wanted.chunk_bytes or wanted.disks):
        one = known.geometry
        layout = layout_word(one.level, one.layout)
        yield one.level, layout, one.chunk_bytes, one.disks
        # The superblocks may be those of an array that was created over it by mistake, with another chunk.
        wanted = wanted._replace(level=one.level, disks=one.disks)
        # Or with fewer members: the filesystem may say how many had its data.
        if told and told.data_disks and told.data_disks != _data_disks(one.level, layout, one.disks):
            wanted = wanted._replace(disks=0)
    chunks = [wanted.chunk_bytes] if wanted.chunk_bytes else [told.chunk_bytes] if told else list(_CHUNKS)
    for disks in [wanted.disks] if wanted.disks else [count, count + 1]:
        levels = [wanted.level] if wanted.level else ["raid5", "raid6", "raid10", "raid0", "raid1"]
        for level in levels:
            if level not in MD_LEVELS or disks < max(2, MD_LEVELS[level].least) or level == "linear":
                continue
            lacks = disks - count
            if lacks > (
                disks - 1 if level == "raid1" else disks // 2 if level == "raid10" else parity_of(level)
            ):
                continue
            layouts = [wanted.layout] if wanted.layout else _layouts(level)
            for layout in layouts:
                if told and told.data_disks and told.data_disks != _data_disks(level, layout, disks):
                    continue
                for chunk in chunks if MD_LEVELS[level].chunked else [0]:
                    yield level, layout, chunk, disks


def _layouts(level: str) -> list[str]:
    if level == "raid10":
        return ["n2", "f2", "o2"]
    if level not in PARITY_LAYOUTS:
        return [""]
    first = default_layout(level)
    return [first, *(one for one in PARITY_LAYOUTS[level][:4] if one != first)]


def _data_disks(level: str, layout: str, disks: int) -> int:
    if level == "raid1":
        return 1
    if level == "raid10":
        number = raid10_layout(layout)
        return disks // max(1, (number & 0xFF) * (number >> 8 & 0xFF))
    return disks - parity_of(level)


def _offset(name: str, guess: _Guess | None, stored: Mapping[str, Stored]) -> int:
    if guess is not None and guess.offset >= 0:
        return guess.offset
    return stored[name].offset_bytes


class _Pages:
    """Pages of the sources, each read once; one that cannot be read has no bytes."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = {one.name: one for one in sources}
        self._known: dict[tuple[str, int], bytes] = {}

    def has(self, name: str, at: int, wanted: bytes) -> bool:
        source, page = self._sources[name], at // _PAGE * _PAGE
        if (name, page) not in self._known:
            self._known[name, page] = read_source(source, page, _PAGE)
        raw = self._known[name, page]
        return raw[at - page : at - page + len(wanted)] == wanted


def _orders(
    guess: _Guess,
    sources: Sequence[Source],
    begins: Sequence[Start],
    offsets: Mapping[str, int],
    stored: Mapping[str, Stored],
    pages: _Pages,
    rows: Sequence[Row],
) -> Iterator[_Scored]:
    """The orders in which every mark is where it must be, as far as members are here to have it."""
    marks = tuple(dict.fromkeys(mark for one in begins for mark in one.marks))
    fits: dict[int, list[frozenset[str]]] = {}  # by slot: for each mark in it, the sources that have it there
    for mark in marks:
        slot, at = _place(guess, mark)
        have = frozenset(
            one.name for one in sources if pages.has(one.name, offsets[one.name] + at, mark.bytes)
        )
        fits.setdefault(slot, []).append(have)
    first = place_of(guess.level, guess.layout, guess.disks, 0)[0]
    at_first = frozenset(one.source for one in begins)
    lacks = guess.disks - len(sources)
    names = [one.name for one in sources]
    by_slot = {one.superblock.slot: name for name, one in stored.items()}
    own = frozenset(by_slot.values())
    looked = 0

    def choices(slot: int) -> list[str]:
        """The sources that may be in a slot, the most likely first."""
        sets = [one for one in fits.get(slot, []) if one]
        sets += [at_first] if slot == first and at_first and guess.level != "raid1" else []
        rated = sorted(
            names,
            key=lambda name: (
                -sum(name in one for one in sets),
                by_slot.get(slot) != name,
                name in own,  # its superblock says another slot
                names.index(name),
            ),
        )
        # A member that has none of what others have there is not in this slot.
        rated = [name for name in rated if not sets or any(name in one for one in sets)] if sets else rated
        return [*rated, *([""] if lacks else [])]

    def rest(slot: int, order: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        nonlocal looked
        if slot == guess.disks:
            looked += 1
            yield order
            return
        for name in choices(slot):
            if looked >= _ENOUGH:
                return
            if (name and name in order) or (not name and order.count("") >= lacks):
                continue
            yield from rest(slot + 1, (*order, name))

    scored = []
    seen: set[tuple[frozenset[str], ...]] = set()
    for order in rest(0, ()):
        if (alike := _alike(guess, order)) in seen:
            continue
        seen.add(alike)
        # A mark that is on no member where this shape has it speaks against the shape.
        confirmed = sum(
            sum(1 if order[slot] in one else -1 for one in sets) for slot, sets in fits.items() if order[slot]
        )
        confirmed += agreement(guess.level, guess.layout, guess.chunk, order, rows)
        scored.append(_Scored(confirmed, order))
    return iter(sorted(scored, key=lambda one: -one.confirmed))


def _alike(guess: _Guess, order: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Equal for orders that differ only in which copy is which."""
    copies = len(order) if guess.level == "raid1" else 1
    if guess.level == "raid10":
        near, far, _ = copies_of(guess.layout)
        copies = near if far == 1 and len(order) % near == 0 else 1
    return tuple(frozenset(order[first : first + copies]) for first in range(0, len(order), copies))


def _place(guess: _Guess, mark: Mark) -> tuple[int, int]:
    """The slot in which a byte of the array is, and where in the data of its member."""
    if not guess.chunk:
        return 0, mark.at
    chunk, within = divmod(mark.at, guess.chunk)
    slot, row = place_of(guess.level, guess.layout, guess.disks, chunk)
    return slot, row * guess.chunk + within


def _candidate(guess: _Guess, scored: _Scored, stored: Mapping[str, Stored]) -> Candidate:
    slots = tuple(
        Slot(source=name, offset_bytes=_offset(name, guess, stored)) if name else Slot()
        for name in scored.order
    )
    shape = [guess.level, guess.layout, f"chunk {spell_size(guess.chunk)}" if guess.chunk else ""]
    offsets = sorted({one.offset_bytes // SECTOR for one in slots if one.source})
    order = " ".join(name or "missing" for name in scored.order)
    return Candidate(
        way=Way.ORDER,
        confirmed=scored.confirmed,
        words=f"{order} ({', '.join(filter(None, shape))}, data offset {listed([f'{one}s' for one in offsets])})",
        shape=Shape(
            level=guess.level,
            layout=_number(guess.level, guess.layout),
            chunk_bytes=guess.chunk if MD_LEVELS[guess.level].chunked else 0,
            component_bytes=guess.component,
            slots=slots,
        ),
    )


def _number(level: str, layout: str) -> int:
    """md's number of a layout."""
    if level == "raid10":
        return raid10_layout(layout)
    return next((number for number, word in NUMBERS.items() if word == layout), 0)
