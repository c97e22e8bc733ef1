"""The partition table that a disk had, where only its copy is intact, or only the member in its partition. Read only.

That a member's own superblock or label says how long its device was, was measured with mdadm 4.2, lvm2 2.03.16 and
btrfs-progs 6.2: exactly the partition.
"""

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from raidtui.machine.ask import Ask
from raidtui.machine.contents.begins_at import TYPE, UUID, begins_at, probe, some
from raidtui.machine.contents.gpt_copy import Gpt, GptPart, copy_of_gpt
from raidtui.machine.contents.member_there import MemberThere, device_bytes
from raidtui.machine.contents.remains import without_second_gpt, without_table
from raidtui.machine.devices import opened, pieces_at
from raidtui.model.table_before import PartBefore, TableBefore
from raidtui.model.text import harmless
from raidtui.model.units import KIB, MIB, binary

_ENTRIES: Final = 16 * KIB  # of a GPT as every program makes it
_ENTRY: Final = 128
_EXPRESSED: Final = frozenset({0, 1, 2, *range(48, 64)})  # the attributes that sfdisk(8) has words for
_MBR_SECTORS: Final = 1 << 32
_RESERVE: Final = 128 * MIB  # what is left free behind the last partition for a smaller replacement
_SAMPLES: Final = 16  # behind the member
_SAMPLE: Final = 4 * KIB


def digest_of_ends(path: str, start: int, size: int) -> str:
    """SHA-256 of the first and last MiB of a range of the device ``path``; of all of it if it is shorter than that.

    Past the page cache, which a disk and its partitions do not share.

    Raises:
        OSError: it cannot be read there.
    """
    import hashlib  # only for a disk whose table was lost

    digest, edge = hashlib.sha256(), MIB
    ranges = [(start, size)] if size <= 2 * edge else [(start, edge), (start + size - edge, edge)]
    with opened(path, os.O_RDONLY) as fd:
        for place, length in ranges:
            for piece in pieces_at(fd, place, length):
                digest.update(piece)
    return digest.hexdigest()


def table_in_copy(fd: int, path: str, size: int, sector: int, ask: Ask) -> TableBefore | None:
    """The table by its copy at the end of the disk; None if there is none.

    Raises:
        OSError: what is in its partitions cannot be read.
    """
    gpt = copy_of_gpt(fd, size, sector)
    if gpt is None:
        return None
    unsure = _odd(gpt, sector)
    found = TableBefore(
        copied=True, uuid=gpt.uuid, first=gpt.first, last=gpt.last, entries=gpt.entries, unsure=unsure
    )
    if unsure:
        return found
    parts = tuple(_with_contents(path, one, sector, ask) for one in gpt.parts)
    if too_long := [one for one in parts if device_bytes(path, one.kind, one.start_bytes) > one.size_bytes]:
        unsure = f"what is in partition {too_long[0].number} of the copy is longer than it: the copy is older"
    elif not any(one.kind for one in parts):
        unsure = "nothing that is known begins where the copy has a partition"
    return replace(found, parts=parts, unsure=unsure)


def table_of_member(
    fd: int, path: str, size: int, sector: int, member: MemberThere, *, ask: Ask
) -> TableBefore:
    """The table whose only partition is that of ``member``; or the copy at the end of the disk, if it has that one.

    Raises:
        OSError: the disk cannot be read.
    """
    copy = table_in_copy(fd, path, size, sector, ask)
    if copy is not None:
        fits = any(one.start_bytes == member.start_bytes and one.kind == member.kind for one in copy.parts)
        if fits or copy.unsure:
            return copy
        return TableBefore(unsure="the disk has a copy of a partition table in which the member is not")
    start, length = member.start_bytes, -(-member.size_bytes // sector) * sector
    behind = _ENTRIES + sector
    has_room = start >= 2 * sector + _ENTRIES and start + length <= size - behind
    gpt = has_room and _is_clear(fd, size, behind)
    unsure = _why_not(fd, path, size, sector, member, gpt=gpt, ask=ask)
    if unsure:
        return TableBefore(unsure=unsure)
    part = PartBefore(
        start_bytes=start,
        size_bytes=length,
        kind=member.kind,
        holds=member.unit,
        digest=digest_of_ends(path, start, length),
    )
    return TableBefore(label="gpt" if gpt else "dos", parts=(part,))


def _is_clear(fd: int, size: int, behind: int) -> bool:
    """Whether nothing is where the copy of a GPT goes, or only what erasing one leaves."""
    length = min(64 * KIB, size)
    tail = os.pread(fd, length, size - length)
    return len(without_second_gpt(tail)) < length or not some(tail[-behind:])


def _why_not(fd: int, path: str, size: int, sector: int, member: MemberThere, *, gpt: bool, ask: Ask) -> str:
    """Why it is not certain that there was one partition with ``member``, or that it can be written; else empty."""
    start, end = member.start_bytes, member.start_bytes + member.size_bytes
    if not member.size_bytes:
        return "the member does not say how long its partition was"
    if start % sector:
        return f"the member begins within a sector, which has {sector:,} bytes here"
    if start > MIB:
        return f"the member begins at {binary(start)}, and other partitions may have been before it"
    if end > size or (not gpt and -(-end // sector) > _MBR_SECTORS):
        return "a partition table has no room on the disk beside the member"
    if some(without_table(os.pread(fd, 128 * KIB, 0))[: 2 * sector + _ENTRIES]):
        return "data of no known format is where the table was"
    for place in dict.fromkeys((end, -(-end // MIB) * MIB)):
        if place < size - MIB and (other := begins_at(fd, path, place, ask=ask)) is not None:
            return f"{harmless(other.kind)} begins behind the member, at {binary(place)}"
    if size - end > _RESERVE and any(some(os.pread(fd, _SAMPLE, place)) for place in _behind(end, size)):
        return f"data is behind the member, which ends at {binary(end)} of {binary(size)}"
    return ""


def _behind(end: int, size: int) -> Iterator[int]:
    for number in range(_SAMPLES):
        yield end + (size - _ENTRIES - _SAMPLE - end) * number // _SAMPLES // _SAMPLE * _SAMPLE


def _odd(gpt: Gpt, sector: int) -> str:
    """What a table has that cannot be written as it was; empty if nothing."""
    least = 2 * sector + max(_ENTRIES, gpt.entries * _ENTRY)
    ranges = sorted(gpt.ranges)
    if any(first > last or first < gpt.first or last > gpt.last for first, last in ranges):
        return "the copy has a partition outside of what it calls usable"
    if any(later[0] <= one[1] for one, later in pairwise(ranges)):
        return "the copy has partitions that overlap"
    if gpt.entries * _ENTRY < _ENTRIES or ranges[0][0] * sector < least:
        return "the copy has a partition where the table is to be"
    if any(one.name is None or _is_odd(one.name) for one in gpt.parts):
        return "the copy has a partition with a name that sfdisk(8) cannot write"
    if any(set(_bits(one)) - _EXPRESSED for one in gpt.parts):
        return "the copy has a partition with attributes that sfdisk(8) cannot write"
    return ""


def _is_odd(name: str) -> bool:
    return harmless(name) != name or '"' in name or "\\" in name


def _bits(part: GptPart) -> tuple[int, ...]:
    return tuple(bit for bit in range(64) if part.attributes >> bit & 1)


def _with_contents(path: str, part: GptPart, sector: int, ask: Ask) -> PartBefore:
    start, length = part.first * sector, (part.last + 1 - part.first) * sector
    answer = probe(path, start, ask).stdout
    kind, holds = TYPE.search(answer), UUID.search(answer)
    return PartBefore(
        number=part.number,
        start_bytes=start,
        size_bytes=length,
        type=part.type,
        uuid=part.uuid,
        name=part.name or "",
        attributes=_bits(part),
        kind=kind[1] if kind else "",
        holds=holds[1] if kind and holds else "",
        digest=digest_of_ends(path, start, length),
    )
