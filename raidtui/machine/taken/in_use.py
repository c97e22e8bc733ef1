"""What uses a disk or partition now, and the exact commands that free it.

``open(O_EXCL)`` detects most uses, even in other mount namespaces, but does not name the user. It misses a device
behind a loop device, a process that has the node open, a volume group that is active only on another disk, and what
the kernel exports to other computers.
"""

import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.machine.md.health import is_container
from raidtui.machine.mounts import in_namespace
from raidtui.machine.taken.facts import MachineFacts
from raidtui.machine.taken.freeing import (
    LVM_GROUP,
    empty,
    free_from,
    free_from_mount,
    lvm_name,
    release,
    teardown_of,
)
from raidtui.model.device import Device, DeviceKind
from raidtui.model.machine import Array, Claim, ClaimKind, Weight
from raidtui.model.open_by import WRITTEN
from raidtui.model.text import spelled

# The prefix of dm/uuid shows what made a device-mapper device.
_MAPPERS: Final = (
    ("LVM-", ClaimKind.LVM, "LVM volume"),
    ("CRYPT-INTEGRITY-", ClaimKind.DEVICE_MAPPER, "device with dm-integrity"),
    ("CRYPT-VERITY-", ClaimKind.DEVICE_MAPPER, "device with dm-verity"),
    ("CRYPT-", ClaimKind.LUKS, "opened encrypted device"),
    ("mpath-", ClaimKind.MULTIPATH, "multipath device"),
    ("DMRAID-", ClaimKind.FIRMWARE_RAID, "firmware RAID"),
    ("stratis-", ClaimKind.DEVICE_MAPPER, "Stratis"),
    ("VDO-", ClaimKind.DEVICE_MAPPER, "VDO volume"),
)
_PARTITION_OF: Final = "part"  # part1-mpath-…: a partition of an mpath- device


def find_uses(facts: MachineFacts, block: Device, disk: str) -> Iterator[Claim]:
    """Every use of the device ``block`` itself, not of its partitions; ``disk``: what the disk is called."""
    if system := tuple(_system(facts, block)):
        yield from system  # other uses do not matter: none of them can be freed
        return
    yield from _swap(facts, block)
    yield from _loops(facts, block)
    yield from _mounted(facts, block)
    yield from _holders(facts, block, disk)
    yield from _volume_group(facts, block, disk)
    yield from _of_another_system(facts, block, disk)
    yield from _bcache(facts, block)
    yield from _processes(facts, block)
    for export in facts.exports.get(block.name, ()):
        yield _busy(ClaimKind.EXCLUSIVE, block, export.what, export.how_to_free)


def _busy(what: ClaimKind, block: Device, detail: str, how_to_free: str) -> Claim:
    return Claim(what=what, weight=Weight.BUSY, device=block.path, detail=detail, how_to_free=how_to_free)


def _system(facts: MachineFacts, block: Device) -> Iterator[Claim]:
    """The running system, on ``block`` or any number of layers above it."""
    for one in (block, *facts.graph.all_on(block)):
        if not facts.is_system(one):
            continue
        mounts = facts.graph.mounts_on(one)
        what = ", ".join([*sorted(set(facts.system_targets(mounts))), *(["swap"] if one.is_swap else [])])
        through = "" if one is block else f" through {_title(facts, one)}"
        yield Claim(
            what=ClaimKind.SYSTEM,
            weight=Weight.SYSTEM,
            device=block.path,
            detail=f"the running system is on it: {what or 'its ZFS pool'}{through}",
            how_to_free=f"swapoff {one.path}, and remove its line from /etc/fstab"
            if what == "swap"
            else "boot another system, for example from a USB stick, to change this disk",
        )


def _mounted(facts: MachineFacts, block: Device) -> Iterator[Claim]:
    own = facts.graph.mounts_of(block)
    for one in reversed(own):  # the last one first: it may be inside another
        detail = f"{_content(facts, block, one.mount.type)} mounted at {one.mount.target}{in_namespace(facts.tree, one)}"
        yield _busy(ClaimKind.MOUNT, block, detail, free_from_mount(facts, block, one))
    if facts.graph.in_set(block) and not own:
        at = ", ".join(dict.fromkeys(one.mount.target for one in facts.graph.mounts_on(block)))
        named = _content(facts, block, "btrfs").removeprefix("btrfs")
        count = len(facts.graph.together(block))
        detail = f"member of Btrfs{named} ({count} devices), mounted at {at or 'somewhere'}"
        yield _busy(ClaimKind.BTRFS, block, detail, " && ".join(empty(facts, block)) or "unmount this Btrfs")


def _content(facts: MachineFacts, block: Device, type_: str) -> str:
    label = next((s.label for s in facts.signatures_of(block) if s.type == type_ and s.label), "")
    return f'{type_} "{label}"' if label else type_


def _swap(facts: MachineFacts, block: Device) -> Iterator[Claim]:
    for path in block.swaps:
        what = "in use as swap" if path == block.path else f"the file {path} on it is in use as swap"
        yield _busy(ClaimKind.SWAP, block, what, f"swapoff {shlex.quote(path)}")


def _holders(facts: MachineFacts, block: Device, disk: str) -> Iterator[Claim]:
    parts_of_volumes: dict[str, str] = {}  # a RAID volume has two subvolumes on each disk: data and metadata
    arrays = {holder.name: facts.array_of(holder) for holder in facts.graph.on(block)}
    # The volumes of a firmware RAID set before their container: it is stopped after them.
    for holder in sorted(
        facts.graph.on(block), key=lambda one: (a := arrays[one.name]) is not None and is_container(a)
    ):
        if holder.kind in {DeviceKind.LOOP, DeviceKind.BCACHE}:
            continue
        array = arrays[holder.name]
        what, title = _kind(holder), _title(facts, holder)
        above, how_to_free = _uses_above(facts, holder), free_from(facts, block, holder, disk)
        if what is ClaimKind.MULTIPATH:
            yield Claim(
                what=what,
                weight=Weight.UNUSABLE,
                device=block.path,
                detail=f"one path of the {title}{above}; raidtui does not build on multipath devices",
                how_to_free=f"{how_to_free}, and exclude the disk in the blacklist of /etc/multipath.conf",
            )
            continue
        if what is ClaimKind.LVM:
            parts_of_volumes[f"{_in_group(facts, holder)}{above}"] = how_to_free
            continue
        role = f"{_role(array, block)} of" if what is ClaimKind.ARRAY else "a part of the"
        yield _busy(what, block, f"{role} {title}{above}", how_to_free)
    for detail, how_to_free in parts_of_volumes.items():
        yield _busy(ClaimKind.LVM, block, detail, how_to_free)


def _kind(holder: Device) -> ClaimKind:
    if holder.kind is DeviceKind.ARRAY:
        return ClaimKind.ARRAY
    for prefix, kind, _ in _MAPPERS:
        if _bare_uuid(holder).startswith(prefix):
            return kind
    return ClaimKind.DEVICE_MAPPER


def _bare_uuid(holder: Device) -> str:
    uuid = holder.dm_uuid
    return uuid.partition("-")[2] if uuid.startswith(_PARTITION_OF) else uuid


def _title(facts: MachineFacts, block: Device) -> str:
    """Describe a device that is on top of another."""
    array = facts.array_of(block)
    if array is not None and is_container(array):
        return f'firmware RAID set "{array.name}" ({array.node}, {array.metadata.partition(":")[2]})'
    if array is not None:
        # Clean and active are left out: they change all the time.
        words = [
            array.node,
            spelled(array.level),
            array.state if array.state in {"inactive", "broken"} else "",
        ]
        return f'array "{array.name}" ({", ".join(filter(None, words))})'
    for prefix, _, words_ in _MAPPERS:
        if _bare_uuid(block).startswith(prefix):
            return f"{words_} {block.dm_name}"
    return f"device {_dm_path(block)}"


def _in_group(facts: MachineFacts, block: Device) -> str:
    """Name the volume group and volume of a mapped device; for a RAID subvolume, the volume it belongs to."""
    group = block.dm_uuid[:LVM_GROUP]
    while above := next((one for one in facts.graph.on(block) if one.dm_uuid.startswith(group)), None):
        block = above
    name, _, volume = lvm_name(block.dm_name).partition("/")
    return f'in volume group "{name}" (volume {volume})'


def _role(array: Array | None, block: Device) -> str:
    member = next((m for m in array.members if m.path == block.path), None) if array else None
    if member is None or array is None or is_container(array):
        return "member"
    if "faulty" in member.state:
        return "faulty member"
    return "spare" if member.slot is None and "spare" in member.state else "member"


def _uses_above(facts: MachineFacts, holder: Device) -> str:
    above = (holder, *facts.graph.parts(holder), *facts.graph.all_on(holder))
    targets = [one.mount.target for block in above for one in facts.graph.mounts_on(block)]
    swaps = ["in use as swap" for block in above if block.is_swap]
    words = ([f"mounted at {', '.join(dict.fromkeys(targets))}"] if targets else []) + swaps[:1]
    return f", {' and '.join(words)}" if words else ""


def _dm_path(block: Device) -> str:
    return f"/dev/mapper/{block.dm_name}" if block.dm_name else block.path


def _loops(facts: MachineFacts, block: Device) -> Iterator[Claim]:
    for loop in facts.graph.on(block):
        if loop.kind is DeviceKind.LOOP:
            detail = f"the loop device {loop.path} uses it{_uses_above(facts, loop)}"
            yield _busy(ClaimKind.LOOP, block, detail, release(facts, loop))


def _volume_group(facts: MachineFacts, block: Device, disk: str) -> Iterator[Claim]:
    """A physical volume without active volumes, in a group that is active on other disks."""
    volume = facts.volumes.get(block.name)
    if (
        volume is None
        or not volume.group_uuid
        or any(h.dm_uuid.startswith("LVM-") for h in facts.graph.on(block))
    ):
        return
    active = [one for one in facts.graph if one.dm_uuid.startswith(f"LVM-{volume.group_uuid}")]
    if active:
        same = facts.graph.whole(block) in facts.graph.disks_under(*active)
        yield _busy(
            ClaimKind.LVM,
            block,
            f'in the LVM volume group "{volume.group}", which is active on another '
            f"{'partition of this disk' if same else 'disk'}",
            teardown_of(disk) if volume.used == 0 and not same and disk else release(facts, *active),
        )


def _of_another_system(facts: MachineFacts, block: Device, disk: str) -> Iterator[Claim]:
    """A physical volume of another computer or of a cluster, which may be using the same disk at this moment."""
    volume = facts.volumes.get(block.name)
    if (
        volume is None
        or not (volume.other_system or volume.cluster)
        or any(h.dm_uuid.startswith("LVM-") for h in facts.graph.on(block))
    ):
        return
    group = f'the LVM volume group "{volume.group}"'
    if volume.other_system:
        whose, place = f'of another system, "{volume.other_system}"', "on that system"
    else:
        whose, place = f"that a cluster shares through {volume.cluster}", "on the cluster"
    erase = f"; if that no longer exists: {teardown_of(disk)}" if disk else ""
    yield _busy(
        ClaimKind.LVM,
        block,
        f"in {group} {whose}",
        f"remove the volume group {place}{erase}",
    )


def _bcache(facts: MachineFacts, block: Device) -> Iterator[Claim]:
    tree = facts.tree
    folder = f"{block.folder}/bcache"
    if not tree.exists(folder):
        return
    every = [one for one in facts.graph.on(block) if one.kind is DeviceKind.BCACHE]
    if tree.exists(f"{folder}/set"):
        # The kernel writes what is not on the backing devices yet, and detaches them (Documentation/admin-guide/bcache).
        of = f" of {', '.join(one.path for one in every)}" if every else " device"
        dirty = any(tree.text(f"{one.folder}/bcache/state") == "dirty" for one in every)
        detail = f"bcache cache{of}{', with data that is nowhere else' if dirty else ''}"
        yield _busy(ClaimKind.BCACHE, block, detail, f"echo 1 > {folder}/set/unregister")
        return
    above = next(iter(every), None)
    first = empty(facts, above) if above else []
    at = _uses_above(facts, above) if above else ""
    command = " && ".join([*first, f"echo 1 > {folder}/stop"])
    yield _busy(
        ClaimKind.BCACHE, block, f"backing device of bcache{f' {above.path}' if above else ''}{at}", command
    )


def _processes(facts: MachineFacts, block: Device) -> Iterator[Claim]:
    for opener in facts.openers.get(block.number, ()):
        if opener.job and not opener.writes and not facts.exclusive_error(block.path):
            continue  # every job reads all disks when it starts; those that it uses it writes to, or holds
        if opener.job:  # it ends by itself; killing it would leave disks half written
            how = f"wait until that job ends; to follow it: raidtui attach {opener.job}"
            yield _busy(ClaimKind.PROCESS, block, f"raidtui job {opener.job} is using it", how)
            continue
        from raidtui.machine.taken.owners import owner_of  # many patterns, and few disks are open

        owner = owner_of(facts.tree, opener.pid, opener.name)
        of_what = f", {owner.what}" if owner.what else ""
        how = WRITTEN if opener.writes else "open for reading by "
        detail = f"{how}process {opener.pid} ({opener.name}{of_what})"
        if owner.how_to_free or not facts.graph.on(block):
            stop = "stop the firmware RAID volumes on the disk; this process ends with them"
            yield _busy(ClaimKind.PROCESS, block, detail, owner.how_to_free or stop)
