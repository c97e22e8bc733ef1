"""What a directory or a device is on: its mount and the devices below."""

import os
import stat
from pathlib import Path
from typing import Final

from raidtui.machine.blocks import Blocks
from raidtui.machine.mounts import parse_mountinfo
from raidtui.machine.tree import HERE, Tree
from raidtui.model.machine import Mount
from raidtui.model.struct import Record
from raidtui.model.text import harmless

IN_MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
# They overwrite a block in place; others write elsewhere, and more than they were given.
IN_PLACE: Final = frozenset({"", "ext2", "ext3", "ext4", "xfs", "vfat", "exfat"})
_COMPRESSING: Final = frozenset({"zfs", "bcachefs"})  # may compress, whatever the mount options say


class Below(Record, frozen=True, kw_only=True):
    """Block devices by the kernel's names (``md127``)."""

    top: tuple[str, ...] = ()  # the devices the filesystem is on (Btrfs: one or more), or the device itself
    all: tuple[str, ...] = ()  # these and everything below them
    disks: tuple[str, ...] = ()  # the whole devices at the bottom
    rotational: bool = False


def mount_of(descriptor: int, *, tree: Tree = HERE) -> Mount | None:
    """The mount of an open directory, by the kernel's mount ID and not by its path."""
    number = ""
    for line in tree.lines(f"/proc/self/fdinfo/{descriptor}"):
        key, _, value = line.partition(":")
        if key == "mnt_id":
            number = value.strip()
    for line in tree.lines("/proc/self/mountinfo"):
        if number and line.split(" ", 1)[0] == number:
            return next(iter(parse_mountinfo(line)), None)
    return None


def option(mount: Mount, name: str) -> str | None:
    """The value of a mount option, empty if it takes none; ``None`` if it is not set."""
    for word in mount.options.split(","):
        key, _, value = word.partition("=")
        if key == name:
            return value
    return None


def in_memory(mount: Mount) -> str:
    """Why data written to ``mount`` stays in memory; empty if it does not.

    An overlay writes to its upper folder; one whose upper folder cannot be seen is refused too.
    """
    if mount.type in IN_MEMORY:
        return f"a {mount.type}, which is in memory"
    if mount.type == "overlay":
        upper = option(mount, "upperdir")
        if upper is None:
            return "an overlay that nothing can be written to"
        try:
            descriptor = os.open(upper, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return f"an overlay whose upper folder {harmless(upper)} cannot be seen from here"
        try:
            below = mount_of(descriptor)
        finally:
            os.close(descriptor)
        if below is None or below.type == "overlay" or below.type in IN_MEMORY:
            return "an overlay whose upper folder is in memory"
    return ""


def compresses(mount: Mount) -> bool:
    """Whether equal or compressible blocks may take less space there."""
    return mount.type in _COMPRESSING or any(
        key.startswith("compress") and value not in {"no", "none"}
        for key, _, value in (word.partition("=") for word in mount.options.split(","))
    )


def names_under(mount: Mount, device_number: str, blocks: Blocks, *, tree: Tree = HERE) -> tuple[str, ...]:
    """The block devices that the filesystem of ``mount`` is on; none for a network filesystem or if unknown."""
    block = blocks.by_number.get(device_number) or blocks.by_number.get(mount.device_number)
    if block is None:
        # Btrfs and ZFS use device numbers of no disk; the source of the mount names one.
        block = blocks.by_number.get(_number_of(mount.source))
    if block is None:
        return ()
    if mount.type == "btrfs":
        for uuid in tree.names("/sys/fs/btrfs"):
            devices = [name.replace("!", "/") for name in tree.names(f"/sys/fs/btrfs/{uuid}/devices")]
            if block.name in devices:
                return tuple(devices)
    return (block.name,)


def look_below(top: tuple[str, ...], blocks: Blocks, *, tree: Tree = HERE) -> Below:
    """Everything below the devices ``top``."""
    every: dict[str, None] = {}
    waiting = list(top)
    while waiting:
        block = blocks.named(waiting.pop(0))
        if block is None or block.name in every:
            continue
        every[block.name] = None
        waiting += [*([block.disk] if block.disk else []), *block.slaves]
        if (shown := blocks.under_loop(block)) is not None and block.loop_file:
            waiting.append(shown.name)
    found = [block for name in every if (block := blocks.named(name)) is not None]
    disks = frozenset().union(*(blocks.disks_under(block) for block in found)) if found else frozenset()
    return Below(
        top=top,
        all=tuple(every),
        disks=tuple(sorted(disks)),
        rotational=any(tree.text(f"/sys/block/{_entry(name)}/queue/rotational") == "1" for name in disks),
    )


def read_queue(name: str, file: str, *, tree: Tree = HERE) -> str:
    """A setting of a device's queue: ``scheduler``, ``logical_block_size``."""
    return tree.text(f"/sys/block/{_entry(name)}/queue/{file}")


def _entry(name: str) -> str:
    return name.replace("/", "!")


def _number_of(path: str) -> str:
    try:
        found = Path(path).stat()
    except OSError:
        return ""
    return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" if stat.S_ISBLK(found.st_mode) else ""
