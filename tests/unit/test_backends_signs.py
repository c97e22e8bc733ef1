"""A backend is read only where something of it may be, and what is left out had nothing to show."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.btrfs.signs import may_be_here as btrfs_may_be_here
from raidtui.backends.registry import READ_BY, readers, readers_asked, readers_in
from raidtui.backends.units import units_of
from raidtui.machine.reader import load_machine
from raidtui.machine.tree import Tree
from raidtui.model.machine import Disk, Machine, Partition, Signature
from raidtui.model.spec import Backend
from tests.unit.plan_machines import array, disk, machine

MACHINES = Path(__file__).parents[1] / "machines"
RECORDED = sorted(MACHINES.rglob("*.json"))
TYPES = {Backend.LVM: "LVM2_member", Backend.ZFS: "zfs_member", Backend.BTRFS: "btrfs"}
UUID = "0aa7bbf2-5a3b-4d52-9a55-0c9be1a7f001"


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_what_is_left_out_has_no_units(path: Path) -> None:
    there = load_machine(str(path))
    every = tuple(unit for one in readers(there.cards).values() for unit in one.units(there))
    assert [(one.uuid, one.node) for one in units_of(there)] == [(one.uuid, one.node) for one in every]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_whoever_kept_something_in_a_reading_would_be_asked_for_it_again(path: Path) -> None:
    there = load_machine(str(path))
    asked = readers_asked(replace(there, readings={}))
    assert {name for name in there.readings if name in {*READ_BY.values()}} <= asked.keys()
    assert readers_in(there).keys() <= asked.keys()


def _of_disk(one: Signature) -> Machine:
    return machine(replace(disk(1), signatures=(one,)))


def _of_partition(one: Signature) -> Machine:
    part = Partition(name="sda1", path="/dev/sda1", number=1, start_bytes=1, size_bytes=1, signatures=(one,))
    whole: Disk = replace(disk(1), partitions=(part,))
    return machine(whole)


def _of_array(one: Signature) -> Machine:
    return machine(arrays=(replace(array(), signatures=(one,)),))


@pytest.mark.parametrize("place", [_of_disk, _of_partition, _of_array])
@pytest.mark.parametrize("owner", TYPES)
def test_a_signature_anywhere_is_enough(owner: Backend, place: Callable[[Signature], Machine]) -> None:
    bare = {"mdadm": "4.2"}
    there = place(Signature(device="/dev/sda", offset=0, type=TYPES[owner]))
    asked = readers_asked(replace(there, tools=bare)).keys()
    assert asked & READ_BY.keys() == {name for name, by in READ_BY.items() if by is owner}
    assert not readers_asked(replace(machine(), tools=bare)).keys() & READ_BY.keys()


def test_zfs_that_is_installed_is_asked_without_any_disk_of_it() -> None:
    assert Backend.ZFS in readers_asked(replace(machine(), tools={"zpool": ""}))


def test_a_btrfs_that_the_kernel_has_mounted_is_read_though_no_disk_shows_it(tmp_path: Path) -> None:
    (tmp_path / "sys/fs/btrfs/features").mkdir(parents=True)
    assert not btrfs_may_be_here(machine(), Tree(tmp_path))
    (tmp_path / "sys/fs/btrfs" / UUID).mkdir()
    assert btrfs_may_be_here(machine(), Tree(tmp_path))


READ = """
import sys
from raidtui.backends.reading import with_readings
from raidtui.backends.units import units_of
from raidtui.machine.reader import load_machine
there = with_readings(load_machine(sys.argv[1]), None, None, smart=False)
assert not units_of(there)
print(*(name for name in sys.modules if name.startswith("raidtui.backends.")))
"""


@pytest.mark.processes
def test_on_a_computer_with_blank_disks_nothing_of_these_backends_is_loaded() -> None:
    words = [sys.executable, "-c", READ, str(MACHINES / "blank-4.json")]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    folders = {name.split(".")[2] for name in loaded if not name.endswith(".signs")}
    assert "md" in folders
    assert not folders & {"lvm_on_md", "hybrid"}
    of_them = [name for name in loaded if name.split(".")[2] in {"lvm", "zfs", "btrfs"}]
    assert {name.rpartition(".")[2] for name in of_them} <= {"lvm", "zfs", "btrfs", "signs"}
