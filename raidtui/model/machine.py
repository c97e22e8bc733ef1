"""One reading of a computer: its disks and what takes each, its arrays, and whatever else a plan needs.

`raidtui inspect --json` prints it; ``--machine FILE`` reads it back. Sizes are bytes, times seconds, rates per second.
"""

from enum import StrEnum
from typing import Annotated, Any, Final

from msgspec import Meta, field

from raidtui.model.alerts import AlertsHere
from raidtui.model.controller import Controller
from raidtui.model.device import Device
from raidtui.model.disk_names import is_called, the_one_called
from raidtui.model.errors import BadInput
from raidtui.model.history import History
from raidtui.model.lost import LostMember
from raidtui.model.problem import Problem
from raidtui.model.recovery_trial import RecoveryTrial
from raidtui.model.smart import Smart
from raidtui.model.struct import Bytes, Count, Record, Sector, Whole
from raidtui.model.superblock import Superblock
from raidtui.model.system import System
from raidtui.model.table_before import TableBefore
from raidtui.model.text import in_order
from raidtui.model.unit_names import is_unit_called, shown_name


class Weight(StrEnum):
    """How serious a claim on a disk is."""

    SYSTEM = "system"  # the running system is on it: cannot be overridden
    BUSY = "busy"  # in use now: must be freed first, see `how_to_free`
    UNUSABLE = "unusable"  # read-only, no media, zero size, the second path of another disk
    DATA = "data"  # not in use, but not blank: can be chosen, and would be erased


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
    CARD = "card"  # used by a RAID card: in a virtual drive, as a hot spare, or set aside
    MULTIPATH = "multipath"
    DUPLICATE = "duplicate"  # the same WWN or serial as another disk
    LOOP = "loop"
    PROCESS = "process"
    EXCLUSIVE = "exclusive"  # open(O_EXCL) fails with EBUSY for no known reason, or the kernel exports it
    READ_ONLY = "read-only"
    NO_MEDIA = "no-media"
    ZERO_SIZE = "zero-size"
    UNREADABLE = "unreadable"  # its first or last bytes cannot be read, so its contents are unknown
    UNREAD = "unread"  # what uses it could not be read: see `Machine.problems`
    ZONED = "zoned"
    FILESYSTEM = "filesystem"
    PARTITION_TABLE = "partition-table"
    CONFIGURED = "configured"  # named in fstab, crypttab or mdadm.conf, though not in use now
    SIGNATURE = "signature"  # any other signature known to libblkid
    UNKNOWN_DATA = "unknown-data"  # not blank, but without a signature known to libblkid
    OVERWRITTEN = "overwritten"  # data to which a partition table or superblock belongs that is gone
    TABLE_MISFIT = (
        "table-misfit"  # a partition table in other sectors than the disk has here, or for a larger disk
    )
    TABLE_DAMAGED = "table-damaged"  # a partition table of which only the copy at the end is intact
    REMAINS = "remains"  # not all zero, but nothing refers to it: probably erased


UNSEEN: Final = frozenset({ClaimKind.OVERWRITTEN, ClaimKind.TABLE_MISFIT, ClaimKind.TABLE_DAMAGED})
"""Data that something led to which is gone, or does not fit: no signature on the disk shows it."""
UNSIGNED: Final = UNSEEN | {ClaimKind.UNKNOWN_DATA}
"""Data without a signature, but for what was probably erased."""


class Claim(Record, frozen=True, kw_only=True):
    """One thing that takes a disk."""

    what: ClaimKind
    weight: Weight
    device: str  # the disk or partition concerned: /dev/sda1
    detail: str  # what exactly: "mounted at /srv/photos"
    how_to_free: str  # a command or an instruction; empty only for DATA, which is freed by erasing
    unit: str = (
        ""  # UUID of the filesystem that an overwritten disk was in, from a copy; or of what a member is in
    )
    member: str = ""  # UUID of a member that is whole, in a partition whose table is gone
    table: TableBefore | None = None  # that table


class Signature(Record, frozen=True, kw_only=True):
    """A signature found by libblkid; ``type`` is libblkid's name: ``ext4``, ``linux_raid_member``, ``gpt``."""

    device: str
    offset: Whole  # bytes from the start of the device
    type: str
    label: str = ""
    uuid: str = ""


class Partition(Record, frozen=True, kw_only=True):
    """A partition as the kernel sees it."""

    name: str  # sda1
    path: str  # /dev/sda1
    number: Whole
    start_bytes: Bytes
    size_bytes: Bytes
    type: str = ""  # GPT type GUID or MBR type, lower case
    label: str = ""  # GPT partition name
    uuid: str = ""  # PARTUUID
    signatures: tuple[Signature, ...] = ()
    mountpoints: tuple[str, ...] = ()


class Card(Record, frozen=True, kw_only=True):
    """A RAID card as the kernel sees it, whether or not a tool for it is installed."""

    driver: str  # kernel driver: megaraid_sas, mpi3mr, aacraid, smartpqi
    address: str  # on the PCI bus: 0000:01:00.0
    vendor: str = ""  # PCI vendor and device, then subsystem vendor and device; four hexadecimal digits each
    device: str = ""
    board_vendor: str = ""
    board: str = ""
    hosts: tuple[int, ...] = ()  # numbers of its SCSI hosts: 0 for /dev/bus/0


class Disk(Record, frozen=True, kw_only=True):
    """A whole disk, with everything that can be read without writing to it."""

    name: str  # sda: changes between boots, never identifies a disk
    path: str  # /dev/sda; empty for a drive behind a RAID card, which has no device
    device_number: str  # "8:0"; empty without a device
    size_bytes: Bytes
    serial: str = ""
    wwn: str = ""
    by_id: tuple[str, ...] = ()  # names under /dev/disk/by-id, best first
    model: str = ""
    vendor: str = ""
    firmware: str = ""
    transport: str = ""  # sata, sas, nvme, usb, virtio, ubd …
    logical_sector_bytes: Sector = 512
    physical_sector_bytes: Sector = 512
    rotational: bool = True
    zoned: str = "none"  # none, host-aware, host-managed
    removable: bool = False
    read_only: bool = False
    sequence: Whole = 0  # diskseq: grows with every disk that appears; 0 on kernels without it
    scsi_timeout_seconds: Whole | None = None  # how long the kernel waits for a command
    write_cache: str = ""  # queue/write_cache: the kernel flushes "write back", not "write through"
    cache_type: str = ""  # what a SCSI or SATA drive reported when it was attached
    alignment_offset_bytes: Bytes = 0  # offset of its physical sectors from its logical ones
    controller: Controller | None = None
    port: str = ""  # ata3; disks on one port share its link
    slot: str = ""  # enclosure and slot of a drive behind a RAID card, as the card numbers them: "252:3"
    smart_words: tuple[str, ...] = ()  # smartctl arguments that address a drive without a device
    partition_table: str = ""  # gpt, dos or empty
    partitions: tuple[Partition, ...] = ()
    signatures: tuple[Signature, ...] = ()  # on the whole disk, partition tables included
    smart: Smart | None = None
    free: bool = True  # no claims; or only `ClaimKind.REMAINS`
    taken_by: tuple[Claim, ...] = ()

    @property
    def identity(self) -> str:
        """How users and specs name it: the serial, else the WWN, else a by-id name, else empty."""
        return self.serial or self.wwn or (self.by_id[0] if self.by_id else "")

    @property
    def key(self) -> str:
        """A key unique among the disks of one reading."""
        return self.path or self.identity

    @property
    def has_device(self) -> bool:
        """Whether the kernel has a device for it; without one it cannot be locked, saved or wiped here."""
        return bool(self.device_number)

    @property
    def shown(self) -> str:
        """Its path, or its slot if it has no device."""
        return self.path or f"slot {self.slot}"

    @property
    def short(self) -> str:
        """Its kernel name, or its slot if it has no device; for a table column."""
        return self.name or self.slot

    @property
    def place(self) -> str:
        """Where it is connected: its port, or its slot behind a RAID card; empty if that is not known."""
        return self.port or self.slot

    @property
    def stable_path(self) -> str:
        """The path that survives a reboot, preferably without a colon, which LVM splits; else the kernel's."""
        names = sorted(self.by_id, key=lambda name: ":" in name)
        return f"/dev/disk/by-id/{names[0]}" if names else self.path

    @property
    def every_signature(self) -> tuple[Signature, ...]:
        """The signatures on the disk itself and on its partitions."""
        return (*self.signatures, *(one for part in self.partitions for one in part.signatures))

    @property
    def every_path(self) -> tuple[str, ...]:
        """The kernel paths of the disk and its partitions."""
        return (self.path, *(part.path for part in self.partitions))

    @property
    def choosable(self) -> bool:
        """Whether a plan may use it: no claim is heavier than DATA."""
        return all(claim.weight is Weight.DATA for claim in self.taken_by)

    @property
    def to_free(self) -> tuple[str, ...]:
        """What frees it, commands or instructions in order: each works when those before it have been run."""
        return in_order(claim.how_to_free for claim in self.taken_by if claim.weight is not Weight.DATA)

    def is_called(self, word: str) -> bool:
        """Whether ``word`` is this disk's serial, WWN (with or without ``0x``) or a by-id name."""
        return is_called(self, word)

    @property
    def links(self) -> tuple[str, ...]:
        """Its names under /dev/disk/by-id; see `raidtui.model.disk_names`."""
        return self.by_id


class Member(Record, frozen=True, kw_only=True):
    """A member of an md array. ``slot`` is md's slot, ``None`` for spares and failed members."""

    path: str  # /dev/sda1
    disk: str = ""  # the identity of the whole disk under it; empty when the device is gone
    slot: Count | None = None
    state: tuple[str, ...] = ()  # md's words: in_sync, faulty, spare, write_error, want_replacement …
    errors: Whole = 0
    bad_sectors: Whole = 0  # in its list of bad blocks
    offset_bytes: Bytes = 0  # data offset
    moved_to_bytes: Bytes = 0  # where a reshape that has ended put its data, if md reads it elsewhere
    size_bytes: Bytes = 0


class Sync(Record, frozen=True, kw_only=True):
    """A resync, recovery, check, repair or reshape; ``waiting`` for another array, or "pending" till the first write."""

    action: str  # resync, recover, check, repair, reshape
    done_bytes: Bytes
    total_bytes: Bytes  # of each member for levels 1, 4, 5, 6; of the array for raid10
    bytes_per_second: Whole  # over the last 30 seconds
    finish_seconds: Whole | None = None  # the kernel's own estimate: optimistic on rotating disks
    waiting: Annotated[str, Meta(pattern="^(delayed|pending|remote)?$")] = ""


STOPPED: Final = "stopped"  # the state of an array that is known only from the superblocks on its disks


class Array(Record, frozen=True, kw_only=True):
    """An md array, fully or partly assembled, or `STOPPED`."""

    name: str  # tank
    node: str  # /dev/md127; empty if it is stopped
    path: str = ""  # /dev/md/tank, if udev made it
    full_name: str = ""  # with the host that it was made on, as mdadm shows it: nas:tank
    uuid: str = ""  # 8-4-4-4-12, as blkid prints it
    level: str = ""  # raid5; empty if the array is inactive and does not report it
    metadata: str = ""
    size_bytes: Bytes = 0
    component_bytes: Bytes = 0
    chunk_bytes: Bytes = 0
    layout: str = ""  # n2, f2, o2; left-symmetric …; empty if the level has none
    state: str = ""  # md's array_state: clean, active, read-auto, inactive, broken …
    raid_disks: Count = 0
    degraded: Count | None = None  # members missing or rebuilding; None for levels without redundancy
    initial_build: bool = False  # raid4/5/6 during its initial build: not a fault
    consistency: str = ""  # bitmap, lockless (a bitmap), resync, ppl, journal, none
    bitmap_chunk_bytes: Bytes | None = None
    mismatch_sectors: Whole | None = None
    checked: bool = False  # the last sync since assembly was a check, and as far as known it ran to its end
    sync_action: str = "idle"  # idle, frozen, resync, recover, check, repair, reshape
    sync_part: tuple[Whole, Whole | None] = (0, None)  # sectors of a member: a check's first, a sync's last
    sync: Sync | None = None
    sync_speed_min: Whole | None = None  # bytes a second
    sync_speed_max: Whole | None = None
    members: tuple[Member, ...] = ()
    below: tuple[str, ...] = ()  # the nodes of the arrays that its members are on
    volumes: tuple[str, ...] = ()  # of a firmware RAID's container: the nodes of its assembled arrays
    failed: tuple[str, ...] = ()  # of such a container: failed disks, by path, or serial number if not here
    lost: tuple[LostMember, ...] = ()  # missing members not yet acknowledged
    newest: tuple[str, ...] = ()  # if it runs only by force, the members to name to mdadm --assemble --force
    signatures: tuple[Signature, ...] = ()
    unread: str = ""  # why its signatures could not be read; empty if `signatures` is complete
    older: tuple[tuple[str, str], ...] = ()  # without any: members on which something older begins, and what
    mountpoints: tuple[str, ...] = ()

    @property
    def started(self) -> bool:
        """Whether its data can be reached."""
        return self.state not in {"inactive", STOPPED}

    @property
    def shown(self) -> str:
        """Its name for people."""
        return shown_name(self)

    @property
    def md_folder(self) -> str:
        """The folder of md's files in sysfs."""
        return f"/sys/block/{self.node.removeprefix('/dev/')}/md"

    def is_called(self, word: str) -> bool:
        """Whether ``word`` is this array's name, with or without its host, its UUID, node or path."""
        return is_unit_called(self, word)


SHUT_DOWN: Final = "shut down after an error"
"""How `Mount.trouble` begins if no file can be read."""


class Mount(Record, frozen=True, kw_only=True):
    """A mounted filesystem. A mounted Btrfs has a device number of its own; find its device by ``device``."""

    source: str  # as in mountinfo: the word that mount(8) got, which need not be the device
    target: str
    type: str
    root: str = "/"  # what of the filesystem is mounted: a subvolume, the folder of a bind mount
    device: str = ""  # the node of the device, for example /dev/dm-4; empty if it is on none
    device_number: str = ""
    options: str = ""
    trouble: str = ""  # what the kernel says is wrong with it: "read-only since an error"


class MountElsewhere(Record, frozen=True, kw_only=True):
    """A mount in another mount namespace that stays when the same filesystem is unmounted in our own."""

    mount: Mount
    pid: int  # of a process in that namespace
    process: str = ""  # its name


class Machine(Record, frozen=True, kw_only=True):
    """One reading of this computer, at ``read_at``. Immutable: read again to see changes."""

    version: Whole = 1  # of this document
    read_at: str = ""  # ISO 8601, UTC
    complete: bool = True  # False if read without root: signatures and O_EXCL could not be checked
    problems: tuple[Problem, ...] = ()
    system: System
    tools: dict[str, str] = field(default_factory=dict)  # name → version; absent tools are absent
    cards: tuple[Card, ...] = ()  # RAID cards
    disks: tuple[Disk, ...] = ()
    arrays: tuple[Array, ...] = ()  # of md
    superblocks: tuple[Superblock, ...] = ()  # md's on every disk and partition, assembled or not
    readings: dict[str, Any] = field(default_factory=dict)  # readings of the other backends, by backend name
    mounts: tuple[Mount, ...] = ()
    mounts_elsewhere: tuple[MountElsewhere, ...] = ()
    devices: tuple[Device, ...] = ()  # every block device; see `raidtui.model.device_graph`
    history: History | None = None  # None: not read
    alerts: AlertsHere | None = None  # None: not read
    trial: RecoveryTrial | None = None  # None: no recovery trial is recorded

    @property
    def types_found(self) -> frozenset[str]:
        """The types of all signatures on disks and arrays and their partitions, and on what lies on them, such as LUKS."""
        on_disks = (one.type for disk in self.disks for one in disk.every_signature)
        on_arrays = (one.type for array in self.arrays for one in array.signatures)
        return frozenset((*on_disks, *on_arrays, *(one.type for one in self.devices if one.type)))

    def disk(self, word: str) -> Disk:
        """The one disk that ``word`` (serial, WWN or by-id name) names.

        Raises:
            BadInput: no disk or several have that name, or it is a device name such as ``/dev/sda``.
        """
        return the_one_called(word, self.disks)

    def array(self, word: str) -> Array:
        """The one array called ``word`` (name, UUID or node).

        Raises:
            BadInput: there is none, or there are several, such as two arrays from different computers.
        """
        found = [array for array in self.arrays if array.is_called(word)]
        if len(found) == 1:
            return found[0]
        if found:
            those = ", ".join(f"{a.node} (UUID {a.uuid or 'unknown'})" for a in found)
            raise BadInput(f"several arrays are called {word!r}: {those}; give the device or UUID instead")
        known = ", ".join(a.name for a in self.arrays)
        raise BadInput(f"no array is called {word!r}; the arrays here are {known or 'none'}")
