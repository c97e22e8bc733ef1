"""The lab of a rehearsal gets every unit that a plan concerns, with members that are small, or says why it cannot."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.backends.btrfs.reading import BtrfsReading, reading_in
from raidtui.backends.lvm.metadata import group_in, parse, part, segments, uuid_in, uuid_of, written
from raidtui.backends.lvm.reading import reading_in as lvm_reading_in
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Segment, VolumeGroup
from raidtui.backends.lvm_on_md.rehearse import described
from raidtui.backends.md.rehearse import REHEARSER
from raidtui.backends.registry import find_rehearser
from raidtui.backends.units import units_of
from raidtui.backends.zfs.report import reading_in as pools_in
from raidtui.commands.rehearsal.units import (
    MEMBER_BYTES,
    Involved,
    check_units,
    filesystems,
    involved,
    limits,
    made_anew,
    with_growth,
)
from raidtui.machine.reader import load_machine
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan
from raidtui.model.procedure import Grow
from raidtui.model.units import GIB, KIB, MIB, SECTOR
from raidtui.plan.teardown import make_teardown
from tests.ui import machines
from tests.unit import test_lvm_metadata
from tests.unit.test_hybrid_grow import LARGE, SMALL, over

MACHINES: Final = Path(__file__).parent.parent / "machines"
SEED: Final = "0f5a2c3e-0000-4000-8000-000000000001"


def superblock(*, sectors: int, chunk: int = 1024, features: int = 1, resynced: int = 2**64 - 1) -> bytes:
    """A superblock as md writes it, with a checksum."""
    made = bytearray(4096)
    struct.pack_into("<III", made, 0, 0xA92B4EFC, 1, features)
    struct.pack_into("<QII", made, 80, sectors, chunk, 3)
    struct.pack_into("<QQ", made, 128, 262144, 7_813_000_000)
    struct.pack_into("<Q", made, 152, 123_456)
    struct.pack_into("<Q", made, 208, resynced)
    struct.pack_into("<I", made, 220, 129)  # an odd number of roles: the last two bytes count alone
    for role in range(129):
        struct.pack_into("<H", made, 256 + 2 * role, role)
    struct.pack_into("<I", made, 216, checksum(bytes(made)))
    return bytes(made)


def checksum(content: bytes) -> int:
    """As calc_sb_1_csum of the kernel: words of four bytes, then two, folded once."""
    made = bytearray(content)
    made[216:220] = bytes(4)
    roles = struct.unpack_from("<I", made, 220)[0]
    size = 256 + 2 * roles
    total, at = 0, 0
    while size - at >= 4:
        total += struct.unpack_from("<I", made, at)[0]
        at += 4
    if size - at == 2:
        total += struct.unpack_from("<H", made, at)[0]
    return ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF


def test_a_member_is_made_small_and_nothing_else_of_its_superblock_changes() -> None:
    old = superblock(sectors=7_812_000_000)
    new = REHEARSER.lessened(old, MEMBER_BYTES)
    assert struct.unpack_from("<Q", new, 80)[0] == MEMBER_BYTES // SECTOR
    assert struct.unpack_from("<I", new, 216)[0] == checksum(new)
    assert [
        at for at in range(4096) if old[at] != new[at] and not 80 <= at < 88 and not 216 <= at < 220
    ] == []


def test_a_size_is_whole_chunks_and_what_was_half_synced_begins_again() -> None:
    old = superblock(sectors=7_812_000_000, chunk=2 * 1024 * 1000, features=3, resynced=5_000_000)
    new = REHEARSER.lessened(old, 1500 * MIB)
    assert struct.unpack_from("<Q", new, 80)[0] == 2_048_000
    assert struct.unpack_from("<Q", new, 152)[0] == 0
    assert struct.unpack_from("<Q", new, 208)[0] == 0


def test_raid0_never_syncs_and_stays_as_it_is() -> None:
    old = superblock(sectors=0)
    assert REHEARSER.lessened(old, MEMBER_BYTES) == old


@pytest.mark.parametrize("content", [bytes(4096), superblock(sectors=9, features=4)])
def test_a_member_that_changed_meanwhile_is_not_patched(content: bytes) -> None:
    with pytest.raises(BadInput, match="changed while it was copied"):
        REHEARSER.lessened(content, MEMBER_BYTES)


def recorded(name: str) -> Machine:
    return load_machine(str(MACHINES / f"{name}.json"))


def with_superblocks(**changes: object) -> Machine:
    """The recording of a RAID5 at /srv/tank, with the superblocks of its members."""
    machine = recorded("raid5-clean")
    (array,) = machine.arrays
    made = tuple(
        machines.superblock(slot, path=member.path, uuid=array.uuid, **changes)
        for slot, member in enumerate(array.members)
    )
    return replace(machine, superblocks=made)


def removal(machine: Machine, word: str = "tank") -> Plan:
    return make_teardown(word, machine, seed=SEED)


def test_every_disk_of_the_unit_is_copied_and_its_filesystem_is_made_anew() -> None:
    machine = with_superblocks()
    what = involved(removal(machine), machine)
    check_units(what, machine)
    assert [disk.serial for disk in what.disks] == ["LAB-0001", "LAB-0002", "LAB-0003", "LAB-0004"]
    assert [unit.name for unit in what.units] == ["tank"]
    script = made_anew("", filesystems(what))
    assert "mkfs.ext4 -q -F -L tank -U 6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f001 /dev/md/tank" in script
    assert "mount /dev/md/tank /srv/tank" in script
    said = "; ".join(limits(what))
    assert "the size of tank: each member holds 403 MB (384 MiB)" in said
    assert "the files of tank: 1 filesystem made anew" in said


def test_the_place_of_a_superblock_follows_its_version() -> None:
    for version, at in (
        ("1.2", lambda _: 4 * KIB),
        ("1.1", lambda _: 0),
        ("1.0", lambda size: size - 8 * KIB),
    ):
        machine = with_superblocks(metadata=version)
        (unit,) = involved(removal(machine), machine).units
        places = REHEARSER.places(unit, machine)
        sizes = {disk.path: disk.size_bytes for disk in machine.disks}
        assert len(places) == 4
        for path, (offset, length) in places.items():
            assert length == 4 * KIB
            assert 0 <= at(sizes[path]) - offset < 4 * KIB


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"metadata": "0.90"}, "superblocks of version 0.90"),
        ({"reshaping": True}, "in a reshape"),
        ({"journal": True}, "has a journal"),
    ],
)
def test_an_array_that_its_copies_would_not_be_is_refused(changes: dict[str, object], why: str) -> None:
    machine = with_superblocks(**changes)
    with pytest.raises(Refused, match=why):
        check_units(involved(removal(machine), machine), machine)


def test_superblocks_that_were_not_read_are_not_taken_for_none() -> None:
    machine = recorded("raid5-clean")
    with pytest.raises(Refused, match="could not be read"):
        check_units(involved(removal(machine), machine), machine)


def test_arrays_of_arrays_are_not_there() -> None:
    machine = recorded("raid0-over-raid1")
    with pytest.raises(Refused, match=r"the lab cannot have .* lies on arrays"):
        check_units(involved(removal(machine, "top"), machine), machine)


def remade(name: str, contents: Mapping[str, bytes] | None = None) -> str:
    """The script that makes the unit tank of a recording anew."""
    machine = recorded(name)
    (unit,) = (one for one in units_of(machine) if one.name == "tank")
    rehearser = find_rehearser(unit.backend)
    assert rehearser is not None
    assert rehearser.why_not(unit, machine) == ""
    return rehearser.remake(unit, machine, contents or {}, MEMBER_BYTES)


def test_a_btrfs_is_made_anew_over_the_same_devices_and_mounted_where_it_is() -> None:
    made = remade("btrfs-raid1").splitlines()
    link = "/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-000"
    devices = " ".join(f"{link}{number}-part1" for number in (1, 2, 3))
    assert made[:2] == [
        f"wipefs --all --quiet {devices}",
        "mkfs.btrfs --quiet --force --uuid 4e2c5cd4-62a7-4e7a-8f98-e7d3e48d43fe --label tank "
        f"--data raid1 --metadata raid1c3 {devices}",
    ]
    assert made[-1] == f"mount {link}1-part1 /srv/tank"


def test_a_missing_device_of_a_btrfs_is_a_loop_device_until_it_is_mounted() -> None:
    made = remade("states/btrfs-device-missing").splitlines()
    (attach,) = (at for at, line in enumerate(made) if "losetup --find" in line)
    (detach,) = (at for at, line in enumerate(made) if "losetup --detach" in line)
    (make,) = (at for at, line in enumerate(made) if line.startswith("mkfs.btrfs"))
    assert attach < make < detach
    assert "truncate -s 268435456" in made[attach]
    assert made[-1] == "mount -o degraded /dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0001 /srv/tank"


def test_a_number_that_no_device_has_any_more_and_mounted_subvolumes_are_made_too() -> None:
    machine = recorded("btrfs-raid1")
    reading = reading_in(machine)
    assert reading is not None
    (found,) = reading.filesystems
    moved = (found.devices[0], replace(found.devices[1], devid=4), found.devices[2])
    kept = {"btrfs": BtrfsReading(filesystems=(replace(found, devices=moved),))}
    (place,) = (one for one in machine.mounts if one.target == "/srv/tank")
    mounts = tuple(
        replace(one, options="rw,subvol=/@/photos") if one is place else one for one in machine.mounts
    )
    machine = replace(machine, readings=kept, mounts=mounts)
    (unit,) = (one for one in units_of(machine) if one.name == "tank")
    rehearser = find_rehearser(unit.backend)
    assert rehearser is not None
    made = rehearser.remake(unit, machine, {}, MEMBER_BYTES)
    assert 'btrfs device remove "$devid_2" /run/raidtui-top' in made
    assert "btrfs subvolume create /run/raidtui-top/@/photos" in made
    assert "mount -o subvol=/@/photos" in made


def test_a_pool_is_created_anew_with_its_datasets_and_offline_devices() -> None:
    link = "/dev/disk/by-id/ata-RAIDTUI_LAB_SATA_LAB-000"
    devices = " ".join(f"{link}{number}-part1" for number in (1, 2, 3))
    made = remade("states/zfs-not-mounted").splitlines()
    assert made[0] == f"zpool create -f -o ashift=12 -O canmount=on -m /srv/tank tank raidz1 {devices}"
    assert "zfs create -o canmount=noauto -o mountpoint=legacy tank/legacy" in made
    assert made.index("zfs create -o canmount=noauto -o mountpoint=/srv/tank/mail tank/mail") < made.index(
        "zfs create -o canmount=noauto -o mountpoint=/srv/tank/mail/archive tank/mail/archive"
    )
    made = remade("states/zfs-offline").splitlines()
    assert made[0].endswith(f"tank raidz1 {devices} spare {link}4-part1")
    assert made[-1] == f"zpool offline tank {link}2-part1"


def test_a_missing_device_of_a_pool_is_a_file_until_the_pool_is_imported() -> None:
    made = remade("states/zfs-missing").splitlines()
    file, link = "/run/raidtui-missing-0", "/dev/disk/by-id/ata-RAIDTUI_LAB_SATA_LAB-000"
    assert made[0] == f"truncate -s 526385152 {file}"
    assert f"{link}1-part1 {file} {link}3-part1" in made[1]
    assert made[2:4] == ["zpool export tank", f"rm {file}"]
    assert made[4] == f"zpool import -d {link}1-part1 -d {link}3-part1 -d {link}4-part1 tank"


def test_what_the_lab_cannot_give_a_pool_again_is_named_in_the_same_order() -> None:
    for name in ("zfs-well", "zfs-missing"):
        machine = recorded(f"states/{name}")
        (unit,) = (one for one in units_of(machine) if one.name == "tank")
        rehearser = find_rehearser(unit.backend)
        assert rehearser is not None
        assert rehearser.identifiers(unit, machine) == (
            "7706202332129805049", "9925296924889404159", "10107448518876089926", "11054668622450105093",
            "4563412324098424456",
        )  # fmt: skip


def test_a_pool_that_holds_the_system_is_not_mounted_over_that_of_the_lab() -> None:
    machine = recorded("states/zfs-not-mounted")
    report = pools_in(machine)
    assert report is not None
    moved = tuple(
        replace(one, mountpoint="/" if one.name == "tank" else one.mountpoint) for one in report.datasets
    )
    machine = replace(machine, readings={"zfs": replace(report, datasets=moved)})
    (unit,) = (one for one in units_of(machine) if one.name == "tank")
    rehearser = find_rehearser(unit.backend)
    assert rehearser is not None
    assert " -m none tank " in rehearser.remake(unit, machine, {}, MEMBER_BYTES)


def test_a_group_is_restored_with_short_volumes_before_anything_starts_them() -> None:
    machine = recorded("lvm-raid5")
    (unit,) = (one for one in units_of(machine) if one.name == "tank")
    rehearser = find_rehearser(unit.backend)
    assert rehearser is not None
    places = rehearser.places(unit, machine)
    assert dict(places) == dict.fromkeys(["/dev/ubda", "/dev/ubdb", "/dev/ubdc"], (0, MIB))
    known = lvm_reading_in(machine)
    assert known is not None
    uuids = [one.uuid for one in known.known.devices_of(known.known.groups[-1]) if one.path in places]
    text = test_lvm_metadata.group(*test_lvm_metadata.RAID5)
    for number, uuid in enumerate(uuids[:2]):
        text = text.replace(f"uuid-{number}", uuid)
    content = test_lvm_metadata.head(text)
    assert uuid_in(rehearser.lessened(content, MEMBER_BYTES)) == ""
    made = rehearser.remake(unit, machine, dict.fromkeys(places, content), MEMBER_BYTES)
    assert made.index("pvcreate") < made.index("vgcfgrestore") < made.index("vgchange")
    assert "extent_count = 192" in made
    assert f"pvcreate -qq -ff --yes --uuid {uuids[0]}" in made
    assert "truncate -s 419430400 /run/raidtui-uuid-2" in made, "the third is not here"
    assert made.endswith("vgchange -qq --activate y --activationmode degraded tank")


PV: Final = "/dev/md127"
SEGMENTS: Final = (
    Segment(type="linear", stripes=1, devices=(PV,), size_bytes=2048 * GIB),
    Segment(type="linear", stripes=1, devices=("/dev/md126",), size_bytes=1024 * GIB),
    Segment(type="linear", stripes=1, devices=(PV,), size_bytes=400 * MIB),
)


def test_a_group_on_arrays_is_written_anew_with_segments_that_fill_small_arrays() -> None:
    group = VolumeGroup(
        uuid="G", name="tank", tags=("raidtui-hybrid",), extent_bytes=4 * MIB, system_id="nas"
    )
    devices = [
        PhysicalVolume(
            uuid=f"P{number}", path=path, group="G", size_bytes=9000 * GIB, data_start_bytes=3 * MIB
        )
        for number, path in enumerate((PV, "/dev/md126"))
    ]
    volume = LogicalVolume(uuid="V", name="data", group="G", segments=SEGMENTS, tags=("raidtui",))
    text = written(described(group, [(devices[0], 768 * MIB), (devices[1], 384 * MIB)], [volume]))
    _, found = group_in(parse(text))
    assert (uuid_of(found), found["tags"], found["system_id"]) == ("G", ['"raidtui-hybrid"'], '"nas"')
    small = part(found, "physical_volumes")
    assert [(uuid_of(one), one["pe_count"], one["pe_start"]) for one in small.values()] == [
        ("P0", "191", "6144"),
        ("P1", "95", "6144"),
    ]
    (made,) = part(found, "logical_volumes").values()
    assert [(one["start_extent"], one["extent_count"], one["stripes"]) for one in segments(made)] == [
        ("0", "95", ['"pv0"', "0"]),
        ("95", "95", ['"pv1"', "0"]),
        ("190", "95", ['"pv0"', "95"]),
    ]


def test_a_striped_volume_on_arrays_is_as_short_as_the_shortest_of_them() -> None:
    group = VolumeGroup(uuid="G", name="tank", extent_bytes=4 * MIB)
    devices = [
        PhysicalVolume(uuid=path, path=path, group="G", size_bytes=GIB, data_start_bytes=MIB) for path in "ab"
    ]
    striped = Segment(
        type="striped", stripes=2, devices=("a", "b"), stripe_bytes=64 * KIB, size_bytes=2 * GIB
    )
    volume = LogicalVolume(uuid="V", name="data", group="G", segments=(striped,))
    whole = described(group, [(devices[0], 100 * MIB), (devices[1], 60 * MIB)], [volume])
    (made,) = part(group_in(whole)[1], "logical_volumes").values()
    (segment,) = segments(made)
    assert (segment["extent_count"], segment["stripe_size"]) == ("28", "128")


def test_a_volume_over_bands_has_its_arrays_beneath_it_and_grows_by_a_disk_only() -> None:
    machine = over(SMALL, LARGE, LARGE)
    (array,) = machine.arrays
    found = tuple(
        machines.superblock(slot, path=member.path, uuid=array.uuid)
        for slot, member in enumerate(array.members)
    )
    machine = replace(machine, superblocks=found)
    what = involved(removal(machine), machine)
    assert sorted(unit.backend for unit in what.units) == ["hybrid", "mdadm"]
    check_units(what, machine)
    assert [one.device for one in filesystems(what)] == [], "the array holds only the physical volume"
    (unit,) = (one for one in what.units if one.backend == "hybrid")
    rehearser = find_rehearser(unit.backend)
    assert rehearser is not None
    made = rehearser.remake(unit, machine, {}, MEMBER_BYTES)
    assert made.index("wipefs --all --quiet /dev/md/tank-1") < made.index("vgcfgrestore")
    with_growth(what, Grow(unit=unit.uuid, add=("LAB-0004",)))
    with pytest.raises(Refused, match="all of each new array"):
        with_growth(what, Grow(unit=unit.uuid, to_largest=True))
    alone = replace(machine, arrays=())
    assert "is missing" in rehearser.why_not(unit, alone)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("states/btrfs-single-chunks-left", "several profiles"),
        ("states/btrfs-clone-beside-mounted", "the same superblock"),
        ("states/btrfs-raid0-device-missing", "only on the missing disks"),
        ("states/zfs-special-and-log-gone", "a device of the logs of tank is missing"),
        ("states/zfs-spare-took-over", "a hot spare is in use"),
        ("states/zfs-replacing", "is busy: resilver"),
        ("states/zfs-exported-whole", "is not imported"),
    ],
)
def test_what_a_new_unit_would_not_have_is_refused(name: str, why: str) -> None:
    machine = recorded(name)
    for unit in units_of(machine):
        rehearser = find_rehearser(unit.backend)
        assert rehearser is not None
        assert why in rehearser.why_not(unit, machine)


def test_a_growth_whose_commands_would_differ_is_refused() -> None:
    machine = recorded("lvm-raid5")
    what = involved(removal(machine), machine)
    (unit,) = what.units
    by_a_disk = Grow(unit=unit.uuid, add=("LAB-0004",))
    for order in (by_a_disk, Grow(unit=unit.uuid, to_largest=True)):
        with pytest.raises(
            Refused, match=r"names the size of the volume.*its sync and check take hours.*small disks"
        ):
            with_growth(what, order)
    assert with_growth(Involved(what.disks, (replace(unit, level="raid1"),)), by_a_disk).whole == frozenset()
    linear = Involved(what.disks, (replace(unit, level="linear"),))
    for order in (by_a_disk, Grow(unit=unit.uuid, to_largest=True)):
        grown = with_growth(linear, order)
        assert grown.whole == {unit.uuid}
        assert not any(line.startswith("the size of") for line in limits(grown))
    array = with_superblocks()
    what = involved(removal(array), array)
    with_growth(what, Grow(unit=what.units[0].uuid, add=("LAB-0004",)))
    with pytest.raises(Refused, match="all the new space"):
        with_growth(what, Grow(unit=what.units[0].uuid, to_largest=True))
