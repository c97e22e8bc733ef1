"""A GPT of which only the copy at the end of the disk is intact."""

import struct
import zlib
from pathlib import Path

import pytest

from raidtui.machine.contents.gpt_copy import partitions_in_copy

SIZE = 8 * 1024 * 1024
MIB = 1024 * 1024
TYPE = bytes(range(16))
PROTECTIVE = bytes(450) + b"\xee" + bytes(59) + b"\x55\xaa"


def header(own: int, entries_at: int, entries: bytes) -> bytes:
    def made(crc: int) -> bytes:
        places = (own, SIZE // 512 - own, 34, SIZE // 512 - 34, TYPE, entries_at)
        return struct.pack(
            "<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, *places, 128, 128, zlib.crc32(entries)
        )

    return made(zlib.crc32(made(0)))


def disk(
    tmp_path: Path, *, mbr: bytes = PROTECTIVE, first: bool = False, data: bytes = b"", spoilt: bool = False
) -> int:
    entries = (TYPE + TYPE + struct.pack("<QQ", 2048, 4095)).ljust(128 * 128, b"\0")
    whole = bytearray(SIZE)
    whole[: len(mbr)] = mbr
    last = SIZE // 512 - 1
    if first:
        whole[512:1024] = header(1, 2, entries).ljust(512, b"\0")
        whole[1024 : 1024 + len(entries)] = entries
    whole[-512:] = header(last, last - 32, entries).ljust(512, b"\0")
    whole[-512 * 33 : -512] = entries
    whole[MIB : MIB + len(data)] = data
    if spoilt:
        whole[-512 * 33 + 40] ^= 1
    path = tmp_path / "disk"
    path.write_bytes(whole)
    with path.open("rb") as file:
        head = bytes(whole[: 128 * 1024])
        return partitions_in_copy(file.fileno(), head, SIZE, 512)


@pytest.mark.parametrize(
    ("made", "count"),
    [
        ({}, 1),  # the first header is gone
        ({"mbr": b"", "data": bytes(1024) + b"ext4"}, 1),  # the whole head is
        ({"first": True}, 0),  # the kernel shows it
        ({"spoilt": True}, 0),  # the copy is damaged too
        ({"mbr": b""}, 0),  # left behind: there is nothing where it says
        ({"mbr": b"something else", "data": b"ext4"}, 0),
    ],
)
def test_a_copy_counts_if_it_is_intact_and_leads_to_something(
    tmp_path: Path, made: dict[str, bytes | bool], count: int
) -> None:
    assert disk(tmp_path, **made) == count  # type: ignore[arg-type]
