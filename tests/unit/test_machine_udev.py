"""udev's properties are read from its database."""

from pathlib import Path

import pytest

from raidtui.machine.udev import properties_of, read_properties
from tests.unit.machine_trees import MadeTree


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    made = MadeTree(tmp_path)
    made.write("/run/udev/control", "")
    made.write("/sys/dev/block/8:0/uevent", "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n")
    made.write(
        "/run/udev/data/b8:0",
        "S:disk/by-id/ata-X\nS:disk/by-path/y\nI:1234\nE:ID_FS_LABEL=a=b\u2028c\nE:ID_FS_TYPE=ext4\nG:systemd\nV:1\n",
    )
    made.write("/run/udev/data/b8:16", "E:ID_FS_TYPE=swap\n")  # its disk is gone
    made.write("/run/udev/data/c1:3", "E:ID_FS_TYPE=none\n")
    return made


def test_properties_are_those_of_the_database_and_the_kernel(made: MadeTree) -> None:
    expected = {
        "MAJOR": "8",
        "MINOR": "0",
        "DEVNAME": "/dev/sda",
        "DEVTYPE": "disk",
        "DEVLINKS": "/dev/disk/by-id/ata-X /dev/disk/by-path/y",
        "ID_FS_LABEL": "a=b\u2028c",
        "ID_FS_TYPE": "ext4",
    }
    assert read_properties(made.tree) == {"8:0": expected}
    assert properties_of("8:0", made.tree) == expected
    assert properties_of("8:16", made.tree) == {}


def test_a_device_that_udev_has_not_seen_yet_has_only_what_the_kernel_says(made: MadeTree) -> None:
    made.write("/sys/dev/block/8:32/uevent", "MAJOR=8\nMINOR=32\nDEVNAME=sdc\n")
    assert properties_of("8:32", made.tree) == {"MAJOR": "8", "MINOR": "32", "DEVNAME": "/dev/sdc"}


def test_without_a_running_udev_its_old_files_mean_nothing(made: MadeTree) -> None:
    (made.root / "run/udev/control").unlink()
    assert read_properties(made.tree) == {}
    assert properties_of("8:0", made.tree) == {}
