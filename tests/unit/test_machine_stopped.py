"""Stopped arrays are what their superblocks say: udev misses a write that ends while it probes."""

from pathlib import Path

import pytest

from raidtui.machine.md.stopped_now import read_stopped
from raidtui.model.machine import Array
from tests.unit.machine_trees import MadeTree, put_superblock
from tests.unit.test_machine_superblock_old import SIZE, old, put
from tests.unit.test_machine_superblock_old import UUID as OLD_UUID

UUID = "d422944c-77a0-0bde-5f2e-f982c976754b"
OLD = "11111111-2222-3333-4444-555555555555"
_SIZE = 16384


def to_udev(uuid: str) -> dict[str, str]:
    return {"ID_FS_TYPE": "linux_raid_member", "ID_FS_UUID": uuid, "ID_FS_LABEL": "lab:old"}


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    return MadeTree(tmp_path)


def stopped(made: MadeTree, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    monkeypatch.setattr("raidtui.machine.md.stopped_now.read_properties", lambda _: made.properties)
    found: tuple[Array, ...] = read_stopped((), made.tree)
    return [(one.name, tuple(member.path for member in one.members)) for one in found]


def disk(made: MadeTree, name: str, udev: dict[str, str], slot: int | None) -> None:
    """A disk with what udev says of it, and a superblock of slot ``slot`` or zeros."""
    made.disk(name, size=_SIZE, udev=udev)
    if slot is None:
        (made.root / "dev").mkdir(exist_ok=True)
        (made.root / "dev" / name).write_bytes(bytes(_SIZE))
    else:
        put_superblock(made, f"/dev/{name}", slot=slot, device=slot + 1)


def test_a_member_that_is_blank_to_udev_is_not_missing(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(made, "sda", to_udev(UUID), 0)
    disk(made, "sdb", {}, 1)
    disk(made, "sdc", {"ID_PART_TABLE_TYPE": "gpt"}, 2)
    disk(made, "sdd", {}, None)
    assert stopped(made, monkeypatch) == [("tank", ("/dev/sda", "/dev/sdb", "/dev/sdc"))]


def test_members_with_superblocks_of_version_0_90_are_told_apart_by_slot(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slot, (name, udev) in enumerate({"sda": to_udev(OLD_UUID), "sdb": {}, "sdc": {}}.items()):
        made.disk(name, size=SIZE, udev=udev)
        put(made, old(number=slot), path=f"/dev/{name}")
    assert stopped(made, monkeypatch) == [("md2", ("/dev/sda", "/dev/sdb", "/dev/sdc"))]


def test_an_array_whose_superblocks_have_been_zeroed_is_not_stopped(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(made, "sda", to_udev(OLD), None)
    disk(made, "sdb", to_udev(OLD), None)
    assert stopped(made, monkeypatch) == []


def test_an_array_created_anew_on_its_disks_is_not_two(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(made, "sda", to_udev(UUID), 0)
    disk(made, "sdb", to_udev(OLD), 1)
    disk(made, "sdc", to_udev(UUID), 2)
    assert stopped(made, monkeypatch) == [("tank", ("/dev/sda", "/dev/sdb", "/dev/sdc"))]


def test_a_member_that_cannot_be_read_is_what_udev_knows(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.disk("sda", size=_SIZE, udev=to_udev(OLD))  # no node: every read fails
    assert stopped(made, monkeypatch) == [("old", ("/dev/sda",))]


def test_an_array_on_the_volumes_of_a_virtual_machine_is_left_to_it(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(made, "dm-0", to_udev(UUID), 0)
    assert stopped(made, monkeypatch) != []
    made.write("sys/block/dm-0/dm/uuid", "LVM-abc\n")
    assert stopped(made, monkeypatch) == []
