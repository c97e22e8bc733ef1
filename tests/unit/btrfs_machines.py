"""A Btrfs named tank on the disks of `plan_machines`, as the kernel or its superblocks describe it. Tests change it."""

from typing import Any

import msgspec

from raidtui.backends.btrfs.reading import BtrfsReading, Device, Filesystem
from raidtui.model.machine import Disk, Machine, Mount, Partition, Signature
from raidtui.steps.partitions import LINUX_FILESYSTEM
from tests.unit.plan_machines import disk, machine

UUID = "11111111-2222-3333-4444-555555555555"
SIZE = 9_890_000_000


def device(devid: int, **changes: Any) -> Device:
    """A member on the partition of a disk."""
    path = f"/dev/sd{'abcdefgh'[devid - 1]}1"
    return msgspec.structs.replace(Device(devid=devid, path=path, size_bytes=SIZE), **changes)


def missing(devid: int) -> Device:
    """A missing member."""
    return Device(devid=devid, size_bytes=SIZE, missing=True)


def filesystem(*devices: Device, mounted: bool = True, **changes: Any) -> Filesystem:
    """The filesystem tank: raid1 on two disks by default."""
    found = Filesystem(
        uuid=UUID,
        label="tank",
        node="/dev/sda1" if mounted else "",
        sources=("/dev/sda1",) if mounted else (),
        devices=devices or (device(1), device(2)),
        data=("raid1",),
        metadata=("raid1",),
        checksum="crc32c",
    )
    return msgspec.structs.replace(found, **changes)


def btrfs_disk(number: int, *, uuid: str = UUID, **changes: Any) -> Disk:
    """A disk with one partition, which is a member."""
    path = f"/dev/sd{'abcdefgh'[number - 1]}"
    member = Signature(device=f"{path}1", offset=0x10040, type="btrfs", uuid=uuid, label="tank")
    partition = Partition(
        name=path[5:] + "1",
        path=f"{path}1",
        number=1,
        start_bytes=2**20,
        size_bytes=SIZE,
        type=LINUX_FILESYSTEM,
        uuid=f"aaaaaaaa-0000-0000-0000-00000000000{number}",
        signatures=(member,),
    )
    table = Signature(device=path, offset=512, type="gpt")
    return disk(
        number, **{"partitions": (partition,), "signatures": (table,), "partition_table": "gpt"} | changes
    )


def btrfs_machine(
    found: Filesystem | None = None, *disks: Disk, mounts: tuple[Mount, ...] | None = None, **system: Any
) -> Machine:
    """A computer with the filesystem on disks 1 and 2, mounted at /srv/tank."""
    one = found or filesystem()
    there = (Mount(source="/dev/sda1", target="/srv/tank", type="btrfs", device_number="0:40"),)
    return msgspec.structs.replace(
        machine(*(disks or (btrfs_disk(1), btrfs_disk(2))), **system),
        readings={"btrfs": msgspec.to_builtins(BtrfsReading(filesystems=(one,)))},
        mounts=there if mounts is None and one.node else mounts or (),
    )
