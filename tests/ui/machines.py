"""Machines made by code, for what the lab does not have: many disks, disks in use in every way, failing disks."""

from collections.abc import Sequence

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
from raidtui.model.smart import Smart
from raidtui.model.spec import Backend
from raidtui.model.superblock import Superblock
from raidtui.model.system import ConfiguredArray, System
from raidtui.model.unit import Health, Unit, UnitMember
from raidtui.model.units import MIB

TB = 10**12
DISK_4TB = 4_000_787_030_016
DISK_2TB = 2_000_398_934_016

SYSTEM = System(
    hostname="nas",
    kernel="6.1.0-32-amd64",
    memory_bytes=16 * 1024**3,
    processors=4,
    systemd=True,
    initramfs="update-initramfs",
)

TOOLS = {
    "mdadm": "4.2",
    "wipefs": "2.38.1",
    "sfdisk": "2.38.1",
    "mkfs.ext4": "1.47.0",
    "mkfs.xfs": "6.1.0",
    "mkfs.btrfs": "6.2",
    "smartctl": "7.3",
    "fio": "3.33",
}


def letters(number: int) -> str:
    """The letters in the kernel name of disk ``number``: a … z, aa, ab …"""
    first, second = divmod(number, 26)
    return (chr(96 + first) if first else "") + chr(97 + second)


def disk(number: int, **changes: object) -> Disk:
    """A blank, healthy 4 TB disk with a unique serial number."""
    name = f"sd{letters(number)}"
    serial = f"WD-WCC7K{number + 11:04d}"
    made = Disk(
        name=name,
        path=f"/dev/{name}",
        device_number=f"8:{16 * number}",
        size_bytes=DISK_4TB,
        serial=serial,
        wwn=f"0x50014ee2b{number + 11:07x}",
        by_id=(f"wwn-0x50014ee2b{number + 11:07x}", f"ata-WDC_WD40EFRX-68N32N0_{serial}"),
        model="WDC WD40EFRX-68N32N0",
        firmware="82.00A82",
        transport="sata",
        physical_sector_bytes=4096,
        smart=Smart(
            passed=True,
            temperature_celsius=31,
            power_on_hours=8760,
            reallocated_sectors=0,
            pending_sectors=0,
            uncorrectable_sectors=0,
            crc_errors=0,
            erc_read_deciseconds=70,
            erc_write_deciseconds=70,
        ),
    )
    return msgspec.structs.replace(made, **changes)


def taken(made: Disk, *claims: Claim, **changes: object) -> Disk:
    """The same disk with claims on it."""
    return msgspec.structs.replace(made, free=not claims, taken_by=claims, **changes)


def system_disk(number: int) -> Disk:
    """The system disk."""
    made = disk(
        number,
        model="Samsung SSD 870 EVO 500GB",
        serial="S5Y1NJ0R412345K",
        size_bytes=500_107_862_016,
        rotational=False,
        partition_table="gpt",
    )
    root = Partition(
        name=f"{made.name}1",
        path=f"{made.path}1",
        number=1,
        start_bytes=1024**2,
        size_bytes=499_000_000_000,
        signatures=(Signature(device=f"{made.path}1", offset=1080, type="ext4", uuid="8e9c"),),
        mountpoints=("/",),
    )
    return taken(
        made,
        Claim(
            what=ClaimKind.SYSTEM,
            weight=Weight.SYSTEM,
            device=f"{made.path}1",
            detail="the running system: mounted at /",
            how_to_free="cannot be freed while this system runs; boot from another disk",
        ),
        partitions=(root,),
    )


def in_use(made: Machine) -> Machine:
    """The same machine, with the members of its arrays in use."""
    of = {member.disk: array for array in made.arrays for member in array.members}
    disks = tuple(
        taken(
            one,
            Claim(
                what=ClaimKind.ARRAY,
                weight=Weight.BUSY,
                device=f"{one.path}1",
                detail=f"member of the running array {of[one.serial].name} ({of[one.serial].node})",
                how_to_free=f"raidtui teardown {of[one.serial].name}",
            ),
        )
        if one.serial in of
        else one
        for one in made.disks
    )
    return msgspec.structs.replace(made, disks=disks)


def photos_disk(number: int) -> Disk:
    """A 2 TB disk with an unused ext4 filesystem: it can be chosen, and would be erased."""
    made = disk(number, size_bytes=DISK_2TB, serial="Z1E0PHOTO", model="ST2000DM001-1CH164")
    signature = Signature(device=f"{made.path}1", offset=1080, type="ext4", label="photos", uuid="1c4d")
    part = Partition(
        name=f"{made.name}1",
        path=f"{made.path}1",
        number=1,
        start_bytes=1024**2,
        size_bytes=1_800_000_000_000,
        signatures=(signature,),
    )
    return taken(
        made,
        Claim(
            what=ClaimKind.FILESYSTEM,
            weight=Weight.DATA,
            device=f"{made.path}1",
            detail="ext4 'photos' 1.80 TB",
            how_to_free="",
        ),
        partition_table="gpt",
        partitions=(part,),
    )


def machine(
    disks: Sequence[Disk] = (), arrays: Sequence[Array] = (), mounts: Sequence[Mount] = ()
) -> Machine:
    """A machine with exactly these disks and arrays, which its mdadm.conf names."""
    return Machine(
        read_at="2026-11-21T04:00:00Z",
        system=with_lines(arrays),
        tools=TOOLS,
        disks=tuple(disks),
        arrays=tuple(arrays),
        mounts=tuple(mounts),
    )


def with_lines(arrays: Sequence[Array]) -> System:
    """A system with an ARRAY line for each array."""
    texts = [f"ARRAY /dev/md/{one.name} UUID={one.uuid.replace('-', ':')}" for one in arrays if one.uuid]
    entries = tuple(ConfiguredArray(text=one, file=SYSTEM.mdadm_conf, lines=(one,)) for one in texts)
    return msgspec.structs.replace(SYSTEM, mdadm_conf_entries=entries)


def four_disks() -> Machine:
    """The home NAS: a system disk and four blank disks of the same model."""
    return machine([system_disk(0), *(disk(number) for number in range(1, 5))])


def no_disks() -> Machine:
    """Only the system disk."""
    return machine([system_disk(0)])


def many_disks() -> Machine:
    """24 disks in a shelf, and the system disk."""
    return machine([system_disk(0), *(disk(number) for number in range(1, 25))])


def taken_disks() -> Machine:
    """A disk for each kind of claim."""

    def claim(what: ClaimKind, weight: Weight, device: str, detail: str, how_to_free: str) -> Claim:
        return Claim(what=what, weight=weight, device=device, detail=detail, how_to_free=how_to_free)

    busy = Weight.BUSY
    return machine(
        [
            system_disk(0),
            taken(
                disk(1),
                claim(ClaimKind.MOUNT, busy, "/dev/sdb1", "mounted at /srv/photos", "umount /srv/photos"),
            ),
            taken(disk(2), claim(ClaimKind.SWAP, busy, "/dev/sdc2", "swap in use", "swapoff /dev/sdc2")),
            taken(
                disk(3),
                claim(
                    ClaimKind.ARRAY,
                    busy,
                    "/dev/sdd",
                    "member of the running array tank (/dev/md127)",
                    "raidtui teardown tank",
                ),
            ),
            taken(
                disk(4),
                claim(
                    ClaimKind.LVM,
                    busy,
                    "/dev/sde",
                    "physical volume of the group vg0",
                    "vgchange -an vg0, then vgreduce vg0 /dev/sde",
                ),
            ),
            taken(
                disk(5, serial="", wwn="", by_id=(), model="", removable=True, size_bytes=0, transport="usb"),
                claim(ClaimKind.NO_MEDIA, Weight.UNUSABLE, "/dev/sdf", "no medium", "insert a medium"),
            ),
            photos_disk(6),
            disk(7),
            disk(8, smart=Smart(passed=False, pending_sectors=24, reallocated_sectors=112)),
        ]
    )


def long_names() -> Machine:
    """Very long models, serials and labels, with letters that no console font has."""
    strange = taken(
        disk(
            2,
            model="Généric 超大容量 Enterprise Storage Drive Model 9000 Limited Edition",
            serial="0123456789ABCDEF0123456789ABCDEF",
        ),
        Claim(
            what=ClaimKind.FILESYSTEM,
            weight=Weight.DATA,
            device="/dev/sdc",
            detail="xfs '[bold]родительские фотографии с дачи, всё что было[/bold]' 3.90 TB",  # noqa: RUF001
            how_to_free="",
        ),
    )
    return machine([system_disk(0), disk(1), strange, disk(3, model="[red]x[/red]", serial="S[/]1234567")])


def volume_group(**changes: object) -> Unit:
    """A volume group on four disks with a RAID5 volume, clean and idle."""
    made = Unit(
        backend=Backend.LVM,
        name="pool",
        uuid="HUS7AF-09il-sooR-beO3-8MUg-DeIt-e3DTid",
        marks=("HUS7AF-09il-sooR-beO3-8MUg-DeIt-e3DTid", "da7c7c6b-cb87-540c-ba2f-3112a80428c0"),
        level="raid5",
        size_bytes=12_001_000_000_000,
        path="/dev/pool/data",
        node="/dev/dm-12",
        health=Health.OK,
        state="in sync",
        members=tuple(
            UnitMember(path=f"/dev/sd{letters(n)}1", disk=disk(n).serial, slot=n - 1, state="in sync")
            for n in range(1, 5)
        ),
    )
    return msgspec.structs.replace(made, **changes)


def running_array(**changes: object) -> Array:
    """A RAID5 of four disks, clean and idle."""
    made = Array(
        name="tank",
        node="/dev/md127",
        path="/dev/md/tank",
        uuid="6f1d9b0e-3d5a-4c2b-9a58-0d7c1e2f3a4b",
        level="raid5",
        metadata="1.2",
        size_bytes=12_001_000_000_000,
        component_bytes=4_000_333_000_000,
        chunk_bytes=512 * 1024,
        layout="left-symmetric",
        state="clean",
        raid_disks=4,
        degraded=0,
        consistency="bitmap",
        members=tuple(
            Member(path=f"/dev/sd{letters(n)}1", disk=disk(n).serial, slot=n - 1, state=("in_sync",))
            for n in range(1, 5)
        ),
    )
    return msgspec.structs.replace(made, **changes)


def with_superblock(made: Disk, array: Array) -> Disk:
    """``made`` with one partition, a member of ``array``."""
    part = Partition(
        name=f"{made.name}1",
        path=f"{made.path}1",
        number=1,
        start_bytes=MIB,
        size_bytes=made.size_bytes - 200 * MIB,
        signatures=(
            Signature(device=f"{made.path}1", offset=4096, type="linux_raid_member", uuid=array.uuid),
        ),
    )
    return msgspec.structs.replace(made, partitions=(part,), free=False)


def superblock(slot: int, **changes: object) -> Superblock:
    """The superblock of a member of `running_array`."""
    array = running_array()
    made = Superblock(
        path=f"/dev/sd{'abcdefgh'[slot + 1]}1",
        metadata="1.2",
        uuid=array.uuid,
        device=f"{slot}",
        name="nas:tank",
        level="raid5",
        layout=2,
        raid_disks=4,
        created=0,
        events=30,
        bitmap_cleared=20,
        slot=slot,
        active=(0, 1, 2, 3),
    )
    return msgspec.structs.replace(made, **changes)
