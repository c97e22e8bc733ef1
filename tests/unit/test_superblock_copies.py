"""A filesystem of which an array has only the beginning is known by the copies of its superblock."""

import struct
from pathlib import Path

import pytest

from raidtui.machine.contents.superblock_copies import copies_elsewhere

KIB, MIB = 2**10, 2**20


def ext(blocks: int = 40 * 8192, *, features: int = 0) -> bytes:
    """The superblock of one with blocks of 1 KiB."""
    block = bytearray(KIB)
    for at, value in ((4, blocks), (20, 1), (24, 0), (32, 8192), (0x5C, features)):
        struct.pack_into("<I", block, at, value)
    block[0x38:0x3A] = b"\x53\xef"
    return bytes(block)


def xfs(size: int = 4096, blocks: int = 1024, groups: int = 4) -> bytes:
    block = bytearray(512)
    block[:4] = b"XFSB"
    for at, value in ((4, size), (84, blocks), (88, groups)):
        struct.pack_into(">I", block, at, value)
    return bytes(block)


BTRFS = bytes(0x40) + b"_BHRfS_M"
EXT = [KIB, *((1 + group * 8192) * KIB for group in (1, 3, 5, 7, 9, 25, 27))]
XFS = [number * 4 * MIB for number in range(4)]


@pytest.mark.parametrize(
    ("kind", "block", "places", "elsewhere"),
    [
        ("ext4", ext(), EXT, False),
        ("ext4", ext(), EXT[:1], True),
        ("ext4", ext(), EXT[:3], True),
        ("ext4", ext(), EXT[:-1], True),
        ("ext4", ext(features=0x200), EXT[:1], False),  # sparse_super2
        ("ext4", ext(8192), EXT[:1], False),  # it has one group
        ("ext4", bytes(KIB), EXT[:1], False),
        ("xfs", xfs(), XFS, False),
        ("xfs", xfs(), XFS[:1], True),
        ("btrfs", BTRFS, [64 * KIB, 64 * MIB], False),
        ("btrfs", BTRFS, [64 * KIB], True),
        ("swap", BTRFS, [], False),
    ],
)
def test_copies_that_are_not_in_their_places(
    tmp_path: Path, kind: str, block: bytes, places: list[int], elsewhere: bool
) -> None:
    path, size = tmp_path / "disk", 320 * MIB
    with path.open("wb") as file:
        file.truncate(size)
        for at in places:
            file.seek(at)
            file.write(block)
    assert copies_elsewhere(str(path), kind, size) is elsewhere


def test_a_device_that_ends_before_the_copies_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(64 * KIB) + BTRFS)
    assert copies_elsewhere(str(path), "btrfs", MIB) is False
    assert copies_elsewhere(str(tmp_path / "none"), "btrfs", MIB) is False
