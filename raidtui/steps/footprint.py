"""The footprint of a unit: which mounts are its own, and which lines of fstab mean it. One answer for every backend.

A mount is decided by the device that the kernel reports for it, never by its place: another filesystem may be mounted
over it. A line of fstab is decided by the device that it names, under every name that mount(8) takes: TAG=value, a
link of udev, the kernel's name (fstab(5), blkid(8)). Where a device has no link, because it is not active, the names
that it would have decide.
"""

import posixpath
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.model.config_lines import Names, name_in
from raidtui.model.device_graph import TABLES, graph_of, is_of, lies_in, overlay_folders
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine, Mount, Signature
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Role, Run, Step
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.uuids import bare
from raidtui.steps.filesystems import NOT_MOUNTED
from raidtui.steps.fstab import fields_of, step_names

_LONGEST_UNMOUNT: Final = 600
_BY: Final = "/dev/disk/by-"


class Footprint(Record, frozen=True, kw_only=True):
    """The devices that a unit provides, by every name that a mount or a line of fstab may have for them."""

    nodes: frozenset[str] = (
        frozenset()
    )  # the kernel's: /dev/md127, /dev/dm-4; of a Btrfs those of its members
    numbers: frozenset[str] = frozenset()  # the device numbers of those of which they are known: 253:4
    links: frozenset[str] = frozenset()  # other paths: /dev/md/tank, /dev/tank/data, links in /dev/disk/by-id
    signatures: tuple[Signature, ...] = ()  # what is on them, for its UUIDs and labels
    partition_uuids: frozenset[str] = frozenset()  # bare
    partition_labels: frozenset[str] = frozenset()
    datasets: frozenset[str] = frozenset()  # what mounts as "zfs" and is no device
    family: str = ""  # how paths begin that may be one of its own though no name is known: /dev/md

    @property
    def names(self) -> Names:
        """Its names, as a line may have them."""
        return Names(
            paths=self.nodes | self.links,
            uuids=frozenset(bare(s.uuid) for s in self.signatures),
            labels=frozenset(s.label for s in self.signatures if s.label),
            partition_uuids=self.partition_uuids,
            partition_labels=self.partition_labels,
        )

    def owns(self, mount: Mount) -> bool:
        """Whether ``mount`` is of one of these devices."""
        if self.datasets:
            return mount.type == "zfs" and mount.source in self.datasets
        return is_of(mount, self.numbers, self.nodes, self.links)

    def mounts(self, machine: Machine) -> tuple[Mount, ...]:
        """Its mounts, in mount order."""
        return tuple(mount for mount in machine.mounts if self.owns(mount))

    def places(self, machine: Machine) -> tuple[str, ...]:
        """Where it is mounted, deepest first, each place once."""
        return deepest_first(self.mounts(machine))


def deepest_first(mounts: Sequence[Mount]) -> tuple[str, ...]:
    """The places of ``mounts``, the deepest first, each once."""
    found = dict.fromkeys(mount.target for mount in mounts)
    return tuple(sorted(found, key=lambda place: -place.count("/")))


def footprint_of_devices(devices: Sequence[tuple[Disk, str]]) -> Footprint:
    """The footprint of disks and partitions, each with its disk, by the kernel's path."""
    nodes, links, signatures, uuids, labels = set(), set(), [], set(), set()
    for disk, path in devices:
        nodes.add(path)
        part = next((one for one in disk.partitions if one.path == path), None)
        whole = [f"{_BY}id/{link}" for link in disk.by_id] + [disk.path]
        links |= {partition_path(one, part.number) if part else one for one in whole}
        if disk.sequence:
            links.add(f"{_BY}diskseq/{disk.sequence}" + (f"-part{part.number}" if part else ""))
        signatures += [s for s in (part.signatures if part else disk.signatures) if s.type not in TABLES]
        if part is not None:
            uuids.add(bare(part.uuid))
            labels.add(part.label)
    return Footprint(
        nodes=frozenset(nodes),
        links=frozenset(links),
        signatures=tuple(signatures),
        partition_uuids=frozenset(uuids - {""}),
        partition_labels=frozenset(labels - {""}),
    )


def check_mounts(own: Footprint, machine: Machine, *, name: str) -> None:
    """Check that nothing else is mounted where ``own`` is, over it or inside it: only its own mounts are undone.

    Nor may it be mounted in another mount namespace, where the removal does not reach.

    Args:
        name: of the unit, as shown.

    Raises:
        Refused: something else is, or it is mounted elsewhere too.
    """
    for one in machine.mounts_elsewhere:
        if own.owns(one.mount):
            raise Refused(
                f"{name} is mounted at {harmless(one.mount.target)} in another mount namespace, that of process "
                f"{one.pid} ({harmless(one.process)}). Unmount it there first: nsenter --mount=/proc/{one.pid}/ns/mnt "
                f"umount {harmless(shlex.quote(one.mount.target))}"
            )
    graph = graph_of(machine)
    for device in (there for node in sorted(own.nodes) if (there := graph.at(node)) is not None):
        for file in device.swaps:
            if file != device.path:
                raise Refused(
                    f"the file {harmless(file)} on {name} is in use as swap. Switch it off first: swapoff "
                    f"{harmless(shlex.quote(file))}"
                )
        for loop in graph.on(device):
            if loop.is_image:
                raise Refused(
                    f"the loop device {loop.path} shows the file {harmless(loop.backing)} on {name}. End its use "
                    f"first, then: losetup --detach {loop.path}"
                )
    for order, mount in enumerate(machine.mounts):
        if not own.owns(mount):
            continue
        place = mount.target
        for number, other in enumerate(machine.mounts):
            if own.owns(other):
                continue
            at, later = other.target == place, number > order
            if later and any(lies_in(folder, place) for folder in overlay_folders(other)):
                raise Refused(
                    f"the overlay that is mounted at {harmless(other.target)} has a folder on {name}. Unmount it first: "
                    f"umount {harmless(shlex.quote(other.target))}"
                )
            over = later and other.target != "/" and lies_in(place, other.target)
            inside = later and lies_in(other.target, place)
            if at or over or inside:
                where = "at" if at and not later else "over" if at or over else "inside"
                raise Refused(
                    f"{harmless(other.source)} ({other.type}) is mounted at {harmless(other.target)}, {where} "
                    f"{'the same place as' if where == 'at' else 'the mount of'} {name}. Unmount it first: umount "
                    f"{harmless(shlex.quote(other.target))}"
                )


def unmount(
    own: Footprint,
    machine: Machine,
    *,
    name: str,
    reason: str,
    source: str = "",
    by_hand: Callable[[Mount], Run | None] = lambda _: None,
    holds: tuple[str, ...] = (),
) -> list[Step]:
    """Undo every mount of ``own``, the last one first; undoing a step mounts again all that it unmounted.

    Args:
        name: of the unit, as shown.
        source: what to mount again by, where neither fstab nor another mount helps; empty: the mount's own source.
        by_hand: the backend's own command to mount again, if it has one.

    Raises:
        Refused: something else is mounted over it or inside it.
    """
    check_mounts(own, machine, name=name)
    mounts = own.mounts(machine)
    groups: list[list[int]] = []
    for number in reversed(range(len(mounts))):
        if groups and mounts[groups[-1][-1]].target == mounts[number].target:
            groups[-1].append(number)
        else:
            groups.append([number])
    left = [mounts[group[0]].target for group in groups]
    return [
        Step(
            id=step,
            role=Role.REMOVE,
            title=f"Unmount {harmless(place)}",
            reason=reason,
            actions=(Run(argv=("umount", place), timeout_seconds=_LONGEST_UNMOUNT),) * len(group),
            after=() if place in left[order + 1 :] else (NOT_MOUNTED.of(place),),
            undo=tuple(
                by_hand(mounts[number])
                or _mount_again(
                    mounts[number], mounts[:number], own, machine, source or mounts[number].source
                )
                for number in reversed(group)
            ),
            undo_note="the filesystem is mounted again",
            holds=holds,
        )
        for order, (step, place, group) in enumerate(
            zip(step_names("unmount", len(groups)), left, groups, strict=True)
        )
    ]


def _mount_again(mount: Mount, before: Sequence[Mount], own: Footprint, machine: Machine, source: str) -> Run:
    """The command that mounts again: by fstab, as a bind mount of an earlier one, or as it was mounted by hand."""
    place = mount.target
    below = [one for one in before if one.device == mount.device and lies_in(mount.root, one.root)]
    again = any(one.target == place for one in before)
    lines = () if again else own_lines(own, machine)
    if any(posixpath.normpath(fields_of(line)[1]) == place for line in lines):
        return Run(argv=("mount", place))
    if below and (again or (mount.root != "/" and mount.type != "btrfs")):
        inner = posixpath.relpath(mount.root, below[-1].root)
        return Run(argv=("mount", "--bind", posixpath.normpath(f"{below[-1].target}/{inner}"), place))
    options = ["ro" if "ro" in mount.options.split(",") else "rw"]
    if mount.type == "btrfs" and mount.root != "/":
        options.append(f"subvol={mount.root}")
    return Run(argv=("mount", "-t", mount.type, "-o", ",".join(options), source, place))


def own_lines(own: Footprint, machine: Machine) -> list[str]:
    """The lines of fstab that mean ``own``."""
    system = machine.system
    return _lines_of(own, machine, system.fstab, system.fstab, system.fstab_nodes)


def crypt_lines(own: Footprint, machine: Machine) -> list[str]:
    """The lines of crypttab that mean ``own``."""
    system = machine.system
    meant = [" ".join((*line.split()[1:2], "none")) for line in system.crypttab]
    return _lines_of(own, machine, system.crypttab, meant, system.crypttab_nodes)


def lines_through(crypt: Sequence[str], machine: Machine) -> list[str]:
    """The lines of fstab that mount what the lines ``crypt`` of crypttab would open, and which is not open now."""
    opened = {f"/dev/mapper/{fields_of(line)[0]}" for line in crypt}
    return [line for line in machine.system.fstab if name_in(fields_of(line)[0]).value in opened]


def _lines_of(
    own: Footprint, machine: Machine, lines: Sequence[str], meant: Sequence[str], nodes: Sequence[str]
) -> list[str]:
    """Those of ``lines`` that mean ``own``; ``meant``: each as a line of fstab, ``nodes``: what it leads to now."""
    places = own.places(machine)
    graph = graph_of(machine)
    here = [device for node in own.nodes if (device := graph.at(node)) is not None]
    own = replace(
        own,
        links=own.links.union(*(device.links for device in here)),
        partition_uuids=own.partition_uuids | {bare(device.partition_uuid) for device in here},
        partition_labels=own.partition_labels | {device.partition_label for device in here},
    )
    nodes = nodes if len(nodes) == len(lines) else ("",) * len(lines)
    return [
        line
        for line, as_fstab, node in zip(lines, meant, nodes, strict=True)
        if _means(as_fstab, node, own, machine, places)
    ]


def _means(line: str, node: str, own: Footprint, machine: Machine, places: Sequence[str]) -> bool:
    fields = fields_of(line)
    if len(fields) < 2:
        return False
    source, target = fields[0], posixpath.normpath(fields[1])
    if own.datasets:
        volume = posixpath.normpath(source).removeprefix("/dev/zvol/")
        return (fields[2:3] == ["zfs"] and source in own.datasets) or (
            volume != source and volume in own.datasets
        )
    if node in own.nodes:
        return True
    name, here = name_in(source), target in places
    known, names = own.names.have(name), own.names
    match name.tag:
        case "UUID":
            # A clone has the same one.
            return known and (not node or here)
        case "LABEL":
            others = {s.label for s in _every_signature(machine) if bare(s.uuid) not in names.uuids}
            if not known:
                return here and not names.labels and not node and bool(own.family)
            return here or (not node and name.value not in others)
    if known or node:
        return known and not node
    # Of an array's partitions neither names nor UUIDs are read.
    family = bool(own.family) and (name.tag != "PATH" or name.value.startswith(own.family))
    return family and here and name.value not in {path for a in machine.arrays for path in (a.node, a.path)}


def _every_signature(machine: Machine) -> Iterator[Signature]:
    for disk in machine.disks:
        yield from disk.every_signature
    for array in machine.arrays:
        yield from array.signatures
