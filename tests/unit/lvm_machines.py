"""A volume group named tank on the disks of `plan_machines`, as LVM reports it. Tests change what they test."""

from typing import Any

import msgspec

from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Reading, Segment, VolumeGroup
from raidtui.backends.lvm.status import RaidStatus
from raidtui.model.machine import Disk, Machine, Mount, Partition, Signature
from raidtui.steps.partitions import LINUX_LVM
from tests.unit.plan_machines import disk, machine

GROUP_UUID = "HUS7AF-09il-sooR-beO3-8MUg-DeIt-e3DTid"
VOLUME_UUID = "A22TFV-kFvN-qyH9-fGRQ-ZaNG-gskE-VaGzy8"
MARK = "da7c7c6b-cb87-540c-ba2f-3112a80428c0"
FILES = Signature(device="/dev/mapper/tank-data", offset=1080, type="ext4", label="tank", uuid="aaaa-bbbb")
VOLUME = LogicalVolume(
    uuid=VOLUME_UUID,
    name="data",
    group=GROUP_UUID,
    path="/dev/tank/data",
    dm_path="/dev/mapper/tank-data",
    size_bytes=9_885_974_528,
    attr="rwi-aor---",
    device_number="253:4",
    segments=(Segment(type="raid1", stripes=2, devices=("data_rimage_0", "data_rimage_1")),),
)


def image(number: int, device: str) -> LogicalVolume:
    """A hidden image of the volume, one leg of the mirror."""
    return LogicalVolume(
        uuid=f"leg-{number}",
        name=f"data_rimage_{number}",
        group=GROUP_UUID,
        hidden=True,
        segments=(Segment(type="linear", devices=(device,)),),
    )


def pv_uuid(number: int) -> str:
    """The UUID of the physical volume on disk ``number``."""
    return f"d4d83b-0f02-a75d-b382-1176-0bcd-28fcd{number}"


def group(**changes: Any) -> VolumeGroup:
    """The group tank, built by raidtui."""
    return msgspec.structs.replace(
        VolumeGroup(
            uuid=GROUP_UUID, name="tank", tags=(f"raidtui.{MARK}", "other"), size_bytes=19_771_949_056
        ),
        **changes,
    )


def status(letters: str = "AA", **changes: Any) -> RaidStatus:
    """What the kernel reports about the volume."""
    return msgspec.structs.replace(
        RaidStatus(
            name="tank-data",
            size_bytes=VOLUME.size_bytes,
            level="raid1",
            letters=letters,
            done_bytes=100,
            total_bytes=100,
            action="idle",
        ),
        **changes,
    )


def reading(
    *,
    its: VolumeGroup | None = None,
    volumes: tuple[LogicalVolume, ...] = (VOLUME,),
    paths: tuple[str, ...] = ("/dev/sda1", "/dev/sdb1"),
    kernel: RaidStatus | None = None,
    system_id: str = "",
) -> LvmReading:
    """LVM's report of the group on two partitions; an empty path is a missing disk."""
    found = its or group(missing=paths.count(""))
    return LvmReading(
        known=Reading(
            groups=(found,),
            devices=tuple(
                PhysicalVolume(uuid=pv_uuid(n), path=path, group=found.uuid, missing=not path)
                for n, path in enumerate(paths)
            ),
            volumes=(*volumes, *(image(n, path) for n, path in enumerate(paths))),
        ),
        statuses={"tank-data": kernel or status()},
        signatures={VOLUME_UUID: (FILES,)} if VOLUME in volumes else {},
        system_id=system_id,
    )


def lvm_disk(number: int, **changes: Any) -> Disk:
    """A disk with one partition, which is a physical volume."""
    path = f"/dev/sd{'abcdefgh'[number - 1]}"
    member = Signature(device=f"{path}1", offset=536, type="LVM2_member", uuid=pv_uuid(number - 1))
    partition = Partition(
        name=path[5:] + "1",
        path=f"{path}1",
        number=1,
        start_bytes=2**20,
        size_bytes=9_890_000_000,
        type=LINUX_LVM,
        signatures=(member,),
    )
    table = Signature(device=path, offset=512, type="gpt")
    return disk(
        number, **{"partitions": (partition,), "signatures": (table,), "partition_table": "gpt"} | changes
    )


def lvm_machine(
    found: LvmReading | None = None, *disks: Disk, mounted: bool = True, **system: Any
) -> Machine:
    """A computer with the group on disks 1 and 2, mounted at /srv/tank."""
    mount = Mount(source="/dev/mapper/tank-data", target="/srv/tank", type="ext4", device_number="253:4")
    return msgspec.structs.replace(
        machine(*(disks or (lvm_disk(1), lvm_disk(2))), **system),
        readings={"lvm": msgspec.to_builtins(found or reading())},
        mounts=(mount,) if mounted else (),
    )
