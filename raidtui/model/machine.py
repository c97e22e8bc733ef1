"""One reading of a computer: its disks, each free or taken and by what, its arrays and what plans need to know.

`raidtui inspect --json` prints a `Machine`; ``--machine FILE`` reads one back. Sizes are bytes, rates bytes a
second, times seconds.
"""

from enum import StrEnum
from typing import Any, Final

from msgspec import field

from raidtui.model.errors import BadInput
from raidtui.model.struct import Record
from raidtui.model.system import System
from raidtui.model.uuids import same_uuid


class Weight(StrEnum):
    """How much a claim on a disk weighs."""

    SYSTEM = "system"  # the running system lives on it: no override exists
    BUSY = "busy"  # in use now: must be freed first, `how_to_free` says how
    UNUSABLE = "unusable"  # read-only, no media, zero size, the second path of another disk
    DATA = "data"  # not in use, but something is on it: can be chosen, and would be erased


class ClaimKind(StrEnum):
    """What takes a disk."""

    SYSTEM = "system"
    MOUNT = "mount"
    SWAP = "swap"
    ARRAY = "array"  # member of an assembled md array, running or not
    MD_MEMBER = "md-member"  # md superblock of an array that is not assembled
    LVM = "lvm"
    LUKS = "luks"
    ZFS = "zfs"
    BTRFS = "btrfs"
    BTRFS_POOL = "btrfs-pool"  # one of several devices of a Btrfs filesystem that is not mounted
    BCACHE = "bcache"
    DEVICE_MAPPER = "device-mapper"
    FIRMWARE_RAID = "firmware-raid"
    CARD = "card"  # a RAID card has it: in a virtual drive, as a hot spare, or set aside
    MULTIPATH = "multipath"
    DUPLICATE = "duplicate"  # the same WWN or serial as another disk
    LOOP = "loop"
    PROCESS = "process"
    EXCLUSIVE = "exclusive"  # open(O_EXCL) says busy and nothing else explains it, or the kernel serves it
    READ_ONLY = "read-only"
    NO_MEDIA = "no-media"
    ZERO_SIZE = "zero-size"
    UNREADABLE = (
        "unreadable"  # its first or last bytes cannot be read, so nothing can be said of what is on it
    )
    ZONED = "zoned"
    FILESYSTEM = "filesystem"
    PARTITION_TABLE = "partition-table"
    CONFIGURED = "configured"  # named in fstab, crypttab or mdadm.conf, though not in use now
    SIGNATURE = "signature"  # any other signature that libblkid knows
    UNKNOWN_DATA = "unknown-data"  # no signature that libblkid knows, and yet something is there
    REMAINS = "remains"  # not zero, and nothing leads to it: most likely it was erased


class Claim(Record, frozen=True, kw_only=True):
    """One thing that takes a disk."""

    what: ClaimKind
    weight: Weight
    device: str  # the disk or partition it is about: /dev/sda1
    detail: str  # what exactly: "mounted at /srv/photos"
    how_to_free: str  # a command or an instruction; empty only for DATA, which erasing frees


class Signature(Record, frozen=True, kw_only=True):
    """A signature that libblkid found; ``type`` is its word: ``ext4``, ``linux_raid_member``, ``gpt``."""

    device: str
    offset: int  # bytes from the start of the device
    type: str
    label: str = ""
    uuid: str = ""


class Partition(Record, frozen=True, kw_only=True):
    """A partition as the kernel sees it."""

    name: str  # sda1
    path: str  # /dev/sda1
    number: int
    start_bytes: int
    size_bytes: int
    type: str = ""  # GPT type GUID or MBR type, lower case
    label: str = ""  # GPT partition name
    uuid: str = ""  # PARTUUID
    signatures: tuple[Signature, ...] = ()
    mountpoints: tuple[str, ...] = ()


class Smart(Record, frozen=True, kw_only=True):
    """What the disk says about its own health, from smartctl; ``None`` where it does not say."""

    passed: bool | None = None
    temperature_celsius: int | None = None
    power_on_hours: int | None = None
    reallocated_sectors: int | None = None
    pending_sectors: int | None = None
    uncorrectable_sectors: int | None = None
    reported_uncorrectable: int | None = (
        None  # ATA attribute 187: commands that failed for an unreadable sector
    )
    command_timeouts: int | None = None  # ATA attribute 188
    uncorrected_errors: int | None = None  # SCSI: reads, writes and verifications that failed in the end
    crc_errors: int | None = None
    percentage_used: int | None = None  # wear of flash, as the drive itself reports it
    media_errors: int | None = None  # NVMe
    critical_warning: int | None = None  # NVMe's bit mask; 0: nothing is wrong
    available_spare: int | None = None  # NVMe, percent
    available_spare_threshold: int | None = None  # NVMe, percent: below it the drive is used up
    erc_read_deciseconds: int | None = None  # error-recovery limit; 0 = off
    erc_write_deciseconds: int | None = None
    family: str = ""  # smartmontools' model family; "(SMR)" in it is a drive database's word
    firmware: str = ""
    zoned: str = ""  # zoned_device.capabilities, in smartctl's words
    self_test: str = ""  # result of the last self-test
    failed_test: str = (
        ""  # the newest failure in the log that no later test has answered: its kind, result, hours
    )
    self_test_hours: int | None = None  # power-on hours at its end, of which drives keep the lower 16 bits
    self_tests_logged: int | None = None  # that an ATA drive remembers, 21 at most
    long_test_hours: int | None = None  # power-on hours at the end of the last long one that ended well
    trim_supported: bool | None = None
    farm_hours: int | None = (
        None  # power-on hours by Seagate's FARM log, which resetting SMART does not reset
    )
    assembled: str = ""  # year and week, YYWW, by the same log
    recording: str = ""  # SMR or CMR, by the same log
    rotation_rate: int | None = None  # revolutions a minute; 0 where nothing turns
    link_bits_per_second: int | None = None  # of the SATA link as it is now …
    link_best_bits_per_second: int | None = None  # … and the best that the drive can do
    write_cache: bool | None = None  # whether the drive's own cache of writes is on
    password_set: bool | None = None  # an ATA password: the drive locks itself when it loses power
    power_loss_protected: bool | None = (
        None  # True where the drive tests its capacitors; None where it says nothing
    )
    raw_exit_status: int = 0  # smartctl's bit mask


RAID_CLASS: Final = "0104"


class Controller(Record, frozen=True, kw_only=True):
    """What a disk is connected to: a storage controller on the PCI bus."""

    driver: str = ""  # of the kernel: ahci, mpt3sas, megaraid_sas, nvme, vmd
    pci_class: str = ""  # 0106 SATA, 0107 SAS, 0108 NVMe, `RAID_CLASS` …
    pci_vendor: str = ""  # 8086 Intel
    address: str = ""  # on the PCI bus: 0000:01:00.0


class Card(Record, frozen=True, kw_only=True):
    """A RAID card as the kernel sees it, whether or not a tool for it is installed."""

    driver: str  # of the kernel: megaraid_sas, mpi3mr, aacraid, smartpqi
    address: str  # on the PCI bus: 0000:01:00.0
    vendor: str = ""  # PCI vendor, device and those of the board, four hexadecimal digits each
    device: str = ""
    board_vendor: str = ""
    board: str = ""
    hosts: tuple[int, ...] = ()  # numbers of its SCSI hosts: /dev/bus/0


class Disk(Record, frozen=True, kw_only=True):
    """A whole disk, with everything that can be known of it without writing."""

    name: str  # sda: changes between boots, never identifies
    path: str  # /dev/sda; empty for a drive behind a RAID card, which has no device
    device_number: str  # "8:0"; empty without a device
    size_bytes: int
    serial: str = ""
    wwn: str = ""
    by_id: tuple[str, ...] = ()  # names under /dev/disk/by-id, best first
    model: str = ""
    vendor: str = ""
    firmware: str = ""
    transport: str = ""  # sata, sas, nvme, usb, virtio, ubd …
    logical_sector_bytes: int = 512
    physical_sector_bytes: int = 512
    rotational: bool = True
    zoned: str = "none"  # none, host-aware, host-managed
    removable: bool = False
    read_only: bool = False
    sequence: int = 0  # diskseq: grows with every disk that appears; 0 on kernels without it
    scsi_timeout_seconds: int | None = None  # the kernel's patience with a command
    write_cache: str = (
        ""  # what the kernel believes of the drive's cache: "write back" is flushed, "write through" not
    )
    cache_type: str = ""  # what a SCSI or SATA drive itself said when it appeared
    alignment_offset_bytes: int = 0  # how far its physical sectors are shifted against its logical ones
    controller: Controller | None = None
    port: str = ""  # ata3; disks on one port share its link
    slot: str = ""  # enclosure and slot of a drive behind a RAID card, as the card counts them: "252:3"
    smart_words: tuple[str, ...] = ()  # by which smartctl asks for a drive without a device
    partition_table: str = ""  # gpt, dos or nothing
    partitions: tuple[Partition, ...] = ()
    signatures: tuple[Signature, ...] = ()  # on the whole disk, partition tables included
    smart: Smart | None = None
    free: bool = True  # nothing takes it; `ClaimKind.REMAINS` may be on it
    taken_by: tuple[Claim, ...] = ()

    @property
    def identity(self) -> str:
        """What a person types and a spec names: the serial, else the WWN, else a by-id name, else nothing."""
        return self.serial or self.wwn or (self.by_id[0] if self.by_id else "")

    @property
    def key(self) -> str:
        """What distinguishes it from every other disk of the same reading."""
        return self.path or self.identity

    @property
    def has_device(self) -> bool:
        """Whether the kernel can reach it: what has no device cannot be held, saved or wiped here."""
        return bool(self.device_number)

    @property
    def shown(self) -> str:
        """Where it is: its path, or its slot where it has no device."""
        return self.path or f"slot {self.slot}"

    @property
    def short(self) -> str:
        """The kernel's name, or the slot of a drive that has no device: for a column."""
        return self.name or self.slot

    @property
    def stable_path(self) -> str:
        """The path that still means this disk after a reboot, where udev made one."""
        return f"/dev/disk/by-id/{self.by_id[0]}" if self.by_id else self.path

    @property
    def every_signature(self) -> tuple[Signature, ...]:
        """Those on the disk itself, and those on each of its partitions."""
        return (*self.signatures, *(one for part in self.partitions for one in part.signatures))

    @property
    def every_path(self) -> tuple[str, ...]:
        """The kernel's path of the disk itself, and those of its partitions."""
        return (self.path, *(part.path for part in self.partitions))

    @property
    def choosable(self) -> bool:
        """Whether a plan may use it: whatever is on it is merely data, nothing uses it, nothing forbids it."""
        return all(claim.weight is Weight.DATA for claim in self.taken_by)

    def is_called(self, word: str) -> bool:
        """Whether ``word`` is this disk's serial, WWN (with or without ``0x``) or a by-id name."""
        bare_wwn = self.wwn.lower().removeprefix("0x")
        spoken = word.removeprefix("/dev/disk/by-id/")
        return bool(word) and (
            spoken == self.serial
            or spoken in self.by_id
            or (bool(bare_wwn) and spoken.lower().removeprefix("0x").removeprefix("wwn-0x") == bare_wwn)
        )


class Member(Record, frozen=True, kw_only=True):
    """A device of an array. ``slot`` is md's slot, ``None`` for spares and failed members."""

    path: str  # /dev/sda1
    disk: str = ""  # the identity of the whole disk under it; empty when the device is gone
    slot: int | None = None
    state: tuple[str, ...] = ()  # md's words: in_sync, faulty, spare, write_error, want_replacement …
    errors: int = 0
    offset_bytes: int = 0  # data offset
    size_bytes: int = 0


class LostMember(Record, frozen=True, kw_only=True):
    """A member that an array had and has no more, as the journal of arrays remembers it."""

    path: str  # its node when it was last seen: /dev/sdb1
    disk: str  # the identity of the whole disk
    model: str = ""
    place: str = ""  # where it was connected: "ata3", the slot of an enclosure
    slot: int | None = None  # None for a spare, or a member that had failed
    state: tuple[str, ...] = ()  # md's last words about it: faulty, write_error
    noticed: str = ""  # when it was found missing, ISO 8601, UTC


class Sync(Record, frozen=True, kw_only=True):
    """A resync, recovery, check, repair or reshape under way."""

    action: str  # resync, recover, check, repair, reshape
    done_bytes: int
    total_bytes: int  # of each member for levels 1, 4, 5, 6; of the array for raid10
    bytes_per_second: int  # of the kernel's last half minute
    finish_seconds: int | None = None  # the kernel's own estimate: optimistic on rotating disks
    waiting: str = ""  # "delayed": another array has its turn; "pending": it begins with the first write


class Array(Record, frozen=True, kw_only=True):
    """An md array, assembled or half assembled."""

    name: str  # tank
    node: str  # /dev/md127
    path: str = ""  # /dev/md/tank, when udev made it
    uuid: str = ""  # 8-4-4-4-12, as blkid prints it
    level: str = ""  # raid5; empty when the array is inactive and does not say
    metadata: str = ""
    size_bytes: int = 0
    component_bytes: int = 0
    chunk_bytes: int = 0
    layout: str = ""  # n2, f2, o2; left-symmetric …; empty where the level has none
    state: str = ""  # array_state of the kernel: clean, active, read-auto, inactive, broken …
    raid_disks: int = 0
    degraded: int | None = None  # members missing or rebuilding; None for levels without redundancy
    initial_build: bool = False  # raid4/5/6 being filled for the first time: not a fault
    consistency: str = ""  # bitmap, resync, ppl, journal, none
    bitmap_chunk_bytes: int | None = None
    mismatch_sectors: int | None = None
    checked: bool = False  # the last sync since its start was a check that nobody is known to have stopped
    sync_action: str = "idle"  # idle, frozen, resync, recover, check, repair, reshape
    sync: Sync | None = None
    sync_speed_min: int | None = None  # bytes a second
    sync_speed_max: int | None = None
    members: tuple[Member, ...] = ()
    lost: tuple[LostMember, ...] = ()  # members that are gone and that nobody has acknowledged
    signatures: tuple[Signature, ...] = ()
    unread: str = ""  # why what is on it could not be read; empty where `signatures` are all there is
    mountpoints: tuple[str, ...] = ()

    def is_called(self, word: str) -> bool:
        """Whether ``word`` is this array's name, UUID, node or path."""
        return word in {self.name, self.node, self.path, self.node.removeprefix("/dev/")} or same_uuid(
            word, self.uuid
        )


class Mount(Record, frozen=True, kw_only=True):
    """A mounted filesystem."""

    source: str
    target: str
    type: str
    device_number: str = ""
    options: str = ""


class Machine(Record, frozen=True, kw_only=True):
    """One reading of this computer, at ``read_at``. Never changes: read again to see what changed."""

    version: int = 1  # of this document
    read_at: str = ""  # ISO 8601, UTC
    complete: bool = True  # False when read without root: signatures and O_EXCL could not be looked at
    system: System
    tools: dict[str, str] = field(default_factory=dict)  # name → version; absent tools are absent
    cards: tuple[Card, ...] = ()  # RAID cards
    disks: tuple[Disk, ...] = ()
    arrays: tuple[Array, ...] = ()  # of md
    readings: dict[str, Any] = field(default_factory=dict)  # what other backends read, by their names
    mounts: tuple[Mount, ...] = ()

    def disk(self, word: str) -> Disk:
        """The one disk that ``word`` (serial, WWN or by-id name) means.

        Raises:
            BadInput: no disk is called that, several are, or it is a device name such as ``/dev/sda``.
        """
        found = [disk for disk in self.disks if disk.is_called(word)]
        if len(found) == 1:
            return found[0]
        if found:
            raise BadInput(
                f"{word!r} means several disks ({', '.join(d.path for d in found)}), and none of them can be confirmed by it"
            )
        named = next((d for d in self.disks if word in {d.name, d.path}), None)
        if named is not None:
            raise BadInput(
                f"{word!r} is a device name, and those change between boots; "
                f"name the disk by its serial number: {named.identity or 'it has none'}"
            )
        known = ", ".join(d.identity for d in self.disks if d.identity)
        raise BadInput(f"no disk of this machine is called {word!r}; its disks are {known or 'none'}")

    def array(self, word: str) -> Array:
        """The one array called ``word`` (name, UUID or node).

        Raises:
            BadInput: there is none, or several are called so, as two from two computers may be.
        """
        found = [array for array in self.arrays if array.is_called(word)]
        if len(found) == 1:
            return found[0]
        if found:
            those = ", ".join(f"{a.node} (UUID {a.uuid or 'unknown'})" for a in found)
            raise BadInput(
                f"several arrays are called {word!r}: {those}; name the device or the UUID instead"
            )
        known = ", ".join(a.name for a in self.arrays)
        raise BadInput(f"no array is called {word!r}; the arrays here are {known or 'none'}")
