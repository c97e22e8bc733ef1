"""Which mounts are a unit's own, and which lines of fstab mean it: one answer for every backend."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.model.device import Device, DeviceKind
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine, Mount, MountElsewhere, Partition, Signature
from raidtui.model.plan import Run
from raidtui.model.system import System
from raidtui.steps.footprint import Footprint, footprint_of_devices, own_lines, unmount
from tests.unit.plan_machines import disk, machine

FILES = Signature(device="/dev/sda1", offset=1080, type="ext4", uuid="aaaa-BBBB", label="my data")
PART = Partition(
    name="sda1",
    path="/dev/sda1",
    number=1,
    start_bytes=2**20,
    size_bytes=10**9,
    label="photos part",
    uuid="0FC63DAF-8483",
    signatures=(FILES,),
)
DISK = disk(1, partitions=(PART,), by_id=("ata-DISK_S-0001", "wwn-0x5000c500a1"), sequence=7)
OWN = footprint_of_devices([(DISK, "/dev/sda1")])
ARRAY = Footprint(nodes=frozenset({"/dev/md127"}), links=frozenset({"/dev/md/tank"}), signatures=(FILES,))


def there(*mounts: Mount, fstab: tuple[str, ...] = (), nodes: tuple[str, ...] = ()) -> Machine:
    where = machine(DISK, fstab=fstab, fstab_nodes=nodes)
    return replace(where, mounts=mounts)


def mount(target: str, device: str = "/dev/md127", **about: Any) -> Mount:
    return Mount(**{"source": device or "tmpfs", "target": target, "type": "ext4", "device": device} | about)


TMPFS = {"type": "tmpfs", "device_number": "0:40"}
OVERLAY = {"type": "overlay", "options": "rw,lowerdir=/a:/b,upperdir=/srv/tank/up,workdir=/srv/tank/work"}


@pytest.mark.parametrize(
    "source",
    [
        "UUID=AAAA-bbbb",
        'UUID="aaaa-bbbb"',
        "uuid=aaaa-bbbb",
        r"LABEL=my\040data",
        r'LABEL="my\040data"',
        "PARTUUID=0fc63daf-8483",
        r"PARTLABEL=photos\040part",
        "ID=wwn-0x5000c500a1-part1",
        "/dev/sda1",
        "/dev//sda1",
        "/dev/disk/by-uuid/aaaa-BBBB",
        r"/dev/disk/by-label/my\x20data",
        "/dev/disk/by-partuuid/0fc63daf-8483",
        r"/dev/disk/by-partlabel/photos\x20part",
        "/dev/disk/by-id/ata-DISK_S-0001-part1",
        "/dev/disk/by-id/wwn-0x5000c500a1-part1",
        "/dev/disk/by-diskseq/7-part1",
    ],
)
def test_every_spelling_of_a_partition_means_it(source: str) -> None:
    line = f"{source} /srv/x ext4 defaults 0 2"
    assert own_lines(OWN, there(fstab=(line,))) == [line]


def test_where_udev_has_a_link_it_decides_whatever_the_name() -> None:
    lines = ("/dev/disk/by-path/pci-1-part1 /a ext4 defaults 0 0", "UUID=aaaa-bbbb /b ext4 defaults 0 0")
    where = there(fstab=lines, nodes=("/dev/sda1", "/dev/sdb1"))
    assert own_lines(OWN, where) == [lines[0]], "the second leads to a clone now"
    mounted = replace(where, mounts=(mount("/b", "/dev/sda1"),))
    assert own_lines(OWN, mounted) == list(lines), "but it is this one that is mounted by it"


@pytest.mark.parametrize(
    "source",
    [
        "/dev/disk/by-id/dm-name-vg-lv",
        "PARTUUID=aaaa-bbbb",
        r"PARTLABEL=my\040part",
        "/dev/disk/by-path/../by-id/dm-name-vg-lv",
    ],
)
def test_every_name_that_udev_knows_of_a_device_means_it(source: str) -> None:
    device = Device(
        name="md127",
        kind=DeviceKind.ARRAY,
        links=("/dev/disk/by-id/dm-name-vg-lv",),
        partition_uuid="AAAA-BBBB",
        partition_label="my part",
    )
    line = f"{source} /srv/x ext4 defaults 0 2"
    where = replace(there(fstab=(line,)), devices=(device,))
    assert own_lines(ARRAY, where) == [line]
    assert own_lines(OWN, where) == []


@pytest.mark.parametrize(
    "source", ["UUID=cccc", "LABEL=other", "/dev/sda2", "/dev/sda", "nas:/export", "PARTUUID=0fc6", "odd"]
)
def test_other_lines_stay_wherever_they_mount(source: str) -> None:
    line = f"{source} /srv/tank ext4 defaults 0 2"
    assert own_lines(OWN, there(mount("/srv/tank", "/dev/sda1"), fstab=(line,))) == []


def test_a_mount_is_decided_by_its_device_and_not_by_its_place_or_its_source() -> None:
    liar = mount("/srv/liar", "", source="/dev/md127", **TMPFS)
    stranger = mount("/srv/other", "/dev/sdz1")
    by_link = mount("/srv/tank", source="/dev/disk/by-id/md-uuid-1")
    assert ARRAY.mounts(there(liar, stranger, by_link)) == (by_link,)


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        ((("after", mount("/srv/tank", "/dev/sdz1")),), r"/dev/sdz1 \(ext4\) is mounted at /srv/tank, over"),
        ((("after", mount("/srv/tank", "", **TMPFS)),), r"tmpfs \(tmpfs\) is mounted at /srv/tank, over"),
        ((("after", mount("/srv", "", **TMPFS)),), r"tmpfs \(tmpfs\) is mounted at /srv, over"),
        ((("after", mount("/srv/tank/in", "/dev/sdz1")),), "inside the mount of tank.*: umount /srv/tank/in"),
        ((("after", mount("/srv/tank/my in", "/dev/sdz1")),), "umount '/srv/tank/my in'"),
        (
            (("after", mount("/merged", "", **OVERLAY)),),
            "the overlay .* at /merged has a folder on tank.*: umount /merged",
        ),
        ((("before", mount("/srv/tank", "/dev/sdz1")),), "at the same place as tank"),
    ],
)
def test_a_stranger_over_the_place_or_inside_it_is_never_unmounted(
    others: tuple[tuple[str, Mount], ...], sentence: str
) -> None:
    before = [one for when, one in others if when == "before"]
    after = [one for when, one in others if when == "after"]
    with pytest.raises(Refused, match=sentence):
        unmount(ARRAY, there(*before, mount("/srv/tank"), *after), name="tank", source="X", reason="")


def test_the_kernel_writes_a_blank_in_a_folder_of_an_overlay_as_octal() -> None:
    over = mount("/merged", "", type="overlay", options=r"rw,lowerdir=/a,upperdir=/srv/my\040tank/up")
    with pytest.raises(Refused, match="the overlay that is mounted at /merged has a folder on tank"):
        unmount(ARRAY, there(mount("/srv/my tank"), over), name="tank", source="X", reason="")


def test_what_was_there_before_or_beside_does_not_stand_in_the_way() -> None:
    elsewhere = mount(
        "/merged", "", **OVERLAY | {"options": "rw,lowerdir=/srv/tank2,upperdir=/up,workdir=/work"}
    )
    others = (
        mount("/", "/dev/sdz1"),
        mount("/srv", "", **TMPFS),
        mount("/srv/tank2", "/dev/sdz2"),
        elsewhere,
    )
    steps = unmount(ARRAY, there(*others, mount("/srv/tank")), name="tank", source="X", reason="")
    assert [one.argv for step in steps for one in step.actions if isinstance(one, Run)] == [
        ("umount", "/srv/tank")
    ]


def test_mounts_go_in_reverse_and_come_back_in_order_each_as_it_was() -> None:
    where = there(
        mount("/srv/tank"),
        mount("/home/a", root="/a"),
        mount("/srv/tank/in"),
        mount("/srv/tank", options="ro"),
    )
    steps = unmount(ARRAY, where, name="tank", source="/dev/md/tank", reason="")
    assert [one.actions[0].argv[1] for one in steps if isinstance(one.actions[0], Run)] == [
        "/srv/tank",
        "/srv/tank/in",
        "/home/a",
        "/srv/tank",
    ]
    assert [bool(one.after) for one in steps] == [False, True, True, True], "it is still mounted below"
    assert [one.argv for step in steps for one in step.undo if isinstance(one, Run)] == [
        ("mount", "--bind", "/srv/tank/in", "/srv/tank"),
        ("mount", "-t", "ext4", "-o", "rw", "/dev/md/tank", "/srv/tank/in"),
        ("mount", "--bind", "/srv/tank/a", "/home/a"),
        ("mount", "-t", "ext4", "-o", "rw", "/dev/md/tank", "/srv/tank"),
    ]


def test_a_subvolume_comes_back_as_that_subvolume() -> None:
    own = Footprint(nodes=frozenset({"/dev/sda1", "/dev/sdb1"}))
    where = there(mount("/srv/snap", "/dev/sdb1", type="btrfs", root="/snap", device_number="0:44"))
    (step,) = unmount(own, where, name="tank", source="/dev/sda1", reason="")
    assert step.undo == (
        Run(argv=("mount", "-t", "btrfs", "-o", "rw,subvol=/snap", "/dev/sda1", "/srv/snap")),
    )


def test_an_old_recording_without_devices_is_decided_by_its_sources() -> None:
    old = Mount(source="/dev/md/tank", target="/srv/tank", type="ext4")
    assert ARRAY.places(Machine(system=System(hostname="x", kernel="6"), mounts=(old,))) == ("/srv/tank",)


def test_what_is_mounted_in_another_namespace_is_refused_with_its_holder() -> None:
    elsewhere = MountElsewhere(mount=mount("/srv/my tank"), pid=77, process="dockerd")
    where = replace(there(mount("/srv/tank")), mounts_elsewhere=(elsewhere,))
    with pytest.raises(
        Refused, match=r"process 77 \(dockerd\).*nsenter --mount=/proc/77/ns/mnt umount '/srv/my tank'"
    ):
        unmount(ARRAY, where, name="tank", source="X", reason="")
    other = replace(elsewhere, mount=mount("/srv/tank", "/dev/sdz1"))
    assert unmount(ARRAY, replace(where, mounts_elsewhere=(other,)), name="tank", source="X", reason="")


def test_a_file_in_use_on_it_stops_a_removal_before_anything_is_unmounted() -> None:
    array = Device(name="md127", kind=DeviceKind.ARRAY)
    where = there(mount("/srv/x"))
    swap = replace(where, devices=(replace(array, swaps=("/srv/x/swap",)),))
    with pytest.raises(
        Refused, match=r"/srv/x/swap on tank is in use as swap. Switch it off first: swapoff /srv/x/swap"
    ):
        unmount(ARRAY, swap, name="tank", reason="")
    loop = Device(name="loop3", kind=DeviceKind.LOOP, backing="/srv/x/image")
    with pytest.raises(
        Refused, match=r"/dev/loop3 shows the file /srv/x/image on tank.*losetup --detach /dev/loop3"
    ):
        unmount(ARRAY, replace(where, devices=(array, loop)), name="tank", reason="")
    apart = replace(
        where, devices=(replace(array, swaps=("/dev/md127",)), replace(loop, backing="/srv/image"))
    )
    assert unmount(ARRAY, apart, name="tank", reason="")
