"""A spec with every default filled in, or the reason why it cannot be built; and whether this computer can."""

from fnmatch import fnmatchcase
from typing import Final

import msgspec

from raidtui.advice.geometry import DEFAULT_CHUNK, mdadm_version
from raidtui.advice.layouts import default_layout
from raidtui.advice.levels import ALONE, LEVELS
from raidtui.machine.tools import TOOLS, is_older
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.spec import Backend, Spec
from raidtui.model.specfile import not_of_a_disk
from raidtui.model.text import harmless
from raidtui.model.units import MIB, both
from raidtui.plan.devices import called, geometry_of, partition_path, pieces_of
from raidtui.plan.names import check_mountpoint_is_free, check_name, check_name_is_free, complete_filesystem

DEFAULT_METADATA: Final = "1.2"
DEFAULT_RESERVE: Final = 100 * MIB
OLDEST_MDADM: Final = "4.1"  # from it on the data offset is what we calculate
_LINKS_NOT_KNOWN: Final = (
    "/dev/disk/by-path",
    "/dev/disk/by-part",
    "/dev/disk/by-uuid",
    "/dev/disk/by-label",
)
# mkfs.xfs 5.19 and later refuse less than 300 MiB, mkfs.btrfs about 109 MiB; ext4's journal wants a few MiB.
_SMALLEST: Final = {"ext4": 8 * MIB, "xfs": 300 * MIB, "btrfs": 128 * MIB}


def complete(spec: Spec, machine: Machine) -> Spec:
    """``spec`` with every default filled in; completing it again changes nothing.

    Whether its disks, its name and its mount point are free is asked by `check_usable`: a spec may be looked at
    and calculated while the array that it describes is running.

    Raises:
        BadInput: a value that mdadm, md or the filesystem would not take, or a disk that is not there.
    """
    if spec.backend not in {Backend.MDADM, Backend.DISK}:
        raise BadInput(
            f"the backend is {spec.backend}, and this version of raidtui builds arrays with mdadm only"
        )
    if spec.alone:
        _check_alone(spec)
    check_name(spec.name)
    if not spec.members:
        raise BadInput(
            f"the spec {spec.name} has sizes instead of members, which only 'raidtui calc' takes"
            if spec.sizes
            else f'the spec {spec.name} names no disks; write members = ["SERIAL", "SERIAL"]'
        )
    _check_once(spec, machine)
    if spec.metadata == "0.90":
        raise BadInput("metadata 0.90 cannot store the array name; use 1.2, or 1.0 for a boot partition")
    whole = _with_defaults(spec)
    if not whole.partition and whole.reserve:
        raise BadInput(
            "a reserve needs partitions, and these members are whole disks; "
            "leave the reserve out, or set partition = true"
        )
    if not whole.partition and whole.slice is not None:
        raise BadInput(
            "a slice of each disk is a partition, and members that are whole disks have none; "
            "leave the slice out, or set partition = true"
        )
    geometry = geometry_of(whole, pieces_of(whole, machine), mdadm_version(machine))
    filesystem = complete_filesystem(whole.filesystem, whole.name)
    smallest = _SMALLEST.get(filesystem.type, 0)
    if geometry.array_bytes < smallest:
        what = "partition" if whole.alone else "array"
        raise BadInput(
            f"{filesystem.type} needs at least {both(smallest)}, and the {what} has {both(geometry.array_bytes)}"
        )
    return msgspec.structs.replace(whole, filesystem=filesystem)


def check_usable(spec: Spec, machine: Machine) -> None:
    """See that nothing of this computer is in the way of building the completed ``spec``.

    Raises:
        Refused: a disk is in use, cannot be used, or is the system's, and the text says how to free it; or mdadm is
            configured not to look at it.
        BadInput: the name or the mount point is taken.
        ToolMissing: mdadm or the filesystem's mkfs is absent or too old.
    """
    disks = [machine.disk(word) for word in spec.disks]
    for disk in disks:
        _check_free(disk)
    if not spec.alone:
        check_name_is_free(spec.name, machine, erased=frozenset(disk.path for disk in disks))
        if spec.persistent:
            _check_found_at_boot(spec, machine)
    filesystem = spec.filesystem
    if filesystem.type != "none":
        check_mountpoint_is_free(filesystem.mountpoint, machine)
    if not spec.alone:
        _check_tool("mdadm", machine, at_least=OLDEST_MDADM)
    if filesystem.type != "none":
        _check_tool(f"mkfs.{filesystem.type}", machine)


def _check_found_at_boot(spec: Spec, machine: Machine) -> None:
    """See that mdadm will look at the members at the next start: a DEVICE line may leave them out (mdadm.conf(5)).

    Raises:
        Refused: one does.
    """
    words = machine.system.mdadm_conf_devices
    if not words or "partitions" in words or any(word.startswith(_LINKS_NOT_KNOWN) for word in words):
        return
    for piece in pieces_of(spec, machine):
        disk = piece.disk
        names = [disk.path, *(f"/dev/disk/by-id/{link}" for link in disk.by_id)]
        names = [partition_path(name, 1) if spec.partition else name for name in names]
        if not any(fnmatchcase(name, word) for name in names for word in words):
            raise Refused(
                f"{machine.system.mdadm_conf} limits arrays to {harmless(' '.join(words))}, so mdadm would ignore "
                f"{called(disk)} at boot; add the word partitions to its DEVICE line"
            )


def _check_alone(spec: Spec) -> None:
    """See that nothing is asked of a single disk that only an array has.

    Raises:
        BadInput: something is, or it is not one disk with a filesystem.
    """
    if spec.level != ALONE.name:
        raise BadInput(f"{spec.level} is an array level; the level of a single disk is {ALONE.name}")
    given = {
        "spares": spec.spares or spec.spare_sizes,
        "chunk": spec.chunk,
        "layout": spec.layout,
        "metadata": spec.metadata,
        "consistency": spec.consistency,
    }
    for key, value in given.items():
        if value:
            raise BadInput(not_of_a_disk(key))
    if len(spec.members) > 1:
        raise BadInput(
            f"the spec {spec.name} names {len(spec.members)} disks, and its level {ALONE.name} means a single disk"
        )
    if spec.partition is False:
        raise BadInput("a single disk has its filesystem in a partition; leave partition = false out")
    if spec.filesystem.type == "none":
        raise BadInput('a single disk needs a filesystem; write [filesystem] with type = "ext4"')


def _with_defaults(spec: Spec) -> Spec:
    if spec.alone:
        return msgspec.structs.replace(spec, partition=True, reserve=spec.reserve or 0)
    level = LEVELS.get(spec.level)
    partition = True if spec.partition is None else spec.partition
    return msgspec.structs.replace(
        spec,
        chunk=spec.chunk
        or (DEFAULT_CHUNK if level and level.has_chunk and spec.chunk is None else spec.chunk),
        layout=spec.layout or default_layout(spec.level) or None,
        metadata=spec.metadata or DEFAULT_METADATA,
        consistency=spec.consistency or (level.consistencies[0] if level else None),
        partition=partition,
        reserve=(DEFAULT_RESERVE if partition else 0) if spec.reserve is None else spec.reserve,
    )


def _check_once(spec: Spec, machine: Machine) -> None:
    seen: dict[str, str] = {}
    for word in spec.disks:
        disk = machine.disk(word)
        if disk.path in seen:
            other = seen[disk.path]
            both_names = (
                f"{word!r} is named twice" if other == word else f"{other!r} and {word!r} are the same disk"
            )
            raise BadInput(f"{both_names}; each disk can be a member or a spare once")
        seen[disk.path] = word


def _check_free(disk: Disk) -> None:
    for weight in (Weight.SYSTEM, Weight.UNUSABLE, Weight.BUSY):
        claims = [claim for claim in disk.taken_by if claim.weight is weight]
        if not claims:
            continue
        claimed = "; ".join(dict.fromkeys(harmless(f"{claim.device}: {claim.detail}") for claim in claims))
        name = f"{called(disk)} ({disk.path})"
        if weight is Weight.SYSTEM:
            raise Refused(f"{name} is a disk of the running system ({claimed}); it cannot be erased")
        ways = "; ".join(dict.fromkeys(harmless(c.how_to_free) for c in claims if c.how_to_free))
        state = "cannot be used" if weight is Weight.UNUSABLE else "is in use"
        raise Refused(f"{name} {state} ({claimed})" + (f"; to free it: {ways}" if ways else ""))


def _check_tool(name: str, machine: Machine, *, at_least: str = "") -> None:
    package = TOOLS[name].package
    version = machine.tools.get(name)
    if version is None:
        raise ToolMissing(f"{name} is not installed; on Debian: apt-get install {package}")
    if at_least and version and is_older(version, at_least):
        raise ToolMissing(
            f"{name} is {version} here and must be {at_least} or newer; on Debian: apt-get install {package}"
        )
