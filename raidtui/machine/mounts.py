"""Read what is mounted in every mount namespace, and what is used as swap.

``lsblk`` and ``findmnt`` see only their own namespace, and a path does not identify a device; so this reads
``/proc/*/mountinfo`` (proc(5)), which has device numbers, once for each namespace.
"""

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from raidtui.machine.tree import Tree
from raidtui.model.device_graph import NUMBERED, MountedAt, Swap, lies_in
from raidtui.model.machine import Mount
from raidtui.model.struct import Record

# The kernel's virtual filesystems: they hold no data.
KERNEL_FILESYSTEMS: Final = frozenset(
    [
        "autofs",
        "binfmt_misc",
        "bpf",
        "cgroup",
        "cgroup2",
        "configfs",
        "debugfs",
        "devpts",
        "efivarfs",
        "fusectl",
        "hugetlbfs",
        "mqueue",
        "nsfs",
        "proc",
        "pstore",
        "rpc_pipefs",
        "securityfs",
        "selinuxfs",
        "sysfs",
        "tracefs",
    ]
)


# A stat() on these may block until the server answers.
_REMOTE: Final = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|ceph|9p|afs|coda|gfs2|glusterfs|lustre|ocfs2|orangefs|virtiofs|fuse(\..*)?|autofs"
)


class _Row(Record, frozen=True, kw_only=True):
    """A line of ``mountinfo``: the mount, and how unmounting spreads to it (mount_namespaces(7))."""

    mount: Mount
    number: str
    parent: str
    shared: str  # the peer group that it sends to and receives from: "1"; empty if none
    master: str  # the one that it only receives from


def parse_mountinfo(text: str) -> tuple[Mount, ...]:
    """The mounts of one ``mountinfo``, in the kernel's order. Malformed lines are ignored."""
    return tuple(row.mount for row in _rows(text))


def _rows(text: str) -> list[_Row]:
    found: list[_Row] = []
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        place, what = left.split(" "), right.split(" ")
        if len(place) < 6 or len(what) < 2:
            continue
        mount = Mount(
            source=unescape(what[1]),
            target=unescape(place[4]),
            type=what[0],
            root=unescape(place[3]),
            device_number=place[2],
            options=",".join(dict.fromkeys((place[5] + "," + "".join(what[2:3])).strip(",").split(","))),
        )
        groups = dict(word.split(":", 1) for word in place[6:] if ":" in word)
        found.append(
            _Row(
                mount=mount,
                number=place[0],
                parent=place[1],
                shared=groups.get("shared", ""),
                master=groups.get("master", ""),
            )
        )
    return found


def remote_targets(tree: Tree, pid: str = "self") -> tuple[str, ...]:
    """Mount points, for the process ``pid``, of filesystems served by another computer or by a program."""
    mounts = parse_mountinfo(tree.text(f"/proc/{pid}/mountinfo"))
    return tuple(mount.target for mount in mounts if _REMOTE.fullmatch(mount.type))


def is_below(path: str, targets: Iterable[str]) -> bool:
    """Whether ``path`` is in one of the filesystems mounted at ``targets``."""
    return any(lies_in(path, target) for target in targets)


def read_mounts(tree: Tree) -> tuple[Mount, ...]:
    """The mounts in our own namespace, without the kernel's virtual filesystems."""
    return _mounts_of(tree, "self")


def read_all_mounts(tree: Tree) -> tuple[MountedAt, ...]:
    """The mounts of the namespaces of all processes, our own first.

    Without root, only the namespaces of the user's own processes can be read.
    """
    own = _namespace(tree, "self")
    host = {own, _namespace(tree, "1")}
    ours = _rows(tree.text("/proc/self/mountinfo"))
    found = [
        MountedAt(mount=mount, namespace=own, pid=os.getpid(), here=True, host=True)
        for mount in _on_devices(tree, ours)
    ]
    seen = {own}
    for pid in (name for name in tree.names("/proc") if name.isdigit()):
        namespace = _namespace(tree, pid)
        if not namespace or namespace in seen:
            continue
        seen.add(namespace)
        rows = _rows(tree.text(f"/proc/{pid}/mountinfo"))
        apart = [_is_apart(row, rows, ours) for row in rows if row.mount.type not in KERNEL_FILESYSTEMS]
        found += [
            MountedAt(
                mount=mount,
                namespace=namespace,
                pid=int(pid),
                here=False,
                host=namespace in host,
                apart=stays,
            )
            for mount, stays in zip(_on_devices(tree, rows), apart, strict=True)
        ]
    return tuple(found)


def _is_apart(row: _Row, rows: Sequence[_Row], ours: Sequence[_Row]) -> bool:
    """Whether ``row``, one of another namespace's, stays when the same filesystem is unmounted in ours.

    To unmount spreads from the mount below it to the peers and slaves of that.
    """
    below = next((one for one in rows if one.number == row.parent), None)
    for own in ours:
        if (own.mount.device_number, own.mount.root) != (row.mount.device_number, row.mount.root):
            continue
        under = next((one for one in ours if one.number == own.parent), None)
        sends, receives = (under, below) if under and below else (own, row)
        if sends.shared and sends.shared in {receives.shared, receives.master}:
            return False
    return True


def in_namespace(tree: Tree, one: MountedAt) -> str:
    """In whose mount namespace a mount is, in words with a leading blank; empty if it is in our own."""
    if one.here:
        return ""
    name = tree.text(f"/proc/{one.pid}/comm")
    return f" in another mount namespace, that of process {one.pid} ({name})"


def umount_command(one: MountedAt) -> str:
    """The command that undoes a mount, in whichever namespace it is."""
    command = f"umount {shlex.quote(one.mount.target)}"
    return command if one.here else f"nsenter --mount=/proc/{one.pid}/ns/mnt {command}"


def read_swaps(tree: Tree) -> tuple[Swap, ...]:
    """Read ``/proc/swaps``."""
    rows = [line.split() for line in tree.lines("/proc/swaps")]
    return tuple(
        Swap(path=unescape(row[0]), partition=row[1] == "partition") for row in rows[1:] if len(row) >= 2
    )


def unescape(text: str) -> str:
    """Decode a path of ``mountinfo``, ``/proc/swaps`` or fstab: they write a space as ``\\040``."""
    if "\\" not in text:
        return text
    raw = text.encode("utf-8", "surrogateescape")
    plain = re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8) & 0xFF]), raw)
    return plain.decode("utf-8", "replace")


def escape(path: str) -> str:
    """Write ``path`` as a field of fstab, which blanks and tabs separate: `unescape` reads it back (fstab(5))."""
    return re.sub(r"[ \t\n\\]", lambda match: f"\\{ord(match[0]):03o}", path)


def _mounts_of(tree: Tree, pid: str) -> tuple[Mount, ...]:
    return _on_devices(tree, _rows(tree.text(f"/proc/{pid}/mountinfo")))


def _on_devices(tree: Tree, rows: Sequence[_Row]) -> tuple[Mount, ...]:
    return tuple(
        msgspec.structs.replace(row.mount, device=_device(tree, row.mount))
        for row in rows
        if row.mount.type not in KERNEL_FILESYSTEMS
    )


def _device(tree: Tree, mount: Mount) -> str:
    """The node of what is mounted, by its number: the source is only the word that mount(8) got.

    Some filesystems on devices have a number of their own, and their source is a member; others have no device.
    """
    if not mount.device_number.startswith("0:"):
        name = os.path.basename(tree.link(f"/sys/dev/block/{mount.device_number}")).replace("!", "/")
    elif mount.type not in NUMBERED:
        return ""
    else:
        name = ""
    name = name or tree.device_named(mount.source)
    return f"/dev/{name}" if name else ""


def _namespace(tree: Tree, pid: str) -> str:
    return tree.link(f"/proc/{pid}/ns/mnt")
