"""A computer with six 10 GB disks, as a base for plans. Tests change what they test."""

from typing import Any

import msgspec

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
    Weight,
)
from raidtui.model.plan import Plan, Run, Step
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.model.system import System
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from raidtui.steps.partitions import LINUX_RAID

SEED = "11111111-2222-4333-8444-555555555555"
ARRAY_UUID = "6f1d9b0e-3d5a-4c2b-9a58-0d7c1e2f3a4b"
TOOLS = {
    "mdadm": "4.2",
    "wipefs": "2.38.1",
    "sfdisk": "2.38.1",
    "blockdev": "2.38.1",
    "udevadm": "252",
    "lvm": "2.03.16",
    "mkfs.ext4": "1.47.0",
    "mkfs.xfs": "6.1.0",
    "mkfs.btrfs": "6.2",
    "btrfs": "6.2",
    "zpool": "2.1.11",
    "zfs": "2.1.11",
}
TANK = Spec(
    name="tank",
    level="raid5",
    members=("S-0001", "S-0002", "S-0003"),
    filesystem=FilesystemSpec(type="ext4"),
)


def disk(number: int, **changes: Any) -> Disk:
    """Disk S-0001 is /dev/sda, and so on."""
    letter = "abcdefgh"[number - 1]
    return msgspec.structs.replace(
        Disk(
            name=f"sd{letter}",
            path=f"/dev/sd{letter}",
            device_number=f"8:{16 * (number - 1)}",
            size_bytes=10_000_000_000,
            serial=f"S-000{number}",
            wwn=f"0x5000c5000000000{number}",
            by_id=(f"wwn-0x5000c5000000000{number}",),
            model="Example 10 GB",
        ),
        **changes,
    )


def whole(number: int) -> str:
    """The path that commands use for a disk."""
    return f"/dev/disk/by-id/wwn-0x5000c5000000000{number}"


def taken(number: int, weight: Weight, what: ClaimKind, detail: str, how: str = "") -> Disk:
    """A disk with one claim on it."""
    claim = Claim(
        what=what, weight=weight, device=f"/dev/sd{'abcdefgh'[number - 1]}1", detail=detail, how_to_free=how
    )
    return disk(number, free=False, taken_by=(claim,))


def machine(*disks: Disk, arrays: tuple[Array, ...] = (), **system: Any) -> Machine:
    """A computer with six blank disks; ``disks`` replace those with the same paths."""
    by_path = {one.path: one for one in (*(disk(n) for n in range(1, 7)), *disks)}
    return Machine(
        system=msgspec.structs.replace(System(hostname="nas", kernel="6.1.0-32-amd64"), **system),
        tools=dict(TOOLS),
        disks=tuple(by_path.values()),
        arrays=arrays,
        mounts=tuple(
            Mount(source=one.node, device=one.node, target=place, type="ext4")
            for one in arrays
            for place in one.mountpoints
        ),
    )


def plan(spec: Spec = TANK, where: Machine | None = None, **changes: Any) -> Plan:
    """The plan for ``spec`` with ``changes``, on ``where``."""
    return make_plan(msgspec.structs.replace(spec, **changes), where or machine(), seed=SEED)


def step(made: Plan, name: str) -> Step:
    """The step with that id."""
    return next(one for one in made.steps if one.id == name)


def commands(one: Step) -> list[tuple[str, ...]]:
    """The argument lists of a step."""
    return [action.argv for action in one.actions if isinstance(action, Run)]


def member_disk(number: int, uuid: str = ARRAY_UUID, **changes: Any) -> Disk:
    """A disk with one partition, a member of the array tank."""
    path = f"/dev/sd{'abcdefgh'[number - 1]}"
    partition = Partition(
        name=path[5:] + "1",
        path=f"{path}1",
        number=1,
        start_bytes=2**20,
        size_bytes=9_890_000_000,
        type=LINUX_RAID,
        signatures=(
            Signature(device=f"{path}1", offset=4096, type="linux_raid_member", uuid=uuid, label="nas:tank"),
        ),
    )
    table = Signature(device=path, offset=512, type="gpt")
    return disk(
        number, **{"partitions": (partition,), "signatures": (table,), "partition_table": "gpt"} | changes
    )


def array(**changes: Any) -> Array:
    """The array tank on the partitions of disks 1 to 3, mounted."""
    return msgspec.structs.replace(
        Array(
            name="tank",
            node="/dev/md127",
            path="/dev/md/tank",
            uuid=ARRAY_UUID,
            level="raid5",
            metadata="1.2",
            size_bytes=20_000_000_000,
            state="clean",
            raid_disks=3,
            members=tuple(
                Member(path=f"/dev/sd{letter}1", disk=f"S-000{slot + 1}", slot=slot, state=("in_sync",))
                for slot, letter in enumerate("abc")
            ),
            signatures=(Signature(device="/dev/md127", offset=1080, type="ext4", uuid="aaaa-bbbb"),),
            mountpoints=("/srv/tank",),
        ),
        **changes,
    )


def teardown(where: Machine, word: str = "tank") -> Plan:
    """The plan that removes the unit ``word``."""
    return make_teardown(word, where, seed=SEED)
