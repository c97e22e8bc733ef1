"""Which unit a benchmark is of."""

from raidtui.bench.device_stack import Below, nearest
from raidtui.model.machine import Array, Machine, Member
from raidtui.model.system import System


def machine(*arrays: Array) -> Machine:
    return Machine(system=System(hostname="nas", kernel="6.1"), arrays=arrays)


def array(node: str, level: str, disks: int) -> Array:
    members = tuple(Member(path=f"/dev/sd{letter}1", offset_bytes=1024) for letter in "abcd"[:disks])
    return Array(name=node[5:], node=node, level=level, raid_disks=disks, members=members, uuid=node)


def test_the_first_unit_below_counts() -> None:
    upper, lower = array("/dev/md0", "raid0", 2), array("/dev/md1", "raid1", 2)
    found = nearest(Below(top=("md0",), all=("md0", "md1", "sda")), machine(lower, upper))
    assert found is not None
    assert (found.unit.name, found.made.kind, found.made.raid_disks) == ("md0", "raid0", 2)
    assert found.made.data_offset_bytes == 1024


def test_a_unit_of_one_member_only_passes_on_what_is_below() -> None:
    alone, mirror = array("/dev/md0", "linear", 1), array("/dev/md1", "raid1", 2)
    found = nearest(Below(all=("md0", "md1", "sda")), machine(alone, mirror))
    assert found is not None
    assert found.unit.name == "md1"
    assert nearest(Below(all=("md0", "sda")), machine(alone)) is None
    assert nearest(Below(all=("sda",)), machine(mirror)) is None
