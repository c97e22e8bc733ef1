"""Sensors of disks and processors, as the kernel's files say."""

from pathlib import Path

import pytest

from raidtui.bench.heat import limit_of, temperatures, throttled
from raidtui.machine.tree import Tree


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A SATA disk with drivetemp, an NVMe disk, and a disk without a sensor."""
    write(tmp_path, "sys/block/sda/device/hwmon/hwmon2/temp1_input", "41000\n")
    write(tmp_path, "sys/block/sda/device/hwmon/hwmon2/temp1_max", "60000\n")
    write(tmp_path, "sys/block/nvme0n1/device/hwmon1/temp1_input", "66850\n")
    write(tmp_path, "sys/block/nvme0n1/device/hwmon1/temp1_max", "0\n")
    write(tmp_path, "sys/block/sdb/queue/rotational", "1")
    for number, count in ((0, 3), (1, 4)):
        write(
            tmp_path, f"sys/devices/system/cpu/cpu{number}/thermal_throttle/core_throttle_count", str(count)
        )
    write(tmp_path, "sys/devices/system/cpu/cpufreq/policy0/x", "")
    return Tree(tmp_path)


def test_every_disk_with_a_sensor_tells_its_temperature(tree: Tree) -> None:
    assert temperatures(("sda", "nvme0n1", "sdb"), tree=tree) == {"sda": 41.0, "nvme0n1": 66.85}


def test_a_limit_is_the_disks_own_or_what_makers_warrant(tree: Tree) -> None:
    assert limit_of("sda", rotational=True, tree=tree) == 60.0
    assert limit_of("nvme0n1", rotational=False, tree=tree) == 70.0, "0 is no limit"
    assert limit_of("sdb", rotational=True, tree=tree) == 60.0


def test_slowing_down_for_heat_is_counted_over_all_processors(tree: Tree, tmp_path: Path) -> None:
    assert throttled(tree=tree) == 7
    assert throttled(tree=Tree(tmp_path / "nothing")) == 0
