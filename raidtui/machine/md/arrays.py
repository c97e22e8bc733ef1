"""Read md arrays from sysfs and ``/proc/mdstat``: cheap enough to do every second.

The kernel's units (Documentation/admin-guide/md.rst is wrong in places): ``component_size`` and the
``size`` of a member are KiB, ``offset`` and ``sync_completed`` sectors, ``chunk_size`` bytes, speeds KiB/s.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Final

import msgspec

from raidtui.machine.disks import read_identity_of, whole_folder
from raidtui.machine.kernel_log import CheckLogged, read_checks, was_checked
from raidtui.machine.md.bitmaps import builds_parity, read_chunk, read_consistency
from raidtui.machine.md.first_build import Rebuilding, is_first_build
from raidtui.machine.md.health import lacking, with_volumes
from raidtui.machine.md.mdstat import Entry, parse_mdstat
from raidtui.machine.md.moved import with_moved
from raidtui.machine.md.superblock import find_superblock, read_superblock
from raidtui.machine.md.sync_limits import SpeedLimits
from raidtui.machine.md.uuids import as_mdadm_writes, uuid_in
from raidtui.machine.mounts import read_mounts
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import NONE, Properties, properties_of
from raidtui.model.device_graph import is_of
from raidtui.model.machine import Array, Member, Mount, Sync
from raidtui.model.md_levels import parity_of
from raidtui.model.superblock import Superblock
from raidtui.model.unit import Unit
from raidtui.model.units import KIB, SECTOR

PARITY_LAYOUTS: Final = {  # drivers/md/raid5.h
    0: "left-asymmetric",
    1: "right-asymmetric",
    2: "left-symmetric",
    3: "right-symmetric",
    4: "parity-first",
    5: "parity-last",
    8: "ddf-zero-restart",
    9: "ddf-N-restart",
    10: "ddf-N-continue",
    16: "left-asymmetric-6",
    17: "right-asymmetric-6",
    18: "left-symmetric-6",
    19: "right-symmetric-6",
    20: "parity-first-6",
}
_BY_HAND: Final = "none"  # assembled without superblocks
_NO_UUID: Final = "00000000-0000-0000-0000-000000000000"
_NUMBER: Final = re.compile(r"(\d+)", re.ASCII)
_RUNNING_ACTIONS: Final = frozenset({"resync", "recover", "check", "repair", "reshape"})


class ArrayReader:
    """Reads the arrays repeatedly; caches what cannot change while a device is present."""

    def __init__(self, tree: Tree = HERE, lookup: Callable[[str], Properties] = properties_of) -> None:
        self._tree = tree
        self._lookup = lookup  # udev's properties of a device, by number
        self._identities: dict[tuple[str, str], str] = {}  # (number, diskseq) of a whole disk → its identity
        self._checks: Callable[[], Mapping[str, CheckLogged]] = dict
        self._names: dict[
            tuple[str, str], tuple[str, str, str]
        ] = {}  # (node, UUID) of an array → its name, path and full name

    def read(self) -> tuple[Array, ...]:
        """Read the current state of every array, in natural order of names: md counts nodes downwards from md127."""
        tree, names = self._tree, self._kernel_names()
        if not names:
            return ()
        mdstat = parse_mdstat(tree.text("/proc/mdstat"))
        mounts = read_mounts(tree)
        self._checks = cache(lambda: read_checks(tree))  # only if it is asked for
        read = (self._read_array(name, mdstat.get(name, Entry(numbers={})), mounts) for name in names)
        found = [array for array in read if array is not None]
        return tuple(sorted((with_volumes(array, found) for array in found), key=_by_name))

    def read_member_paths(self) -> Mapping[str, tuple[str, ...]]:
        """Read the member paths of every array, by UUID; much cheaper than `read`."""
        found = {}
        for md in (f"/sys/block/{name}/md" for name in self._kernel_names()):
            paths = tuple(_member_path(entry) for entry in self._tree.names(md) if entry.startswith("dev-"))
            uuid, _ = self._uuid(md, paths)
            found[uuid] = paths
        return found

    def read_progress(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        """Update the sync progress and speed limits of ``arrays``; read everything again if more has changed.

        Reads only mdstat and the limits, a fraction of the work of `read`. md does not announce new limits.
        """
        mdstat = parse_mdstat(self._tree.text("/proc/mdstat"))
        fresh = []
        for array in arrays:
            entry = mdstat.get(array.node.removeprefix("/dev/"))
            progress = entry.progress if entry else None
            if array.sync is None and progress is None:
                fresh.append(array)
                continue
            if array.sync is None or progress is None or array.sync.waiting != progress.waiting:
                return self.read()
            sync = msgspec.structs.replace(
                array.sync,
                done_bytes=progress.done_bytes,
                total_bytes=progress.total_bytes,
                bytes_per_second=progress.bytes_per_second,
                finish_seconds=progress.finish_seconds,
            )
            least, most = self._limits(array.md_folder)
            fresh.append(msgspec.structs.replace(array, sync=sync, sync_speed_min=least, sync_speed_max=most))
        return tuple(fresh)

    def _read_array(self, kernel_name: str, entry: Entry, mounts: tuple[Mount, ...]) -> Array | None:
        tree, block = self._tree, f"/sys/block/{kernel_name}"
        md = f"{block}/md"
        state = tree.text(f"{md}/array_state")
        if state in {"", "clear"}:
            return None  # a node without an array: being created or stopped
        metadata = tree.text(f"{md}/metadata_version")
        members = self._read_members(md)
        number = tree.text(f"{block}/dev")
        level, raid_disks = tree.text(f"{md}/level"), tree.number(f"{md}/raid_disks")
        uuid, stored = self._uuid(md, tuple(member.path for member in members))
        if state == "inactive":
            members = self._with_slots(members, metadata)
        else:
            members = with_moved(tree, md, members)
        sync_action, counted = tree.text(f"{md}/sync_action") or "idle", level if state != "inactive" else ""
        degraded = lacking(tree.number(f"{md}/degraded"), counted, raid_disks or 0, members)
        unfilled = bool(degraded) and any("spare" in one.state for one in members)
        sync = _sync(tree, md, sync_action, entry, unfilled=unfilled)
        component = (tree.number(f"{md}/component_size") or 0) * KIB
        name, path, full_name = self._name(kernel_name, number, uuid, stored)
        node = f"/dev/{kernel_name}"
        least, most = self._limits(md)
        return Array(
            name=name,
            node=node,
            path=path,
            full_name=full_name if ":" in full_name else "",
            uuid=uuid,
            level=level or (stored.level if stored else ""),
            metadata=metadata,
            size_bytes=0 if state == "inactive" else (tree.number(f"{block}/size") or 0) * SECTOR,
            component_bytes=component,
            chunk_bytes=tree.number(f"{md}/chunk_size") or 0,
            layout=layout_word(level, tree.number(f"{md}/layout")),
            state=state,
            raid_disks=raid_disks or (stored.raid_disks if stored else 0),
            degraded=degraded,
            initial_build=builds_parity(tree, md, level, degraded, sync)
            or self._first_build(level, metadata, raid_disks or 0, degraded, members, entry, sync),
            consistency=read_consistency(tree, md),
            bitmap_chunk_bytes=read_chunk(tree, md),
            mismatch_sectors=tree.number(f"{md}/mismatch_cnt"),
            checked=was_checked(tree, kernel_name, self._checks),
            sync_part=(tree.number(f"{md}/sync_min") or 0, tree.number(f"{md}/sync_max")),  # as a rule "max"
            # mdstat shows a sync paused halfway as "pending"; only sysfs shows that it will not resume by itself.
            sync_action=sync.action if sync and sync_action != "frozen" else sync_action,
            sync=sync,
            sync_speed_min=least,
            sync_speed_max=most,
            members=members,
            below=self._arrays_under(md),
            mountpoints=_mountpoints(tree, kernel_name, number, mounts),
        )

    def _limits(self, md: str) -> SpeedLimits:
        """Read the sync speed limits of the array with the sysfs folder ``md``."""
        least, most = (self._tree.number(f"{md}/sync_speed_{which}") for which in ("min", "max"))
        return (None if least is None else least * KIB, None if most is None else most * KIB)

    def _kernel_names(self) -> list[str]:
        tree = self._tree
        return [
            n for n in tree.names("/sys/block") if n.startswith("md") and tree.exists(f"/sys/block/{n}/md")
        ]

    def _uuid(self, md: str, paths: tuple[str, ...]) -> tuple[str, Superblock | None]:
        """The array's UUID; for an inactive array also the superblock it was read from."""
        tree = self._tree
        uuid = tree.text(f"{md}/uuid")
        metadata = tree.text(f"{md}/metadata_version")
        if metadata.startswith("external:"):
            return uuid_in(self._lookup(tree.text(f"{md.removesuffix('/md')}/dev"))), None
        if uuid not in {"", _NO_UUID} and tree.text(f"{md}/array_state") != "inactive":
            return as_mdadm_writes(uuid, metadata), None
        stored = next(filter(None, (self._superblock(path, metadata) for path in paths)), None)
        return stored.uuid if stored else "", stored

    def _read_members(self, md: str) -> tuple[Member, ...]:
        found = [
            member
            for name in self._tree.names(md)
            if name.startswith("dev-") and (member := self._read_member(f"{md}/{name}", name)) is not None
        ]
        return tuple(sorted(found, key=_by_slot))

    def _with_slots(self, members: tuple[Member, ...], metadata: str) -> tuple[Member, ...]:
        """Add the slots of an inactive array's members: until it starts, the kernel reports all of them as spares."""
        found = []
        for member in members:
            stored = self._superblock(member.path, metadata)
            slot = stored.slot if stored is not None and "faulty" not in member.state else None
            state = tuple(word for word in member.state if word != "spare" or slot is None)
            found.append(msgspec.structs.replace(member, slot=slot, state=state))
        return tuple(sorted(found, key=_by_slot))

    def _read_member(self, folder: str, entry: str) -> Member | None:
        tree = self._tree
        state = tuple(word for word in tree.text(f"{folder}/state").split(",") if word)
        slot = tree.number(f"{folder}/slot")
        size = tree.number(f"{folder}/size")
        if size is None:
            return None  # removed since the listing
        return Member(
            path=_member_path(entry),
            disk=self._identity(folder),
            slot=None if "faulty" in state else slot,
            state=state,
            errors=tree.number(f"{folder}/errors") or 0,
            bad_sectors=_bad_sectors(tree, folder),
            offset_bytes=(tree.number(f"{folder}/offset") or 0) * SECTOR,
            size_bytes=size * KIB,
        )

    def _arrays_under(self, md: str) -> tuple[str, ...]:
        """The nodes of the arrays that the members are on, as a whole or on a partition."""
        folders = (f"{md}/{name}/block" for name in self._tree.names(md) if name.startswith("dev-"))
        wholes = dict.fromkeys(whole_folder(self._tree, folder) for folder in folders)
        return tuple(f"/dev/{os.path.basename(one)}" for one in wholes if self._tree.exists(f"{one}/md"))

    def _identity(self, folder: str) -> str:
        """The identity of the whole disk under a member; empty if the device is gone."""
        tree = self._tree
        where = whole_folder(tree, f"{folder}/block")
        number = tree.text(f"{where}/dev")
        if not number:
            return ""
        sequence = tree.text(f"{where}/diskseq")
        known = self._identities.get((number, sequence)) if sequence else None
        if known is None:
            known = read_identity_of(tree, where, self._lookup(number))
            self._identities[number, sequence] = known
        return known

    def _superblock(self, path: str, metadata: str) -> Superblock | None:
        size = (self._tree.number(f"/sys/class/block/{path.removeprefix('/dev/')}/size") or 0) * SECTOR
        find = find_superblock if metadata == _BY_HAND else partial(read_superblock, metadata=metadata)
        return find(self._tree, path, size_bytes=size)

    def _name(
        self, kernel_name: str, number: str, uuid: str, stored: Superblock | None
    ) -> tuple[str, str, str]:
        """The array's name, its path under /dev/md if udev made one, and its name with its host, if that is known."""
        tree = self._tree
        if known := self._names.get((kernel_name, uuid)):
            return known
        udev = self._lookup(number)
        paths = [f"/dev/md/{name}" for name in tree.names("/dev/md")]
        path = next((p for p in paths if tree.device_named(p) == kernel_name), "")
        full = udev.get("MD_NAME") or (stored.name if stored else "")
        name = full.partition(":")[2] or full or udev.get("MD_DEVNAME", "") or path.rpartition("/")[2]
        if path and "MD_NAME" in udev:  # udev has finished with it: the name is final
            self._names[kernel_name, uuid] = name, path, full
        return name or self._mapped_name(kernel_name) or kernel_name, path, full

    def _mapped_name(self, kernel_name: str) -> str:
        """The name in mdadm's map file, which has lines like ``md127 1.2 UUID /dev/md/tank``."""
        for words in (line.split() for line in self._tree.lines("/run/mdadm/map")):
            if len(words) == 4 and words[0] == kernel_name and words[3].startswith("/dev/md/"):
                return words[3].removeprefix("/dev/md/")
        return ""

    def _first_build(
        self,
        level: str,
        metadata: str,
        raid_disks: int,
        degraded: int | None,
        members: tuple[Member, ...],
        entry: Entry,
        sync: Sync | None,
    ) -> bool:
        if parity_of(level) != 1 or degraded != 1:
            return False
        numbers = {f"/dev/{name}": number for name, number in entry.numbers.items()}
        rebuilding = Rebuilding.of(members, numbers, raid_disks)
        if rebuilding is None:
            return False
        superblock = self._superblock(rebuilding.healthy.path, metadata)
        return superblock is not None and is_first_build(superblock, sync)


_READER: Final = ArrayReader()


def read_arrays() -> tuple[Array, ...]:
    """Read every md array of this computer; `Array.signatures` stays empty, see `raidtui.machine.reader`."""
    return _READER.read()


def read_member_paths() -> Mapping[str, tuple[str, ...]]:
    """Read the member paths of every md array of this computer, by UUID."""
    return _READER.read_member_paths()


def is_rotational(unit: Unit, tree: Tree = HERE) -> bool:
    """Whether a member of ``unit`` is on a rotating disk, which is slower towards its end."""
    names = (member.path.removeprefix("/dev/") for member in unit.members if member.path)
    folders = (whole_folder(tree, f"/sys/class/block/{name}") for name in names)
    return any(tree.text(f"{folder}/queue/rotational") == "1" for folder in folders)


def _by_name(array: Array) -> tuple[list[str | int], str]:
    """Sort key: tank-2 before tank-10."""
    parts = _NUMBER.split(array.name)  # text and numbers alternate
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], array.node


def _by_slot(member: Member) -> tuple[bool, int, bool, str]:
    """Sort key: members by slot, then spares, then failed members."""
    return member.slot is None, member.slot or 0, "faulty" in member.state, member.path


def _member_path(entry: str) -> str:
    """The device node of the member with the sysfs folder ``entry``."""
    return f"/dev/{entry.removeprefix('dev-').replace('!', '/')}"


def _bad_sectors(tree: Tree, folder: str) -> int:
    """The sectors in a member's list of bad blocks: lines of their first sector and their number."""
    ends = (line.partition(" ")[2] for line in tree.lines(f"{folder}/bad_blocks"))
    return sum(int(end) for end in ends if end.isdecimal())


def layout_word(level: str, number: int | None) -> str:
    """mdadm's word for md's number of a layout; empty for a level without layouts."""
    if number is None:
        return ""
    if level in {"raid5", "raid6"}:
        return PARITY_LAYOUTS.get(number, str(number))
    if level == "raid10":
        near, far = number & 0xFF, number >> 8 & 0xFF
        return f"{'o' if number >> 16 & 1 else 'f'}{far}" if far > 1 else f"n{near}"
    return ""


def _sync(tree: Tree, md: str, action: str, entry: Entry, *, unfilled: bool) -> Sync | None:
    """``unfilled``: a slot lacks its data, and a spare is there for it."""
    progress = entry.progress
    parked = action == "idle" and tree.text(f"{md}/array_state") == "read-auto"  # waits for the first write
    unsure = parked or action in {"frozen", "resync"} or (progress is not None and progress.waiting)
    if unsure and tree.text(f"{md}/reshape_position") not in {"", "none"}:
        action = "reshape"  # of one that is paused, or parked and clean, mdstat shows nothing; Linux 6.12 may say resync
    elif parked and unfilled:
        action = "recover"  # mdstat shows nothing of it either
    if progress is not None:
        # mdstat does not distinguish a check from a repair, or what a waiting sync is; sysfs does.
        return Sync(
            action=action if action in _RUNNING_ACTIONS else progress.action,
            done_bytes=progress.done_bytes,
            total_bytes=progress.total_bytes,
            bytes_per_second=progress.bytes_per_second,
            finish_seconds=progress.finish_seconds,
            waiting=progress.waiting,
        )
    if action not in _RUNNING_ACTIONS:
        return None
    # It started or ended between the two readings, or mdstat cannot be read.
    done, _, total = tree.text(f"{md}/sync_completed").partition(" / ")
    known = done.isdigit() and total.isdigit()
    return Sync(
        action=action,
        done_bytes=int(done) * SECTOR if known else 0,
        total_bytes=int(total) * SECTOR if known else 0,
        bytes_per_second=(tree.number(f"{md}/sync_speed") or 0) * KIB,
        waiting="delayed" if done == "delayed" else "pending" if parked else "",
    )


def _mountpoints(tree: Tree, kernel_name: str, number: str, mounts: tuple[Mount, ...]) -> tuple[str, ...]:
    """Where the array or one of its partitions is mounted. A Btrfs mount does not have its device number."""
    own = [name for name in tree.names(f"/sys/block/{kernel_name}") if name.startswith(kernel_name)]
    names = {kernel_name, *own}
    nodes = {f"/dev/{name}" for name in names}
    numbers = {number, *(tree.text(f"/sys/block/{kernel_name}/{name}/dev") for name in names)} - {""}
    return tuple(dict.fromkeys(mount.target for mount in mounts if is_of(mount, numbers, nodes)))


def lookup_in(properties: Mapping[str, Properties]) -> Callable[[str], Properties]:
    """A lookup in ``properties`` that have already been read."""
    return lambda number: properties.get(number, NONE)
