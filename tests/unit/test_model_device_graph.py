"""The device graph: what lies on what, mounts, swap, and what is derived from an old recording."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.units import units_of
from raidtui.machine.blocks import whole_disks
from raidtui.machine.reader import load_machine
from raidtui.model.device import Device, DeviceKind, kind_of
from raidtui.model.device_graph import DeviceGraph, MountedAt, disks_of, graph_of, in_the_way
from raidtui.model.machine import Machine, Mount, MountElsewhere
from raidtui.model.spec import Backend
from raidtui.model.system import System
from raidtui.model.unit import Health, Unit, UnitMember
from tests.unit.machine_trees import MadeTree

MACHINES = Path(__file__).resolve().parents[1] / "machines"


def device(name: str, *slaves: str, kind: DeviceKind = DeviceKind.MAPPED, **more: object) -> Device:
    fields = {"number": f"9:{abs(hash(name)) % 9999}", "slaves": slaves, **more}
    return Device(name=name, kind=kind, **fields)  # type: ignore[arg-type]


def mount(
    device: str, target: str, *, here: bool = True, apart: bool = False, number: str = "0:9"
) -> MountedAt:
    one = Mount(source="/dev/sdc", target=target, type="ext4", device=device, device_number=number)
    return MountedAt(mount=one, here=here, apart=apart)


DISK_A = device("sda", kind=DeviceKind.DISK, partitions=("sda1", "sda2"), links=("/dev/disk/by-id/ata-A",))
DISK_B = device("sdb", kind=DeviceKind.DISK, holders=("md1",))
STACK = (
    DISK_A,
    device("sda1", kind=DeviceKind.PARTITION, disk="sda", holders=("md1",)),
    device("sda2", kind=DeviceKind.PARTITION, disk="sda", holders=("md2",)),
    DISK_B,
    device("md1", "sda1", "sdb", kind=DeviceKind.ARRAY, partitions=("md1p1",), holders=("dm-0",)),
    device("md1p1", kind=DeviceKind.PARTITION, disk="md1"),
    device("md2", "sda2", "dm-0", kind=DeviceKind.ARRAY),
    device("dm-0", "md1", holders=("md2",)),
    device("loop0", kind=DeviceKind.LOOP, backing="/srv/a/b/image"),
    device("loop1", kind=DeviceKind.LOOP, backing="/dev/sdb"),
)
GRAPH = DeviceGraph(
    STACK,
    [
        mount("/dev/sda9", "/"),
        mount("/dev/md2", "/srv/a"),
        mount("/dev/md2", "/srv/a"),
        mount("/dev/md2", "/elsewhere", here=False),
        mount("/dev/md2", "/apart", here=False, apart=True),
    ],
    sets=[("sda1", "sda2")],
)


def names(devices: tuple[Device, ...]) -> list[str]:
    return [one.name for one in devices]


def test_everything_on_a_disk_is_found_once_through_partitions_arrays_and_files() -> None:
    assert names(GRAPH.parts(DISK_A)) == ["sda1", "sda2"]
    assert names(GRAPH.on(DISK_B)) == ["md1", "loop1"]
    assert names(GRAPH.all_on(DISK_B)) == ["md1", "loop1", "md1p1", "dm-0", "md2", "loop0"]


def test_the_whole_disks_below_are_each_named_once() -> None:
    assert names(GRAPH.disks_under(GRAPH.by_name["md2"])) == ["sda", "sdb"]
    assert names(GRAPH.disks_under(GRAPH.by_name["loop0"])) == ["sda", "sdb"]
    assert names(GRAPH.disks_under(GRAPH.by_name["sda1"], GRAPH.by_name["sda2"])) == ["sda"]
    assert names(GRAPH.disks_under(GRAPH.by_name["md1p1"])) == ["sdb", "sda"]
    assert names(GRAPH.disks_under(DISK_B)) == ["sdb"]


def test_a_disk_made_of_others_is_the_bottom() -> None:
    disk = device("dm-9", "sda", kind=DeviceKind.DISK)
    assert names(DeviceGraph([DISK_A, disk]).disks_under(disk)) == ["dm-9"]


def test_mounts_are_in_order_stacked_and_of_other_namespaces_only_where_they_stay() -> None:
    found = GRAPH.mounts_of(GRAPH.by_name["md2"])
    assert [one.mount.target for one in found] == ["/srv/a", "/srv/a", "/apart"]
    assert GRAPH.mounts_of(GRAPH.by_name["dm-0"]) == ()


def test_a_mount_is_of_the_number_that_the_kernel_reports_not_of_its_source() -> None:
    named, other = device("sdc", kind=DeviceKind.DISK), device("sdd", kind=DeviceKind.DISK)
    graph = DeviceGraph([named, other], [mount("", "/srv/x", number=other.number)])
    assert graph.mounts_of(named) == ()
    assert graph.mounts_of(other) == tuple(graph.mounts)


def test_a_file_is_on_the_filesystem_that_is_mounted_over_the_others() -> None:
    lower, upper = device("sda"), device("sdb")
    graph = DeviceGraph([lower, upper], [mount("/dev/sda", "/srv"), mount("/dev/sdb", "/srv")])
    assert graph.holding("/srv/image") is upper
    assert graph.holding("/srvimage") is None
    memory = replace(mount("", "/srv"), mount=Mount(source="none", target="/srv", type="tmpfs"))
    assert DeviceGraph([lower], [mount("/dev/sda", "/srv"), memory]).holding("/srv/image") is None


def test_swap_is_the_device_or_a_file_on_any_device_of_the_filesystem(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    for disk in ("sda", "sdb", "sdc"):
        made.disk(disk)
        if disk != "sdc":
            made.write(f"/sys/fs/btrfs/u/devices/{disk}", "")
    made.mounts("0:40 /dev/sda /srv btrfs")
    made.write("/proc/swaps", "Filename Type\n/dev/sdc partition 1 0 -2\n/srv/swap file 1 0 -2\n")
    found = {one.name: (one.swaps, one.is_swap) for one in made.read().devices}
    assert found["sda"] == found["sdb"] == (("/srv/swap",), False)
    assert found["sdc"] == (("/dev/sdc",), True)


def test_a_file_on_a_filesystem_of_several_devices_is_on_all_of_them() -> None:
    one, two = device("sda", kind=DeviceKind.DISK), device("sdb", kind=DeviceKind.DISK)
    loop = device("loop0", kind=DeviceKind.LOOP, backing="/srv/image")
    graph = DeviceGraph([one, two, loop], [mount("/dev/sda", "/srv")], [("sda", "sdb")])
    assert [names(graph.on(disk)) for disk in (one, two)] == [["loop0"], ["loop0"]]


def test_a_file_in_another_namespace_is_not_looked_for_in_ours() -> None:
    disk = device("sda", kind=DeviceKind.DISK)
    assert DeviceGraph([disk], [mount("/dev/sda", "/srv", here=False, apart=True)]).holding("/srv/x") is None


@pytest.mark.parametrize(
    ("other", "target", "is_in_it"),
    [
        ("/srv", "/srv", True),
        ("/srv/a", "/srv", True),
        ("/srv", "/srv/a", True),
        ("/srvx", "/srv", False),
        ("/srv", "/srvx", False),
        ("/", "/srv", False),
        ("/srv", "/", True),
    ],
)
def test_a_later_mount_is_in_the_way_over_or_inside_an_earlier_one(
    other: str, target: str, is_in_it: bool
) -> None:
    assert in_the_way(other, target) is is_in_it


def test_a_unit_has_each_of_its_disks_once_and_a_virtual_drive_is_one() -> None:
    made = Unit(
        backend=Backend.MDADM,
        name="x",
        uuid="x",
        marks=("x",),
        level="raid1",
        size_bytes=1,
        path="",
        node="/dev/md2",
        health=Health.OK,
        state="",
        members=(UnitMember(path="/dev/sda2"), UnitMember(path="/dev/dm-0"), UnitMember(path="/dev/gone")),
    )
    assert names(GRAPH.disks_of(made)) == ["sda", "sdb"]
    assert names(GRAPH.disks_of(replace(made, node="/dev/sdb", members=()))) == ["sdb"]


def test_a_device_is_found_by_every_name_and_a_filesystem_has_all_its_devices() -> None:
    assert GRAPH.at("/dev/disk/by-id/ata-A") is GRAPH.at("/dev/sda") is DISK_A
    assert GRAPH.at("") is None
    assert names(GRAPH.together(GRAPH.by_name["sda2"])) == ["sda1", "sda2"]
    assert names(GRAPH.together(DISK_B)) == ["sdb"]


@pytest.mark.parametrize(
    ("name", "uuid", "kind"),
    [
        ("dm-3", "LVM-abc", DeviceKind.VOLUME),
        ("dm-3", "CRYPT-LUKS2-abc", DeviceKind.CRYPT),
        ("dm-3", "mpath-36", DeviceKind.MULTIPATH),
        ("dm-3", "part1-mpath-36", DeviceKind.MAPPED),
        ("md127", "", DeviceKind.ARRAY),
        ("bcache0", "", DeviceKind.BCACHE),
        ("zd16", "", DeviceKind.ZVOL),
        ("loop7", "", DeviceKind.LOOP),
        ("sr0", "", DeviceKind.OTHER),
    ],
)
def test_what_a_device_is_shows_in_its_name(name: str, uuid: str, kind: DeviceKind) -> None:
    assert kind_of(name, is_disk=False, dm_uuid=uuid) is kind
    assert kind_of(name, is_disk=True, dm_uuid=uuid) is DeviceKind.DISK


@pytest.mark.parametrize("name", ["raid5-clean", "raid1-four-on-one-disk", "taken"])
def test_of_an_old_recording_the_graph_is_derived(name: str) -> None:
    machine = load_machine(str(MACHINES / f"{name}.json"))
    graph = graph_of(replace(machine, devices=()))
    for disk in machine.disks:
        for part in disk.partitions:
            assert names(graph.disks_under(graph.by_name[part.name])) == [disk.name]
            here = {one.mount.target for one in graph.mounts_of(graph.by_name[part.name]) if one.here}
            assert here == set(part.mountpoints)
    for array in machine.arrays:
        if array.node:
            below = graph.disks_under(graph.by_name[array.node.removeprefix("/dev/")])
            assert {f"/dev/{one.name}" for one in below} == {
                disk.path for disk in machine.disks for m in array.members if m.path in disk.every_path
            }


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_a_recording_carries_a_graph_in_which_arrays_are_on_the_disks_of_their_members(path: Path) -> None:
    machine = load_machine(str(path))
    assert machine.devices
    graph = graph_of(machine)
    whole = {disk.name for disk in machine.disks if disk.has_device}
    assert {one.name for one in graph if one.kind is DeviceKind.DISK} >= whole
    for unit in units_of(machine):
        under = {disk.identity for disk in disks_of(unit, machine)}
        assert under >= {m.disk for m in unit.members if m.disk}
        assert bool(under) is bool(unit.members)
    top = next((unit for unit in units_of(machine) if unit.name == "top"), None)
    if top is not None:
        assert len(disks_of(top, machine)) == 4
        assert len(top.below) == 2
        assert top.state.startswith("running; array left under it is degraded, not redundant")


def test_a_recorded_mount_elsewhere_is_one_of_the_device() -> None:
    far = MountElsewhere(mount=mount("/dev/sda", "/far").mount, pid=7)
    machine = Machine(system=System(hostname="", kernel=""), devices=(DISK_A,), mounts_elsewhere=(far,))
    (found,) = graph_of(machine).mounts_of(DISK_A)
    assert (found.mount.target, found.pid, found.here) == ("/far", 7, False)


def test_a_reading_carries_every_device_with_its_names_and_uses(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.disk("sda", udev={"ID_SERIAL_SHORT": "S", "DEVLINKS": "/dev/disk/by-id/ata-A /dev/disk/by-path/p"})
    made.partition("sda", 1, udev={"ID_FS_TYPE": "swap", "ID_PART_ENTRY_UUID": "p-uuid"})
    made.disk("dm-0", udev={"ID_FS_TYPE": "ext4", "ID_FS_LABEL": "data", "ID_FS_UUID": "u"}, dm__uuid="LVM-1")
    made.disk("loop0", size=0, udev={})
    made.stack("dm-0", "sda")
    made.write("/proc/swaps", "Filename Type\n/dev/sda1 partition 1 0 -2\n")
    devices = {one.name: one for one in made.read().devices}
    assert devices.keys() == {"sda", "sda1", "dm-0"}
    assert devices["sda"].links == ("/dev/disk/by-id/ata-A", "/dev/disk/by-path/p")
    assert devices["sda"].kind is DeviceKind.DISK
    assert devices["sda"].holders == ("dm-0",)
    assert (devices["sda1"].kind, devices["sda1"].is_swap) == (DeviceKind.PARTITION, True)
    assert devices["sda1"].partition_uuid == "p-uuid"
    volume = devices["dm-0"]
    assert (volume.kind, volume.slaves, volume.type, volume.label, volume.uuid) == (
        DeviceKind.VOLUME,
        ("sda",),
        "ext4",
        "data",
        "u",
    )


def test_the_disks_under_a_number_are_found_through_partitions_stacks_and_images(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    disk, other = made.disk("sda"), made.disk("sdb")
    part = made.partition("sda", 1)
    array = made.array("md127", [("sda1", "0", "in_sync"), ("sdb", "1", "in_sync")])
    image = made.disk("loop0", udev={}, loop__backing_file="/srv/image")
    made.mounts(f"{array} /dev/md127 /srv ext4")
    assert whole_disks(part, tree=made.tree) == {disk}
    assert whole_disks(array, tree=made.tree) == whole_disks(image, tree=made.tree) == {disk, other}
    assert whole_disks(part, other, "0:41", "", tree=made.tree) == {disk, other}
    assert whole_disks("0:41", tree=made.tree) == frozenset()
