"""What an array needs from a person: which disk takes the place of a lost one, and what sets a waiting array going."""

import msgspec
import pytest

from raidtui.backends.md.care import care_for
from raidtui.model.machine import (
    Array,
    Claim,
    ClaimKind,
    Disk,
    Machine,
    Member,
    Mount,
    Partition,
    Signature,
    Sync,
    Weight,
)
from raidtui.model.nodes import stable_paths
from tests.ui import machines
from tests.ui.machines import disk, running_array, with_superblock

PENDING = Sync(action="recover", done_bytes=0, total_bytes=0, bytes_per_second=0, waiting="pending")


def part(made: Disk, **changes: object) -> Disk:
    """``made`` with the one partition of a member."""
    partition = Partition(
        name=f"{made.name}1",
        path=f"{made.path}1",
        number=1,
        start_bytes=1024**2,
        size_bytes=made.size_bytes - 200 * 1024**2,
    )
    return msgspec.structs.replace(made, partitions=(partition,), free=False, **changes)


def nas(array: Array, *more: Disk, fstab: tuple[str, ...] = (), mounts: tuple[Mount, ...] = ()) -> Machine:
    """Three disks with members of ``array`` (the fourth is gone) and some more."""
    machine = machines.machine([*(part(disk(n)) for n in (1, 2, 3)), *more], [array], mounts)
    return msgspec.structs.replace(machine, system=msgspec.structs.replace(machine.system, fstab=fstab))


def degraded(**changes: object) -> Array:
    made = running_array()
    about: dict[str, object] = {"degraded": 1, "members": made.members[:3]} | changes
    return msgspec.structs.replace(made, **about)


def said(array: Array, machine: Machine) -> tuple[list[str], list[str]]:
    """The sentences and all commands."""
    found = care_for(array, lambda: machine)
    return [one.text for one in found], [command for one in found for command in one.commands]


def test_a_whole_array_needs_nothing() -> None:
    assert care_for(running_array(), lambda: nas(running_array())) == ()


def test_a_free_disk_is_partitioned_as_its_new_siblings_and_added() -> None:
    texts, commands = said(degraded(), nas(degraded(), disk(5)))
    assert texts == [f"replace the missing member with the free disk {disk(5).serial} (sdf), 4.00 TB"]
    by_id = f"/dev/disk/by-id/{disk(5).by_id[0]}"
    size = (disk(1).size_bytes - 200 * 1024**2) // 1024
    assert commands == [
        f"echo 'start=1024KiB, size={size}KiB, type=a19d880f-05fc-4d3b-a006-743f0f84911e' "
        f"| sfdisk --label gpt {by_id}",
        "udevadm settle",
        f"mdadm /dev/md127 --add {by_id}-part1",
    ]


def test_members_that_are_whole_disks_are_replaced_by_a_whole_disk() -> None:
    members = tuple(
        msgspec.structs.replace(m, path=m.path.rstrip("1"), offset_bytes=1024**2) for m in degraded().members
    )
    array = degraded(members=members)
    machine = machines.machine([disk(1), disk(2), disk(3), disk(5)], [array])
    taken = [msgspec.structs.replace(d, free=False) for d in machine.disks[:3]]
    machine = msgspec.structs.replace(machine, disks=(*taken, machine.disks[3]))
    assert said(array, machine)[1] == [f"mdadm /dev/md127 --add /dev/disk/by-id/{disk(5).by_id[0]}"]


def test_the_smallest_free_disk_that_is_large_enough_is_named_and_a_usb_disk_last() -> None:
    small, large = disk(5, size_bytes=10**12), disk(6, size_bytes=18 * 10**12)
    usb, right = disk(7, transport="usb"), disk(8)
    assert disk(8).serial in said(degraded(), nas(degraded(), small, large, usb, right))[0][0]
    assert disk(6).serial in said(degraded(), nas(degraded(), small, large, usb))[0][0]


def test_where_no_disk_is_free_the_size_to_connect_is_said() -> None:
    texts, commands = said(degraded(), nas(degraded(), disk(5, size_bytes=10**12)))
    assert texts == ["replace the missing member: connect a disk of 4.00 TB or more, none is free here"]
    assert commands == []


def test_a_former_member_that_is_back_goes_before_a_free_disk() -> None:
    claim = Claim(
        what=ClaimKind.MD_MEMBER,
        weight=Weight.DATA,
        device="/dev/sde1",
        detail="former member",
        how_to_free="mdadm /dev/md127 --re-add /dev/sde1",
    )
    back = part(disk(4), taken_by=(claim,))
    texts, commands = said(degraded(), nas(degraded(), back, disk(5)))
    assert texts == [f"re-add the former member {disk(4).serial} (sde)"]
    assert commands == ["mdadm /dev/md127 --re-add /dev/sde1"]


def test_while_a_spare_is_rebuilt_nothing_is_asked_of_anybody() -> None:
    rebuilt = Member(path="/dev/sdf1", disk=disk(5).serial, slot=3, state=("spare",))
    array = degraded(sync_action="recover", sync=msgspec.structs.replace(PENDING, waiting=""))
    array = msgspec.structs.replace(array, members=(*array.members, rebuilt))
    assert care_for(array, lambda: nas(array, disk(6))) == ()


def test_a_failed_member_is_removed_so_that_its_disk_can_be_replaced() -> None:
    """Also where a spare has taken its place, and nothing is missing."""
    failed = Member(path="/dev/sde1", disk=disk(4).serial, slot=None, state=("faulty", "write_error"))
    spare = Member(path="/dev/sdf1", disk=disk(5).serial, slot=3, state=("in_sync",))
    array = running_array(members=(*degraded().members, spare, failed))
    texts, commands = said(array, nas(array))
    assert texts == [f"remove {disk(4).serial} (sde1), which failed, and replace the disk"]
    assert commands == ["mdadm /dev/md127 --remove failed"]
    without = degraded(members=(*degraded().members, failed))
    texts, _ = said(without, nas(without, disk(6)))
    assert [text.split()[0] for text in texts] == ["replace", "remove"]


def test_a_failed_array_is_assembled_again_with_the_members_that_it_lost_last() -> None:
    """No advice to erase or rebuild one: without them the data is lost."""
    array = degraded(state="broken", degraded=2, mountpoints=("/srv/tank",))
    failed = Member(path="/dev/sdd1", disk=disk(3).serial, slot=None, state=("faulty",))
    array = msgspec.structs.replace(array, members=(*array.members[:2], failed))
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    paths = tuple(stable_paths(one)[f"{one.path}1"] for one in there[:3])
    again = msgspec.structs.replace(array, newest=paths)

    def machine(array: Array) -> Machine:
        return machines.machine([*there, disk(5)], [array])

    assert said(array, machine(again)) == (
        [
            f"assemble it again with {disk(3).serial} (sdd), without {disk(4).serial} (sde), whose data is old, "
            "then back up its data"
        ],
        [
            "umount /srv/tank",
            "mdadm --stop /dev/md127",
            f"mdadm --assemble --force /dev/md127 --uuid={array.uuid} {' '.join(paths)}",
        ],
    )
    assert said(array, machine(array)) == (["connect the missing disks: raid5 cannot run without them"], [])
    as_user = msgspec.structs.replace(machine(array), complete=False)
    assert said(array, as_user)[0][0].startswith("run raidtui as root")


def test_an_array_that_failed_before_a_reboot_is_not_said_to_start() -> None:
    """All its members are here, but md refuses those that are behind."""
    array = running_array(state="inactive", mountpoints=())
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    assert said(array, machines.machine(there, [array])) == (["start it"], ["mdadm --run /dev/md127"])
    paths = tuple(stable_paths(one)[f"{one.path}1"] for one in there[:3])
    texts, commands = said(array, machines.machine(there, [msgspec.structs.replace(array, newest=paths)]))
    assert texts == [
        f"assemble it again with 3 members, without {disk(4).serial} (sde), whose data is old, "
        "then back up its data"
    ]
    assert commands[0] == "mdadm --stop /dev/md127"


FSTAB = "UUID=aaaa-bbbb /srv/tank ext4 defaults,nofail 0 2"
FILES = (Signature(device="/dev/md127", offset=1080, type="ext4", uuid="aaaa-bbbb"),)


def test_an_array_that_was_not_mounted_at_boot_is_mounted_which_starts_its_rebuild() -> None:
    array = running_array(state="read-auto", sync_action="recover", sync=PENDING, signatures=FILES)
    texts, commands = said(array, nas(array, fstab=(FSTAB,)))
    assert texts == ["mount it: /srv/tank is in fstab and not mounted, and its rebuild waits until then"]
    assert commands == ["mount /srv/tank"]
    quiet = running_array(state="read-auto", signatures=FILES)
    assert said(quiet, nas(quiet, fstab=(FSTAB,)))[0] == ["mount it: /srv/tank is in fstab and not mounted"]


@pytest.mark.parametrize(
    ("fstab", "mountpoints"),
    [
        ((), ()),
        ((FSTAB.replace("defaults", "noauto"),), ()),
        (("UUID=cccc /srv/other ext4 defaults 0 2",), ()),
        ((FSTAB,), ("/srv/tank",)),
    ],
)
def test_what_fstab_does_not_mount_at_boot_is_not_asked_for(
    fstab: tuple[str, ...], mountpoints: tuple[str, ...]
) -> None:
    array = running_array(signatures=FILES, mountpoints=mountpoints)
    assert care_for(array, lambda: nas(array, fstab=fstab)) == ()


def test_a_sync_that_waits_for_the_first_write_is_started_by_readwrite() -> None:
    array = running_array(
        state="read-auto", sync_action="resync", sync=msgspec.structs.replace(PENDING, action="resync")
    )
    assert said(array, nas(array)) == (
        ["its resync waits for the first write; start it"],
        ["mdadm --readwrite /dev/md127"],
    )
    paused = msgspec.structs.replace(array, sync_action="frozen")
    assert care_for(paused, lambda: nas(paused)) == ()


@pytest.mark.parametrize(
    ("present", "level", "text", "command"),
    [
        (4, "raid5", "start it", "mdadm --run /dev/md127"),
        (3, "raid5", "connect the missing disk, or start it degraded", "mdadm --run /dev/md127"),
        (2, "raid5", "connect the missing disks: raid5 cannot start without them", ""),
        (3, "raid0", "connect the missing disk: raid0 cannot start without it", ""),
    ],
)
def test_an_inactive_array_says_how_it_starts(present: int, level: str, text: str, command: str) -> None:
    array = running_array(state="inactive", level=level, degraded=None)
    array = msgspec.structs.replace(array, members=array.members[:present])
    texts, commands = said(array, nas(array, disk(5)))
    assert texts == [text]
    assert commands == ([command] if command else [])
