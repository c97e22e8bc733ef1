"""Find what is left of the LUKS header of a device whose beginning was overwritten.

Read only. Layouts: "LUKS1 On-Disk Format Specification" 1.2.3 and "LUKS2 On-Disk Format Specification" 1.1.1.
"""

import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from typing import Any, Final

from raidtui.machine.contents.unknown_data import looks_random
from raidtui.model.luks import Left, LuksLeft
from raidtui.model.units import KIB, MIB, SECTOR

_MARK: Final = b"LUKS\xba\xbe"
_SECOND_MARK: Final = b"SKUL\xba\xbe"
_BINARY: Final = 4 * KIB  # of a LUKS2 header; its description, in JSON, follows
_SIZES: Final = tuple(16 * KIB << power for power in range(9))  # of a LUKS2 header, with its description
_PARTS: Final = ("keyslots", "segments", "digests", "config")  # of the description
_SUM: Final = slice(448, 512)  # the checksum in a LUKS2 header
_ENTRIES: Final = range(208, 592, 48)  # of the key slots in a LUKS1 header
_ENABLED: Final = 0x00AC71F3
_STATES: Final = frozenset({_ENABLED, 0x0000DEAD})  # of an entry; the other: disabled
_MOST_KEYS: Final = 4 * MIB  # the area of a key slot


def read_luks_left(path: str) -> LuksLeft | None:
    """What is left of a damaged LUKS header on the device ``path``; None if none is, or it is whole, or cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        first = os.pread(fd, _BINARY, 0)
        return _luks1(fd, first) if _is_luks1(first) else _luks2(fd, first)
    except OSError:
        return None
    finally:
        os.close(fd)


def _luks2(fd: int, first: bytes) -> LuksLeft | None:
    if first.startswith(_MARK) and _is_right(fd, 0, _MARK):
        return None
    for size in _SIZES:
        if os.pread(fd, 6, size) == _SECOND_MARK and _is_right(fd, size, _SECOND_MARK):
            return _left2(fd, size, Left.SECOND)
    for place, mark in ((0, _MARK), *((size, _SECOND_MARK) for size in _SIZES)):
        if _is_right(fd, place, mark):
            return _left2(fd, place, Left.MARKS)
    for place in (0, *_SIZES):
        if _described(fd, place):
            return _left2(fd, place, Left.DESCRIPTION)
    return None


def _left2(fd: int, place: int, left: Left) -> LuksLeft:
    binary = os.pread(fd, _BINARY, 0 if left is Left.DESCRIPTION else place)
    slots = _described(fd, place).get("keyslots", {})
    return LuksLeft(
        version=2,
        left=left,
        at_bytes=place,
        uuid=_uuid(binary),
        keys=sum(_is_whole(fd, *area) for area in _areas(slots)),
    )


def _is_right(fd: int, place: int, mark: bytes) -> bool:
    """Whether a LUKS2 header is at ``place`` whose checksum is right once it has its mark."""
    head = bytearray(os.pread(fd, _BINARY, place))
    size = int.from_bytes(head[8:16])
    if size not in _SIZES or int.from_bytes(head[6:8]) != 2 or int.from_bytes(head[256:264]) != place:
        return False
    head[:6] = mark
    stored = bytes(head[_SUM])
    head[_SUM] = bytes(len(stored))
    name = bytes(head[72:104]).rstrip(b"\0").decode("ascii", "replace")
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        return False
    found = hashlib.new(name, bytes(head) + os.pread(fd, size - _BINARY, place + _BINARY)).digest()
    return stored.rstrip(b"\0") == found.rstrip(b"\0")


def _described(fd: int, place: int) -> dict[str, Any]:
    """The description that belongs to a LUKS2 header at ``place``; empty if it is none."""
    start = os.pread(fd, 2, place + _BINARY)
    if not start.startswith(b"{"):
        return {}
    for size in _SIZES:
        text, ended, _ = os.pread(fd, size - _BINARY, place + _BINARY).partition(b"\0")
        try:
            found = json.loads(text) if ended else None
        except ValueError:
            continue
        if isinstance(found, dict) and all(isinstance(found.get(key), dict) for key in _PARTS):
            return found
    return {}


def _areas(slots: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Where the keys of each slot are, and how many bytes they have."""
    for slot in slots.values():
        try:
            yield int(slot["area"]["offset"]), int(slot["key_size"]) * int(slot["af"]["stripes"])
        except (KeyError, TypeError, ValueError):
            continue


def _is_luks1(first: bytes) -> bool:
    """Whether a LUKS1 header is there, with its mark or without."""
    mark, version, cipher = first[:6], int.from_bytes(first[6:8]), first[8:40].rstrip(b"\0")
    return mark in {_MARK, bytes(6)} and version == 1 and cipher.isalnum() and bool(_uuid(first))


def _luks1(fd: int, first: bytes) -> LuksLeft | None:
    entries = [first[at : at + _ENTRIES.step] for at in _ENTRIES]
    states = [int.from_bytes(entry[:4]) for entry in entries]
    wrong = not _STATES.issuperset(states)
    if first.startswith(_MARK) and not wrong:
        return None
    size = int.from_bytes(first[108:112])  # of the key
    areas = [
        (int.from_bytes(entry[40:44]) * SECTOR, size * int.from_bytes(entry[44:48]))
        for entry, state in zip(entries, states, strict=True)
        if state == _ENABLED
    ]
    return LuksLeft(
        version=1,
        left=Left.ENTRIES if wrong else Left.MARKS,
        uuid=_uuid(first),
        keys=sum(_is_whole(fd, *area) for area in areas),
    )


def _is_whole(fd: int, place: int, count: int) -> bool:
    """Whether all of the area of a key slot looks encrypted: nothing was written over it."""
    if not _BINARY <= count <= _MOST_KEYS or place < _BINARY:
        return False
    area = os.pread(fd, count, place)
    pieces = [area[at : at + _BINARY] for at in range(0, count - _BINARY + 1, _BINARY)]
    return len(area) == count and all(looks_random(piece) for piece in pieces)


def _uuid(head: bytes) -> str:
    """The UUID in a header of either version; empty if there is none."""
    try:
        return str(uuid.UUID(head[168:204].decode("ascii")))
    except ValueError:
        return ""
