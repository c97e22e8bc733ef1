"""Find what is left of the LUKS header of a device whose beginning was overwritten.

Read only. Layouts: "LUKS1 On-Disk Format Specification" 1.2.3 and "LUKS2 On-Disk Format Specification" 1.1.1.
"""

import os
import uuid
from collections.abc import Iterator
from typing import Any, Final

from raidtui.machine.contents.unknown_data import looks_random
from raidtui.model.luks import Left, LuksLeft
from raidtui.model.units import KIB, MIB, SECTOR

MARK: Final = b"LUKS\xba\xbe"
SECOND_MARK: Final = b"SKUL\xba\xbe"
BINARY: Final = 4 * KIB  # of a LUKS2 header; its description, in JSON, follows
_SIZES: Final = tuple(16 * KIB << power for power in range(9))  # of a LUKS2 header, with its description
_DIGITS: Final = 18
_PARTS: Final = ("keyslots", "segments", "digests", "config")  # of the description
_SUM: Final = slice(448, 512)  # the checksum in a LUKS2 header
ENTRIES: Final = range(208, 592, 48)  # of the key slots in a LUKS1 header
_ENABLED: Final = 0x00AC71F3
_DISABLED: Final = 0x0000DEAD
_STATES: Final = frozenset({_ENABLED, _DISABLED})  # of an entry
STRIPES: Final = 4000  # of a key slot of LUKS1
_ALIGNED: Final = 8  # sectors: where its area begins
_MOST_KEYS: Final = 4 * MIB  # the area of a key slot


def read_luks_left(path: str) -> LuksLeft | None:
    """What is left of a damaged LUKS header on the device ``path``; None if none is, or it is whole, or cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        first = os.pread(fd, BINARY, 0)
        return _luks1(fd, first) if _is_luks1(first) else _luks2(fd, first)
    except OSError:
        return None
    finally:
        os.close(fd)


def _luks2(fd: int, first: bytes) -> LuksLeft | None:
    if first.startswith(MARK) and _is_right(fd, 0, MARK):
        return None
    for size in _SIZES:
        if os.pread(fd, 6, size) == SECOND_MARK and _is_right(fd, size, SECOND_MARK):
            return _left2(fd, size, Left.SECOND)
    for place, mark in ((0, MARK), *((size, SECOND_MARK) for size in _SIZES)):
        if _is_right(fd, place, mark):
            return _left2(fd, place, Left.MARKS)
    for place in (0, *_SIZES):
        if described(fd, place):
            return _left2(fd, place, Left.DESCRIPTION)
    return None


def _left2(fd: int, place: int, left: Left) -> LuksLeft:
    binary = os.pread(fd, BINARY, 0 if left is Left.DESCRIPTION else place)
    slots = described(fd, place).get("keyslots", {})
    return LuksLeft(
        version=2,
        left=left,
        at_bytes=place,
        uuid=_uuid(binary),
        keys=sum(_is_whole(fd, *area) for area in _areas(slots)),
    )


def _is_right(fd: int, place: int, mark: bytes) -> bool:
    """Whether a LUKS2 header is at ``place`` whose checksum is right once it has its mark."""
    head = bytearray(os.pread(fd, BINARY, place))
    size = int.from_bytes(head[8:16])
    if size not in _SIZES or int.from_bytes(head[6:8]) != 2 or int.from_bytes(head[256:264]) != place:
        return False
    head[:6] = mark
    whole = bytes(head) + os.pread(fd, size - BINARY, place + BINARY)
    return with_checksum(whole) == whole


def with_checksum(whole: bytes) -> bytes:
    """A LUKS2 header and its description with the checksum of both; nothing if its kind of checksum is not known."""
    import hashlib  # it loads OpenSSL, and few disks have such a header

    name = whole[72:104].rstrip(b"\0").decode("ascii", "replace")
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        return b""
    before, behind = whole[: _SUM.start], whole[_SUM.stop :]
    width = _SUM.stop - _SUM.start
    found = hashlib.new(name, before + bytes(width) + behind).digest()
    return before + found.ljust(width, b"\0") + behind


def described(fd: int, place: int) -> dict[str, Any]:
    """The description that belongs to a LUKS2 header at ``place``; empty if it is none."""
    start = os.pread(fd, 2, place + BINARY)
    if not start.startswith(b"{"):
        return {}
    import json  # few disks get this far

    for size in _SIZES:
        text, ended, _ = os.pread(fd, size - BINARY, place + BINARY).partition(b"\0")
        try:
            found = json.loads(text) if ended else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and all(isinstance(found.get(key), dict) for key in _PARTS):
            return found
    return {}


def _areas(slots: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Where the keys of each slot are, and how many bytes they have."""
    for slot in slots.values():
        try:
            place, size = (
                number(slot["area"]["offset"]),
                number(slot["key_size"]) * number(slot["af"]["stripes"]),
            )
        except (KeyError, TypeError):
            continue
        if place and size:
            yield place, size


def number(value: object) -> int:
    """A number of the description, which has some as text; 0 if it is none, or too large for a place on a device."""
    if isinstance(value, str) and len(value) <= _DIGITS and value.isascii() and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and 0 < value < 10**_DIGITS else 0


def _is_luks1(first: bytes) -> bool:
    """Whether a LUKS1 header is there, with its mark or without."""
    mark, version, cipher = first[:6], int.from_bytes(first[6:8]), first[8:40].rstrip(b"\0")
    return mark in {MARK, bytes(6)} and version == 1 and cipher.isalnum() and bool(_uuid(first))


def _luks1(fd: int, first: bytes) -> LuksLeft | None:
    repaired = with_entries(first)
    if first.startswith(MARK) and repaired == first:
        return None
    size = int.from_bytes(first[108:112])  # of the key
    entries = [repaired[at : at + ENTRIES.step] for at in ENTRIES]
    areas = [
        (int.from_bytes(entry[40:44]) * SECTOR, size * STRIPES)
        for entry in entries
        if int.from_bytes(entry[:4]) == _ENABLED
    ]
    return LuksLeft(
        version=1,
        left=Left.MARKS if repaired == first else Left.ENTRIES,
        uuid=_uuid(first),
        keys=sum(_is_whole(fd, *area) for area in areas),
    )


def with_entries(head: bytes) -> bytes:
    """A LUKS1 header in which the entry of every key slot can be one: what is not in use where it cannot be read.

    cryptsetup takes no header with an entry that cannot be one, be it in use or not.
    """
    found = bytearray(head)
    size, payload = (int.from_bytes(head[at : at + 4]) for at in (108, 104))
    sectors = -(-size * STRIPES // (SECTOR * _ALIGNED)) * _ALIGNED
    for number, at in enumerate(ENTRIES):
        state, place, stripes = (int.from_bytes(head[at + part : at + part + 4]) for part in (0, 40, 44))
        if state not in _STATES:
            found[at : at + 40] = _DISABLED.to_bytes(4) + bytes(36)
        if state not in _STATES or stripes != STRIPES or not _ALIGNED <= place < (payload or place + 1):
            found[at + 40 : at + 48] = (_ALIGNED + number * sectors).to_bytes(4) + STRIPES.to_bytes(4)
    return bytes(found)


def _is_whole(fd: int, place: int, count: int) -> bool:
    """Whether all of the area of a key slot looks encrypted: nothing was written over it."""
    if not BINARY <= count <= _MOST_KEYS or place < BINARY:
        return False
    area = os.pread(fd, count, place)
    pieces = [area[at : at + BINARY] for at in range(0, count - BINARY + 1, BINARY)]
    return len(area) == count and all(looks_random(piece) for piece in pieces)


def _uuid(head: bytes) -> str:
    """The UUID in a header of either version; empty if there is none."""
    try:
        return str(uuid.UUID(head[168:204].decode("ascii")))
    except ValueError:
        return ""
