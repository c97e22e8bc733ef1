"""The kernel's state of a mounted Btrfs: sysfs, and the ioctls of its mount point (uapi/linux/btrfs.h).

This starts no process, so it can be polled every second. Only root can read the progress.
"""

import errno
import os
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fcntl import ioctl
from typing import Final, Protocol
from uuid import UUID

from raidtui.backends.btrfs import chunks
from raidtui.backends.btrfs.chunks import Chunk, distinct, parse_item
from raidtui.backends.btrfs.signs import FOLDER
from raidtui.machine.contents.btrfs_superblock import TARGET
from raidtui.machine.tree import Tree
from raidtui.model.struct import Bytes, Record, Whole

IDLE: Final = "none"  # in exclusive_operation

_WRITE, _READ = 1, 2  # directions of an ioctl, as most processors number them (uapi/asm-generic/ioctl.h)
_KIND: Final = 0x94
_BALANCE_NUMBERS: Final = 16 + 3 * 136  # offset after flags, state and three struct btrfs_balance_args
_SCRUB_NUMBERS: Final = 32
_REPLACE_STATUS: Final = 1
_REPLACING: Final = frozenset({1, 4})  # of replace_state: started, suspended
# struct btrfs_ioctl_search_args: its size, the number of items, the first one, and the head of each.
_SEARCH, _COUNT_AT, _ITEMS_AT, _ITEM_HEAD = 4096, 64, 104, 32
_MANY: Final = 4096  # items at once; as many come as fit
_MOST: Final = 2**64 - 1


class KernelDevice(Record, frozen=True, kw_only=True):
    """A device of a mounted filesystem, sizes in bytes; ``path`` is empty for a missing one."""

    devid: Whole
    path: str
    size_bytes: Bytes
    allocated_bytes: Bytes


class Asks(Protocol):
    """Reads the state of a mounted filesystem; `Mounted` implements it by ioctl."""

    def devices(self) -> tuple[KernelDevice, ...]:
        """Its devices, by devid."""

    def scrubbed(self, devid: int) -> int | None:
        """Bytes of data and metadata that the running scrub has read from a device; None without a scrub."""

    def balanced(self) -> float | None:
        """The progress of the running or paused balance, 0 to 1; None without one."""

    def replaced(self) -> float | None:
        """The progress of the running or suspended replace, 0 to 1; None without one."""


class Mounted:
    """An open handle to the filesystem mounted at a directory.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, mountpoint: str) -> None:
        self._fd = os.open(mountpoint, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @property
    def uuid(self) -> str:
        return str(UUID(bytes=self._ask(_READ, 31, 1024)[16:32]))

    def close(self) -> None:
        os.close(self._fd)

    def devices(self) -> tuple[KernelDevice, ...]:
        """Its devices, by devid."""
        last, _ = struct.unpack_from("<QQ", self._ask(_READ, 31, 1024))
        found = []
        for devid in range(1, last + 1):
            with suppress(OSError):  # the devid of a removed device
                answer = self._ask(_READ | _WRITE, 30, 4096, devid)
                allocated, size = struct.unpack_from("<QQ", answer, 24)
                path = answer[3072:].partition(b"\0")[0].decode(errors="replace")
                found.append(
                    KernelDevice(
                        devid=devid,
                        path=path if path.startswith("/") else "",  # newer kernels mark a missing device here
                        size_bytes=size,
                        allocated_bytes=allocated,
                    )
                )
        return tuple(found)

    def chunks(self) -> tuple[Chunk, ...]:
        """Every kind of chunk once; empty if they cannot be read."""
        found: list[Chunk] = []
        start = 0
        while True:
            answer = bytearray(_SEARCH)
            struct.pack_into(
                "<7QIII",
                answer,
                0,
                chunks.TREE,
                *(chunks.OBJECT,) * 2,
                start,
                _MOST,
                0,
                _MOST,
                *(chunks.ITEM,) * 2,
                _MANY,
            )
            try:
                self._call(_READ | _WRITE, 17, answer)
            except OSError:
                return ()
            (count,) = struct.unpack_from("<I", answer, _COUNT_AT)
            if not count:
                return distinct(found)
            at = _ITEMS_AT
            for _ in range(count):
                _, _, start, _, size = struct.unpack_from("<QQQII", answer, at)
                at += _ITEM_HEAD
                one = parse_item(bytes(answer[at : at + size]))
                if one is None:
                    return ()
                found.append(one)
                at += size
            start += 1

    def scrubbed(self, devid: int) -> int | None:
        """Bytes of data and metadata that the running scrub has read from a device; None without a scrub."""
        answer = self._try(_READ | _WRITE, 29, 1024, devid)
        return None if answer is None else sum(struct.unpack_from("<4Q", answer, _SCRUB_NUMBERS)[2:])

    def balanced(self) -> float | None:
        """The progress of the running or paused balance, 0 to 1; None without one."""
        answer = self._try(_READ, 34, 1024)
        if answer is None:
            return None
        expected, _, completed = struct.unpack_from("<QQQ", answer, _BALANCE_NUMBERS)
        return min(1.0, completed / expected) if expected else 0.0

    def replaced(self) -> float | None:
        """The progress of the running or suspended replace, 0 to 1; None without one."""
        answer = self._try(_READ | _WRITE, 53, 2600, _REPLACE_STATUS)
        if answer is None:
            return None
        state, thousandths = struct.unpack_from("<QQ", answer, 16)
        return thousandths / 1000 if state in _REPLACING else None

    def _try(self, direction: int, number: int, size: int, first: int = 0) -> bytes | None:
        try:
            return self._ask(direction, number, size, first)
        except OSError as error:
            if error.errno in {errno.ENOTCONN, errno.EPERM, errno.EACCES, errno.ENODEV}:
                return None
            raise

    def _ask(self, direction: int, number: int, size: int, first: int = 0) -> bytes:
        answer = bytearray(size)
        struct.pack_into("<Q", answer, 0, first)
        self._call(direction, number, answer)
        return bytes(answer)

    def _call(self, direction: int, number: int, record: bytearray) -> None:
        ioctl(self._fd, direction << 30 | len(record) << 16 | _KIND << 8 | number, record)


class Allocation(Record, frozen=True, kw_only=True):
    """The chunks of one type: ``data``, ``metadata`` or ``system``. Sizes in bytes."""

    profiles: tuple[str, ...]  # several while a balance converts, or after running with a missing disk
    disk_used_bytes: Bytes  # including all copies


def read_allocation(uuid: str, kind: str, tree: Tree) -> Allocation:
    """Read the chunks of type ``kind`` of a mounted filesystem."""
    folder = f"{FOLDER}/{uuid}/allocation/{kind}"
    names = [name for name in tree.names(folder) if tree.exists(f"{folder}/{name}/total_bytes")]
    used = [name for name in names if tree.number(f"{folder}/{name}/used_bytes") != 0]
    return Allocation(
        profiles=tuple(used or names),  # older mkfs.btrfs left empty chunks of others
        disk_used_bytes=tree.number(f"{folder}/disk_used") or 0,
    )


def read_metadata_room(uuid: str, tree: Tree) -> tuple[int, int]:
    """Bytes of the metadata chunks, without copies, and how many are used or reserved by the kernel; 0: not known."""
    folder = f"{FOLDER}/{uuid}/allocation"
    size = tree.number(f"{folder}/metadata/total_bytes")
    used = tree.number(f"{folder}/metadata/bytes_used")
    reserve = tree.number(f"{folder}/global_rsv_size")
    return (0, 0) if size is None or used is None or reserve is None else (size, used + reserve)


def read_errors(uuid: str, devid: int, tree: Tree) -> Mapping[str, int]:
    """Read the error counts of a device by kind, without zeros (since Linux 5.14)."""
    found = {}
    for line in tree.lines(f"{FOLDER}/{uuid}/devinfo/{devid}/error_stats"):
        kind, _, count = line.partition(" ")
        if count.strip().isdigit() and int(count):
            found[kind.removesuffix("_errs")] = int(count)
    return found


def is_missing(uuid: str, devid: int, tree: Tree) -> bool:
    """Whether the device is missing from the mounted filesystem."""
    return tree.number(f"{FOLDER}/{uuid}/devinfo/{devid}/missing") == 1


def devids_of(uuid: str, tree: Tree) -> tuple[int, ...]:
    """The numbers of its devices, missing ones included, as any user may see them (since Linux 5.6); else empty."""
    return tuple(sorted(int(name) for name in tree.names(f"{FOLDER}/{uuid}/devinfo") if name.isdigit()))


def counts_errors(uuid: str, devid: int, tree: Tree) -> bool:
    """Whether any user may see the error counts of a device (since Linux 5.14)."""
    return bool(tree.lines(f"{FOLDER}/{uuid}/devinfo/{devid}/error_stats"))


def read_scrub_limit(uuid: str, devid: int, tree: Tree) -> int | None:
    """Read the limit of a scrub on a device, bytes a second; 0: no limit; None before Linux 5.14."""
    return tree.number(f"{FOLDER}/{uuid}/devinfo/{devid}/scrub_speed_max")


class Running(Record, frozen=True, kw_only=True):
    """The running operation of a filesystem. ``fraction`` is None if the kernel does not report progress."""

    what: str  # scrub, balance, replace, device remove …
    fraction: float | None = None
    paused: bool = False
    done_bytes: Bytes = 0
    total_bytes: Bytes = 0
    target_gone: bool = False  # of a paused replacement: the new disk is not here


def read_running(uuid: str, asks: Asks, devids: Sequence[int], tree: Tree) -> Running | None:
    """Read the running operation of a mounted filesystem; None if it is idle."""
    words = tree.text(f"{FOLDER}/{uuid}/exclusive_operation") or IDLE
    if words.startswith("balance"):
        return Running(what="balance", fraction=asks.balanced(), paused=words != "balance")
    if words == "device replace":
        return Running(what="replace", fraction=asks.replaced())
    if words != IDLE:
        return Running(what=words)
    # One that a power cut interrupted waits for a writable mount with both disks. Not one that has just begun, or ended.
    if (far := asks.replaced()) is not None and (
        tree.text(f"{FOLDER}/{uuid}/exclusive_operation") or IDLE
    ) == IDLE:
        here = devids_of(uuid, tree)
        return Running(
            what="replace", fraction=far, paused=True, target_gone=bool(here) and TARGET not in here
        )
    done = [read for devid in devids if (read := asks.scrubbed(devid)) is not None]
    if not done:
        return None
    total = sum(read_allocation(uuid, kind, tree).disk_used_bytes for kind in ("data", "metadata", "system"))
    fraction = min(1.0, sum(done) / total) if total else None
    return Running(what="scrub", fraction=fraction, done_bytes=min(sum(done), total), total_bytes=total)


class Unopened:
    """Stands for a mount that cannot be opened: the progress of what runs in it is not known."""

    def devices(self) -> tuple[KernelDevice, ...]:
        return ()

    def scrubbed(self, devid: int) -> int | None:
        return None

    def balanced(self) -> float | None:
        return None

    def replaced(self) -> float | None:
        return None


def opened_at(mountpoints: Sequence[str], uuid: str) -> Mounted | None:
    """Open the filesystem with this UUID at the first mount point that has it; None if none does."""
    for mountpoint in mountpoints:
        with suppress(OSError):
            found = Mounted(mountpoint)
            if _is(found, uuid):
                return found
            found.close()
    return None


def _is(found: Mounted, uuid: str) -> bool:
    try:
        return found.uuid == uuid
    except OSError:  # not a Btrfs
        return False
