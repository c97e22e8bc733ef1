"""In which ways the members of a lost array may belong together. Reads members and images; writes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.md.diagnosis.raid0_layout import LAYOUTS, layout_is_said, layouts_of
from raidtui.backends.md.recovery.orders import likely_orders
from raidtui.backends.md.recovery.places import in_places
from raidtui.backends.md.recovery.stored import Geometry, Stored, read_stored
from raidtui.backends.recovering import Recoverer, Wanted, sets_by_events
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.md_levels import MD_LEVELS, runs_with
from raidtui.model.recovery import Candidate, Shape, Slot, Source, Way
from raidtui.model.superblock import MARGIN, Superblock, of_array, only_adds, reshapes
from raidtui.model.text import count_of, listed
from raidtui.model.unit import Unit
from raidtui.model.units import KIB
from raidtui.model.uuids import same_uuid

_MOST: Final = 64


class _Md(Recoverer):
    """See `raidtui.backends.recovering.Recoverer`."""

    register = ()

    def devices(self, unit: Unit, machine: Machine) -> tuple[str, ...]:
        return tuple(of_array(unit.uuid, machine.superblocks))

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        stored = _read(sources, wanted.uuid)
        if not stored:
            return ()
        if len({one.superblock.uuid for one in stored.values()}) > 1:
            raise Refused(
                "these disks have superblocks of several arrays; name those of one: --disks SERIAL,..."
            )
        if reshapes(_superblocks(stored)):
            return tuple(_of_reshape(stored))
        return tuple(_by_events(stored, sources))[:_MOST]

    def by_order(self, sources: Sequence[Source], wanted: Wanted, most: int) -> tuple[Candidate, ...]:
        return likely_orders(sources, _read(sources, wanted.uuid), wanted, most)

    def members(self, sources: Sequence[Source]) -> Mapping[str, str]:
        stored = _read(sources)
        several = len({one.superblock.uuid for one in stored.values()}) > 1
        return {name: _said(one, several=several) for name, one in stored.items()}


RECOVERER: Final = _Md()


def _read(sources: Sequence[Source], uuid: str = "") -> dict[str, Stored]:
    """What the superblocks say; ``uuid``: of this array, if any source has one of it."""
    every = {one.name: found for one in sources if (found := read_stored(one)) is not None}
    own = {name: one for name, one in every.items() if uuid and same_uuid(one.superblock.uuid, uuid)}
    return own or every


def _superblocks(stored: Mapping[str, Stored]) -> dict[str, Superblock]:
    return {name: one.superblock for name, one in stored.items()}


def _said(stored: Stored, *, several: bool) -> str:
    own = stored.superblock
    where = "journal" if own.is_journal else "spare or failed" if own.slot is None else f"slot {own.slot}"
    return f"{where}, events {own.events:,}{f', of array {own.uuid}' if several else ''}"


def _by_slot(stored: Mapping[str, Stored]) -> dict[int, list[str]]:
    """The members of each slot, by name; a slot has two if one was replaced or cloned."""
    found: dict[int, list[str]] = {}
    for name, one in stored.items():
        if one.superblock.slot is not None and not one.superblock.is_journal:
            found.setdefault(one.superblock.slot, []).append(name)
    return found


def _by_events(stored: Mapping[str, Stored], sources: Sequence[Source]) -> Iterator[Candidate]:
    """The members of one event count, then the fewest that the array runs with; those written last first.

    One that was still being rebuilt holds the array's data in part only: it comes after all others.
    """
    newest = max(stored.values(), key=lambda one: one.superblock.events)
    top, geometry = newest.superblock.events, newest.geometry
    by_slot = _by_slot(stored)
    chosen = {
        slot: max(names, key=lambda name: _freshness(stored[name].superblock))
        for slot, names in by_slot.items()
    }

    def events(slot: int) -> int:
        whole, found = _freshness(stored[chosen[slot]].superblock)
        return (top if found + MARGIN >= top else found) if whole else 0

    counts_now = {slot: events(slot) for slot in chosen}
    for slots in sets_by_events(counts_now, lambda some: _runs(geometry, some)):
        names = {slot: chosen[slot] for slot in slots}
        out = [name for name in stored if name not in names.values()]
        counts = sorted({stored[name].superblock.events for name in names.values()}, reverse=True)
        words = f"{' '.join(names[slot] for slot in slots)}{f', without {listed(out)}' if out else ''} (events {', '.join(f'{one:,}' for one in counts)})"
        confirmed = Candidate(
            way=Way.EVENTS,
            words=words,
            shape=shape_of(geometry, names, stored),
            array=newest.superblock.uuid,
            events=tuple(stored[names[slot]].superblock.events for slot in sorted(names)),
        )
        if geometry.level == "raid0":
            yield from _with_layouts(confirmed)
        elif all(one.source for one in confirmed.shape.slots):
            yield from in_places(confirmed, stored, sources)
        else:
            yield confirmed


def _freshness(own: Superblock) -> tuple[bool, int]:
    return not own.rebuilding, own.events


def _with_layouts(found: Candidate) -> Iterator[Candidate]:
    """A RAID0 as it is; in each layout that its data may have, if its superblocks do not say which."""
    shape = found.shape
    chunks = [one.size_bytes // shape.chunk_bytes for one in shape.slots] if shape.chunk_bytes else []
    layouts = () if layout_is_said(shape.layout) else layouts_of(chunks)
    if not layouts:
        yield found
    for layout in layouts:
        words = f"{found.words}, layout {layout} ({LAYOUTS[layout]})"
        yield replace(found, way=Way.ORDER, words=words, shape=replace(shape, layout=layout))


def _runs(geometry: Geometry, slots: Sequence[int]) -> bool:
    return bool(slots) and runs_with(geometry.level, geometry.layout, geometry.disks, slots)


def shape_of(
    geometry: Geometry, names: Mapping[int, str], stored: Mapping[str, Stored], *, new: bool = False
) -> Shape:
    """The shape with these members in their slots, where their superblocks say; ``new``: that of a reshape."""
    level = MD_LEVELS[geometry.level]
    here = [stored[name] for name in names.values()]
    grain = max(geometry.chunk_bytes, 64 * KIB) if level.chunked else KIB
    component = min(one.component_bytes or one.data_bytes for one in here)
    slots = []
    for number in range(geometry.disks):
        if number not in names:
            slots.append(Slot())
            continue
        one = stored[names[number]]
        offset = one.new_offset_bytes if new and one.new is not None else one.offset_bytes
        size = 0 if level.redundant else one.data_bytes // grain * grain
        slots.append(Slot(source=names[number], offset_bytes=offset, size_bytes=size))
    return Shape(
        level=geometry.level,
        layout=geometry.layout,
        chunk_bytes=geometry.chunk_bytes if level.chunked else 0,
        component_bytes=component if level.redundant else min(one.size_bytes for one in slots if one.source),
        slots=tuple(slots),
    )


def _of_reshape(stored: Mapping[str, Stored]) -> Iterator[Candidate]:
    """What was reshaped already in the new shape, the rest in the old one; then all of it in one of the two.

    The first is what superblocks say. If the reshape only adds members, mdadm starts it so, without a backup file.
    """
    newest = max(stored.values(), key=lambda one: one.superblock.events)
    if newest.new is None or newest.superblock.metadata == "0.90":
        raise Refused("the superblocks of this reshape, of version 0.90, cannot be understood")
    top = newest.superblock.events
    current = {
        slot: name
        for slot, names in _by_slot(stored).items()
        for name in names
        if stored[name].superblock.events + MARGIN >= top
    }
    former = {slot: name for slot, name in current.items() if slot < newest.geometry.disks}
    after = shape_of(newest.new, current, stored, new=True)
    before = shape_of(newest.geometry, former, stored)
    first, second = (before, after) if newest.backwards else (after, before)
    out = newest.new.disks - len(current)
    without = f", without {count_of(out, 'member')}" if out else ""
    starts = only_adds(_superblocks(stored))
    if newest.position_bytes:
        yield Candidate(
            way=Way.EVENTS if starts else Way.RESHAPE,
            words=f"reshaped up to {newest.position_bytes // KIB:,} KiB of the array{without}",
            shape=first,
            border_bytes=newest.position_bytes,
            rest=second,
            array=newest.superblock.uuid,
            events=tuple(stored[current[slot]].superblock.events for slot in sorted(current))
            if starts
            else (),
        )
    yield Candidate(way=Way.RESHAPE, words=f"as before the reshape{without}", shape=before)
    yield Candidate(way=Way.RESHAPE, words=f"as after the reshape{without}", shape=after)
