"""Btrfs' part of a reading: every multi-device filesystem, mounted or not."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import combinations
from typing import Final

import msgspec
from msgspec import field

from raidtui.backends.btrfs import kernel
from raidtui.backends.btrfs.chunks import Chunk, parse_text, readable
from raidtui.backends.btrfs.found_devices import known_to_udev, on_devices
from raidtui.backends.btrfs.kernel import KernelDevice, Running
from raidtui.backends.btrfs.scrubs import Scrub, read_scrub
from raidtui.backends.btrfs.signs import FOLDER, TYPE
from raidtui.backends.btrfs.signs import mounted as mounted_here
from raidtui.backends.btrfs.superblock import Superblock, read_superblock, used_apart
from raidtui.backends.btrfs.unfinished import unfinished
from raidtui.backends.kept import kept_in
from raidtui.machine.ask import Ask
from raidtui.machine.contents.btrfs_superblock import TARGET
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import UEVENTS
from raidtui.model.device import OVER_ONE, DeviceKind
from raidtui.model.machine import Machine, Mount
from raidtui.model.spec import Backend
from raidtui.model.struct import Bytes, Record, Whole

_OPERATORS: Final = re.compile(
    r"\((?:DEV_ITEMS DEV_ITEM (?P<devid>\d{1,19})|FIRST_CHUNK_TREE CHUNK_ITEM \d{1,19})\)"
)
_SIZE: Final = re.compile(r"devid \d{1,19} total_bytes (\d{1,19}) bytes_used (\d{1,19})")
_UUID: Final = re.compile(r"^\s+uuid ([0-9a-f-]{36})$")
_ONE_COMMIT: Final = 1  # a power cut may leave the last one on some of the devices only
# What is on them, the device graph has from udev, which misses a write that ends while it probes.
_NOT_PROBED: Final = frozenset({*OVER_ONE, DeviceKind.VOLUME})
_BELOW: Final = frozenset({"linux_raid_member", "mpath_member"})


class Device(Record, frozen=True, kw_only=True):
    """A device of a filesystem. Sizes in bytes."""

    devid: Whole
    path: str = ""  # its present name in the kernel; empty for a missing one
    size_bytes: Bytes = 0
    allocated_bytes: Bytes = 0  # to chunks
    missing: bool = False
    seed: str = ""  # not mounted, and a device of the seed from which the filesystem grew: its path
    back: str = ""  # of a missing one: where it is connected, while the filesystem is mounted without it
    errors: dict[str, int] = field(default_factory=dict)  # write, read, flush, corruption, generation
    behind: bool = False  # not mounted, and its superblock is older: the filesystem was used without it
    alike: tuple[
        str, ...
    ] = ()  # other devices with its superblock, by filesystem and devid: clones, or one replaced
    older: tuple[str, ...] = ()  # those of them whose superblock is older: the kernel takes this device


class Filesystem(Record, frozen=True, kw_only=True):
    """A multi-device Btrfs. ``data`` and ``metadata`` are empty if unknown."""

    uuid: str
    label: str = ""
    node: str = ""  # kernel name of the device in its mount; empty while not mounted
    sources: tuple[str, ...] = ()  # that device's paths in /proc mounts
    devices: tuple[Device, ...] = ()  # including missing ones, by devid
    # Not mounted: two devices that were each used without the other; each has what the other lacks.
    apart: tuple[str, ...] = ()
    target: str = ""  # not mounted: the disk to which one of them was being copied when that was interrupted
    target_gone: bool = False  # that disk is not here
    replaced: Whole = 0  # not mounted: the devid of that one of them; 0: not known
    unplaced: tuple[Device, ...] = ()  # devices with errors whose paths only root can read
    unread: bool = False  # whether the state of some devices could not be read
    data: tuple[str, ...] = ()  # profiles; several while a balance converts
    metadata: tuple[str, ...] = ()
    metadata_bytes: Bytes = 0  # of its chunks, without copies; 0: not mounted, or not known
    metadata_used_bytes: Bytes = 0  # with what the kernel reserves
    system: tuple[str, ...] = ()  # as of metadata, but for chunks that a degraded mount left behind
    chunks: tuple[Chunk, ...] = ()  # read only if a device is missing; empty: not known
    checksum: str = ""
    running: Running | None = None
    scrub: Scrub | None = None  # the last one
    # Bytes a second per device; 0: no limit; None: not supported by the kernel.
    scrub_limit: Whole | None = None

    @property
    def missing(self) -> tuple[Device, ...]:
        return tuple(one for one in self.devices if one.missing)

    @property
    def missing_besides(self) -> int:
        """How many devices are missing besides the one whose replacement was interrupted."""
        return len(self.missing) - any(self.replaced in {0, one.devid} for one in self.missing)

    @property
    def errors(self) -> tuple[Device, ...]:
        return tuple(one for one in (*self.devices, *self.unplaced) if one.errors)


class BtrfsReading(Record, frozen=True, kw_only=True):
    """Every multi-device filesystem at one moment."""

    filesystems: tuple[Filesystem, ...] = ()

    def find(self, uuid: str) -> Filesystem | None:
        return next((one for one in self.filesystems if one.uuid == uuid), None)


def read(machine: Machine, ask: Ask) -> BtrfsReading | None:
    """Read every multi-device Btrfs of ``machine``; None if there is none."""
    on_disks = (s for disk in machine.disks for s in disk.every_signature)
    on_arrays = (s for array in machine.arrays for s in array.signatures)
    types: dict[str, set[str]] = {}
    for one in (s for some in (on_disks, on_arrays) for s in some):
        types.setdefault(one.device, set()).add(one.type)
    for device in machine.devices:
        if device.kind in _NOT_PROBED and not device.holders:
            types.setdefault(device.path, set()).add(device.type or TYPE)
    # A member of an array with its superblock at the end shows what is on the array.
    paths = [path for path, some in types.items() if TYPE in some and not some & _BELOW]
    found = read_filesystems(paths, machine.mounts)
    return BtrfsReading(filesystems=tuple(_with_chunks(one, ask, paths) for one in found)) if found else None


def read_now(mounts: Sequence[Mount], tree: Tree = HERE) -> BtrfsReading:
    """Read the same without starting a process: the profiles of unmounted filesystems stay unknown."""
    found = read_filesystems(known_to_udev(tree), mounts, tree)
    if any(one.missing and not one.node for one in found):
        found = read_filesystems(on_devices(tree.text(UEVENTS), tree), mounts, tree)
    return BtrfsReading(filesystems=found)


def read_filesystems(
    paths: Sequence[str], mounts: Sequence[Mount], tree: Tree = HERE
) -> tuple[Filesystem, ...]:
    """Read mounted filesystems from the kernel, and others from the superblocks on the devices at ``paths``."""
    mounted = [_mounted(uuid, mounts, tree) for uuid in mounted_here(tree)]
    busy = {device.path for one in mounted for device in one.devices}
    free = [path for path in paths if path not in busy and not _is_below(path, busy, tree)]
    supers = {path: block for path in free if (block := read_superblock(path))}
    known = {one.uuid for one in mounted}
    mounted = [_with_alike(one, supers) for one in mounted]
    groups: dict[str, dict[str, Superblock]] = {}
    for path, block in supers.items():
        if block.devices > 1 and block.uuid not in known:
            groups.setdefault(block.uuid, {})[path] = block
    unmounted = [_unmounted(one) for one in groups.values()]
    if any(one.missing for one in unmounted):
        seeds = _seeds(paths)
        unmounted = [_perhaps_on_seeds(one, seeds) for one in unmounted]
    every = [*(one for one in mounted if len(one.devices) > 1), *unmounted]
    return tuple(sorted(every, key=lambda one: (one.label, one.uuid)))


def _is_below(path: str, busy: Collection[str], tree: Tree) -> bool:
    """Whether one of the devices ``busy`` lies on the device at ``path``, which then shows its superblock."""
    return any(
        f"/dev/{one}" in busy for one in tree.names(f"/sys/class/block/{path.rpartition('/')[2]}/holders")
    )


def _mounted(uuid: str, mounts: Sequence[Mount], tree: Tree) -> Filesystem:
    folder = f"{FOLDER}/{uuid}"
    names = {f"/dev/{name.replace('!', '/')}" for name in tree.names(f"{folder}/devices")}
    own = [mount for mount in mounts if mount.type == TYPE and mount.device in names]
    devices: tuple[Device, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    running = None
    if (opened := kernel.opened_at([mount.target for mount in own], uuid)) is not None:
        with closing(opened):
            devices = tuple(_device(uuid, one, names, tree) for one in opened.devices())
            running = kernel.read_running(uuid, opened, [one.devid for one in devices], tree)
            if any(one.missing for one in devices):
                chunks = opened.chunks()
    unplaced: tuple[Device, ...] = ()
    unread = False
    if not devices:  # the mount point cannot be opened by this process
        numbered = [_device_seen(uuid, devid, tree) for devid in kernel.devids_of(uuid, tree)]
        gone = tuple(one for one in numbered if one.missing)
        closed = max(
            0, len(numbered) - len(names) - len(gone)
        )  # connected again, and not opened; which is not known
        devices = (*(Device(devid=0, path=name) for name in sorted(names)), *gone)
        devices = (*devices, *(Device(devid=0, missing=True) for _ in range(closed)))
        unplaced = tuple(one for one in numbered if one.errors and not one.missing)
        running = kernel.read_running(uuid, kernel.Unopened(), (), tree)
        unread = not numbered or not all(kernel.counts_errors(uuid, one.devid, tree) for one in numbered)
    room = kernel.read_metadata_room(uuid, tree)
    return Filesystem(
        uuid=uuid,
        label=tree.text(f"{folder}/label"),
        node=own[0].device if own else min(names, default=""),
        sources=tuple(dict.fromkeys(mount.source for mount in own)),
        devices=devices,
        unplaced=unplaced,
        unread=unread,
        data=kernel.read_allocation(uuid, "data", tree).profiles,
        metadata=kernel.read_allocation(uuid, "metadata", tree).profiles,
        metadata_bytes=room[0],
        metadata_used_bytes=room[1],
        system=kernel.read_allocation(uuid, "system", tree).profiles,
        chunks=chunks,
        checksum=tree.text(f"{folder}/checksum").partition(" ")[0],
        running=running,
        target_gone=running is not None and running.target_gone,
        scrub=read_scrub(uuid, tree),
        scrub_limit=next(
            (kernel.read_scrub_limit(uuid, one.devid, tree) for one in devices if one.path), None
        ),
    )


def _device(uuid: str, device: KernelDevice, names: Collection[str], tree: Tree) -> Device:
    """A device of a mounted filesystem; ``names``: those that it has open.

    One that is connected again is registered by udev, and then no file says that it is missing, and no tool of Btrfs.
    But the filesystem has not opened it: it writes nothing to it until it is mounted again.
    """
    path = f"/dev/{tree.device_named(device.path)}" if device.path else ""
    gone = not path or kernel.is_missing(uuid, device.devid, tree) or _is_on_nothing(path, tree)
    unused = not gone and bool(names) and path not in names
    return Device(
        devid=device.devid,
        path="" if gone or unused else path,
        size_bytes=device.size_bytes,
        allocated_bytes=device.allocated_bytes,
        missing=gone or unused,
        back=path if unused else "",
        errors=dict(kernel.read_errors(uuid, device.devid, tree)),
    )


def _is_on_nothing(path: str, tree: Tree) -> bool:
    """Whether it is of the device mapper, and gives errors only: what it was on is not a clone of it."""
    name = path.rpartition("/")[2]
    return name.startswith("dm-") and not tree.names(f"/sys/class/block/{name}/slaves")


def _device_seen(uuid: str, devid: int, tree: Tree) -> Device:
    """A device as sysfs shows it to any user: its number and state, not its path."""
    missing = kernel.is_missing(uuid, devid, tree)
    return Device(devid=devid, missing=missing, errors=dict(kernel.read_errors(uuid, devid, tree)))


def _with_alike(filesystem: Filesystem, supers: Mapping[str, Superblock]) -> Filesystem:
    """Add the devices that are not in the mounted filesystem and have the superblock of one that is, or is missing."""
    outside: dict[int, dict[str, Superblock]] = {}
    for path, block in sorted(supers.items()):
        if block.uuid == filesystem.uuid and block.devid:
            outside.setdefault(block.devid, {})[path] = block
    return msgspec.structs.replace(
        filesystem,
        devices=tuple(_beside(one, outside.get(one.devid, {})) for one in filesystem.devices),
    )


def _beside(device: Device, others: Mapping[str, Superblock]) -> Device:
    """``device``, with the other devices that have its superblock; of two for a missing one, either may be it."""
    paths = tuple(others)
    if not device.missing or len(paths) > 1:
        own = read_superblock(device.path) if paths and device.path else None
        older = tuple(path for path, one in others.items() if own and one.generation < own.generation)
        return msgspec.structs.replace(device, alike=paths, older=older)
    return msgspec.structs.replace(device, back=paths[0] if paths else device.back)


def _unmounted(supers: Mapping[str, Superblock]) -> Filesystem:
    """The filesystem of these superblocks; the newest one has the right number of devices."""
    newest = max(supers.values(), key=lambda one: one.generation)
    paths: dict[int, list[str]] = {}  # by devid, the newest first
    for path in sorted(supers, key=lambda one: (-supers[one].generation, one)):
        paths.setdefault(supers[path].devid, []).append(path)
    here = {
        devid: Device(
            devid=devid,
            path=first,
            size_bytes=supers[first].size_bytes,
            allocated_bytes=supers[first].allocated_bytes,
            behind=newest.generation - supers[first].generation > _ONE_COMMIT,
            alike=tuple(others),
            older=tuple(one for one in others if supers[one].generation < supers[first].generation),
        )
        for devid, (first, *others) in paths.items()
        if devid != TARGET
    }
    # A power cut as `btrfs device remove` ends leaves its superblock, from when there was a device more.
    removed = [devid for devid, one in here.items() if supers[one.path].devices > newest.devices]
    if len(here) - len(removed) == newest.devices:
        here = {devid: one for devid, one in here.items() if devid not in removed}
    # A removed or replaced device leaves a gap in the numbers. Only the trees say for certain which are missing.
    absent = [number for number in range(1, newest.devices + 1) if number not in here]
    gone = [Device(devid=number, missing=True) for number in absent[: max(0, newest.devices - len(here))]]
    return Filesystem(
        uuid=newest.uuid,
        label=newest.label,
        devices=tuple(sorted((*here.values(), *gone), key=lambda one: one.devid)),
        apart=_apart({devid: paths[devid][0] for devid in here}, supers),
        target=next(iter(paths.get(TARGET, ())), ""),
        # Without a system chunk no tree can be read, and the kernel cannot mount it. One that is here proves nothing.
        chunks=newest.system if gone and not readable(newest.system, here.keys()) else (),
        checksum=newest.checksum,
    )


def _apart(chosen: Mapping[int, str], supers: Mapping[str, Superblock]) -> tuple[str, ...]:
    """Two devices that were used without each other: each was mounted degraded and written to."""
    pairs = combinations(sorted(chosen.values()), 2)
    return next((pair for pair in pairs if used_apart(supers[pair[0]], supers[pair[1]])), ())


def _seeds(paths: Iterable[str]) -> dict[str, Superblock]:
    """The superblocks of filesystems from which others may have grown, by path."""
    every = ((path, read_superblock(path)) for path in paths)
    return {path: block for path, block in every if block is not None and block.seeding}


def _perhaps_on_seeds(filesystem: Filesystem, seeds: Mapping[str, Superblock]) -> Filesystem:
    """A device that none of its superblocks has may be that of a seed; only its trees say for certain."""
    paths = {block.devid: path for path, block in seeds.items() if block.uuid != filesystem.uuid}
    return msgspec.structs.replace(
        filesystem,
        devices=tuple(
            Device(devid=one.devid, seed=paths[one.devid]) if one.missing and one.devid in paths else one
            for one in filesystem.devices
        ),
    )


def _with_chunks(filesystem: Filesystem, ask: Ask, paths: Sequence[str]) -> Filesystem:
    """Add the profiles and missing devices of an unmounted filesystem, which only its trees have."""
    if filesystem.node:
        return filesystem
    first = next(one.path for one in filesystem.devices if one.path)
    answer = ask(["btrfs", "inspect-internal", "dump-tree", "-t", "chunk", first])
    tree = ask(["btrfs", "inspect-internal", "dump-tree", "-t", "dev", first]).stdout
    here = {one.devid: one.path for one in filesystem.devices if one.path}
    devid = unfinished(filesystem.uuid, answer.stdout, tree, here)
    filesystem = msgspec.structs.replace(
        filesystem, replaced=devid, target_gone=bool(devid) and not filesystem.target
    )
    lacks = any(one.missing or one.seed for one in filesystem.devices)
    seeds = {block.device_uuid: path for path, block in _seeds(paths).items()} if lacks else {}
    return with_chunks(filesystem, answer.stdout, seeds)


def with_chunks(filesystem: Filesystem, text: str, seeds: Mapping[str, str] | None = None) -> Filesystem:
    """Add the output of ``btrfs inspect-internal dump-tree -t chunk``; return ``filesystem`` as it is if that is empty.

    Args:
        seeds: the paths of devices of seeds, by device UUID.
    """
    lines = text.splitlines()
    chunks = parse_text(lines)
    sizes: dict[int, tuple[int, int]] = {}
    on_seeds: dict[int, str] = {}
    devid = 0
    for line in lines:
        if (key := _OPERATORS.search(line)) is not None:
            devid = int(key["devid"] or 0)
        elif devid and (size := _SIZE.search(line)) is not None:
            sizes[devid] = (int(size[1]), int(size[2]))
        elif devid and seeds and (own := _UUID.match(line)) is not None and own[1] in seeds:
            on_seeds[devid] = seeds[own[1]]
    if not chunks or not sizes:
        return filesystem
    here = {one.devid: one for one in filesystem.devices if one.path}
    devices = [
        here.get(number)
        or Device(
            devid=number,
            size_bytes=size,
            allocated_bytes=allocated,
            missing=number not in on_seeds,
            seed=on_seeds.get(number, ""),
        )
        for number, (size, allocated) in sorted(sizes.items())
    ]
    return msgspec.structs.replace(
        filesystem,
        devices=tuple(devices),
        data=_profiles(chunks, "data"),
        metadata=_profiles(chunks, "metadata"),
        system=_profiles(chunks, "system"),
        chunks=chunks if any(one.missing for one in devices) else (),
    )


def _profiles(chunks: Iterable[Chunk], kind: str) -> tuple[str, ...]:
    return tuple(sorted({one.profile for one in chunks if one.kind == kind}))


def reading_in(machine: Machine) -> BtrfsReading | None:
    """Btrfs' part of a reading, recorded or not; None without one.

    Raises:
        BadInput: the recorded file is damaged.
    """
    return kept_in(machine, Backend.BTRFS, BtrfsReading, of="Btrfs")
