"""A block device of the kernel, with all its names and what it lies on. See `raidtui.model.device_graph`."""

import re
from enum import StrEnum
from typing import Final

from raidtui.model.luks import LuksLeft
from raidtui.model.struct import Bytes, Record, Whole

_MADE_OF: Final = re.compile(r"(?P<dm>dm-)|(?P<md>md)|(?P<loop>loop)|(?P<bcache>bcache)|(?P<zvol>zd)\d")
_MEMORY: Final = re.compile(r"(drbd|ram|zram)")


class DeviceKind(StrEnum):
    """What a block device is."""

    DISK = "disk"  # also a virtual drive of a RAID card
    PARTITION = "partition"
    ARRAY = "md"
    VOLUME = "lvm"  # of LVM, hidden layers included
    CRYPT = "crypt"
    MULTIPATH = "multipath"
    MAPPED = "device-mapper"  # any other
    LOOP = "loop"
    BCACHE = "bcache"
    ZVOL = "zvol"
    OTHER = "other"  # optical drives, memory, network block devices


VIEW_MARK: Final = "raidtui-view-"
"""Prefix of the ``dm/uuid`` of a volume of another system that raidtui mapped read-only."""
_MAPPED: Final = (
    ("LVM-", DeviceKind.VOLUME),
    ("CRYPT-", DeviceKind.CRYPT),
    ("mpath-", DeviceKind.MULTIPATH),
)


OVER_ONE: Final = frozenset({DeviceKind.CRYPT, DeviceKind.BCACHE})
"""Devices in place of the one below; others, such as a snapshot or an overlay of a trial, show its superblock again."""
MEMBERS_OVER: Final = OVER_ONE | {DeviceKind.MULTIPATH}
"""Devices that are members in place of the one below, though each path of multipath shows the superblock too."""


class Device(Record, frozen=True, kw_only=True):
    """A block device: whole, a partition, or virtual. Names are the kernel's: ``sda1``, ``md127``, ``dm-0``."""

    name: str
    number: str = ""  # "8:1"; empty if the recording is too old to have it
    kind: DeviceKind
    size_bytes: Bytes = 0
    start_bytes: Bytes = 0  # of a partition: its offset on the disk
    partition: Whole | None = None  # partition number; None for whole devices
    disk: str = ""  # of a partition: the name of its whole device
    partitions: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()  # devices on top of it
    slaves: tuple[str, ...] = ()  # devices below it
    dm_name: str = ""
    dm_uuid: str = ""  # its prefix shows what made it: LVM-, CRYPT-, mpath-
    backing: str = ""  # of a loop device: its file, or the node of a device
    read_only: bool = False  # the kernel refuses writes to it
    autoclear: bool = False  # of a loop device: it goes with its last use
    links: tuple[str, ...] = ()  # its other names under /dev
    type: str = ""  # libblkid's name of what is on it: ext4, linux_raid_member
    cut_bytes: Bytes = 0  # what the filesystem on it has beyond its end, by its own superblock
    unused_bytes: Bytes = 0  # what the filesystem on it leaves unused at its end; 0: little, or not known
    misplaced: bool = (
        False  # of an array or on one: a copy of the superblock of its filesystem is not in its place
    )
    began: str = (
        ""  # of an array or volume without a type: the filesystem that began on it, by a copy, in words …
    )
    began_type: str = ""  # … as libblkid calls it
    began_uuid: str = ""  # … and its UUID
    table: Whole | None = (
        None  # … or its partition table was lost: the partitions in the copy of that, 0 without one
    )
    luks: LuksLeft | None = None  # of an array or volume: its LUKS header, if that was damaged
    label: str = ""
    uuid: str = ""
    partition_label: str = ""
    partition_uuid: str = ""
    swaps: tuple[str, ...] = ()  # what is in use as swap: its node, or files on its filesystem
    exports: tuple[str, ...] = ()  # how the kernel serves it to other computers, in words

    @property
    def path(self) -> str:
        """Its node in /dev."""
        return f"/dev/{self.name}"

    @property
    def folder(self) -> str:
        """Its folder in sysfs, where a ``!`` stands for a ``/``."""
        parts = (self.disk, self.name) if self.disk else (self.name,)
        return "/sys/block/" + "/".join(part.replace("/", "!") for part in parts)

    @property
    def is_virtual(self) -> bool:
        """Whether it is made of other devices, or of memory: never a part of a disk."""
        return is_virtual(self.name)

    @property
    def is_image(self) -> bool:
        """Whether it is a loop device on a file, not on a device."""
        return self.kind is DeviceKind.LOOP and not self.backing.startswith("/dev/")

    @property
    def is_swap(self) -> bool:
        """Whether it is in use as swap itself, not a file on it."""
        return self.path in self.swaps

    @property
    def names(self) -> frozenset[str]:
        """Its node, and every link to it that is known."""
        return frozenset({self.path, *self.links})


def is_virtual(name: str) -> bool:
    """Whether the device with that kernel name is made of others, or of memory."""
    return bool(_MADE_OF.match(name) or _MEMORY.match(name))


def kind_of(name: str, *, is_disk: bool, partition: bool = False, dm_uuid: str = "") -> DeviceKind:
    """What a device is, by its kernel name and the ``dm/uuid`` of a mapped one."""
    if is_disk:
        return DeviceKind.DISK
    if partition:
        return DeviceKind.PARTITION
    match = _MADE_OF.match(name)
    match match.lastgroup if match else None:
        case "md":
            return DeviceKind.ARRAY
        case "loop":
            return DeviceKind.LOOP
        case "bcache":
            return DeviceKind.BCACHE
        case "zvol":
            return DeviceKind.ZVOL
        case "dm":
            return next((kind for prefix, kind in _MAPPED if dm_uuid.startswith(prefix)), DeviceKind.MAPPED)
        case _:
            return DeviceKind.OTHER
