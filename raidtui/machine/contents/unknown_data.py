"""Find data on a device without a signature: a format unknown to wipefs, a lost partition table, a volume encrypted
without a header, or remains of something erased.

Reads only the head, the tail and some samples between them. A device that is not all zero is not blank.
"""

import fcntl
import os
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.machine.ask import Ask, ask
from raidtui.machine.contents.begins_at import SUPERBLOCKS, TYPE, begins_at, probe, some
from raidtui.machine.contents.btrfs_superblock import read_copy
from raidtui.machine.contents.filesystem_copies import filesystem_copy, is_backup_of_ext
from raidtui.machine.contents.gpt_copy import partitions_in_copy, partitions_of_gpt
from raidtui.machine.contents.mbr import mbr_entries
from raidtui.machine.contents.member_there import MemberThere, member_before_the_end, member_there
from raidtui.machine.contents.remains import without_remains, without_second_gpt
from raidtui.machine.contents.table_before import table_in_copy, table_of_member
from raidtui.model.machine import ClaimKind
from raidtui.model.struct import Record
from raidtui.model.table_before import TableBefore
from raidtui.model.text import count_of
from raidtui.model.units import GIB, KIB, MIB, SECTOR, binary

_SAMPLE: Final = 4 * KIB
_HEAD: Final = 128 * KIB  # every known format begins within it
_TAIL: Final = 64 * KIB
_BETWEEN: Final = 16  # samples over the whole device
# Most of what people put on a disk begins near its start: there the samples are denser. With those over the whole device
# they cost a rotating disk about 0.3 s, a seek each.
_NEAR: Final = (*(number * MIB for number in (1, 2, 3, 4, 6, 8, 12, 16, 24)), *range(32 * MIB, GIB, 32 * MIB))
_FIRST_PARTITION: Final = MIB  # where every current partitioning program starts
# Where the data of a member begins as mdadm chooses it, and no partitioning program does: by the size of the disk,
# with PPL, before mdadm 4.1, and where room is left for reshapes. MiB (validate_geometry1() in super1.c).
_MD_DATA: Final = (2, 5, 9, 17, 33, 65, 128, 129, 130, 256)
_ON_MD: Final = (
    68 * KIB
)  # what a filesystem or a physical volume on an array has there; every blank disk is read ten times
_GPT: Final = b"EFI PART"  # in its second sector
_HEADER: Final = struct.Struct(
    "<8s24xQ"
)  # the magic, and where the last sector of the disk is, with the second header
_SECTOR_SIZES: Final = (512, 4096)
_BLKSSZGET: Final = 0x1268  # linux/fs.h: the size of a logical sector
_NOTHING: Final = 2  # blkid's exit code
# Pearson's chi-squared statistic of the 256 byte values. For random bytes it has a mean of 255 and a standard
# deviation of 22.6; these bounds are six deviations away. Programs, text and tables are in the thousands.
_LEAST_UNEVEN: Final = 120.0
_LEAST_VALUES: Final = 240  # distinct values; avoids the computation for mostly zeros
_MOST_UNEVEN: Final = 390.0

_BSD: Final = bytes.fromhex("57455682")
_DASD: Final = tuple(text.encode("cp037") for text in ("VOL1", "LNX1", "CMS1"))
# Formats that wipefs of util-linux 2.38 does not detect: bytes at offsets, all of which must match.
_FORMATS: Final[tuple[tuple[str, tuple[tuple[int, bytes], ...]], ...]] = (
    # libblkid since 2.39
    ("bcachefs filesystem", ((4096 + 24, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef")),)),
    ("encrypted volume of Apple's FileVault 2", ((8, bytes.fromhex("01001000")), (88, b"CS"))),
    ("scoutfs filesystem", ((64 * KIB + 4, bytes.fromhex("8b423c10")),)),
    # fdisk and parted
    *(("BSD disklabel", ((place, _BSD),)) for place in (0, 64, 128, 512)),
    *(
        ("DASD label of IBM Z", ((place, magic),))
        for place in (512, 1024, 4096, 4100, 8192, 8196)
        for magic in _DASD
    ),
    ("loop label of parted", ((0, b"GNU Parted Loopback 0"),)),
    ("PC-98 partition table", ((4, b"IPL1"), (510, b"\x55\xaa"))),
    ("dynamic disk of Windows (LDM)", ((6 * SECTOR, b"PRIVHEAD"),)),
    # known to none of these programs
    ("QNX6 filesystem", ((8 * KIB, bytes.fromhex("22111968")),)),
    ("tar archive", ((257, b"ustar"),)),
)
# What FreeBSD's geli, gmirror, gstripe and others write into the last sector of a disk or partition: g_label(4).
_GEOM: Final = re.compile(rb"GEOM::[A-Z0-9]+")
_NO_DATA: Final = frozenset({0, 0x05, 0x0F, 0xEE})  # types of entries of an MBR: none, extended, of a GPT


class Unknown(Record, frozen=True, kw_only=True):
    """Data without a signature."""

    words: str  # what it is
    what: ClaimKind = ClaimKind.UNKNOWN_DATA  # or REMAINS, OVERWRITTEN, TABLE_MISFIT, TABLE_DAMAGED
    began: bool = False  # a filesystem that began at the start of the device, without its beginning
    unit: str = (
        ""  # UUID of the filesystem whose superblock is gone, from a copy; or of what the member is in
    )
    member: str = ""  # UUID of the member that is whole, in a partition whose table is gone; empty: none is
    table: TableBefore | None = None  # that one, as far as it is known; None: nothing is


def read_unknown_data(path: str, size_bytes: int, *, ask: Ask = ask) -> Unknown | None:
    """Find data on the device ``path``, which has no signature; ``None`` if it is blank.

    Also ``None`` if it cannot be opened: see `raidtui.machine.taken.claims.read_error`. If a read fails, the contents are unknown.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _look(fd, path, size_bytes, ask)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        return Unknown(words=f"contents unknown: cannot read samples of it ({why})")
    finally:
        os.close(fd)


class Begins(Record, frozen=True, kw_only=True):
    """What begins within a device."""

    words: str  # "ext4 at 2 MiB"
    uuid: str = ""
    whole: bool = False  # it ends on this device too, so that it may have been on it alone


def read_older_data(path: str, *, ask: Ask = ask) -> Begins | None:
    """What begins on a member where md commonly puts data; None if nothing known does, or it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _where_md_puts_data(fd, path, (_FIRST_PARTITION // MIB, *_MD_DATA), ask)
    except OSError:
        return None
    finally:
        os.close(fd)


def _where_md_puts_data(fd: int, path: str, places: Sequence[int], ask: Ask) -> Begins | None:
    """What begins at one of these places, which are in MiB."""
    for mib in places:
        if (found := begins_at(fd, path, mib * MIB, ask=ask, look_bytes=_ON_MD)) is not None:
            room = os.lseek(fd, 0, os.SEEK_END) - mib * MIB
            return Begins(
                words=f"{found.kind} at {mib:,} MiB",
                uuid=found.uuid,
                whole=found.size_bytes > 0 and found.fits(room),
            )
    return None


def _look(fd: int, path: str, size: int, ask: Ask) -> Unknown | None:
    head = os.pread(fd, min(_HEAD, size), 0)
    if geom := _GEOM.match(os.pread(fd, _sector(fd), max(0, size - _sector(fd)))):
        return Unknown(words=f"member of {geom[0].decode()} of FreeBSD, which wipefs does not know")
    if misfit := _misfit(fd, head, size):
        return Unknown(words=f"{misfit}, so its partitions are not shown", what=ClaimKind.TABLE_MISFIT)
    if misfit := _mbr_misfit(fd, path, head, size, ask):
        return Unknown(
            words=f"{misfit}, so its partitions are shown in the wrong places", what=ClaimKind.TABLE_MISFIT
        )
    if copied := _table_copy(fd, head, size):
        copied = replace(copied, table=_table_before(fd, path, size, None, ask))
        member = next(_members_in_copy(fd, path, size, ask), None)
        return replace(copied, unit=member.unit, member=member.own) if member is not None else copied
    if some(head):
        name = next((name for name, marks in _FORMATS if _has(head, marks)), "")
        if name:
            return Unknown(words=f"{name}, which wipefs does not know")
        if _is_random(fd, head, size):
            return Unknown(
                words="random bytes throughout: a volume encrypted without a header, or a shredded disk"
            )
    if end := member_before_the_end(fd, size):
        return Unknown(
            words=f"superblock of an array's member near the end, in a partition that began at {binary(end.start_bytes)}: the "
            "partition table seems to be lost",
            what=ClaimKind.OVERWRITTEN,
            unit=end.unit,
            member=end.own,
            table=_table_before(fd, path, size, end, ask),
        )
    first = os.pread(fd, SUPERBLOCKS, _FIRST_PARTITION)
    if (
        some(first)
        and not is_backup_of_ext(fd, _FIRST_PARTITION)
        and (there := _at_first_partition(fd, path, size, ask))
    ):
        return there
    if (copy := read_copy(fd)) is not None:
        return Unknown(words=copy.words, what=ClaimKind.OVERWRITTEN, unit=copy.uuid)
    if begins := _where_md_puts_data(fd, path, _MD_DATA, ask):
        found = begins.words
        return Unknown(
            words=f"{found}, where md puts the data of a member: its superblock seems to be lost",
            what=ClaimKind.OVERWRITTEN,
        )
    if left := filesystem_copy(fd, size):
        return Unknown(words=left.words, began=True)
    if (place := _first_nonzero(without_remains(head))) is not None:
        return Unknown(
            words=f"data without a signature from byte {place:,}: an unknown format, or what 'wipefs --all' leaves"
        )
    for start, sample in _samples(fd, size):
        if some(sample):
            return Unknown(words=f"data in no known format, at {binary(start)}", what=ClaimKind.REMAINS)
    tail = os.pread(fd, _TAIL, max(0, size - _TAIL))
    if some(without_second_gpt(tail)):
        return Unknown(words=f"data in no known format, in the last {binary(_TAIL)}", what=ClaimKind.REMAINS)
    if some(head) or some(tail):
        return Unknown(words="remains of an erased partition table or array", what=ClaimKind.REMAINS)
    return None


class LostTable(Record, frozen=True, kw_only=True):
    """What is left where a partition table was."""

    words: str
    copied: int  # partitions in the copy of a GPT; 0: there is no copy
    uuid: str = ""  # of what begins in its first partition; empty if nothing known does


def read_lost_table(path: str, size_bytes: int, *, ask: Ask = ask) -> LostTable | None:
    """What is left of a partition table whose beginning was overwritten; None if nothing is, or it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        copy = _table_copy(fd, os.pread(fd, _HEAD, 0), size_bytes)
        parts = partitions_of_gpt(fd, size_bytes, _sector(fd)) if copy else []
        place = parts[0][0] * _sector(fd) if parts else _FIRST_PARTITION
        found = begins_at(fd, path, place, ask=ask)
        begins = (
            f"{found.kind} at 1 MiB, where a first partition begins: the partition table seems to be lost"
            if found and found.fits(size_bytes - place)
            else ""
        )
        words = copy.words if copy else begins
        return LostTable(words=words, copied=len(parts), uuid=found.uuid if found else "") if words else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _table_copy(fd: int, head: bytes, size: int) -> Unknown | None:
    """The copy of a GPT at the end, if only that is intact."""
    if copied := partitions_in_copy(fd, head, size, _sector(fd)):
        return Unknown(
            words=f"GPT partition table that is damaged at the start; its copy at the end is intact and has "
            f"{count_of(copied, 'partition')}",
            what=ClaimKind.TABLE_DAMAGED,
        )
    return None


def _table_before(fd: int, path: str, size: int, member: MemberThere | None, ask: Ask) -> TableBefore | None:
    """The table that was there, by ``member``; without one by the copy alone."""
    try:
        if member is None:
            return table_in_copy(fd, path, size, _sector(fd), ask)
        return table_of_member(fd, path, size, _sector(fd), member, ask=ask)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        return TableBefore(unsure=f"what is around the member cannot be read ({why})")


def _members_in_copy(fd: int, path: str, size: int, ask: Ask) -> Iterator[MemberThere]:
    """The members in partitions of a table of which only the copy is intact."""
    for first, last in partitions_of_gpt(fd, size, _sector(fd)):
        place, room = first * _sector(fd), (last + 1 - first) * _sector(fd)
        member = member_there(probe(path, place, ask).stdout, path, place, room)
        if member is not None:
            yield member


def _has(content: bytes, marks: tuple[tuple[int, bytes], ...]) -> bool:
    return all(content[place : place + len(magic)] == magic for place, magic in marks)


def _misfit(fd: int, head: bytes, size: int) -> str:
    """Why the kernel does not take a GPT for one of this disk, in words; empty if it does, or there is none."""
    own = _sector(fd)
    for sector in (own, *(other for other in _SECTOR_SIZES if other != own)):
        header = head[sector : sector + _HEADER.size]
        if len(header) == _HEADER.size and header.startswith(_GPT):
            _, last = _HEADER.unpack(header)
            whole = (last + 1) * sector
            if sector != own:
                return (
                    f"GPT partition table in sectors of {sector:,} bytes, which this disk does not have here"
                )
            if whole > size:
                return (
                    f"GPT partition table of a disk of {whole:,} bytes, of which this one shows {size:,} here"
                )
    return ""


def _mbr_misfit(fd: int, path: str, head: bytes, size: int, ask: Ask) -> str:
    """Why partitions of an MBR are not where the kernel takes them to be, in words; empty if they may be.

    Some USB enclosures show disks of 512-byte sectors with 4096: the table counts these, and without the enclosure the
    kernel takes every place for an eighth of what it is.
    """
    own = _sector(fd)
    other = next(one for one in _SECTOR_SIZES if one != own)
    for kind, first, count in mbr_entries(head):
        place = first * other
        if kind in _NO_DATA or not first or (first + count) * other > size or is_backup_of_ext(fd, place):
            continue
        if not some(os.pread(fd, _ON_MD, place)) or not TYPE.search(probe(path, place, ask).stdout):
            continue
        # What lies in the partitions as the kernel takes them may have a volume or an image there.
        if not TYPE.search(probe(path, first * own, ask).stdout):
            return f"MBR partition table in sectors of {other:,} bytes, which this disk does not have here"
    return ""


def _sector(fd: int) -> int:
    """The size of a logical sector."""
    try:
        return int(struct.unpack("i", fcntl.ioctl(fd, _BLKSSZGET, bytes(4)))[0])
    except OSError:  # no block device
        return SECTOR


def _is_random(fd: int, head: bytes, size: int) -> bool:
    last = max(0, size // _SAMPLE - 1) * _SAMPLE
    places = (_FIRST_PARTITION, size // 2 // _SAMPLE * _SAMPLE, last)
    return looks_random(head[:_SAMPLE]) and all(
        looks_random(os.pread(fd, _SAMPLE, place)) for place in places
    )


def _at_first_partition(fd: int, path: str, size: int, ask: Ask) -> Unknown | None:
    """What begins there; None if blkid finds no known format. If blkid fails, the format is unknown."""
    answer = probe(path, _FIRST_PARTITION, ask)
    if found := TYPE.search(answer.stdout):
        member = member_there(answer.stdout, path, _FIRST_PARTITION, size - _FIRST_PARTITION)
        long = f", {member.size_bytes:,} bytes long" if member is not None and member.size_bytes else ""
        return Unknown(
            words=f"{found[1]} at 1 MiB{long}, where a first partition or the data of an array's member begins: the partition "
            "table or superblock seems to be lost",
            what=ClaimKind.OVERWRITTEN,
            unit=member.unit if member is not None else "",
            member=member.own if member is not None else "",
            table=_table_before(fd, path, size, member, ask) if member is not None else None,
        )
    # Of a partition, blkid always prints its entry in the table.
    nothing = answer.returncode == _NOTHING or (answer.returncode == 0 and "PART_ENTRY_" in answer.stdout)
    words = "data at 1 MiB, in a format that blkid cannot determine"
    return None if nothing else Unknown(words=words, what=ClaimKind.OVERWRITTEN)


def _first_nonzero(content: bytes) -> int | None:
    return len(content) - len(content.lstrip(b"\0")) if some(content) else None


def _samples(fd: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Samples between the head and the tail, each with its offset, from the start to the end."""
    between = (size * number // (_BETWEEN + 1) // _SAMPLE * _SAMPLE for number in range(1, _BETWEEN + 1))
    for start in sorted({*_NEAR, *between}):
        if start < size - _TAIL:
            yield start, os.pread(fd, _SAMPLE, start)


def looks_random(sample: bytes) -> bool:
    """Whether a sample of a few thousand bytes looks encrypted or random."""
    counts = Counter(sample)
    if len(counts) < _LEAST_VALUES:
        return False
    expected = len(sample) / 256
    # Sum of the squared deviations of all 256 values, absent ones included, divided by the expected count.
    unevenness = sum(count**2 for count in counts.values()) / expected - len(sample)
    return _LEAST_UNEVEN < unevenness < _MOST_UNEVEN
