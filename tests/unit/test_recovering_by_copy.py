"""Which filesystem began on a device, by a copy of its superblock: made by the real mkfs, its beginning overwritten."""

import os
import subprocess
from pathlib import Path

import pytest

from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering.by_copy import ext_copy, kind_by_copy, repair, write_superblock
from raidtui.machine.contents.filesystem_copies import filesystem_copy, read_lost_beginning
from raidtui.machine.tools import find_tool
from raidtui.model.units import KIB, MIB

UUID = "0dc36d4f-40ae-4f60-9b1d-1df2f4a9ba04"
MAKERS = {
    "ext4": ["mkfs.ext4", "-qF", "-U", UUID],
    "xfs": ["mkfs.xfs", "-q", "-m", f"uuid={UUID}"],
    "btrfs": ["mkfs.btrfs", "-q", "-U", UUID],
}

pytestmark = [pytest.mark.slow, pytest.mark.processes]


def made(folder: Path, kind: str) -> Path:
    image = folder / kind
    image.write_bytes(b"")
    os.truncate(image, 400 * MIB)
    program, *words = MAKERS[kind]
    subprocess.run([find_tool(program) or "", *words, str(image)], capture_output=True, check=True)
    return image


@pytest.mark.parametrize("kind", [*MAKERS])
def test_a_filesystem_without_its_beginning_is_known_by_its_copy(tmp_path: Path, kind: str) -> None:
    image = made(tmp_path, kind)
    assert kind_by_copy(str(image)) == ""
    with image.open("r+b") as file:
        file.write(bytes(128 * KIB))
    assert kind_by_copy(str(image)) == kind
    left = read_lost_beginning(str(image))
    assert left is not None
    assert left.uuid == UUID
    commands = Commands(tmp_path / "state")
    write_superblock(commands, str(image))
    assert repair(commands, kind, str(image)) == (kind != "btrfs")
    assert kind_by_copy(str(image)) == ""
    assert not repair(commands, kind, str(image))


def test_what_is_gone_or_blank_is_none(tmp_path: Path) -> None:
    blank = tmp_path / "blank"
    blank.write_bytes(bytes(MIB))
    for path in (str(blank), str(tmp_path / "nothing")):
        assert (kind_by_copy(path), ext_copy(path), read_lost_beginning(path)) == ("", None, None)


def test_what_no_trial_looks_into_is_not_offered_one(tmp_path: Path) -> None:
    image = tmp_path / "ntfs"
    image.write_bytes(bytes(MIB - 512) + b"\xeb\x52\x90NTFS    ".ljust(512, b"\0"))
    with image.open("rb") as file:
        found = filesystem_copy(file.fileno(), MIB)
    assert found is not None
    assert found.words.startswith("NTFS without its beginning")
    assert read_lost_beginning(str(image)) is None
