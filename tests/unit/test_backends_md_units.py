"""Arrays whose members are arrays, as units."""

import msgspec
import pytest

from raidtui.backends.md.units import as_units
from raidtui.machine.md.health import with_volumes
from raidtui.model.machine import Array, Member, Sync
from raidtui.model.system import ConfiguredArray
from raidtui.model.unit import Health, Unit
from tests.unit.plan_machines import array


def low(number: int, **changes: object) -> Array:
    return array(
        name=f"low{number}",
        node=f"/dev/md{number}",
        path=f"/dev/md/low{number}",
        uuid=f"{number}" * 32,
        level="raid1",
        degraded=0,
        mountpoints=(),
        **changes,
    )


def top(*paths: str, level: str = "raid0", **changes: object) -> Array:
    members = tuple(Member(path=path, slot=slot, state=("in_sync",)) for slot, path in enumerate(paths))
    return array(
        name="top",
        node="/dev/md9",
        path="/dev/md/top",
        uuid="9" * 32,
        level=level,
        degraded=None,
        members=members,
        **changes,
    )


def units(*arrays: Array) -> dict[str, Unit]:
    return {one.name: one for one in as_units(arrays, (None, None))}


def test_a_stripe_over_mirrors_is_redundant_through_them() -> None:
    found = units(low(1), top("/dev/md1", "/dev/md2"), low(2))
    assert found["top"].below == ("1" * 32, "2" * 32)
    assert (found["top"].health, found["top"].state) == (Health.OK, "running")
    assert [one.called for one in found["top"].members] == ["array low1", "array low2"]
    assert found["low1"].below == ()


@pytest.mark.parametrize("level", ["raid0", "raid1"])
def test_what_is_degraded_under_an_array_is_said_of_it(level: str) -> None:
    hurt = low(1, members=low(1).members[:1], raid_disks=2)
    found = units(msgspec.structs.replace(hurt, degraded=1), low(2), top("/dev/md1", "/dev/md2", level=level))
    assert found["top"].health is Health.DEGRADED
    assert "; array low1 under it is degraded, not redundant: 1 of 2 members missing" in found["top"].state


def test_an_array_on_a_stripe_has_no_redundancy_of_its_own() -> None:
    found = units(msgspec.structs.replace(low(1), level="raid0", degraded=None), top("/dev/md1"))
    assert (found["top"].health, found["top"].state) == (Health.OK, "running, no redundancy")


def test_a_partition_of_an_array_is_on_that_array() -> None:
    found = units(low(1), low(12), top("/dev/md12p1", "/dev/sdz", below=("/dev/md12",)))
    assert found["top"].below == (low(12).uuid,)
    assert [one.called for one in found["top"].members] == ["array low12", ""]


def test_arrays_that_are_said_to_be_on_each_other_end() -> None:
    found = units(top("/dev/md1"), msgspec.structs.replace(low(1), below=("/dev/md9", "/dev/md1")))
    assert found["top"].below == ("1" * 32,)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"ARRAY /dev/md/low1 UUID={'1' * 32} spare-group=nas", True),
        (f"ARRAY <ignore> uuid={'1' * 32} Spare-Group=nas", True),
        ("ARRAY /dev/md/low1 spare-group=nas", True),
        (f"ARRAY /dev/md/low1 UUID={'2' * 32} spare-group=nas", False),
        (f"ARRAY /dev/md/low1 UUID={'1' * 32}", False),
    ],
)
def test_its_spare_group_is_one_of_its_details(line: str, said: bool) -> None:
    entry = ConfiguredArray(text=line, file="/etc/mdadm.conf", lines=(line,))
    one = msgspec.structs.replace(low(1), path="/dev/md/low1")
    (unit,) = as_units([one], (None, None), [entry])
    assert any(detail.startswith("spare group nas: ") for detail in unit.details) is said


def test_a_disk_of_a_container_that_no_volume_uses_may_have_failed() -> None:
    """md takes all of them for spares of the container, also one that its metadata has recorded as failed."""
    disks = tuple(Member(path=f"/dev/sd{one}", slot=None, state=("spare",)) for one in "abc")
    container = array(
        name="imsm0", node="/dev/md127", path="", uuid="", level="", metadata="external:imsm", members=disks
    )
    volume = array(name="vol0", node="/dev/md126", metadata="external:/md127/0", members=disks[:2])
    found = {one.name: one for one in as_units([with_volumes(container, [container, volume])], (None, None))}
    assert [one.state for one in found["imsm0"].members] == [
        "in use",
        "in use",
        "in no volume: a spare, or it failed",
    ]
    (alone,) = as_units([with_volumes(container, [container])], (None, None))
    assert {one.state for one in alone.members} == {"not started"}


def syncing(number: int, disk: str, action: str, waiting: str = "") -> Array:
    members = tuple(
        Member(path=f"/dev/sd{letter}{number}", disk=disk + letter, slot=slot, state=("in_sync",))
        for slot, letter in enumerate("ab")
    )
    return low(
        number,
        members=members,
        sync=Sync(action=action, done_bytes=0, total_bytes=0, bytes_per_second=0, waiting=waiting),
        sync_action=action,
        initial_build=False,
    )


def test_a_delayed_sync_names_the_arrays_that_run_on_its_disks() -> None:
    delayed = syncing(1, "WD-", "reshape", "delayed")
    found = units(
        delayed,
        syncing(2, "WD-", "check"),
        syncing(3, "WD-", "check", "delayed"),
        syncing(4, "ST-", "check"),
    )
    assert found["low1"].state == "reshape delayed by low2 on these disks, usable now"
    assert found["low1"].activity is not None
    assert found["low1"].activity.waiting == "delayed by low2 on these disks"
    alone = units(delayed, syncing(4, "ST-", "check"))["low1"]
    assert alone.state == "reshape delayed by another array on these disks, usable now"
