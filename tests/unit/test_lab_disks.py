"""The virtual disks of the lab: the list that names them, their files, what they tell about themselves."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.lab.disks import (
    LETTERS,
    MAX_DISKS,
    MIN_SIZE,
    CopiedDisk,
    VirtualDisk,
    add_to,
    create,
    describe,
    found_in,
    parse_disks,
    udev_rules,
)
from raidtui.model.errors import BadInput
from raidtui.model.units import GIB, MIB, SECTOR


def test_a_list_names_disks_by_count_and_size() -> None:
    assert parse_disks("2x2GiB, 3GiB") == (
        VirtualDisk("LAB-0001", 2 * GIB),
        VirtualDisk("LAB-0002", 2 * GIB),
        VirtualDisk("LAB-0003", 3 * GIB),
    )
    assert sum(disk.size for disk in parse_disks("13x14TB")) == 13 * 14 * 10**12
    assert parse_disks("7811891200s")[0].size == 7811891200 * SECTOR


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a list of disks"),
        ("4x", "unknown unit 'x'"),
        ("4x2", "no unit"),
        ("4x2GiB,", "not a list of disks"),
        ("4*2GiB", "not a size"),
        ("0x2GiB", "room for 1 to 64"),
        ("65x2GiB", "asks for 65 disks"),
        ("10xscsi:2GiB,55xscsi4kn:1GiB", "asks for 65 disks"),
        ("999999999999x2GiB", "room for 1 to 64"),
        ("1x1000001B", "whole number of 512-byte sectors"),
        ("1xscsi4kn:7811891201s", "whole number of 4096-byte sectors"),
        ("2x1MiB", "too small"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused_with_the_reason(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        parse_disks(text)


@given(st.lists(st.integers(MIN_SIZE // SECTOR, 2**35), min_size=1, max_size=MAX_DISKS))
def test_a_description_of_disks_reads_back_as_the_same_disks(sectors: list[int]) -> None:
    disks = tuple(VirtualDisk(f"LAB-{n:04}", size * SECTOR) for n, size in enumerate(sectors, 1))
    assert parse_disks(describe(disks)) == disks


def test_disk_files_are_sparse_and_found_again(tmp_path: Path) -> None:
    disks = parse_disks("2x1GiB,16MiB")
    create(disks, tmp_path)
    assert sum(file.stat().st_blocks for file in tmp_path.iterdir()) == 0
    (tmp_path / "state").mkdir()
    (tmp_path / "LAB-1.img").touch()
    assert found_in(tmp_path) == disks


def test_a_folder_takes_more_disks_but_no_other_ones(tmp_path: Path) -> None:
    found = parse_disks("2x1GiB")
    assert add_to(found, parse_disks("2x1GiB,1x2GiB"), tmp_path) == (VirtualDisk("LAB-0003", 2 * GIB),)
    assert add_to(found, found, tmp_path) == ()
    for asked in ("1x1GiB", "2x2GiB", "1x1GiB,1x2GiB"):
        with pytest.raises(BadInput, match="already holds 2x1GiB"):
            add_to(found, parse_disks(asked), tmp_path)


def test_a_serial_that_is_there_out_of_turn_is_not_made_twice(tmp_path: Path) -> None:
    found = (VirtualDisk("LAB-0002", GIB),)
    with pytest.raises(BadInput, match="already holds a disk LAB-0002"):
        add_to(found, parse_disks("2x1GiB"), tmp_path)


def test_a_size_that_the_filesystem_cannot_hold_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no disk of .* can be created"):
        create((VirtualDisk("LAB-0001", 2**63 - SECTOR),), tmp_path)


def test_a_wwn_stays_with_its_serial_and_is_of_the_kind_assigned_locally() -> None:
    names = [disk.wwn for disk in parse_disks("16x1GiB")]
    assert len(set(names)) == len(names)
    assert VirtualDisk("LAB-0001", MIB).wwn == names[0]
    assert all(name.startswith("0x3") and len(name) == 18 for name in names)


def test_udev_learns_who_each_disk_is() -> None:
    rules = udev_rules(zip((f"ubd{letter}" for letter in LETTERS), parse_disks("16x1GiB"), strict=True))
    last = next(line for line in rules.splitlines() if "LAB-0016" in line)
    assert last.startswith('KERNELS=="ubdp", ')
    assert 'ENV{ID_SERIAL_SHORT}="LAB-0016"' in last
    assert sum("ID_SERIAL_SHORT" in line for line in rules.splitlines()) == len(LETTERS)
    assert (
        'KERNELS=="ubdp", ENV{DEVTYPE}=="partition", SYMLINK+="disk/by-id/ubd-RAIDTUI_LAB_LAB-0016-part%n"'
        in rules
    )


def test_a_copy_of_a_disk_has_its_names_alone_and_none_of_them_ends_a_rule() -> None:
    odd = CopiedDisk(
        'S"1$%',
        MIB,
        model="WDC WD40EFRX",
        name="0x50014ee2b0a4c5d6",
        by_id=("ata-WDC_WD40EFRX-S1", "wwn-0x50014ee2b0a4c5d6"),
    )
    same = CopiedDisk("S/1", MIB, by_id=("ata-other",))
    rules = udev_rules((("ubda", odd), ("ubdb", same)))
    assert 'ENV{ID_SERIAL_SHORT}="S_1$$%%"' in rules
    assert (
        'KERNELS=="ubda", ENV{DEVTYPE}=="disk", SYMLINK+="disk/by-id/ata-WDC_WD40EFRX-S1"'
        in rules.splitlines()
    )
    assert 'KERNELS=="ubdb", ENV{DEVTYPE}=="partition", SYMLINK+="disk/by-id/ata-other-part%n"' in rules
    assert 'KERNELS=="ubda", ENV{DEVTYPE}=="disk", ATTR{queue/rotational}="0"' in rules
    assert "RAIDTUI_LAB" not in rules
    assert "ID_WWN" not in next(line for line in rules.splitlines() if "S/1" in line)
    assert "/" not in same.file_name
    assert odd.file_name != same.file_name


def test_udev_makes_no_name_for_a_copy_on_scsi_that_the_disk_has_not() -> None:
    copy = CopiedDisk("S1", MIB, "scsi4kn", by_id=("ata-WDC_WD40-S1", "wwn-0x5"), rotational=True)
    assert (copy.properties["ID_BUS"], copy.properties["ID_SERIAL"]) == ("ata", "WDC_WD40-S1")
    assert 'ATTR{queue/rotational}="1"' in udev_rules([("[0-9]*:*:*:0", copy)])
    nameless = CopiedDisk("S1", MIB, "scsi")
    assert nameless.properties["ID_SERIAL"] == nameless.file_name, "or udev asks the disk itself"
    assert "ID_SERIAL" not in CopiedDisk("S1", MIB).properties
