"""What a disk without any signature holds all the same."""

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.machine.ask import Answer
from raidtui.machine.unknown_data import looks_random, read_unknown_data
from raidtui.model.units import MIB

SIZE = 8 * MIB + 512  # an odd number of sectors, as real disks have
TEXT = b"RAID is not a backup. " * 400


def no_answer(argv: Sequence[str]) -> Answer:
    raise AssertionError(f"{argv} was asked")


def made(folder: Path, *pieces: tuple[int, bytes]) -> str:
    """A disk with ``pieces`` at their places, and zeros."""
    path = folder / "disk"
    with path.open("wb") as file:
        file.truncate(SIZE)
        for place, piece in pieces:
            file.seek(place)
            file.write(piece)
    return str(path)


def test_zeros_hold_nothing(tmp_path: Path) -> None:
    assert read_unknown_data(made(tmp_path), SIZE, ask=no_answer) == ""


def test_random_bytes_everywhere_may_be_an_encrypted_volume(tmp_path: Path) -> None:
    path = made(tmp_path, (0, os.urandom(SIZE)))
    assert "encrypted without a header" in read_unknown_data(path, SIZE, ask=no_answer)


@pytest.mark.parametrize("zeroed", [0, MIB, SIZE // 2 - MIB // 2, SIZE - MIB])
def test_what_was_erased_in_one_place_cannot_be_opened_any_more(tmp_path: Path, zeroed: int) -> None:
    path = made(tmp_path, (0, os.urandom(SIZE)), (zeroed, bytes(MIB)))
    assert read_unknown_data(path, SIZE, ask=lambda argv: Answer(returncode=2)) == ""


def test_a_filesystem_where_the_first_partition_would_begin_is_named(tmp_path: Path) -> None:
    path = made(tmp_path, (MIB, TEXT))
    asked: list[Sequence[str]] = []

    def blkid(argv: Sequence[str]) -> Answer:
        asked.append(argv)
        return Answer(
            returncode=0, stdout="DEVNAME=/dev/sdx\nUUID=3f0c\nBLOCK_SIZE=1024\nTYPE=ext4\nUSAGE=filesystem\n"
        )

    assert read_unknown_data(path, SIZE, ask=blkid).startswith(
        "ext4 at 1 MiB, where a first partition begins"
    )
    assert asked == [["blkid", "--probe", "--offset", "1048576", "--output", "export", path]]


def test_remains_that_nobody_recognises_are_nothing(tmp_path: Path) -> None:
    path = made(tmp_path, (MIB, TEXT), (SIZE // 2, TEXT))
    assert read_unknown_data(path, SIZE, ask=lambda argv: Answer(returncode=2)) == ""


def test_a_disk_that_cannot_be_opened_or_is_tiny_holds_nothing_that_could_be_told(tmp_path: Path) -> None:
    assert read_unknown_data(str(tmp_path / "none"), SIZE, ask=no_answer) == ""
    assert read_unknown_data(made(tmp_path), 512, ask=no_answer) == ""


def test_only_what_a_cipher_or_a_generator_made_looks_random() -> None:
    dice = random.Random(7)
    taken = sum(looks_random(dice.randbytes(4096)) for _ in range(2000))
    assert taken == 2000
    assert not looks_random(b"")
    assert not looks_random(bytes(4096))
    assert not looks_random(TEXT[:4096])
    assert not looks_random(bytes(range(16)) * 256)
    assert not looks_random(bytes(range(256)) * 16)
    assert not looks_random(dice.randbytes(3072) + bytes(1024))
