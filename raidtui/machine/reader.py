"""Read the whole computer, or load a recorded one."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from raidtui.machine.ask import Ask, ask
from raidtui.machine.blocks import read_devices
from raidtui.machine.cards import read_cards
from raidtui.machine.configured import find_mdadm_conf, read_references
from raidtui.machine.contents.btrfs_superblock import count_btrfs_devices, read_mounted_btrfs
from raidtui.machine.contents.filesystem_size import with_misfit
from raidtui.machine.contents.lost_beginning import with_lost_beginning
from raidtui.machine.contents.signatures import PARTITION_TABLES, Probed, probe
from raidtui.machine.contents.stored_table import count_stored
from raidtui.machine.contents.unknown_data import Unknown, read_older_data, read_unknown_data
from raidtui.machine.disks import disks_in, read_disk
from raidtui.machine.fence import Fence, taken_by_unknown
from raidtui.machine.filesystem_errors import trouble_of
from raidtui.machine.md.arrays import ArrayReader, lookup_in
from raidtui.machine.md.container_disks import with_failed
from raidtui.machine.md.newest import find_newest, read_superblocks
from raidtui.machine.md.stopped import unread_arrays
from raidtui.machine.mounts import read_all_mounts, read_swaps
from raidtui.machine.smart import read_smart
from raidtui.machine.system import read_system
from raidtui.machine.taken.claims import find_claims, read_error, unclaimed_error
from raidtui.machine.taken.exported import Export, read_exports
from raidtui.machine.taken.facts import MachineFacts
from raidtui.machine.taken.processes import read_openers
from raidtui.machine.textfile import read_bounded
from raidtui.machine.tools import ask_versions, never_in_plans
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import NONE, Properties, read_properties
from raidtui.machine.volumes import PhysicalVolume, read_physical_volumes
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, Swap, content_of
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.machine import Array, ClaimKind, Disk, Machine, MountElsewhere, Signature
from raidtui.model.smart import Smart
from raidtui.model.struct import from_json
from raidtui.model.system import System
from raidtui.model.units import MIB

_AT_ONCE: Final = 8
_IDLE: Final = frozenset({DeviceKind.LOOP, DeviceKind.OTHER})  # the kernel has some in stock, without a size
_LARGEST_RECORDING: Final = 16 * MIB  # a computer of a hundred disks has one


def read_machine(*, smart: bool = True, known_tools: Mapping[str, str] | None = None) -> Machine:
    """Read this computer. Takes seconds with many sleeping or failing disks, otherwise less than a second.

    Without root, reads what is permitted and sets `Machine.complete` to False.

    Args:
        smart: whether to read the disks' health.
        known_tools: versions from an earlier reading; these programs are only looked up, not run again.
    """
    versions = ask_versions(never_in_plans() | dict(known_tools or {}))
    return read_tree(
        HERE, ask=ask, properties=read_properties(), root=os.geteuid() == 0, smart=smart, versions=versions
    )


def load_machine(path: str) -> Machine:
    """Load a machine from the output of ``raidtui inspect --json``.

    Raises:
        BadInput: the file cannot be read, or does not hold a machine.
    """
    try:
        text = read_bounded(path, most=_LARGEST_RECORDING)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    try:
        machine = from_json(text, Machine, origin=path)
    except BadInput as error:
        raise BadInput(f"{error}; 'raidtui inspect --json' writes such a file") from error
    for disk in machine.disks:
        if not disk.free and not disk.taken_by:
            raise BadInput(
                f"{path}: the disk {disk.shown} is not free, but nothing takes it: not a recorded machine"
            )
    return machine


def read_tree(
    tree: Tree,
    *,
    ask: Ask,
    properties: Mapping[str, Properties],
    root: bool,
    smart: bool,
    versions: Callable[[], dict[str, str]],
    exclusive_error: Callable[[str], str] = unclaimed_error,
    read_error: Callable[[str, int], str] = read_error,
    unknown_data: Callable[[str, int], Unknown | None] = read_unknown_data,
    btrfs_devices: Callable[[str], int | None] = count_btrfs_devices,
) -> Machine:
    """Read the computer whose files are in ``tree``.

    Args:
        ask: runs programs.
        properties: udev's properties of each block device, by number.
        root: whether disks may be opened.
        smart: whether to read the disks' health.
        versions: returns the installed programs and their versions.
        exclusive_error: why a device cannot be opened with O_EXCL.
        read_error: why a device of a given size cannot be read.
        unknown_data: what is on a device of a given size without signatures.
        btrfs_devices: number of devices of the Btrfs filesystem on a device.
    """
    graph = DeviceGraph(read_devices(tree, properties))
    shown = disks_in(graph)
    disks = [read_disk(tree, graph, block, properties) for block in shown]
    uses, other = Fence(), Fence()  # what may take a disk, and what says more about it
    arrays = uses.read("mdadm", "md arrays", lambda: ArrayReader(tree, lookup_in(properties)).read(), ())
    # Before the programs below open the disks themselves.
    openers = uses.read("openers", "the programs that have disks open", lambda: read_openers(tree, graph), {})
    probed = uses.read(
        "signatures",
        "signatures",
        lambda: _read_signatures(graph, shown, arrays, properties, ask=ask, root=root),
        Probed(found={}, failed={}),
    )
    signatures = probed.found
    disks = [_with_signatures(disk, signatures) for disk in disks]
    arrays = tuple(_with_array_signatures(array, graph, probed) for array in arrays)
    if root:
        arrays = tuple(_with_older_data(array, tree, ask) for array in arrays)
    other.problems += unread_arrays(graph, arrays)
    superblocks = (
        other.read("mdadm", "md superblocks", lambda: read_superblocks(tree, graph, disks, arrays), ())
        if root
        else ()
    )
    arrays = tuple(
        msgspec.structs.replace(array, newest=find_newest(superblocks, disks, array)) for array in arrays
    )
    arrays = (
        other.read("mdadm", "firmware RAIDs", lambda: with_failed(arrays, ask), arrays) if root else arrays
    )
    volumes, unasked = uses.read(
        "lvm", "LVM physical volumes", lambda: _read_volumes(tree, graph, signatures, ask), ({}, {})
    )
    everywhere = uses.read("mounts", "the mounts", lambda: read_all_mounts(tree), ())
    btrfs = uses.read("btrfs", "mounted Btrfs filesystems", lambda: read_mounted_btrfs(tree), ())
    swaps = uses.read("swap", "the swap space", lambda: read_swaps(tree), ())
    exports = uses.read("exports", "the disks that the kernel exports", lambda: read_exports(tree), {})
    used = _with_uses(DeviceGraph(graph, everywhere, btrfs), tree, signatures, swaps, exports)
    graph = DeviceGraph(used, everywhere, btrfs)
    facts = MachineFacts(
        tree=tree,
        graph=graph,
        properties=properties,
        openers=openers,
        exports=exports,
        volumes=volumes,
        references=uses.read(
            "configured",
            "fstab, crypttab and mdadm.conf",
            lambda: read_references(tree, find_mdadm_conf(tree)),
            (),
        ),
        arrays=arrays,
        superblocks=superblocks,
        signatures=signatures,
        exclusive_error=exclusive_error if root else lambda _: "",
        unread={**probed.failed, **(unasked if root else {})},
        read_error=read_error if root else lambda _, __: "",
        unknown_data=unknown_data if root else lambda _, __: None,
        btrfs_devices=btrfs_devices if root else lambda _: None,
        stored_partitions=(lambda path: count_stored(path, ask=ask)) if root else lambda _: None,
    )
    tools = other.read("tools", "the versions of the tools", versions, {})
    health = other.read("smart", "SMART", lambda: read_smart(disks, ask), {}) if smart and root else {}
    system = uses.read("system", "the system", lambda: read_system(tree), System(hostname="", kernel=""))
    cards = uses.read("cards", "RAID cards", lambda: read_cards(tree), ())
    finished = _finish_all(facts, disks, health, other)
    return Machine(
        read_at=datetime.now(UTC).isoformat(timespec="seconds"),
        complete=root,
        system=system,
        tools=tools,
        cards=cards,
        disks=tuple(taken_by_unknown(disk, uses.problems) for disk in finished),
        arrays=arrays,
        superblocks=superblocks,
        mounts=tuple(
            msgspec.structs.replace(one.mount, trouble=trouble_of(one.mount, tree))
            for one in everywhere
            if one.here
        ),
        mounts_elsewhere=tuple(
            MountElsewhere(mount=one.mount, pid=one.pid, process=tree.text(f"/proc/{one.pid}/comm"))
            for one in everywhere
            if one.apart and one.mount.device
        ),
        devices=tuple(
            with_lost_beginning(with_misfit(one, graph, tree), graph, tree, ask=ask) if root else one
            for one in graph
            if one.size_bytes or one.kind not in _IDLE
        ),
        problems=(*uses.problems, *other.problems),
    )


def _finish_all(
    facts: MachineFacts, disks: list[Disk], health: Mapping[str, Smart], fence: Fence
) -> tuple[Disk, ...]:
    """Add claims, mounts and health to the disks, in parallel: on a blank disk several places are sampled."""

    def finished(disk: Disk) -> Disk:
        unknown = Fence()
        found = unknown.read(
            "claims",
            f"what uses {disk.path}",
            lambda: _finished(facts, disk, disks, health.get(disk.name)),
            disk,
        )
        fence.problems += unknown.problems
        return taken_by_unknown(found, unknown.problems)

    # A disk that rotates leaves time for others. On flash, more threads than processors only take turns.
    at_once = _AT_ONCE if any(disk.rotational for disk in disks) else min(_AT_ONCE, os.cpu_count() or 1)
    if at_once == 1:
        return tuple(map(finished, disks))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        return tuple(pool.map(finished, disks))


def _finished(facts: MachineFacts, disk: Disk, disks: list[Disk], health: Smart | None) -> Disk:
    claims, graph = find_claims(facts, disk, disks), facts.graph
    partitions = tuple(
        msgspec.structs.replace(
            part,
            mountpoints=tuple(
                dict.fromkeys(
                    one.mount.target for one in graph.mounts_of(graph.by_name[part.name]) if one.here
                )
            ),
        )
        for part in disk.partitions
    )
    return msgspec.structs.replace(
        disk,
        smart=health,
        partitions=partitions,
        taken_by=claims,
        free=all(claim.what is ClaimKind.REMAINS for claim in claims),
    )


def _read_signatures(
    graph: DeviceGraph,
    shown: list[Device],
    arrays: tuple[Array, ...],
    properties: Mapping[str, Properties],
    *,
    ask: Ask,
    root: bool,
) -> Probed:
    """Read the signatures on every disk and array, and on the partitions of both."""
    nodes = [block for array in arrays if (block := graph.at(array.node)) is not None]
    whole = [block for block in (*shown, *nodes) if block.size_bytes]
    looked_at = [device for block in whole for device in (block, *graph.parts(block))]
    if root:
        return probe([device.path for device in looked_at], ask=ask)
    # Without root no disk can be opened, but udev's results are readable.
    from_udev = {
        device.path: _signatures_from_udev(device, properties.get(device.number, NONE))
        for device in looked_at
    }
    return Probed(found=from_udev, failed={})


def _signatures_from_udev(device: Device, udev: Properties) -> tuple[Signature, ...]:
    kinds = [
        udev.get("ID_FS_TYPE", ""),
        udev.get("ID_PART_TABLE_TYPE", "") if device.partition is None else "",
    ]
    return tuple(
        Signature(
            device=device.path,
            offset=0,
            type=kind,
            label=udev.get("ID_FS_LABEL", "") if kind == udev.get("ID_FS_TYPE") else "",
            uuid=udev.get("ID_FS_UUID", "") if kind == udev.get("ID_FS_TYPE") else "",
        )
        for kind in kinds
        if kind
    )


def _with_uses(
    graph: DeviceGraph,
    tree: Tree,
    signatures: Mapping[str, tuple[Signature, ...]],
    swaps: Sequence[Swap],
    exports: Mapping[str, tuple[Export, ...]],
) -> Iterator[Device]:
    """The devices with what is on them, where it was probed, and what uses them but no mount."""
    own = {
        tree.device_named(one.path): f"/dev/{tree.device_named(one.path)}" for one in swaps if one.partition
    }
    files = [(one.path, graph.holding(one.path)) for one in swaps if not one.partition]
    for device in graph:
        on_it = (file for file, on in files if on is not None and on in graph.together(device))
        yield msgspec.structs.replace(
            device,
            swaps=tuple(filter(None, (own.get(device.name), *on_it))),
            exports=tuple(one.what for one in exports.get(device.name, ())),
            **(content_of(signatures[device.path]) if device.path in signatures else {}),
        )


def _with_signatures(disk: Disk, signatures: Mapping[str, tuple[Signature, ...]]) -> Disk:
    own = signatures.get(disk.path, ())
    partitions = tuple(
        msgspec.structs.replace(part, signatures=signatures.get(part.path, ())) for part in disk.partitions
    )
    table = next((s.type for s in own if s.type in PARTITION_TABLES - {"PMBR"}), "")
    return msgspec.structs.replace(disk, signatures=own, partitions=partitions, partition_table=table)


def _with_array_signatures(array: Array, graph: DeviceGraph, probed: Probed) -> Array:
    block = graph.at(array.node)
    devices = (block, *graph.parts(block)) if block else ()
    return msgspec.structs.replace(
        array,
        signatures=tuple(s for device in devices for s in probed.found.get(device.path, ())),
        unread=next((why for device in devices if (why := probed.failed.get(device.path))), ""),
    )


def _with_older_data(array: Array, tree: Tree, ask: Ask) -> Array:
    """``array`` with what its members hold of an older one; only if nothing known is on it.

    One that a single disk had, such as in a partition, is on no other disk; a mirror has it on several.
    """
    if not array.started or array.signatures or array.unread or array.volumes:
        return array
    read = [(one.path, read_older_data(tree.path(one.path), ask=ask)) for one in array.members if one.path]
    of = Counter(found.uuid for _, found in read if found is not None)
    return msgspec.structs.replace(
        array,
        older=tuple(
            (path, found.words)
            for path, found in read
            if found is not None and (not found.whole or of[found.uuid] > 1)
        ),
    )


def _read_volumes(
    tree: Tree, graph: DeviceGraph, signatures: Mapping[str, tuple[Signature, ...]], ask: Ask
) -> tuple[Mapping[str, PhysicalVolume], Mapping[str, str]]:
    """Read LVM's physical volumes, only if there are any: pvs takes a while.

    Also return, by path, why it is unknown whether the group of a physical volume is in use.
    """
    paths = [path for path, some in signatures.items() if any(s.type == "LVM2_member" for s in some)]
    try:
        return read_physical_volumes(tree, graph, ask) if paths else {}, {}
    except StepFailed as error:
        return {}, dict.fromkeys(paths, str(error))
