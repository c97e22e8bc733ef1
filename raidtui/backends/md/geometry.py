"""Capacity of an md array, exact to the sector: the space mdadm reserves on each member, and the kernel's use of the rest.

The rules are mdadm's (super0.c, super1.c ``validate_geometry1``, Create.c) and the kernel's (raid0.c
``create_strip_zones``, raid10.c ``raid10_size`` and ``calc_sectors``). Lengths inside this module are sectors of
512 bytes unless the name says otherwise; public functions take and return bytes.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from raidtui.backends.arithmetic.copies import Copies, copies_of
from raidtui.backends.arithmetic.disks import check_sizes, data_disks
from raidtui.backends.facts import MemberUse
from raidtui.backends.md.layouts import check_count, check_layout
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import DEFAULT_CHUNK, MD_LEVELS, loses_all_with_one
from raidtui.model.struct import Record
from raidtui.model.text import spelled
from raidtui.model.units import GIB, KIB, MIB, SECTOR, TIB, both, spell_size

DEFAULT_METADATA: Final = "1.2"
SMALLEST_CHUNK: Final = 4 * KIB
LARGEST_CHUNK: Final = GIB  # md stores the chunk size in bytes as a signed 32-bit number
METADATA: Final = ("1.2", "1.1", "1.0", "0.90")
CONSISTENCIES: Final = ("bitmap", "resync", "ppl", "none")
MOST_DEVICES: Final = {"0.90": 27, "1.0": 1920, "1.1": 1920, "1.2": 1920}  # MD_SB_DISKS; (4096 - 256) / 2
PPL_SECTORS: Final = 2048
ASSUMED_MDADM: Final = (4, 2)


class Geometry(Record, frozen=True, kw_only=True):
    """An md array as the kernel would create it. Sizes in bytes."""

    level: str
    layout: str  # empty if the level has none
    metadata: str
    chunk_bytes: int  # 0 if the level has none
    consistency: str
    array_bytes: int
    component_bytes: int  # used on each member; for raid0 and linear, where members differ, the smallest
    data_offset_bytes: int  # where the data starts on each member; the first device decides it
    stripe_width_bytes: int  # one full stripe of data; 0 if the level has no chunk
    data_disks: float  # members' worth of data in a stripe: 1.5 for raid10 n2 on 3 disks
    members: tuple[MemberUse, ...]
    spares: tuple[MemberUse, ...] = ()


def _bitmap_sectors(size: int) -> int:
    """Space that mdadm reserves for a bitmap on a device of ``size`` sectors, even without one (choose_bm_space)."""
    if size < 128:
        return 0
    if size - 128 >= 200 * GIB // SECTOR:
        return 256
    if size - 8 > 8 * GIB // SECTOR:
        return 128
    return 8


def data_offset_sectors(size: int, *, metadata: str, chunk_bytes: int, consistency: str) -> int:
    """Sectors before the data; ``size`` is that of the first device, in sectors.

    128 MiB of headroom for later reshapes, halved on small devices, then rounded up to a whole MiB as mdadm
    4.1 and later do (4.0 and older rounded down). ``chunk_bytes`` is 0 for levels without a chunk.
    """
    if metadata in {"1.0", "0.90"}:
        return 0
    chunk_kib = chunk_bytes // KIB
    headroom = 128 * MIB // SECTOR
    while headroom << 10 > size and (chunk_kib == 0 or headroom // 2 >= chunk_kib * 4):
        headroom //= 2
    reserved = PPL_SECTORS if consistency == "ppl" else _bitmap_sectors(size)
    return -(-(24 + reserved + headroom) // 2048) * 2048


def free_sectors(size: int, offset: int, *, metadata: str, level: str, consistency: str) -> int:
    """Sectors for data on a device of ``size`` sectors; zero or less if it is too small."""
    if metadata in {"1.1", "1.2"}:
        return size - offset
    if metadata == "0.90":
        free = (size & ~127) - 128
        # super_90_load() limits it to 4 TiB if the level, as an unsigned number, is 1 or more: linear is -1.
        return min(free, 4 * TIB // SECTOR - 2) if level == "linear" else free
    if loses_all_with_one(level):  # write_init_super1 reserves no space for a bitmap here
        return ((size - 16) & ~7) - 8
    return (size & ~7) - 24 - (PPL_SECTORS if consistency == "ppl" else _bitmap_sectors(size))


def check_chunk(level: str, chunk: int | None, logical_sector: int = 512) -> int:
    """Return the chunk that will be used, in bytes; 0 for levels without chunks.

    Raises:
        CannotBuild: a chunk that md or mdadm refuses for this level.
    """
    if not MD_LEVELS[level].chunked:
        if chunk:
            raise CannotBuild(f"{spelled(level)} has no chunk; leave the chunk of {spell_size(chunk)} out")
        return 0
    if chunk is None:
        return DEFAULT_CHUNK
    if not SMALLEST_CHUNK <= chunk <= LARGEST_CHUNK:
        raise CannotBuild(
            f"a chunk of {spell_size(chunk)} is not between 4KiB and 1GiB; 512KiB is the default"
        )
    if chunk % SMALLEST_CHUNK or chunk % logical_sector:
        raise CannotBuild(f"a chunk of {spell_size(chunk)} is not a multiple of {spell_size(SMALLEST_CHUNK)}")
    if level != "raid0" and chunk & (chunk - 1):
        below = 1 << (chunk.bit_length() - 1)
        raise CannotBuild(
            f"a chunk of {spell_size(chunk)} is not a power of two; next to it are "
            f"{spell_size(below)} and {spell_size(2 * below)}"
        )
    return chunk


def check_consistency(word: str) -> None:
    """Refuse a word that is not a consistency policy. Raises CannotBuild: it is not one."""
    if word == "lockless":
        raise CannotBuild(
            "a lockless bitmap is experimental (mdadm 4.6, Linux 6.18), so raidtui does not make one; use bitmap"
        )
    if word not in CONSISTENCIES:
        raise CannotBuild(f"{word!r} is not a consistency policy; valid values: {', '.join(CONSISTENCIES)}")


def check_metadata(version: str) -> None:
    """Refuse a superblock version that mdadm does not write. Raises CannotBuild: it does not."""
    if version not in METADATA:
        raise CannotBuild(f"{version!r} is not a metadata version; valid values: {', '.join(METADATA)}")


def _consistency(level: str, metadata: str, members: int, wanted: str) -> None:
    check_consistency(wanted)
    if loses_all_with_one(level):
        if wanted != "none":
            raise CannotBuild(
                f"{spelled(level)} has no redundancy to keep consistent: its consistency is none"
            )
        return
    if wanted == "none":
        raise CannotBuild(
            f"{spelled(level)} is always kept consistent: by a bitmap, or by a full resync (resync)"
        )
    if wanted == "ppl":
        if level != "raid5":
            raise CannotBuild(f"a partial parity log (ppl) is for RAID5 only, not for {spelled(level)}")
        if metadata == "0.90":
            raise CannotBuild("a partial parity log (ppl) needs metadata 1.0, 1.1 or 1.2, not 0.90")
        if members > 64:
            raise CannotBuild(f"a partial parity log (ppl) works with at most 64 members, not {members}")


def raid10_rows(chunks: int, copies: Copies, disks: int) -> int:
    """The data chunks of an array with ``chunks`` chunks on each member (raid10_size)."""
    return chunks // copies.far * disks // copies.near


@lru_cache(maxsize=1024)  # the disks of an array are mostly the same size
def _use(size: int, used: int, need: int, *, spare: bool, uneven: str) -> MemberUse:
    """All in bytes; ``need`` is the space for metadata and alignment on this device."""
    overhead = min(size - used, need)
    tail = size - used - overhead
    words = [f"{both(overhead)} for md's metadata and alignment"] if overhead else []
    if tail:
        words.append(f"{both(tail)} {uneven}")
    if spare:
        words.insert(0, "a spare: holds data only after it has taken a failed member's place")
    return MemberUse(size_bytes=size, used_bytes=used, wasted_bytes=size - used, why="; ".join(words))


def mdadm_version(tools: Mapping[str, str]) -> tuple[int, int]:
    """The first two numbers of mdadm's version in ``tools``; 4.2 if unknown."""
    numbers = [int(n) for n in re.findall(r"\d{1,19}", tools.get("mdadm", ""))]
    return (numbers[0], numbers[1]) if len(numbers) > 1 else ASSUMED_MDADM


def md_geometry(
    level: str,
    sizes: Sequence[int],
    *,
    spare_sizes: Sequence[int] = (),
    chunk: int | None = None,
    layout: str | None = None,
    metadata: str = DEFAULT_METADATA,
    consistency: str | None = None,
    logical_sector: int = 512,
    mdadm: tuple[int, int] = ASSUMED_MDADM,
) -> Geometry:
    """The array that mdadm and the kernel create from member devices of these sizes.

    Args:
        sizes: bytes of each member device (a partition or a whole disk) in slot order; the first one decides
            the data offset.
        spare_sizes: bytes of the spares; they limit the component size too.
        chunk: bytes; ``None`` takes mdadm's 512 KiB if the level has a chunk.
        layout: ``n2``, ``left-symmetric`` and so on; ``None`` takes mdadm's default.
        consistency: ``bitmap``, ``resync``, ``ppl`` or ``none``; ``None`` takes bitmap, or none without redundancy.
        logical_sector: the largest logical sector of the devices, bytes.
        mdadm: version of mdadm; each refuses some arrays that others accept.

    Raises:
        CannotBuild: mdadm or md would refuse; the text gives the reason in one sentence.
    """
    return _geometry(
        level, tuple(sizes), tuple(spare_sizes), chunk, layout, metadata, consistency, logical_sector, mdadm
    )


@lru_cache(maxsize=512)  # tables, hazards and screens need the same layouts
def _geometry(
    level: str,
    sizes: tuple[int, ...],
    spare_sizes: tuple[int, ...],
    chunk: int | None,
    layout: str | None,
    metadata: str,
    consistency: str | None,
    logical_sector: int,
    mdadm: tuple[int, int],
) -> Geometry:
    disks = len(sizes)
    layout = check_layout(level, layout, disks)
    check_metadata(metadata)
    check_count(level, disks, len(spare_sizes), layout)
    if consistency is None:
        consistency = "none" if loses_all_with_one(level) else "bitmap"
    _consistency(level, metadata, disks, consistency)
    if disks + len(spare_sizes) > MOST_DEVICES[metadata]:
        raise CannotBuild(
            f"metadata {metadata} holds at most {MOST_DEVICES[metadata]} devices, not {disks + len(spare_sizes)}"
        )
    if level == "raid0" and metadata == "0.90" and (4, 2) <= mdadm < (4, 5):
        raise CannotBuild("mdadm 4.2 to 4.4 refuse RAID0 with metadata 0.90; take metadata 1.2")
    if (
        consistency == "ppl" and metadata == "1.0" and mdadm > (4, 4)
    ):  # seen with 4.6: it seeks to a wrong place
        raise CannotBuild(
            f"mdadm {mdadm[0]}.{mdadm[1]} creates no partial parity log (ppl) with metadata 1.0; take metadata 1.2"
        )
    check_sizes([*sizes, *spare_sizes])
    chunk_bytes = check_chunk(level, chunk, logical_sector)
    offset = data_offset_sectors(
        sizes[0] // SECTOR, metadata=metadata, chunk_bytes=chunk_bytes, consistency=consistency
    )

    def free(size: int) -> int:
        return free_sectors(size // SECTOR, offset, metadata=metadata, level=level, consistency=consistency)

    every = [*sizes, *spare_sizes]
    frees = [free(size) for size in every]
    step = chunk_bytes // SECTOR
    unit = max(step, 128 if level == "raid1" else 2)  # mdadm rounds to 1 KiB, for raid1 to 64 KiB
    if loses_all_with_one(level):
        unit = max(step, 1)
    for number, room in enumerate(frees, 1):
        if room < unit:
            name = f"disk {number}" if number <= disks else f"spare {number - disks}"
            raise CannotBuild(
                f"{name} of {both(every[number - 1])} is too small: {spell_size(offset * SECTOR)} before the data "
                f"and metadata leave less than {spell_size(unit * SECTOR)}"
            )

    if loses_all_with_one(level):
        uses = [room // unit * unit for room in frees]
        if level == "raid0":
            uses = [
                use & ~(step - 1) for use in uses
            ]  # like raid0_size(), even if step is not a power of two
        return Geometry(
            level=level,
            layout=layout,
            metadata=metadata,
            chunk_bytes=chunk_bytes,
            consistency=consistency,
            array_bytes=sum(uses) * SECTOR,
            component_bytes=min(uses) * SECTOR,
            data_offset_bytes=offset * SECTOR,
            stripe_width_bytes=chunk_bytes * disks,
            data_disks=data_disks(level, disks),
            members=tuple(
                _use(size, use * SECTOR, size - use * SECTOR, spare=False, uneven="")
                for size, use in zip(sizes, uses, strict=True)
            ),
        )

    component = min(frees) // unit * unit
    if metadata == "0.90" and component >= 4 * TIB // SECTOR:
        raise CannotBuild("metadata 0.90 holds less than 4 TiB a member; take metadata 1.2")
    width = data_disks(level, disks, layout)
    if level == "raid10":
        copies = copies_of(layout)
        rows = raid10_rows(component // step, copies, disks)
        component = -(-rows * copies.total // disks) * step
        array = raid10_rows(component // step, copies, disks) * step
    else:
        array = component * int(width)
    if array <= 0:
        raise CannotBuild(
            f"the disks are too small for {spelled(level)} {layout}: not one chunk has room for its copies"
        )

    def use(size: int, room: int, spare: bool) -> MemberUse:
        return _use(
            size,
            component * SECTOR,
            size - room * SECTOR + (room - component) % unit * SECTOR,
            spare=spare,
            uneven="because the smallest disk bounds every member",
        )

    return Geometry(
        level=level,
        layout=layout,
        metadata=metadata,
        chunk_bytes=chunk_bytes,
        consistency=consistency,
        array_bytes=array * SECTOR,
        component_bytes=component * SECTOR,
        data_offset_bytes=offset * SECTOR,
        stripe_width_bytes=stripe_width(level, layout, chunk_bytes, disks),
        data_disks=width,
        members=tuple(use(size, room, False) for size, room in zip(sizes, frees[:disks], strict=True)),
        spares=tuple(use(size, room, True) for size, room in zip(spare_sizes, frees[disks:], strict=True)),
    )


def stripe_width(level: str, layout: str, chunk_bytes: int, disks: int) -> int:
    """One full stripe, as md reports it to filesystems in ``queue/optimal_io_size``."""
    if level == "raid10":  # raid10_io_opt(): divided by the near copies, if that leaves no remainder
        near = copies_of(layout).near
        return chunk_bytes * (disks if disks % near else disks // near)
    return chunk_bytes * int(data_disks(level, disks, layout))
