"""Check the target of a benchmark: a directory really on a disk, or a block device, and whether it may be written."""

import os
import stat
from pathlib import Path
from typing import Final

from raidtui.backends.registry import backend
from raidtui.backends.units import units_of
from raidtui.bench.beside import activity_of, units_beside
from raidtui.bench.device_stack import (
    Below,
    Nearest,
    compresses,
    devices_under,
    in_memory,
    look_below,
    mount_of,
    nearest,
    option,
    unit_mounted_at,
)
from raidtui.bench.settings import SMALLEST, Settings, check_request, settle
from raidtui.machine.blocks import read_graph
from raidtui.machine.contents.signatures import read_signatures
from raidtui.machine.mounts import KERNEL_FILESYSTEMS
from raidtui.machine.taken.claims import exclusive_error
from raidtui.machine.tools import require
from raidtui.machine.tree import HERE
from raidtui.model.device import Device
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.disk_names import find_called
from raidtui.model.errors import BadInput, Refused
from raidtui.model.journal import BenchRequest
from raidtui.model.machine import Disk, Machine, Mount
from raidtui.model.result import Context, MeasuredUnit
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import MIB, both, spell_size
from raidtui.results.efficiency import capacity_kept

_MARGIN: Final = 0.10  # of the test file: for metadata, and for copy-on-write
_RESERVE: Final = 0.01  # of the filesystem stays free: a full one is slow and disturbs other users
_LEAST_RESERVE: Final = 16 * MIB


class Target(Record, frozen=True, kw_only=True):
    """A directory or block device that can be measured."""

    path: str  # absolute; a directory's has no symbolic links, a device's is as it was given
    is_device: bool
    settings: Settings  # what will be measured on it
    number: int  # st_dev of the directory or st_rdev of the device; it must not change
    filesystem: str = ""
    mount_options: str = ""
    mountpoint: str = ""
    device: str = ""  # node of the filesystem's device, or the device itself
    below: Below = Below()
    nearest: Nearest | None = None  # the unit under it that decides its speed
    beside: tuple[Unit, ...] = ()  # that unit and every other one on the same disks
    disks: tuple[Disk, ...] = ()
    compresses: bool = False
    fill_percent: float | None = None  # how full the filesystem is

    @property
    def unit(self) -> Unit | None:
        """The nearest unit under the target."""
        return self.nearest.unit if self.nearest is not None else None

    @property
    def writes(self) -> bool:
        """Whether the target may be written."""
        return self.settings.writes

    @property
    def size_bytes(self) -> int:
        """Size of the test file, or of the measured part of the device."""
        return self.settings.size_bytes


def check_target(target: str, machine: Machine, request: BenchRequest) -> Target:
    """Check that ``target``, as it is now, can be measured as ``request`` wants.

    Raises:
        BadInput: it does not exist, is neither a directory nor a block device, or this user may not use it.
        Refused: measuring it would be unsafe or show nothing about a disk: in memory, read-only, too full, syncing,
            or a device to be written that is not blank or not named.
    """
    path, found, mount = examine(target, request)
    if stat.S_ISBLK(found.st_mode):
        seen = _device(os.path.abspath(target), found, machine, request)
    else:
        assert mount is not None, "examined"
        seen = _directory(path, found, mount, machine, request)
    _check_idle(seen, request)
    return seen


def examine(target: str, request: BenchRequest) -> tuple[str, os.stat_result, Mount | None]:
    """Check what can be known of ``target`` without reading the computer; return its real path, status and mount.

    Raises:
        BadInput, Refused: as `check_target`.
    """
    check_request(request)
    path = os.path.realpath(target)
    shown = harmless(target)
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise BadInput(f"{shown} cannot be measured: {error.strerror}") from error
    try:
        found = os.fstat(descriptor)
        mount = mount_of(descriptor)
    finally:
        os.close(descriptor)
    if stat.S_ISBLK(found.st_mode):
        return path, found, mount
    if not stat.S_ISDIR(found.st_mode):
        raise BadInput(f"{shown} is neither a directory nor a block device")
    if request.erase:
        raise BadInput(
            f"--erase names a blank block device; {shown} is a directory, and nothing there is erased"
        )
    if mount is None:
        raise BadInput(f"cannot find the mounted filesystem of {shown}")
    _check_directory(path, mount)
    return path, found, mount


def _check_idle(target: Target, request: BenchRequest) -> None:
    node, action = activity_of(target.beside)
    if action and not request.during_sync:
        raise Refused(
            f"{harmless(node)} is busy ({action}), so figures would be too low; wait for the end "
            "('raidtui status --watch'), or add --during-sync, which flags the result"
        )


def _check_directory(path: str, mount: Mount) -> None:
    """Check that ``path`` is on a disk and may be written."""
    shown = harmless(path)
    if mount.type in KERNEL_FILESYSTEMS:
        raise BadInput(f"{shown} is on the kernel filesystem {mount.type}")
    if why := in_memory(mount):
        raise Refused(f"{shown} is on {why}; name a directory on a filesystem that is on a disk")
    if option(mount, "ro") is not None or os.statvfs(path).f_flag & os.ST_RDONLY:
        raise Refused(f"{shown} is on a filesystem that is mounted read-only ({harmless(mount.target)})")
    if not os.access(path, os.W_OK | os.X_OK):
        raise BadInput(f"{shown} cannot be written by this user; name a directory of your own, or use sudo")


def _directory(
    path: str, found: os.stat_result, mount: Mount, machine: Machine, request: BenchRequest
) -> Target:
    space, graph = os.statvfs(path), read_graph(HERE)
    number = f"{os.major(found.st_dev)}:{os.minor(found.st_dev)}"
    mounted = unit_mounted_at(mount.target, machine)
    below = look_below(devices_under(mount, number, graph) or _members_of(mounted, graph), graph)
    near = nearest(below, machine, mounted=mounted)
    chunk, stripe = _blocks_of(near.made if near is not None else None)
    settings = settle(request, room=_room(space), rotational=below.rotational, chunk=chunk, stripe=stripe)
    _check_room(harmless(path), space, settings.size_bytes)
    used = space.f_blocks - space.f_bfree
    return Target(
        path=path,
        is_device=False,
        settings=settings,
        number=found.st_dev,
        filesystem=mount.type,
        mount_options=mount.options,
        mountpoint=mount.target,
        device=f"/dev/{below.top[0]}" if below.top else mount.source,
        below=below,
        nearest=near,
        beside=tuple(
            dict.fromkeys((*([mounted] if mounted else []), *units_beside(below, units_of(machine), graph)))
        ),
        disks=_disks(below, machine),
        compresses=compresses(mount),
        fill_percent=100 * used / space.f_blocks if space.f_blocks else None,
    )


def _members_of(unit: Unit | None, graph: DeviceGraph) -> tuple[Device, ...]:
    """The member devices of a unit that has no device itself."""
    found = (graph.at(os.path.realpath(one.path)) for one in unit.members if one.path) if unit else ()
    return tuple(one for one in found if one is not None)


def room_at(target: str) -> int | None:
    """Most bytes for a test file in the directory ``target``; None for a device or what cannot be read."""
    try:
        return _room(os.statvfs(target)) if os.path.isdir(target) else None
    except OSError:
        return None


def _reserve(space: os.statvfs_result) -> int:
    """Bytes that must stay free."""
    return max(_LEAST_RESERVE, int(space.f_blocks * space.f_frsize * _RESERVE))


def _room(space: os.statvfs_result) -> int:
    """Most bytes for the test file."""
    free = space.f_bavail * space.f_frsize
    return max(0, int((free - _reserve(space)) / (1 + _MARGIN))) // MIB * MIB


def _check_room(shown: str, space: os.statvfs_result, size_bytes: int) -> None:
    free, fits = space.f_bavail * space.f_frsize, _room(space)
    if size_bytes > fits:
        needed = int(size_bytes * (1 + _MARGIN)) + _reserve(space)
        hint = f"use --size {spell_size(fits)} or less" if fits >= SMALLEST else "free some space there"
        raise Refused(
            f"{shown} has {both(free)} free, and a test file of {spell_size(size_bytes)} needs "
            f"{both(needed)} including the reserve that must stay free; {hint}"
        )


def _blocks_of(made: MeasuredUnit | None) -> tuple[int, int]:
    """Bytes of the unit's chunk and of the data in one of its stripes; 0 for levels without chunks."""
    kept = capacity_kept(Context(unit=made)) if made is not None else None
    if made is None or kept is None or not made.chunk_bytes or made.level == "linear":
        return 0, 0
    return made.chunk_bytes, int(made.raid_disks * kept + 0.001) * made.chunk_bytes


def _device(path: str, found: os.stat_result, machine: Machine, request: BenchRequest) -> Target:
    number, shown = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}", harmless(path)
    graph = read_graph(HERE)
    block = graph.by_number.get(number)
    if block is None:
        raise BadInput(f"{shown} is a block device that the kernel no longer has")
    if request.mix and not request.erase:
        raise BadInput(
            f"a mix writes, and {shown} is only read; name a blank device with --erase, or a directory"
        )
    try:
        os.close(os.open(path, (os.O_RDWR if request.erase else os.O_RDONLY) | os.O_CLOEXEC))
    except OSError as error:
        hint = "; use sudo" if isinstance(error, PermissionError) and os.geteuid() else ""
        raise BadInput(f"{shown} cannot be opened: {error.strerror}{hint}") from error
    below = look_below((block,), graph)
    near = nearest(below, machine)
    chunk, stripe = _blocks_of(near.made if near is not None else None)
    settings = settle(
        request,
        room=block.size_bytes,
        writes=bool(request.erase),
        files=False,
        rotational=below.rotational,
        chunk=chunk,
        stripe=stripe,
    )
    if settings.size_bytes > block.size_bytes:
        raise BadInput(
            f"{shown} has {both(block.size_bytes)}, less than the size {spell_size(settings.size_bytes)} to be measured"
        )
    if request.erase:
        check_blank(path, number, machine, request.erase)
    return Target(
        path=path,
        is_device=True,
        settings=settings,
        number=found.st_rdev,
        device=block.path,
        below=below,
        nearest=near,
        beside=units_beside(below, units_of(machine), graph),
        disks=_disks(below, machine),
    )


def check_blank(path: str, number: str, machine: Machine, erase: str) -> None:
    """Check that the device ``path`` is the one that ``erase`` names, not in use, and blank.

    A disk is named by its serial number or the end of it, a unit by its name or UUID. Anything else (a partition,
    a volume that is not all of a unit) is never written.

    Raises:
        Refused: it is not.
    """
    require("wipefs")
    shown, node = harmless(path), os.path.realpath(path)
    disk = next((disk for disk in machine.disks if disk.device_number == number), None)
    unit = next((one for one in units_of(machine) if one.node and os.path.realpath(one.node) == node), None)
    names = {unit.name, unit.spec_name, unit.uuid} - {""} if unit is not None else set()
    if disk is not None and erase not in names:  # a virtual drive of a card is both
        _check_disk(disk, machine, erase)
    elif unit is not None:
        if erase not in names:
            noun = backend(unit.backend).noun
            raise Refused(
                f"{erase!r} does not name {shown}; to overwrite it, name the {noun}: --erase {harmless(unit.name)}"
            )
        if unit.mountpoints:
            raise Refused(f"{shown} is in use: mounted at {harmless(unit.mountpoints[0])}")
    else:
        raise Refused(
            f"{shown} is neither a whole disk nor an array or a volume group: measure it without --erase, which only reads"
        )
    signatures = read_signatures(node)
    if signatures:
        found = ", ".join(dict.fromkeys(signature.type for signature in signatures))
        raise Refused(f"{shown} is not blank: {found} is on it; only blank devices are written")
    if busy := exclusive_error(node):
        raise Refused(f"{shown} is in use: {busy}")


def _check_disk(disk: Disk, machine: Machine, erase: str) -> None:
    alike = find_called(erase, machine.disks)
    if disk not in alike:
        raise Refused(
            f"{erase!r} does not name {disk.path}; to overwrite it, name its serial number: "
            f"--erase {harmless(disk.identity)}"
        )
    if len(alike) > 1 and erase != disk.identity:
        raise Refused(f"{erase!r} is the end of several serial numbers; write more of {disk.identity}")
    if not machine.complete:
        raise Refused("only root can see whether a disk is blank; run the same command with sudo")
    if not disk.free:
        claim = disk.taken_by[0]
        raise Refused(f"{disk.path} is not blank and free: {harmless(claim.detail)}")


def _disks(below: Below, machine: Machine) -> tuple[Disk, ...]:
    return tuple(disk for disk in machine.disks if disk.name in below.disks)


def check_same(target: Target, descriptor: int) -> None:
    """Check that the open target is still the checked one: nothing was mounted over it or replaced it.

    Raises:
        Refused: it is not.
    """
    here = os.fstat(descriptor)
    try:
        there = Path(target.path).stat()
    except OSError as error:
        raise Refused(f"{harmless(target.path)} no longer exists: {error.strerror}") from error
    if target.is_device:
        same = here.st_rdev == there.st_rdev == target.number
    else:
        same = here.st_dev == target.number and (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
    if not same:
        raise Refused(f"{harmless(target.path)} changed after it was checked; start again")
