"""A volume group named tank on an array named tank, on the disks of `plan_machines`. Tests change what they test."""

from typing import Any

import msgspec

from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import PhysicalVolume, Reading, Segment
from raidtui.model.machine import Array, Machine, Mount, Signature
from tests.unit.lvm_machines import FILES, VOLUME, VOLUME_UUID, group, pv_uuid
from tests.unit.plan_machines import array, machine, member_disk

MEMBER = Signature(device="/dev/md127", offset=536, type="LVM2_member", uuid=pv_uuid(0))
OTHER_UUID = "7a2e8c1f-4e6b-4d3c-8b69-1e8d2f3a4b5c"


def below(**changes: Any) -> Array:
    """The array tank on disks 1 to 3; it is a physical volume."""
    return array(**{"signatures": (MEMBER,), "mountpoints": ()} | changes)


def second(**changes: Any) -> Array:
    """Another array, of unknown members."""
    own = {"name": "more", "node": "/dev/md126", "path": "/dev/md/more", "uuid": OTHER_UUID, "members": ()}
    return below(**own | changes)


def on_arrays(*paths: str, **changes: Any) -> LvmReading:
    """LVM's report of the group on the devices at these paths; an empty path is a missing one."""
    found = group(**{"missing": paths.count("")} | changes)
    volume = msgspec.structs.replace(
        VOLUME,
        attr="-wi-ao----",
        segments=tuple(Segment(type="linear", stripes=1, devices=(p,)) for p in paths),
    )
    return LvmReading(
        known=Reading(
            groups=(found,),
            devices=tuple(
                PhysicalVolume(
                    uuid=pv_uuid(n), path=path, group=found.uuid, missing=not path, data_start_bytes=3 * 2**20
                )
                for n, path in enumerate(paths)
            ),
            volumes=(volume,),
        ),
        signatures={VOLUME_UUID: (FILES,)},
    )


def group_machine(
    found: LvmReading | None = None, *arrays: Array, mounted: bool = True, **system: Any
) -> Machine:
    """A computer with the group on the array of disks 1 to 3, mounted at /srv/tank."""
    mount = Mount(source="/dev/mapper/tank-data", target="/srv/tank", type="ext4", device_number="253:4")
    members = [member_disk(number) for number in (1, 2, 3)]
    return msgspec.structs.replace(
        machine(*members, arrays=arrays or (below(),), **system),
        readings={"lvm": msgspec.to_builtins(found or on_arrays("/dev/md127"))},
        mounts=(mount,) if mounted else (),
    )
