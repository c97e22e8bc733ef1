"""Make a copy of a damaged LUKS header that cryptsetup takes: what is left of it, with what it lacks. Reads the device only.

The layouts are those of `raidtui.machine.contents.luks_header`. The copy is what cryptsetup luksHeaderBackup makes of a whole one:
the header and the areas of its key slots. A checksum follows from what it covers, a mark and the places from the format.
"""

import os
import uuid
from typing import Final

from raidtui.machine.contents.luks_header import (
    BINARY,
    MARK,
    SECOND_MARK,
    described,
    number,
    read_luks_left,
    with_checksum,
    with_entries,
)
from raidtui.model.errors import Refused
from raidtui.model.luks import Left, LuksLeft
from raidtui.model.units import MIB, SECTOR

_MOST: Final = 64 * MIB  # of a header with its key slots
_KEPT: Final = slice(16, 256)  # of a LUKS2 header: from its sequence number to its subsystem


def repaired_header(path: str) -> bytes:
    """The header of the container on the device ``path``, with its key slots, as it would be if nothing had overwritten it.

    Raises:
        Refused: nothing of it is damaged, or too little is left.
        OSError: it cannot be read.
    """
    left = read_luks_left(path)
    if left is None:
        raise Refused(f"{path} has no damaged LUKS header of which enough is left")
    if not left.keys:
        raise Refused(f"no key slot of the LUKS header on {path} is whole: only a copy of it opens it")
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _luks1(fd) if left.version == 1 else _luks2(fd, left)
    finally:
        os.close(fd)


def _luks2(fd: int, left: LuksLeft) -> bytes:
    description = described(fd, left.at_bytes)
    head = bytearray(os.pread(fd, BINARY, 0 if left.left is Left.DESCRIPTION else left.at_bytes))
    size = int.from_bytes(head[8:16])
    if left.left is Left.DESCRIPTION:
        size = left.at_bytes or number(description["config"].get("json_size")) + BINARY
        head = _new_head(head, size)
    text = os.pread(fd, size - BINARY, left.at_bytes + BINARY)
    whole = 2 * size + number(description["config"].get("keyslots_size"))
    if not 2 * size < whole <= _MOST:
        raise Refused("its description does not say how large its key slots are")
    both = b""
    for mark, place in ((MARK, 0), (SECOND_MARK, size)):
        head[:6], head[256:264] = mark, place.to_bytes(8)
        both += with_checksum(bytes(head) + text)
    return both + os.pread(fd, whole - 2 * size, 2 * size)


def _new_head(first: bytearray, size: int) -> bytearray:
    """The binary part of a header of ``size`` with its description, with what is left of the former one, ``first``."""
    head = bytearray(BINARY)
    head[6:8], head[8:16] = (2).to_bytes(2), size.to_bytes(8)
    if first.startswith(MARK) and any(first[168:204]):
        head[_KEPT] = first[_KEPT]
    else:
        head[16:24], head[72:78] = (1).to_bytes(8), b"sha256"
        head[168:204] = str(uuid.uuid4()).encode()
    return head


def _luks1(fd: int) -> bytes:
    head = os.pread(fd, BINARY, 0)
    payload = int.from_bytes(head[104:108]) * SECTOR
    if not BINARY < payload <= _MOST:
        raise Refused("its header does not say where the encrypted data begins")
    return MARK + with_entries(head)[len(MARK) :] + os.pread(fd, payload - BINARY, BINARY)
