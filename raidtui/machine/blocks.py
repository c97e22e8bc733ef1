"""Every block device that the kernel has, and which stands on which, from sysfs alone.

Names are the kernel's (``sda1``, ``md127``, ``dm-0``); a ``!`` in sysfs is a ``/`` in the name.
"""

import os
from collections.abc import Iterator, Mapping

from raidtui.machine.mounts import is_below, remote_targets
from raidtui.machine.tree import Tree
from raidtui.model.struct import Record
from raidtui.model.units import SECTOR


class Block(Record, frozen=True, kw_only=True):
    """A block device: whole, a partition, or virtual."""

    name: str
    folder: str  # its folder in sysfs
    number: str  # "8:1"
    size_bytes: int
    start_bytes: int = 0  # of a partition on its disk
    partition: int | None = None  # its number in the table; None for whole devices
    disk: str = ""  # of a partition: the name of the device it is on
    partitions: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()  # what stands on it: md127, dm-0, bcache0
    slaves: tuple[str, ...] = ()  # what it stands on
    dm_name: str = ""
    dm_uuid: str = ""  # tells by its beginning who made it: LVM-, CRYPT-, mpath-
    md: bool = False
    loop_file: str = ""  # what a loop device shows as a device

    @property
    def path(self) -> str:
        """Its node in /dev."""
        return f"/dev/{self.name}"


class Blocks:
    """All block devices of one reading, and the ways between them."""

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
        """What stands directly on ``block``: holders and loop devices over it. Its partitions do not count."""
        loops = tuple(loop for loop in self.loops if self.under_loop(loop) is block)
        return self._those(block.holders) + loops

    def all_on(self, block: Block) -> tuple[Block, ...]:
        """Everything that stands on ``block``, near ones first, partitions of those included, each once."""
        found: dict[str, Block] = {}
        waiting = list(self.on(block))
        while waiting:
            upper = waiting.pop(0)
            if upper.name not in found:
                found[upper.name] = upper
                waiting += [*self.parts(upper), *self.on(upper)]
        return tuple(found.values())

    def under_loop(self, loop: Block) -> Block | None:
        """The whole device or partition that a loop device shows, if it is one and not a file."""
        return self.by_name.get(loop.loop_file.removeprefix("/dev/"))

    def whole(self, block: Block) -> Block:
        """The device that a partition is on; a whole device is its own."""
        return self.by_name.get(block.disk, block)

    def disks_under(self, block: Block) -> frozenset[str]:
        """Names of the whole devices at the very bottom of ``block``, through partitions, md, dm and loops."""
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
    """Every block device that sysfs shows."""
    found: dict[str, Block] = {}
    for entry in tree.names("/sys/block"):
        folder = f"/sys/block/{entry}"
        if tree.text(f"{folder}/hidden") == "1":
            continue  # a path of a native multipath NVMe disk: the disk itself is shown as well
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
    # The path as it was opened: by-id names and other links still stand in it.
    file = tree.text(f"{folder}/loop/backing_file")
    device = tree.device_named(file) or _behind(tree, file)
    return f"/dev/{device}" if device else file


def _behind(tree: Tree, file: str) -> str:
    """The kernel's name of the device of which ``file``, outside /dev, is a node; empty if it is a plain file."""
    if not file.startswith("/") or is_below(file, remote_targets(tree)):
        return ""
    number = tree.block_number(file)
    return _plain(os.path.basename(tree.link(f"/sys/dev/block/{number}"))) if number else ""


def _plain(entry: str) -> str:
    return entry.replace("!", "/")
