"""What is asked every second is read again only after an event of a device."""

import os
from pathlib import Path

import pytest

from raidtui.backends.btrfs import found_devices
from raidtui.backends.lvm import now
from raidtui.machine.tree import Tree
from raidtui.machine.udev import UntilEvent


def _tree(folder: Path) -> Tree:
    (folder / "run/udev/data").mkdir(parents=True)
    (folder / "sys/kernel").mkdir(parents=True)
    _event(folder, 7, seen_at=100)
    return Tree(folder)


def _counted(reads: list[str]) -> UntilEvent[int]:
    """Says how often it was read."""

    def read(tree: Tree) -> int:
        reads.append(tree.root)
        return len(reads)

    return UntilEvent(read)


def _event(folder: Path, number: int, *, seen_at: float) -> None:
    (folder / "sys/kernel/uevent_seqnum").write_text(f"{number}\n")
    os.utime(folder / "run/udev/data", (seen_at, seen_at))


def test_it_is_read_again_after_an_event_of_the_kernel_and_after_udev_has_seen_it(tmp_path: Path) -> None:
    tree, kept = _tree(tmp_path), _counted([])

    assert [kept(tree), kept(tree)] == [1, 1]
    _event(tmp_path, 8, seen_at=100)  # udev is behind
    assert [kept(tree), kept(tree)] == [2, 2]
    _event(tmp_path, 8, seen_at=101)
    assert [kept(tree), kept(tree)] == [3, 3]


def test_without_udev_and_right_after_an_event_it_is_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = _counted([])
    without = Tree(tmp_path / "without")
    assert [kept(without), kept(without)] == [1, 2]

    tree = _tree(tmp_path)
    monkeypatch.setattr(
        "time.time_ns", lambda: 100_500_000_000
    )  # the folder's time cannot tell the next event
    assert [kept(tree), kept(tree)] == [3, 4]
    monkeypatch.setattr("time.time_ns", lambda: 102_000_000_000)
    assert [kept(tree), kept(tree)] == [5, 5]


def test_volume_groups_and_btrfs_are_looked_for_again_after_an_event(tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    mapped = tmp_path / "sys/block/dm-0"
    assert now._devices(tree) == frozenset()
    assert found_devices.known_to_udev(tree) == ()

    (mapped / "dm").mkdir(parents=True)
    (mapped / "dm/uuid").write_text("LVM-abc\n")
    (mapped / "slaves/sda1").mkdir(parents=True)
    (tmp_path / "sys/block/dm-1/dm").mkdir(parents=True)
    (tmp_path / "sys/block/dm-1/dm/uuid").write_text("CRYPT-LUKS2-abc\n")
    links = tmp_path / "dev/disk/by-id"
    links.mkdir(parents=True)
    (links / "lvm-pv-uuid-x").symlink_to("../../md127")
    assert now._devices(tree) == frozenset()  # no event yet

    _event(tmp_path, 8, seen_at=100)
    assert now._devices(tree) == {"sda1", "md127"}
