"""Which device a path means, on a small /sys; and the bytes of a file that stands for a disk."""

from pathlib import Path

import pytest

from raidtui.machine import devices
from raidtui.machine.devices import opened, partition_at, pieces_at, read_at

LINK = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4"


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A disk with partitions 1 and 12; the numbers of the paths that lead to a device."""
    for number, index in (("8:1", 1), ("8:12", 12)):
        inside = tmp_path / "8:0" / f"sda{index}"
        inside.mkdir(parents=True)
        (inside / "partition").write_text(f"{index}\n")
        (inside / "dev").write_text(f"{number}\n")
        (tmp_path / number).symlink_to(inside)
    found = {LINK: "8:0", "/dev/sda": "8:0", "/dev/sda12": "8:12"}
    monkeypatch.setattr(devices, "SYSFS", tmp_path)
    monkeypatch.setattr(devices, "device_number", lambda path: found.get(path, ""))
    return found


def test_a_partition_is_known_before_udev_has_made_its_link(nodes: dict[str, str]) -> None:
    assert partition_at(f"{LINK}-part12") == "8:12"
    assert partition_at(f"{LINK}-part1") == "8:1"


def test_a_link_that_is_there_decides(nodes: dict[str, str]) -> None:
    nodes[f"{LINK}-part1"] = "8:12"
    assert partition_at(f"{LINK}-part1") == "8:12"
    assert partition_at("/dev/sda12") == "8:12"


@pytest.mark.parametrize(
    "path",
    [f"{LINK}-part2", LINK, "/dev/sda", "/dev/sda2", "/dev/disk/by-id/another-part1", "-part1"],
    ids=["no such number", "a whole disk's link", "a whole disk", "no node", "no such disk", "no name"],
)
def test_what_is_no_partition_has_no_number(nodes: dict[str, str], path: str) -> None:
    assert partition_at(path) == ""


def test_pieces_are_the_same_bytes_as_the_whole(tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096  # 1 MiB
    disk = tmp_path / "disk"
    disk.write_bytes(content)
    with opened(str(disk), 0) as fd:
        pieces = [bytes(piece) for piece in pieces_at(fd, 512, 1024 * 1024 - 1024)]
        assert len(pieces) > 1
        assert b"".join(pieces) == content[512:-512] == read_at(fd, 512, 1024 * 1024 - 1024)
        with pytest.raises(OSError, match="512 of 1,024 bytes could be read at byte 1,048,064"):
            read_at(fd, len(content) - 512, 1024)
