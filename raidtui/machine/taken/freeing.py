"""How a device is freed: the commands that end what is on it, what is on top first.

They are printed to be followed as they are: each works when those before it have been run. Nothing that is on a device
is erased by them, but for ``raidtui teardown``, which asks for the disks itself; where that would refuse, what is on
the device is only stopped.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from raidtui.machine.md.health import is_container, topmost, with_all_under
from raidtui.machine.mounts import umount_command
from raidtui.machine.taken.facts import MachineFacts
from raidtui.machine.volumes import PhysicalVolume
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import MountedAt, in_the_way, lies_in, overlay_folders
from raidtui.model.machine import Array, Mount
from raidtui.model.unit_names import command_word
from raidtui.model.uuids import bare

LVM: Final = "LVM-"
LVM_GROUP: Final = len(LVM) + 32  # the prefix of a volume's dm/uuid that has its group's UUID
_LVM_WHOLE: Final = LVM_GROUP + 32  # … and with the volume's UUID; the hidden layers of a volume add a suffix
_OPENERS: Final = (  # the prefix of dm/uuid, and the program that opens such a device
    ("CRYPT-INTEGRITY-", "integritysetup"),
    ("CRYPT-VERITY-", "veritysetup"),
    ("CRYPT-", "cryptsetup"),
)
_ON_MANY: Final = frozenset({"btrfs", "bcachefs", "zfs_member", "linux_raid_member"})


def free_from(facts: MachineFacts, block: Device, holder: Device, disk: str) -> str:
    """The commands that take ``block`` out of ``holder``, which is on it, joined by ``&&``.

    Args:
        disk: the serial number, or another name, of the disk that ``block`` is on; empty if it has none.
    """
    array = facts.array_of(holder)
    if array is not None and array.newest:
        return get_data_first(array)
    if array is not None and array.state not in {"inactive", ""} and (extra := _extra(array, block, disk)):
        return f"raidtui care {name_in_command(array, facts)} --do {extra}"
    way = _Way(facts)
    if (carried := _group_to_remove(facts, holder, block)) is not None:
        # It unmounts its volumes and removes the array below as well.
        own = [one for one in facts.graph if one.dm_uuid.startswith(f"{LVM}{carried.group_uuid}")]
        way.empty(own, keep=own)
        return way.and_then(f"raidtui teardown {shlex.quote(carried.group)}")
    if array is not None and (top := _to_tear_down(facts, array)) is not None:
        # It removes the arrays below it as well.
        on_top = facts.graph.at(top.node)
        own = [on_top, *facts.graph.parts(on_top)] if on_top else []
        way.empty(own, keep=own)
        return way.and_then(f"raidtui teardown {name_in_command(top, facts)}")
    if array is not None and is_container(array):
        # Its volumes on the device have claims of their own, which come first.
        way.leave(one for one in facts.graph.on(block) if one.name != holder.name)
    group = holder.dm_uuid[:LVM_GROUP] if holder.dm_uuid.startswith(LVM) else ""
    # A group that is active on another disk still takes this one.
    way.release([one for one in facts.graph if one.dm_uuid.startswith(group)] if group else [holder])
    return way.and_then()


def free_from_mount(facts: MachineFacts, block: Device, one: MountedAt) -> str:
    """The commands that undo one place where ``block`` is mounted, and what is over it or inside it."""
    way = _Way(facts)
    way.end_files(block, place=one.mount.target)
    way.commands += list(_unmounts(facts, [block], place=one)) or [umount_command(one)]
    return way.and_then()


def empty(facts: MachineFacts, *blocks: Device) -> list[str]:
    """The commands that end every use of ``blocks``."""
    way = _Way(facts)
    way.empty(blocks)
    return way.commands


def release(facts: MachineFacts, *blocks: Device) -> str:
    """The commands that remove the devices ``blocks``, which are on others, joined by ``&&``."""
    way = _Way(facts)
    way.release(blocks)
    return way.and_then()


def get_data_first(array: Array) -> str:
    """What to do with a member of an array that can run again only by force, with its newest members."""
    return f"get the data first: 'raidtui status' shows how {shlex.quote(array.name)} runs again"


def _to_tear_down(facts: MachineFacts, array: Array) -> Array | None:
    """The array that ``raidtui teardown`` removes with ``array``: itself, or what is built on it; None if it would refuse.

    That needs native md metadata, a UUID, members on disks or on such arrays, which have nothing else on them, and
    nothing on top that is on others too: an array, a volume group, a filesystem of several devices.
    """
    graph, top = facts.graph, topmost(array, facts.arrays)
    every = with_all_under(top, facts.arrays)
    nodes = [one.node for one in every]
    blocks = {member.path: graph.at(member.path) for one in every for member in one.members}
    wholes = [graph.whole(block) for block in blocks.values() if block is not None]
    own, *below = [
        (device, *graph.parts(device)) for node in nodes if (device := graph.at(node)) is not None
    ] or [()]
    inside = [s for part in own for s in facts.signatures_of(part)]
    if (
        any(not one.uuid or one.metadata.startswith("external") for one in every)
        or None in blocks.values()
        or any(whole.is_virtual and whole.path not in nodes for whole in wholes)
        or any(part.path not in blocks for _, *parts in below for part in parts)
        or any(upper.kind is DeviceKind.ARRAY for part in own for upper in graph.all_on(part))
        or any(s.type == "LVM2_member" for s in inside)
    ):
        return None
    paths = {*blocks, *nodes, *(part.path for part in own), *(whole.path for whole in wholes)}
    several = {bare(s.uuid) for s in inside if s.type in _ON_MANY and s.uuid}
    elsewhere = any(
        bare(s.uuid) in several and s.type in _ON_MANY
        for path, some in facts.signatures.items()
        if path not in paths
        for s in some
    )
    return None if elsewhere else top


def teardown_of(disk: str) -> str:
    """The command that erases what is left of a unit on a disk by itself."""
    return f"raidtui teardown {shlex.quote(disk)}"


def name_in_command(array: Array, facts: MachineFacts) -> str:
    """What an array is called in a command, as one word of a shell."""
    return shlex.quote(command_word(array, facts.arrays))


def _extra(array: Array, block: Device, disk: str) -> str:
    """How ``raidtui care`` takes a spare or failed member out, without which the array runs on; empty if it cannot."""
    member = next((one for one in array.members if one.path == block.path), None)
    if member is None or not array.uuid or array.metadata.startswith("external"):
        return ""
    if "faulty" in member.state:
        return "remove-failed"
    spare = member.slot is None and "spare" in member.state
    return f"remove-spare --with {shlex.quote(disk)}" if spare and disk else ""


def _group_to_remove(facts: MachineFacts, holder: Device, block: Device) -> PhysicalVolume | None:
    """The volume group on ``holder``, or that ``holder`` is of, if ``raidtui teardown`` removes it with all below."""
    on_array = facts.volumes.get(holder.name) if holder.kind is DeviceKind.ARRAY else None
    of = facts.volumes.get(block.name)
    if of is not None and not (of.group_uuid and holder.dm_uuid.startswith(f"{LVM}{of.group_uuid}")):
        of = None
    found = on_array or of
    if found is None or not found.ours:
        return None
    names = [name for name, one in facts.volumes.items() if one.group_uuid == found.group_uuid]
    devices = [device for name in names if (device := facts.graph.by_name.get(name)) is not None]

    def goes(device: Device) -> bool:
        """Whether it is left blank with the group: a whole array with those under it, or on a disk."""
        array = facts.array_of(device)
        if device.kind is DeviceKind.ARRAY:
            return array is not None and bool(array.uuid) and not array.metadata.startswith("external")
        return not facts.graph.whole(device).is_virtual

    return found if all(map(goes, devices)) else None


class _Way:
    """Collects commands, each device's once."""

    def __init__(self, facts: MachineFacts) -> None:
        self._facts = facts
        self._seen: set[str] = set()
        self._groups: set[str] = set()
        self.commands: list[str] = []

    def leave(self, blocks: Iterable[Device]) -> None:
        """Leave ``blocks`` out: they are removed already."""
        self._seen |= {block.name for block in blocks}

    def and_then(self, *last: str) -> str:
        """The commands so far and ``last``, joined."""
        return " && ".join([*self.commands, *last])

    def empty(self, blocks: Iterable[Device], *, keep: Iterable[Device] = ()) -> None:
        """End every use of ``blocks``; the mounts of ``keep`` here stay, for ``raidtui teardown`` to undo."""
        blocks = list(blocks)
        stack = self._stack(blocks)
        self._end_use(stack, keep)
        for block in blocks:
            self._release_on(block)

    def release(self, blocks: Iterable[Device]) -> None:
        """Remove ``blocks`` after ending every use of them."""
        blocks = list(blocks)
        stack = self._stack(blocks)
        self._end_use(stack)
        for block in blocks:
            self._release(block)
        self.leave(stack)

    def end_files(self, block: Device, *, place: str = "/") -> None:
        """End the use of files of ``block`` in the folder ``place``: swap files, loop devices on images."""
        graph = self._facts.graph
        for file in block.swaps:
            if file != block.path and lies_in(file, place):
                self.commands.append(f"swapoff {shlex.quote(file)}")
        for loop in graph.on(block):
            if loop.is_image and lies_in(loop.backing, place) and loop.name not in self._seen:
                self.release([loop])

    def _stack(self, blocks: list[Device]) -> list[Device]:
        """``blocks`` and everything on them, and all volumes of a group that can only be deactivated as a whole."""
        facts, found = self._facts, {}
        waiting = list(blocks)
        while waiting:
            block = waiting.pop(0)
            if block.name in found or block.name in self._seen:
                continue
            found[block.name] = block
            waiting += [*facts.graph.parts(block), *facts.graph.on(block)]
            waiting += self._with(block)
        return list(found.values())

    def _with(self, block: Device) -> list[Device]:
        """What has to be stopped with ``block`` or before it: volumes of its group, or of its container."""
        facts = self._facts
        if block.dm_uuid.startswith(LVM) and self._is_layered(block):
            return [one for one in facts.graph if one.dm_uuid.startswith(block.dm_uuid[:LVM_GROUP])]
        array = facts.array_of(block)
        if array is None or not is_container(array):
            return []
        ends = (f"/{block.name}/", f"-{block.name}/")
        inside = [
            a for a in facts.arrays if a.metadata.startswith("external:") and a.metadata[9:].startswith(ends)
        ]
        return [one for a in inside if (one := facts.graph.at(a.node)) is not None]

    def _is_layered(self, block: Device) -> bool:
        """Whether a volume of the group has hidden layers: snapshots, thin pools and caches go only together."""
        group = block.dm_uuid[:LVM_GROUP]
        return any(
            one.dm_uuid.startswith(group) and len(one.dm_uuid) > _LVM_WHOLE for one in self._facts.graph
        )

    def _end_use(self, stack: list[Device], keep: Iterable[Device] = ()) -> None:
        facts = self._facts
        for block in stack:
            self.end_files(block)
        stack = [block for block in stack if block.name not in self._seen]
        self.commands += _unmounts(facts, stack, keep=list(keep))
        for block in stack:
            if block.is_swap:
                self.commands.append(f"swapoff {block.path}")
            pools = [s.label for s in facts.signatures_of(block) if s.type == "zfs_member" and s.label]
            if pools and facts.exclusive_error(block.path):
                self.commands.append(f"zpool export {shlex.quote(pools[0])}")

    def _release_on(self, block: Device) -> None:
        for part in self._facts.graph.parts(block):
            self._release_on(part)
        for upper in self._facts.graph.on(block):
            self._release(upper)

    def _release(self, block: Device) -> None:
        """Remove the device ``block`` after what is on it."""
        if block.name in self._seen:
            return
        self._seen.add(block.name)
        self._release_on(block)
        for other in self._with(block):
            self._release(other)
        if block.dm_uuid.startswith(LVM):
            self._deactivate(block)
        elif not block.autoclear:
            self.commands.append(_removal(block))

    def _deactivate(self, block: Device) -> None:
        group = block.dm_uuid[:LVM_GROUP]
        name = lvm_name(block.dm_name)
        if self._is_layered(block):
            left = [o for o in self._facts.graph if o.dm_uuid.startswith(group) and o.name not in self._seen]
            if group not in self._groups and not left:
                self._groups.add(group)
                self.commands.append(f"vgchange --activate n {shlex.quote(name.partition('/')[0])}")
        elif not any(upper.dm_uuid.startswith(group) for upper in self._facts.graph.on(block)):
            # A leg of a RAID volume is deactivated with the volume.
            self.commands.append(f"lvchange --activate n {shlex.quote(name)}")


def _removal(block: Device) -> str:
    if block.kind is DeviceKind.ARRAY:
        return f"mdadm --stop {block.path}"
    if block.kind is DeviceKind.LOOP:
        return f"losetup --detach {block.path}"
    if opener := next((tool for mark, tool in _OPENERS if block.dm_uuid.startswith(mark)), ""):
        return f"{opener} close {shlex.quote(block.dm_name)}"
    if block.dm_uuid.startswith("stratis-"):
        return "stratis pool stop"
    if block.kind is DeviceKind.MULTIPATH:
        return f"multipath -f {shlex.quote(block.dm_name)}"
    if block.dm_name:
        return f"dmsetup remove {shlex.quote(block.dm_name)}"
    if block.kind is DeviceKind.BCACHE:
        return f"echo 1 > {block.folder}/bcache/stop"
    return f"stop {block.path}"


def _unmounts(
    facts: MachineFacts,
    devices: Iterable[Device],
    *,
    keep: Collection[Device] = (),
    place: MountedAt | None = None,
) -> Iterator[str]:
    """The commands that unmount ``devices`` everywhere, the last mount first, and before each what is over or inside it.

    Args:
        keep: devices whose mounts in our own namespace stay; what is over or inside these goes all the same.
        place: only this one.
    """
    graph = facts.graph
    own = graph.mounts_on(*devices)
    kept = {id(one) for one in graph.mounts_of(*keep) if one.here}
    for namespace in dict.fromkeys(one.namespace for one in own):
        mounts = [one for one in graph.mounts if one.namespace == namespace]
        goes = [one in own and (place is None or one.mount.target == place.mount.target) for one in mounts]
        if place is not None and namespace != place.namespace:
            continue
        for number, one in enumerate(mounts):
            below = (lower.mount.target for lower, too in zip(mounts[:number], goes, strict=False) if too)
            goes[number] = goes[number] or any(_depends(one.mount, target) for target in below)
        for one, too in reversed(list(zip(mounts, goes, strict=True))):
            if too and id(one) not in kept:
                yield umount_command(one)


def _depends(mount: Mount, target: str) -> bool:
    """Whether a later mount is over or inside one at ``target``, or is an overlay of folders there."""
    return in_the_way(mount.target, target) or any(
        lies_in(folder, target) for folder in overlay_folders(mount)
    )


def lvm_name(dm_name: str) -> str:
    """Convert the dm name ``vg-lv``, in which dashes of either name are doubled, to LVM's ``vg/lv``."""
    parts = dm_name.replace("--", "\0").split("-")
    group, volume = parts[0], parts[1] if len(parts) > 1 else ""
    return f"{group}/{volume}".replace("\0", "-")
