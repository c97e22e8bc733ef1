"""What names a disk: its serial number, WWN or by-id name, or the end of one, in upper or lower case."""

import pytest

from raidtui.model.disk_names import find_called
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import PlannedDisk
from raidtui.model.system import System


def a_disk(name: str, serial: str, wwn: str = "", *by_id: str) -> Disk:
    return Disk(
        name=name, path=f"/dev/{name}", device_number="8:0", size_bytes=1, serial=serial, wwn=wwn, by_id=by_id
    )


FIRST = a_disk("sda", "WD-WCC7K0001", "0x5000c500a1b2c3d4", "ata-WDC_WD-WCC7K0001", "wwn-0x5000c500a1b2c3d4")
SECOND = a_disk("sdb", "WD-WCC7K0002", "0x5000c500a1b2ffff")
NAMELESS = a_disk("sdc", "")


@pytest.mark.parametrize(
    "word",
    [
        "WD-WCC7K0001",
        "wd-wcc7k0001",
        "0001",
        "k0001",
        "0x5000c500a1b2c3d4",
        "5000C500A1B2C3D4",
        "wwn-0x5000c500a1b2c3d4",
        "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4",
        "c3d4",
        "ata-WDC_WD-WCC7K0001",
        "/dev/disk/by-id/ata-WDC_WD-WCC7K0001",
    ],
)
def test_every_name_of_a_disk_and_the_end_of_one_mean_it(word: str) -> None:
    assert find_called(word, [FIRST, SECOND, NAMELESS]) == (FIRST,)
    here = Machine(system=System(hostname="here", kernel="6.1"), disks=(FIRST, SECOND, NAMELESS))
    assert here.disk(word) == FIRST
    planned = PlannedDisk(identity=FIRST.identity, serial=FIRST.serial, wwn=FIRST.wwn, path=FIRST.stable_path)
    assert find_called(word, [planned]) == (planned,)


@pytest.mark.parametrize("word", ["", "001", "sda", "/dev/sda", "WCC7K", "0003"])
def test_what_is_too_short_or_the_kernels_names_no_disk(word: str) -> None:
    assert find_called(word, [FIRST, SECOND, NAMELESS]) == ()


def test_a_whole_name_comes_before_the_end_of_another() -> None:
    short = a_disk("sdd", "0001")
    assert find_called("0001", [FIRST, short]) == (short,)


def test_the_end_of_several_names_none_of_them() -> None:
    here = Machine(system=System(hostname="here", kernel="6.1"), disks=(FIRST, a_disk("sdd", "X-0001")))
    with pytest.raises(BadInput, match="'0001' means several disks"):
        here.disk("0001")


def test_a_disk_without_numbers_is_named_by_the_end_of_its_link() -> None:
    bays = [a_disk(f"sd{bay}", "", "", f"usb-JMicron_Disk_DB9876543214E-0:{bay}") for bay in range(2)]
    assert find_called("-0:1", bays) == (bays[1],)
    assert find_called("0:1", bays) == ()  # too short
    assert find_called("ata-WDC_WD-WCC7K0001"[-6:], [FIRST]) == (FIRST,)  # of its serial number
    assert find_called("C_WD-WCC7K0001", [FIRST]) == ()  # not of its link: it has a number


def test_a_device_name_is_answered_with_the_right_name_or_how_to_get_one() -> None:
    here = Machine(system=System(hostname="here", kernel="6.1"), disks=(FIRST, NAMELESS))
    with pytest.raises(BadInput, match=r"'/dev/sda' is a device name.*: 'WD-WCC7K0001'$"):
        here.disk("/dev/sda")
    with pytest.raises(BadInput, match=r"it has none; 'raidtui inspect' says how it gets one$"):
        here.disk("sdc")
