"""Fills in what a spec leaves open, and refuses what cannot be built from these disks."""

from collections.abc import Sequence
from typing import Final

import msgspec

from raidtui.advice.levels import LEVELS
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import KIB, MIB
from raidtui.plan.naming import check_name

DEFAULT_CHUNK: Final = 512 * KIB  # mdadm.h, DEFAULT_CHUNK
DEFAULT_RESERVE: Final = 100 * MIB
LABEL_ROOM: Final = {"ext4": 16, "xfs": 12, "btrfs": 255}
_MKFS_PACKAGES: Final = {"ext4": "e2fsprogs", "xfs": "xfsprogs", "btrfs": "btrfs-progs"}
# An array mounted here would hide what the running system needs.
_SYSTEM_PLACES: Final = (
    "/",
    "/boot",
    "/dev",
    "/etc",
    "/bin",
    "/sbin",
    "/lib",
    "/usr",
    "/proc",
    "/sys",
    "/run",
    "/var",
    "/root",
    "/tmp",
)


def complete(spec: Spec, machine: Machine) -> Spec:
    """``spec`` with every default filled in, for the disks of ``machine``.

    Raises:
        BadInput: it cannot be understood or built.
        Refused: a disk that it names is taken.
        ToolMissing: a program that building it needs is absent.
    """
    if spec.backend is not Backend.MDADM:
        raise BadInput(f"backend {str(spec.backend)!r} cannot be built by this version; it builds 'mdadm'")
    check_name(spec.name, machine)
    if not spec.members:
        raise BadInput("the spec names no members; list the serial numbers of the disks")
    members, spares = (tuple(machine.disk(word) for word in words) for words in (spec.members, spec.spares))
    _check_disks(members + spares)
    level = LEVELS.get(spec.level)
    if level is None:
        raise BadInput(f"level {spec.level!r} is unknown; mdadm has {', '.join(LEVELS)}")
    _check_level(spec, len(members))
    filesystem = _filesystem(spec, machine)
    _check_tools(filesystem, machine)
    return msgspec.structs.replace(
        spec,
        members=tuple(disk.identity for disk in members),
        spares=tuple(disk.identity for disk in spares),
        chunk=(spec.chunk or DEFAULT_CHUNK) if level.has_chunk else None,
        layout=(spec.layout or level.default_layout or None) if level.has_layout else None,
        metadata=spec.metadata or "1.2",
        consistency=spec.consistency or level.consistencies[0],
        partition=True if spec.partition is None else spec.partition,
        reserve=DEFAULT_RESERVE if spec.reserve is None else spec.reserve,
        filesystem=filesystem,
    )


def _check_disks(disks: Sequence[Disk]) -> None:
    seen: set[str] = set()
    for disk in disks:
        if disk.path in seen:
            raise BadInput(f"the disk {disk.identity} is named twice; each can be used once")
        seen.add(disk.path)
    for disk in disks:
        heavy = next((claim for claim in disk.taken_by if claim.weight is not Weight.DATA), None)
        if heavy is None:
            continue
        advice = {
            Weight.SYSTEM: "and no option overrides that",
            Weight.BUSY: f"free it first: {heavy.how_to_free}",
        }.get(heavy.weight, heavy.how_to_free)
        raise Refused(f"the disk {disk.identity} ({heavy.device}) is taken: {heavy.detail}; {advice}")


def _check_level(spec: Spec, count: int) -> None:
    level = LEVELS[spec.level]
    if count < level.min_disks:
        raise BadInput(
            f"{spec.level} needs at least {level.min_disks} members, and {count} is named"
            if count == 1
            else f"{spec.level} needs at least {level.min_disks} members, and {count} are named"
        )
    if spec.chunk is not None and not level.has_chunk:
        raise BadInput(f"{spec.level} has no chunk; leave 'chunk' out")
    if spec.layout is not None and not level.has_layout:
        raise BadInput(f"{spec.level} has no layout; leave 'layout' out")
    if spec.spares and not level.redundant:
        raise BadInput(
            f"{spec.level} has no redundancy, so a spare could never take over; leave 'spares' out"
        )
    if spec.consistency is not None and spec.consistency not in level.consistencies:
        raise BadInput(
            f"{spec.level} cannot have consistency {spec.consistency!r}; it can have {' or '.join(level.consistencies)}"
        )


def _filesystem(spec: Spec, machine: Machine) -> FilesystemSpec:
    wanted = spec.filesystem
    if wanted.type == "none":
        if wanted.mountpoint or wanted.label:
            raise BadInput(
                "a label and a mount point need a filesystem; set filesystem.type to ext4, xfs or btrfs"
            )
        return wanted
    room = LABEL_ROOM[wanted.type]
    label = wanted.label or spec.name[:room]
    if len(label.encode()) > room:
        raise BadInput(f"the label {label!r} is longer than the {room} bytes that {wanted.type} has room for")
    if not label.isprintable() or any(sign in label for sign in "\"'\\/"):
        raise BadInput(
            "the label has characters that make trouble; use letters, digits, '.', '_', '-' and spaces"
        )
    mountpoint = wanted.mountpoint or f"/srv/{spec.name}"
    _check_mountpoint(mountpoint, machine)
    return FilesystemSpec(type=wanted.type, label=label, mountpoint=mountpoint)


def _check_mountpoint(path: str, machine: Machine) -> None:
    parts = path.split("/")[1:]
    if (
        not path.startswith("/")
        or any(part in {"", ".", ".."} for part in parts)
        or any(c.isspace() or not c.isprintable() for c in path)
    ):
        raise BadInput(
            f"the mount point {path!r} is not possible; write an absolute path without spaces, such as /srv/tank"
        )
    if path in _SYSTEM_PLACES or path.startswith(
        ("/dev/", "/proc/", "/sys/", "/boot/", "/etc/", "/usr/", "/run/")
    ):
        raise BadInput(
            f"the mount point {path} belongs to the system; take one such as /srv/tank or /mnt/tank"
        )
    for mount in machine.mounts:
        if mount.target == path:
            raise BadInput(f"{mount.source} is already mounted at {path}; take another mount point")
    for line in machine.system.fstab:
        words = line.split()
        if len(words) > 1 and words[1].rstrip("/") == path:
            raise BadInput(
                f"/etc/fstab already has a line for {path}; take another mount point, or remove that line"
            )


def _check_tools(filesystem: FilesystemSpec, machine: Machine) -> None:
    needed = {"mdadm": "mdadm", "wipefs": "util-linux", "sfdisk": "fdisk"}
    if filesystem.type != "none":
        needed[f"mkfs.{filesystem.type}"] = _MKFS_PACKAGES[filesystem.type]
    missing = [(tool, package) for tool, package in needed.items() if tool not in machine.tools]
    if missing:
        names = " and ".join(tool for tool, _ in missing)
        packages = " ".join(package for _, package in missing)
        raise ToolMissing(f"building this needs {names}; on Debian: apt-get install {packages}")
