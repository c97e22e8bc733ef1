"""In which ways the volumes of a lost group may be read: from every version of its metadata that is left.

Versions are on its physical volumes, where older ones stay behind the newest, and in the files that LVM keeps of every
change. A physical volume that lost its label has the place of one that is missing. Reads members and files; writes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice, permutations
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.backends.lvm.lost import (
    Image,
    Look,
    begins,
    image_in,
    image_places,
    shapes_of,
    visible,
)
from raidtui.backends.lvm.metadata import (
    HEAD_BYTES,
    Section,
    number,
    part,
    uuid_in,
    uuid_of,
    word,
)
from raidtui.backends.lvm.thin import InPool, in_pool, thin_pools, transaction_in
from raidtui.backends.lvm.versions import Version, kept, member_sizes, parsed, versions, volumes_by_uuid
from raidtui.backends.recovering import Head, Recoverer, Wanted, read_source
from raidtui.model.errors import BadInput, Refused
from raidtui.model.recovery import (
    Candidate,
    GroupVersion,
    Part,
    Place,
    Shape,
    Slot,
    Source,
    ThinPool,
    Way,
)
from raidtui.model.text import listed
from raidtui.model.units import SECTOR
from raidtui.model.uuids import bare

_MOST: Final = 64
_MOST_PLACES: Final = 720  # orders of members without a label
_BLOCK: Final = 4096
_SURE: Final = 1000  # more than any order is confirmed


class _Places(NamedTuple):
    """Which source is which physical volume."""

    starts: Mapping[str, Place]  # by the name of the physical volume in the metadata
    sure: bool  # labels say so, or nothing else is possible
    confirmed: int  # images of RAID volumes that are where they must be, less those that are not


class _Lvm(Recoverer):
    """See `raidtui.backends.recovering.Recoverer`."""

    register = ()
    versions = True

    def release(self, uuid: str) -> tuple[str, ...]:
        return ("lvm", "vgchange", "--activate", "n", "--select", f"vg_uuid={uuid}")

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        return tuple(islice(_candidates(sources, wanted, sure=True), _MOST))

    def by_order(self, sources: Sequence[Source], wanted: Wanted, most: int) -> tuple[Candidate, ...]:
        return tuple(islice(_candidates(sources, wanted, sure=False), most))

    def members(self, sources: Sequence[Source]) -> Mapping[str, str]:
        found = {}
        for name, head in _heads(sources).items():
            if uuid := uuid_in(head):
                numbers = [one.number for one in parsed(head, name)]
                newest = f", metadata {max(numbers)}" if numbers else ", no metadata"
                found[name] = f"physical volume {uuid[:6]}{newest}"
        return found

    def heads(self, sources: Sequence[Source]) -> Mapping[str, Head]:
        return {
            name: Head(content=content, label=uuid_in(content)) for name, content in _heads(sources).items()
        }

    def version_text(self, sources: Sequence[Source], digest: str) -> str:
        every = [one for name, head in _heads(sources).items() for one in parsed(head, name)]
        found = next((one.text for one in (*every, *kept()) if one.digest == digest), "")
        if not found:
            raise Refused("the version of the metadata that was tried is not on these disks any more")
        return found


RECOVERER: Final = _Lvm()


def _candidates(sources: Sequence[Source], wanted: Wanted, *, sure: bool) -> Iterator[Candidate]:
    heads = _heads(sources)
    by_name = {one.name: one for one in sources}
    seen: set[tuple[str, object]] = set()
    for version in versions(heads, sources, wanted):
        for places in _assigned(version, heads, sources):
            if places.sure is not sure:
                continue
            known = _known_as(version, places, heads, by_name)
            for name in visible(version.group):
                for candidate in _of_volume(version, name, places, by_name):
                    key = (name, candidate.why_not or candidate.attempted)
                    if key not in seen:
                        seen.add(key)
                        rank = _SURE - len(seen) if sure else places.confirmed
                        yield replace(candidate, confirmed=rank, version=known)


def _known_as(
    version: Version, places: _Places, heads: Mapping[str, bytes], sources: Mapping[str, Source]
) -> GroupVersion:
    """``version`` for a plan that restores it."""
    here = {name: place.source for name, place in places.starts.items()}
    volumes = part(version.group, "physical_volumes")
    pools = thin_pools(version.group)
    return GroupVersion(
        group=version.name,
        uuid=uuid_of(version.group),
        number=version.number,
        digest=version.digest,
        members=tuple(here.get(name, "") for name in volumes),
        labels=tuple(map(uuid_of, volumes.values())),
        unlabeled=tuple(one for one in here.values() if not uuid_in(heads[one])),
        pools=tuple(pools),
        changed=tuple(
            name for name, one in pools.items() if not _is_as_said(version.group, one, places, sources)
        ),
    )


def _is_as_said(group: Section, pool: Section, places: _Places, sources: Mapping[str, Source]) -> bool:
    """Whether the metadata of a thin pool has the transaction that its segment in ``group`` has."""
    try:
        every = begins(group, word(pool, "metadata"), places.starts)
    except BadInput:
        return False
    found = [
        transaction_in(read_source(sources[one.source], one.offset_bytes, _BLOCK)) for one in every
    ]  # of a mirror each leg has one, and the newest counts
    return str(max((one for one in found if one is not None), default="")) == pool.get("transaction_id")


def _of_volume(
    version: Version, name: str, places: _Places, sources: Mapping[str, Source]
) -> Iterator[Candidate]:
    here = [one.source for one in places.starts.values()]
    when = f"{datetime.fromtimestamp(version.written, UTC):%Y-%m-%d %H:%M}" if version.written else "no date"
    of = f"metadata {version.number} of {when}"
    way = Way.METADATA if places.sure else Way.ORDER

    def look(place: Place) -> Image | None:
        return image_in(read_source(sources[place.source], place.offset_bytes, _BLOCK))

    try:
        thin = in_pool(version.group, name)
        pools = _pools(thin, version.group, places, sources, look) if thin else ()
        some = shapes_of(version.group, thin.data if thin else name, places.starts, look)
        for at, (whole, events) in enumerate(some):
            shape = _as_far_as_here(whole, sources)
            pool = pools[min(at, len(pools) - 1)] if pools else None  # of data and metadata the same images
            made = Candidate(way=way, words="", shape=shape, events=events, of=name, pool=pool)
            on = replace(made, pool=None).sources
            out = [one for one in here if one not in on]
            without = f", without {listed(out)}" if out and not shape.is_plain else ""
            gone = ", a part of it is missing" if shape.lacks_a_part else ""
            words = f"{name}: {' '.join(on)}{without}{gone} ({of})"
            yield replace(made, words=words)
    except BadInput as why:
        nothing = Shape(level="", layout=0, chunk_bytes=0, component_bytes=0, slots=())
        yield Candidate(way=way, words=f"{name} ({of})", shape=nothing, of=name, why_not=str(why))


def _pools(
    thin: InPool, group: Section, places: _Places, sources: Mapping[str, Source], look: Look
) -> tuple[ThinPool, ...]:
    """The pool of a volume, in every shape of its metadata; the images that were written last first.

    Raises:
        BadInput: its metadata is not here, or not looked into.
    """
    every = [one for one, _ in shapes_of(group, thin.metadata, places.starts, look)]
    whole = [one for one in every if _as_far_as_here(one, sources) == one and not one.lacks_a_part]
    if not whole:
        raise BadInput(f"a part of the metadata of its thin pool, {thin.pool}, is missing")
    return tuple(
        ThinPool(
            name=thin.pool,
            metadata=one,
            chunk_bytes=thin.chunk_bytes,
            device=thin.device,
            length_bytes=thin.length_bytes,
        )
        for one in whole
    )


def _as_far_as_here(shape: Shape, sources: Mapping[str, Source]) -> Shape:
    """``shape`` without what lies beyond the end of a source: that of a disk that shows less than it had."""

    def here(one: Part) -> Iterator[Part]:
        each = one.length_bytes // len(one.on)
        rooms = [
            sources[place.source].size_bytes - place.offset_bytes if place.source else each
            for place in one.on
        ]
        if min(rooms) >= each:
            yield one
        elif len(rooms) == 1:
            length = max(0, rooms[0]) // _BLOCK * _BLOCK
            if length:
                yield replace(one, length_bytes=length)
            yield replace(one, length_bytes=one.length_bytes - length, on=(Place(source=""),))
        else:
            pairs = zip(one.on, rooms, strict=True)
            yield replace(one, on=tuple(place if room >= each else Place(source="") for place, room in pairs))

    slots = [
        replace(slot, parts=tuple(part for one in slot.parts for part in here(one))) for slot in shape.slots
    ]
    if not shape.is_plain:  # an image is whole, or md is told that it is missing
        slots = [
            own if own.parts == slot.parts else Slot() for own, slot in zip(slots, shape.slots, strict=True)
        ]
    return replace(shape, slots=tuple(slots))


def _heads(sources: Sequence[Source]) -> dict[str, bytes]:
    return {one.name: read_source(one, 0, min(HEAD_BYTES, one.size_bytes)) for one in sources}


def _assigned(version: Version, heads: Mapping[str, bytes], sources: Sequence[Source]) -> list[_Places]:
    """Every way in which the sources may be its physical volumes, the most likely first.

    A source with a label of the group is what this says. Any other may have been one of those that are missing, if it is
    large enough.
    """
    names = volumes_by_uuid(version.group)
    given: dict[str, str] = {}  # physical volume -> source
    for source, head in heads.items():
        if (name := names.get(bare(uuid_in(head)))) is not None:
            given.setdefault(name, source)
    missing = [one for one in names.values() if one not in given]
    free = [one for one in sources if one.name not in given.values()]
    sizes = member_sizes(version.group)
    gaps: list[Source | None] = [None] * max(0, len(missing) - len(free))
    orders = dict.fromkeys(islice(permutations([*free, *gaps], len(missing)), _MOST_PLACES))
    found = []
    for order in orders:
        pairs = [(name, one) for name, one in zip(missing, order, strict=True) if one is not None]
        if all(one.size_bytes >= sizes[name] for name, one in pairs):
            chosen = given | {name: one.name for name, one in pairs}
            confirmed = _confirmed(version.group, chosen, {one.name: one for one in sources})
            found.append((chosen, confirmed))
    if not found and given:
        found = [(given, 0)]
    found.sort(key=lambda one: -one[1])
    sure = len(found) == 1 or (len(found) > 1 and found[0][1] > max(0, found[1][1]))
    return [
        _Places(_starts(version.group, chosen), sure and place == 0, confirmed)
        for place, (chosen, confirmed) in enumerate(found)
        if confirmed >= 0
    ]


def _starts(group: Section, chosen: Mapping[str, str]) -> dict[str, Place]:
    volumes = part(group, "physical_volumes")
    return {
        name: Place(source=source, offset_bytes=number(volumes[name], "pe_start") * SECTOR)
        for name, source in chosen.items()
    }


def _confirmed(group: Section, chosen: Mapping[str, str], sources: Mapping[str, Source]) -> int:
    """How many images of RAID volumes are where they must be, less those that are not."""
    starts, extent, score = _starts(group, chosen), number(group, "extent_size") * SECTOR, 0
    for device, at, position, devices in image_places(group):
        if (start := starts.get(device)) is None:
            continue
        image = image_in(read_source(sources[start.source], start.offset_bytes + at * extent, _BLOCK))
        if image is not None:
            score += 1 if (image.position, image.devices) == (position, devices) else -1
    return score
