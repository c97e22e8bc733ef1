"""Labels and mount points of filesystems: valid ones, and those already in use. Also UUIDs in use."""

import posixpath
from collections.abc import Collection
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.spec import FilesystemSpec
from raidtui.model.text import harmless
from raidtui.model.uuids import bare
from raidtui.steps.fstab import fields_of

LABEL_BYTES: Final = {"ext4": 16, "xfs": 12, "btrfs": 255}
_SYSTEM_TREES: Final = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr")  # fmt: skip
_SYSTEM_FOLDERS: Final = ("/", "/root", "/tmp", "/var", "/var/lib", "/var/log", "/var/tmp")


def check_uuids_are_new(
    seed: str, uuids: Collection[str], machine: Machine, *, erased: frozenset[str]
) -> None:
    """Check that nothing on this computer has a UUID derived from ``seed`` yet: md and mount would mix them up.

    Args:
        erased: paths of the disks that the plan erases; their contents do not count.

    Raises:
        BadInput: an array, a member or a filesystem has one.
    """
    wanted = {bare(uuid) for uuid in uuids if uuid}
    found = [(array.uuid, f"the array {array.name} ({array.node})") for array in machine.arrays]
    signatures = [s for array in machine.arrays for s in array.signatures]
    for disk in machine.disks:
        if disk.path not in erased:
            signatures += disk.every_signature
    found += [(s.uuid, f"the {s.type} on {s.device}") for s in signatures]
    for uuid, what in found:
        if bare(uuid) in wanted:
            raise BadInput(
                f"the seed {seed} was used on this computer already: {harmless(what)} has a UUID derived from it. "
                "Leave the seed out to make a new one"
            )


def check_label(label: str, kind: str) -> None:
    """Check that a filesystem of ``kind`` can have this label.

    Raises:
        BadInput: it is too long, or has a character that cannot be shown.
    """
    limit = LABEL_BYTES[kind]
    if len(label.encode(errors="replace")) > limit:
        raise BadInput(
            f"the label {label[:40]!r} has {len(label.encode(errors='replace'))} bytes; {kind} takes {limit}"
        )
    if not label.isprintable() or "/" in label:
        raise BadInput(f"the label {label!r} has a slash or a character that cannot be shown")


def check_mountpoint(path: str) -> None:
    """Check that ``path`` is a valid mount point on any computer.

    Raises:
        BadInput: it is not an absolute path in its shortest form, has a character that cannot be shown, or is a
            system directory.
    """
    shown = repr(path if len(path) <= 60 else path[:59] + "…")
    if not path.startswith("/"):
        bare = path.strip("./") or "tank"
        right = f"/{bare}" if "/" in bare else f"/srv/{bare}"
        raise BadInput(f"the mount point {shown} is not an absolute path; write for example {right}"[:200])
    if not path.replace("\t", "").isprintable():
        raise BadInput(f"the mount point {shown} has a line break or another character that cannot be shown")
    if len(path.encode(errors="replace")) > 255:
        raise BadInput(f"the mount point {shown} is longer than 255 bytes")
    shortest = "/" + posixpath.normpath(path).lstrip("/")
    if shortest != path:
        raise BadInput(f"the mount point {shown} is not in its shortest form; write {shortest}")
    if path in _SYSTEM_FOLDERS or any(path == tree or path.startswith(f"{tree}/") for tree in _SYSTEM_TREES):
        raise BadInput(f"the mount point {shown} belongs to the system; choose a folder such as /srv/tank")


def check_mountpoint_is_free(path: str, machine: Machine) -> None:
    """Check that nothing is mounted at ``path``, now or by fstab. Raises BadInput: something is."""
    for mount in machine.mounts:
        if mount.target == path:
            raise BadInput(
                f"{harmless(mount.source)} is mounted at {path} already; choose another mount point"
            )
    for line in machine.system.fstab:
        fields = fields_of(line)
        if len(fields) > 1 and posixpath.normpath(fields[1]) == path:
            raise BadInput(
                f"/etc/fstab already mounts something at {path}: {harmless(line)}; choose another mount point"
            )


def complete_filesystem(filesystem: FilesystemSpec, name: str, *, own: str = "") -> FilesystemSpec:
    """Fill in label and mount point of ``filesystem``, by default from the array's ``name``.

    Args:
        own: the filesystem type of a backend that is itself a filesystem and always mounted; else empty.

    Raises:
        BadInput: an unknown type, or an invalid label or mount point.
    """
    if own:
        return _complete_own(filesystem, name, own)
    if filesystem.type == "none":
        return FilesystemSpec()
    if filesystem.type not in LABEL_BYTES:
        raise BadInput(f"{filesystem.type!r} is not a supported filesystem; use ext4, xfs, btrfs, or none")
    label = filesystem.label or name[: LABEL_BYTES[filesystem.type]]
    mountpoint = filesystem.mountpoint or f"/srv/{name}"
    check_label(label, filesystem.type)
    check_mountpoint(mountpoint)
    return FilesystemSpec(type=filesystem.type, label=label, mountpoint=mountpoint)


def _complete_own(filesystem: FilesystemSpec, name: str, own: str) -> FilesystemSpec:
    if filesystem.type not in {"none", own}:
        raise BadInput(
            f"{own} is a filesystem itself, so no {filesystem.type} can be made on it; leave the type out"
        )
    if filesystem.label not in {"", name}:
        raise BadInput(f"the label of a {own} filesystem is its name, {name}; leave the label out")
    mountpoint = filesystem.mountpoint or f"/srv/{name}"
    check_mountpoint(mountpoint)
    return FilesystemSpec(type=own, label=name, mountpoint=mountpoint)
