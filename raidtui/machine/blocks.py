"""Read every block device of the kernel, and which is stacked on which, from sysfs.

Names are the kernel's (``sda1``, ``md127``, ``dm-0``); a ``!`` in sysfs is a ``/`` in the name.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.machine.mounts import is_below, remote_targets
from raidtui.machine.tree import Tree
from raidtui.model.struct import Record
from raidtui.model.units import SECTOR

VIRTUAL: Final = re.compile(r"(dm-|md|loop|bcache|drbd|ram|zram)")
"""How the names of devices begin that are made of others, or of memory."""


class Block(Record, frozen=True, kw_only=True):
    """A block device: whole, a partition, or virtual."""

    name: str
    folder: str  # its folder in sysfs
    number: str  # "8:1"
    size_bytes: int
    start_bytes: int = 0  # of a partition: its offset on the disk
    partition: int | None = None  # partition number; None for whole devices
    disk: str = ""  # of a partition: the name of its whole device
    partitions: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()  # devices on top of it: md127, dm-0, bcache0
    slaves: tuple[str, ...] = ()  # devices below it
    dm_name: str = ""
    dm_uuid: str = ""  # its prefix shows what made it: LVM-, CRYPT-, mpath-
    md: bool = False
    loop_file: str = ""  # backing file of a loop device

    @property
    def path(self) -> str:
        """Its node in /dev."""
        return f"/dev/{self.name}"


class Blocks:
    """All block devices of one reading, and how they are stacked."""

    def __init__(self, blocks: Mapping[str, Block]) -> None:
        self.by_name = blocks
        self.by_number = {block.number: block for block in blocks.values()}
        self.loops = [block for block in blocks.values() if block.loop_file]

    def __iter__(self) -> Iterator[Block]:
        return iter(self.by_name.values())

    def named(self, name: str) -> Block | None:
        """The device with that name."""
        return self.by_name.get(name)

    def parts(self, block: Block) -> tuple[Block, ...]:
        """The partitions of a whole device."""
        return self._those(block.partitions)

    def on(self, block: Block) -> tuple[Block, ...]:
        """The devices directly on ``block``: holders and loop devices, but not its partitions."""
        loops = tuple(loop for loop in self.loops if self.under_loop(loop) is block)
        return self._those(block.holders) + loops

    def all_on(self, block: Block) -> tuple[Block, ...]:
        """All devices on ``block``, nearest first, including their partitions, each once."""
        found: dict[str, Block] = {}
        waiting = list(self.on(block))
        while waiting:
            upper = waiting.pop(0)
            if upper.name not in found:
                found[upper.name] = upper
                waiting += [*self.parts(upper), *self.on(upper)]
        return tuple(found.values())

    def under_loop(self, loop: Block) -> Block | None:
        """The device or partition behind a loop device; ``None`` if a file is behind it."""
        return self.by_name.get(loop.loop_file.removeprefix("/dev/"))

    def whole(self, block: Block) -> Block:
        """The whole device of a partition; a whole device itself."""
        return self.by_name.get(block.disk, block)

    def disks_under(self, block: Block) -> frozenset[str]:
        """Names of the whole devices at the bottom of ``block``, through partitions, md, dm and loop devices."""
        whole = self.whole(block)
        below = [self.by_name[name] for name in whole.slaves if name in self.by_name]
        if (shown := self.under_loop(whole)) is not None:
            below.append(shown)
        return (
            frozenset().union(*(self.disks_under(one) for one in below)) if below else frozenset({whole.name})
        )

    def _those(self, names: tuple[str, ...]) -> tuple[Block, ...]:
        return tuple(self.by_name[name] for name in names if name in self.by_name)


def read_blocks(tree: Tree) -> Blocks:
    """Read every block device in sysfs."""
    found: dict[str, Block] = {}
    for entry in tree.names("/sys/block"):
        folder = f"/sys/block/{entry}"
        if tree.text(f"{folder}/hidden") == "1":
            continue  # one path of an NVMe disk with native multipath: the disk itself is listed as well
        inside = tree.names(folder)
        parts = [part for name in inside if (part := _read_partition(tree, folder, entry, name)) is not None]
        number = tree.text(f"{folder}/dev")
        if not number:
            continue
        block = Block(
            name=_plain(entry),
            folder=folder,
            number=number,
            size_bytes=(tree.number(f"{folder}/size") or 0) * SECTOR,
            partitions=tuple(p.name for p in sorted(parts, key=lambda p: p.partition or 0)),
            holders=_links(tree, folder, "holders"),
            slaves=_links(tree, folder, "slaves"),
            dm_name=tree.text(f"{folder}/dm/name") if "dm" in inside else "",
            dm_uuid=tree.text(f"{folder}/dm/uuid") if "dm" in inside else "",
            md="md" in inside,
            loop_file=_loop_file(tree, folder) if "loop" in inside else "",
        )
        found[block.name] = block
        found |= {part.name: part for part in parts}
    return Blocks(found)


def _read_partition(tree: Tree, disk_folder: str, disk: str, entry: str) -> Block | None:
    if not entry.startswith(disk):
        return None
    folder = f"{disk_folder}/{entry}"
    partition, number = tree.number(f"{folder}/partition"), tree.text(f"{folder}/dev")
    if partition is None or not number:
        return None
    return Block(
        name=_plain(entry),
        folder=folder,
        number=number,
        size_bytes=(tree.number(f"{folder}/size") or 0) * SECTOR,
        start_bytes=(tree.number(f"{folder}/start") or 0) * SECTOR,
        partition=partition,
        disk=_plain(disk),
        holders=_links(tree, folder, "holders"),
    )


def _links(tree: Tree, folder: str, name: str) -> tuple[str, ...]:
    return tuple(_plain(entry) for entry in tree.names(f"{folder}/{name}"))


def _loop_file(tree: Tree, folder: str) -> str:
    # The path as it was opened: it may be a by-id name or another link.
    file = tree.text(f"{folder}/loop/backing_file")
    device = tree.device_named(file) or _device_of_node(tree, file)
    return f"/dev/{device}" if device else file


def _device_of_node(tree: Tree, file: str) -> str:
    """The kernel name of the device if ``file``, outside /dev, is a device node; else empty."""
    if not file.startswith("/") or is_below(file, remote_targets(tree)):
        return ""
    number = tree.block_number(file)
    return _plain(os.path.basename(tree.link(f"/sys/dev/block/{number}"))) if number else ""


def _plain(entry: str) -> str:
    return entry.replace("!", "/")
