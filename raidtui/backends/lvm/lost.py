"""How the volumes of a lost group lie on what is left of its physical volumes, from a text of its metadata. Pure.

A RAID volume is put together by md itself, without the metadata of its images: these say which image was written last,
and LVM has no way to take one back that they call failed (lvmraid(7)).
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from raidtui.backends.lvm.metadata import Section, copies, images, kind_of, number, part, segments
from raidtui.backends.lvm.thin import thin_pools
from raidtui.backends.recovering import sets_by_events
from raidtui.model.errors import BadInput
from raidtui.model.md_levels import MD_LEVELS, raid10_layout, runs_with
from raidtui.model.recovery import Part, Place, Shape, Slot
from raidtui.model.units import SECTOR

_HEAD: Final = struct.Struct("<4xIIIQQQ")
"""Of struct dm_raid_superblock (drivers/md/dm-raid.c): magic, flags, devices, position, events, failed, rebuilt."""
_MAGIC: Final = b"DmRd"
_IMAGE: Final = re.compile(r"_r(meta|image)_\d+$")
_IN_SYNC: Final = 2**64 - 1
_RAID: Final = {  # lvmraid(7): md's level and layout (drivers/md/raid5.h)
    "raid0": ("raid0", 0),
    "raid0_meta": ("raid0", 0),
    "raid1": ("raid1", 0),
    "raid4": ("raid4", 0),
    "raid5": ("raid5", 2),
    "raid5_ls": ("raid5", 2),
    "raid5_la": ("raid5", 0),
    "raid5_ra": ("raid5", 1),
    "raid5_rs": ("raid5", 3),
    "raid5_n": ("raid5", 5),
    "raid6": ("raid6", 8),
    "raid6_zr": ("raid6", 8),
    "raid6_nr": ("raid6", 9),
    "raid6_nc": ("raid6", 10),
    "raid10": ("raid10", raid10_layout("n2")),
    "raid10_near": ("raid10", raid10_layout("n2")),
}


class Image(NamedTuple):
    """What the metadata of an image says of it."""

    devices: int
    position: int
    events: int  # 0 while it is rebuilt


Look = Callable[[Place], Image | None]
"""Reads the metadata of an image; None if there is none."""


def image_in(block: bytes) -> Image | None:
    """Parse the metadata of an image; None if it is none."""
    if block[:4] != _MAGIC or len(block) < _HEAD.size:
        return None
    _, devices, position, events, _, rebuilt = _HEAD.unpack_from(block)
    return Image(devices, position, events if rebuilt == _IN_SYNC else 0)


def visible(group: Section) -> list[str]:
    """The names of its volumes, without thin pools and those inside of others; LVM shows images for a moment."""
    volumes, pools = part(group, "logical_volumes"), thin_pools(group)
    return [
        name
        for name, one in volumes.items()
        if '"VISIBLE"' in one.get("status", ()) and not _IMAGE.search(name) and name not in pools
    ]


def begins(group: Section, name: str, starts: Mapping[str, Place]) -> list[Place]:
    """Where the first block of the volume ``name`` may be: in its first range, or in that of any of its images.

    Raises:
        BadInput: it lies in another way.
    """
    volumes = part(group, "logical_volumes")
    some = segments(volumes.get(name, {}))[:1]
    legs = [volumes.get(one, {}) for segment in some for one in images(segment) if "_rmeta_" not in one]
    slots = [_slot(group, one, starts) for one in legs or [volumes.get(name, {})]]
    return [slot.parts[0].on[0] for slot in slots if slot.parts and slot.parts[0].on[0].source]


def image_places(group: Section) -> Iterator[tuple[str, int, int, int]]:
    """Where the metadata of each image is: physical volume and extent; its position, and of how many."""
    volumes = part(group, "logical_volumes")
    for volume in volumes.values():
        for segment in segments(volume):
            metas = [one for one in images(segment) if "_rmeta_" in one]
            for position, name in enumerate(metas):
                for place in segments(volumes.get(name, {}))[:1]:
                    for device, extent in _stripes(place):
                        yield device, extent, position, len(metas)


def shapes_of(
    group: Section, name: str, starts: Mapping[str, Place], look: Look
) -> Iterator[tuple[Shape, tuple[int, ...]]]:
    """Every shape in which the volume ``name`` can be read, and the event counts of the images in it.

    Args:
        starts: where the extents of each physical volume begin; those that are not here are not in it.

    Raises:
        BadInput: why this volume is not looked into.
    """
    volumes = part(group, "logical_volumes")
    some = segments(volumes[name])
    if len(some) == 1 and images(some[0]):
        yield from _of_raid(group, volumes, some[0], starts, look)
        return
    whole = copies(some[0]) if len(some) == 1 else []
    for one in [volumes.get(copy, {}) for copy in whole] or [volumes[name]]:
        yield from _of_plain(_slot(group, one, starts))


def _of_plain(slot: Slot) -> Iterator[tuple[Shape, tuple[int, ...]]]:
    if slot.source:
        chunk = max((one.chunk_bytes for one in slot.parts), default=0)
        length = sum(one.length_bytes for one in slot.parts)
        level = "striped" if chunk else "linear"
        yield Shape(level=level, layout=0, chunk_bytes=chunk, component_bytes=length, slots=(slot,)), ()


def _of_raid(
    group: Section, volumes: Mapping[str, Section], segment: Section, starts: Mapping[str, Place], look: Look
) -> Iterator[tuple[Shape, tuple[int, ...]]]:
    kind = kind_of(segment)
    if kind not in _RAID:
        raise BadInput(f"it is of the type {kind}, which raidtui does not look into")
    level, layout = _RAID[kind]
    names = images(segment)
    legs = [_slot(group, volumes.get(one, {}), starts) for one in names if "_rmeta_" not in one]
    lengths = {sum(one.length_bytes for one in leg.parts) for leg in legs}
    known = MD_LEVELS[level]
    copies = {"raid1": len(legs), "raid10": 2}.get(level, 1)
    whole = number(segment, "extent_count") * number(group, "extent_size") * SECTOR
    if len(lengths) != 1 or whole * copies != max(lengths) * (len(legs) - known.parity):
        raise BadInput("its layout was being changed")
    metas = [_slot(group, volumes.get(one, {}), starts) for one in names if "_rmeta_" in one]
    events = {}
    for number_of, leg in enumerate(legs):
        if leg.source and all(place.source for one in leg.parts for place in one.on):
            meta = metas[number_of] if number_of < len(metas) else Slot()
            found = look(meta.parts[0].on[0]) if meta.source else None
            events[number_of] = found.events if found is not None else 0
    for slots in sets_by_events(events, lambda some: runs_with(level, layout, len(legs), some)):
        shape = Shape(
            level=level,
            layout=layout,
            chunk_bytes=number(segment, "stripe_size") * SECTOR if known.chunked else 0,
            component_bytes=max(lengths),
            slots=tuple(leg if one in slots else Slot() for one, leg in enumerate(legs)),
        )
        yield shape, tuple(events[one] for one in slots)


def _slot(group: Section, volume: Section, starts: Mapping[str, Place]) -> Slot:
    """The ranges of a linear or striped volume."""
    extent = number(group, "extent_size") * SECTOR
    parts = []
    for segment in segments(volume):
        kind = kind_of(segment)
        if kind not in {"striped", "linear", "error"}:
            raise BadInput(f"it is of the type {kind}, which raidtui does not look into")
        places = [
            Place(source=start.source, offset_bytes=start.offset_bytes + at * extent)
            if (start := starts.get(device)) is not None
            else Place(source="")
            for device, at in _stripes(segment)
        ]
        parts.append(
            Part(
                length_bytes=number(segment, "extent_count") * extent,
                on=tuple(places) or (Place(source=""),),
                chunk_bytes=number(segment, "stripe_size") * SECTOR if len(places) > 1 else 0,
            )
        )
    first = next((place.source for one in parts for place in one.on if place.source), "")
    return Slot(source=first, parts=tuple(parts))


def _stripes(segment: Section) -> list[tuple[str, int]]:
    """The physical volumes of a segment, each with its first extent."""
    found = segment.get("stripes", [])
    if not isinstance(found, list) or len(found) % 2 or not all(one.isdigit() for one in found[1::2]):
        raise BadInput("its metadata cannot be read")
    return [(one.strip('"'), int(at)) for one, at in zip(found[::2], found[1::2], strict=True)]
