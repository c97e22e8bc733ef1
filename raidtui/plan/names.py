"""Names of arrays, labels of filesystems and mount points: what may be chosen, and what is taken already."""

import posixpath
import re
from collections.abc import Collection
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.spec import FilesystemSpec
from raidtui.model.text import harmless
from raidtui.model.uuids import bare

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_SET_NAME: Final = 32  # bytes of ``homehost:name`` in a version-1 superblock, its end mark included
ANY_HOST: Final = "any"  # mdadm takes such an array for its own on every computer
LONGEST_NAME: Final = _SET_NAME - 1 - len(f"{ANY_HOST}:")
LABEL_BYTES: Final = {"ext4": 16, "xfs": 12, "btrfs": 255}
_SYSTEM_TREES: Final = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr")  # fmt: skip
_SYSTEM_FOLDERS: Final = ("/", "/root", "/tmp", "/var", "/var/lib", "/var/log", "/var/tmp")


def check_name(name: str) -> None:
    """See that md and udev can work with ``name``.

    Raises:
        BadInput: it is empty, too long, has a character that device names cannot have, or would be taken for a
            device number.
    """
    shown = repr(name if len(name) <= 40 else name[:39] + "…")
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{shown} cannot be an array name: use letters, digits, dots, dashes and underscores, "
            "beginning with a letter or digit"
        )
    if len(name) > LONGEST_NAME:
        raise BadInput(
            f"{shown} is {len(name)} characters long; the name of an array has at most {LONGEST_NAME}"
        )
    if name.isdigit() or re.fullmatch(r"md_?\d+", name):
        raise BadInput(f"{shown} looks like a device number; choose a name such as tank")


def home_host(name: str, hostname: str) -> str:
    """What mdadm's ``--homehost`` must be for an array called ``name``: the host's name, or ``any``.

    A superblock has 31 bytes for ``host:name``; mdadm silently drops a host that does not fit, and the array
    then counts as another computer's (mdadm super1.c, ``init_super1``).
    """
    fits = len(f"{hostname}:{name}") < _SET_NAME and _HOST.fullmatch(hostname)
    return hostname if fits else ANY_HOST


def check_name_is_free(name: str, machine: Machine, *, erased: frozenset[str]) -> None:
    """See that no other array is called ``name``.

    Args:
        erased: paths of the disks that the plan erases: what they are members of does not count.

    Raises:
        BadInput: an assembled array, a stopped one or a line of mdadm.conf has the name.
    """
    for array in machine.arrays:
        if name in {array.name, array.path.removeprefix("/dev/md/")}:
            raise BadInput(
                f"the name {name} is used by the array {array.node} of this computer; choose another"
            )
    for line in machine.system.mdadm_conf_arrays:
        words = line.split()[1:]
        if {name, f"/dev/md/{name}"} & set(words[:1]) or any(set_name(word) == name for word in words):
            raise BadInput(
                f"the name {name} is used by a line of {machine.system.mdadm_conf}: {harmless(line)}; "
                "choose another, or remove the line"
            )
    for disk in machine.disks:
        if disk.path in erased:
            continue
        for signature in disk.every_signature:
            if (
                signature.type == "linux_raid_member"
                and signature.label.removeprefix(f"{machine.system.hostname}:") == name
            ):
                raise BadInput(
                    f"the name {name} is that of an array that is not running, of which {signature.device} is a "
                    "member; choose another"
                )


def check_uuids_are_new(
    seed: str, uuids: Collection[str], machine: Machine, *, erased: frozenset[str]
) -> None:
    """See that nothing else of this computer has the UUIDs that ``seed`` gives: md and mount would take it for this.

    Args:
        erased: paths of the disks that the plan erases: what is on them does not count.

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


def set_name(word: str) -> str:
    """The name in a word ``name=host:tank`` of an ARRAY line; empty where it is another word."""
    key, _, value = word.partition("=")
    return value.rpartition(":")[2] if key.lower() == "name" else ""


def check_label(label: str, kind: str) -> None:
    """See that a filesystem of ``kind`` can have that label.

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
    """See that a filesystem can be mounted at ``path`` on any computer.

    Raises:
        BadInput: it is not an absolute path in its shortest spelling, has a character that fstab cannot have,
            or is a folder of the system.
    """
    shown = repr(path if len(path) <= 60 else path[:59] + "…")
    if not path.startswith("/"):
        bare = path.strip("./") or "tank"
        right = f"/{bare}" if "/" in bare else f"/srv/{bare}"
        raise BadInput(f"the mount point {shown} is not an absolute path; write for example {right}"[:200])
    if not path.isprintable() or any(letter.isspace() or letter in "\\\"'" for letter in path):
        raise BadInput(
            f"the mount point {shown} has a blank, a quotation mark, a backslash or a character that cannot be "
            "shown, which fstab does not take"
        )
    if len(path.encode(errors="replace")) > 255:
        raise BadInput(f"the mount point {shown} is longer than 255 bytes")
    shortest = "/" + posixpath.normpath(path).lstrip("/")
    if shortest != path:
        raise BadInput(f"the mount point {shown} is not in its shortest form; write {shortest}")
    if path in _SYSTEM_FOLDERS or any(path == tree or path.startswith(f"{tree}/") for tree in _SYSTEM_TREES):
        raise BadInput(f"the mount point {shown} belongs to the system; choose a folder such as /srv/tank")


def check_mountpoint_is_free(path: str, machine: Machine) -> None:
    """See that nothing is mounted at ``path``, now or at the next boot.

    Raises:
        BadInput: something is, or a line of fstab says so.
    """
    for mount in machine.mounts:
        if mount.target == path:
            raise BadInput(
                f"{harmless(mount.source)} is mounted at {path} already; choose another mount point"
            )
    for line in machine.system.fstab:
        fields = line.split()
        if len(fields) > 1 and posixpath.normpath(fields[1]) == path:
            raise BadInput(
                f"/etc/fstab already mounts something at {path}: {harmless(line)}; choose another mount point"
            )


def complete_filesystem(filesystem: FilesystemSpec, name: str) -> FilesystemSpec:
    """``filesystem`` with label and mount point, by default those of an array called ``name``.

    Raises:
        BadInput: an unknown type, or a label or mount point that cannot be.
    """
    if filesystem.type == "none":
        return FilesystemSpec()
    if filesystem.type not in LABEL_BYTES:
        raise BadInput(f"{filesystem.type!r} is not a supported filesystem; use ext4, xfs, btrfs, or none")
    label = filesystem.label or name[: LABEL_BYTES[filesystem.type]]
    mountpoint = filesystem.mountpoint or f"/srv/{name}"
    check_label(label, filesystem.type)
    check_mountpoint(mountpoint)
    return FilesystemSpec(type=filesystem.type, label=label, mountpoint=mountpoint)
