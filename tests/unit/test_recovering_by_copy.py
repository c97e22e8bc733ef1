"""Which filesystem began on a device, by a copy of its superblock: made by the real mkfs, its beginning overwritten."""

import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.jobs.commands import Commands
from raidtui.jobs.recovering.by_copy import ext_copy, kind_by_copy, repair, write_superblock
from raidtui.machine.contents.filesystem_copies import read_lost_beginning
from raidtui.machine.tools import find_tool
from raidtui.model.units import KIB, MIB
from tests.unit.test_recorded_states import found_in, state

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


def test_a_copy_left_by_an_older_filesystem_does_not_hide_that_of_a_btrfs(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.touch()
    os.truncate(image, 400 * MIB)
    for program, *words in (["mkfs.ext4", "-qF"], ["mkfs.btrfs", "-qf", "-K"]):
        subprocess.run([find_tool(program) or "", *words, image], check=True)
    with image.open("r+b") as file:
        file.write(bytes(MIB))
    assert ext_copy(str(image)) is not None
    found = read_lost_beginning(str(image))
    assert found is not None
    assert (found.type, kind_by_copy(str(image))) == ("btrfs", "btrfs")


def test_what_is_gone_or_blank_is_none(tmp_path: Path) -> None:
    blank = tmp_path / "blank"
    blank.write_bytes(bytes(MIB))
    for path in (str(blank), str(tmp_path / "nothing")):
        assert (kind_by_copy(path), ext_copy(path), read_lost_beginning(path)) == ("", None, None)


def ntfs(sectors: int) -> bytes:
    head = bytearray(b"\xeb\x52\x90NTFS    ".ljust(512, b"\0"))
    head[11:13], head[0x28:0x30] = (512).to_bytes(2, "little"), sectors.to_bytes(8, "little")
    head[0x48:0x50] = bytes.fromhex("d321d329fe523b52")
    return bytes(head)


def test_ntfs_and_exfat_are_known_by_the_copies_of_their_boot_sectors(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(MIB - 512) + ntfs(MIB // 512 - 1))
    found = read_lost_beginning(str(image))
    assert found is not None
    assert (found.words.startswith("NTFS without its beginning"), found.type) == (True, "ntfs")
    assert found.uuid == "523B52FE29D321D3"  # as blkid writes it
    image.write_bytes(bytes(MIB - 512) + ntfs(1000))  # of a last partition
    assert read_lost_beginning(str(image)) is None
    head = bytearray(b"\xeb\x76\x90EXFAT   ".ljust(512, b"\0"))
    head[100:104] = bytes.fromhex("cab1cd7b")
    image.write_bytes(bytes(12 * 512) + head + bytes(MIB))
    found = read_lost_beginning(str(image))
    assert found is not None
    assert (found.type, found.uuid) == ("exfat", "7BCD-B1CA")


def test_what_no_trial_looks_into_is_not_offered_one() -> None:
    machine = state("filesystem-on-an-array-without-its-beginning")
    assert found_in(machine)[0].remedies[0].is_trial
    for kind, program in (("ntfs", "ntfsfix"), ("exfat", "fsck.exfat")):
        devices = tuple(replace(one, began_type=kind) if one.began else one for one in machine.devices)
        (finding, *_) = found_in(replace(machine, devices=devices))
        assert not any(one.is_trial for one in finding.remedies)
        assert program in finding.remedies[0].text
