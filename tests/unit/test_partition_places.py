"""Partitions of a device are found by its table, the copy of a GPT, an MBR, or what begins at 1 MiB."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.machine.ask import ToolAnswer
from raidtui.machine.contents.partition_places import read_partitions
from raidtui.machine.contents.unknown_data import read_lost_table

MIB = 2**20
SIZE = 64 * MIB


def nothing(_: Sequence[str]) -> ToolAnswer:
    return ToolAnswer(returncode=2)


def table(path: Path, script: str) -> str:
    with path.open("xb") as file:
        file.truncate(SIZE)
    subprocess.run(["sfdisk", "-q", path], input=script, text=True, check=True)
    return os.fspath(path)


@pytest.mark.processes
@pytest.mark.parametrize("label", ["gpt", "dos"])
def test_by_the_table(tmp_path: Path, label: str) -> None:
    path = table(tmp_path / "disk", f"label: {label}\n2048,8192\n16384,4096\n")
    found = [(one.begin, one.length) for one in read_partitions(path, ask=nothing)]
    assert found == [(MIB, 4 * MIB), (8 * MIB, 2 * MIB)]
    assert read_lost_table(path, SIZE, ask=nothing) is None


@pytest.mark.processes
def test_by_the_copy_of_a_gpt(tmp_path: Path) -> None:
    path = table(tmp_path / "disk", "label: gpt\n2048,8192\n")
    with open(path, "r+b") as file:
        file.write(bytes(MIB) + b"data")
    assert [(one.begin, one.length) for one in read_partitions(path, ask=nothing)] == [(MIB, 4 * MIB)]
    lost = read_lost_table(path, SIZE, ask=nothing)
    assert lost is not None
    assert (lost.copied, "its copy at the end is intact and has 1 partition" in lost.words) == (1, True)


def test_what_begins_at_1_mib_and_is_larger_is_no_partition(tmp_path: Path) -> None:
    """As in a wrong order of members, where a later chunk has the beginning of what began the array."""
    path = tmp_path / "disk"
    begin = bytearray(MIB)
    begin[:4], begin[4:8], begin[8:16] = b"XFSB", (4096).to_bytes(4), (5 * MIB // 4096).to_bytes(8)
    path.write_bytes(bytes(MIB) + begin + bytes(3 * MIB))
    answer = ToolAnswer(returncode=0, stdout="TYPE=xfs\n")
    assert read_partitions(os.fspath(path), ask=lambda _: ToolAnswer(returncode=0, stdout="TYPE=xfs\n")) == ()
    assert read_lost_table(os.fspath(path), 5 * MIB, ask=lambda _: answer) is None


def test_by_what_begins_at_1_mib(tmp_path: Path) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(MIB) + b"data" + bytes(4 * MIB))
    answer = ToolAnswer(returncode=0, stdout="UUID=1234-5678\nTYPE=vfat\n")
    (one,) = read_partitions(os.fspath(path), ask=lambda _: ToolAnswer(returncode=0, stdout="TYPE=vfat\n"))
    assert (one.begin, one.length) == (MIB, 4 * MIB + 4)
    lost = read_lost_table(os.fspath(path), 5 * MIB, ask=lambda _: answer)
    assert lost is not None
    assert (lost.copied, lost.uuid, lost.words.startswith("vfat at 1 MiB")) == (0, "1234-5678", True)
    assert read_partitions(os.fspath(path), ask=nothing) == ()
    assert read_lost_table(os.fspath(path), 5 * MIB, ask=nothing) is None
    assert read_lost_table("/nowhere", 5 * MIB, ask=nothing) is None
