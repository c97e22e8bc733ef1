"""Find the processes that have a block device open, which O_EXCL does not detect.

Reads ``/proc/*/fd``, as fuser(1) does. Without root, only the user's own processes can be read.
"""

import os
import re
from collections.abc import Mapping
from typing import Final

from raidtui.machine.mounts import is_below, remote_targets
from raidtui.machine.tree import Tree
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.struct import Record

# udev and the programs it starts open a device briefly whenever it changes.
_PASSING: Final = frozenset({"udev-worker", "(udev-worker)", "systemd-udevd", "udevd", "udevadm"})
# Programs that read a disk briefly: not a use of it, as long as they do not write.
_LOOKING: Final = frozenset(
    {"wipefs", "blkid", "lsblk", "smartctl", "smartd", "udisksd", "lvm", "pvs", "mdadm"}
)
_DELETED: Final = " (deleted)"
# A job's process is "python -m raidtui job run …/jobs/ID". It and its commands, even those that outlive a killed
# job, keep files of that folder open.
_JOB_FILE: Final = re.compile(r"/jobs/(\d{8}-\d{6}[a-z0-9-]*)/(?:lock|commands|log|output|journal\.jsonl)")
_JOB_COMMAND: Final = re.compile(r"\0job\0(?:run|resume|rollback)\0[^\0]*/jobs/([^/\0]+)/?\0")
_MOST_PARENTS: Final = 20


class Opener(Record, frozen=True, kw_only=True):
    """A process that has a device open."""

    pid: int
    name: str
    writes: bool
    job: str = ""  # id of the raidtui job it belongs to


def read_openers(tree: Tree, graph: DeviceGraph) -> Mapping[str, tuple[Opener, ...]]:
    """The processes that have a block device open, by device number; without this process and udev's."""
    found: dict[str, dict[int, Opener]] = {}
    own = os.getpid()
    last_names = {block.name.rpartition("/")[2] for block in graph}
    remote: dict[str, tuple[str, ...]] = {}  # by mount namespace
    for pid in (name for name in tree.names("/proc") if name.isdigit() and int(name) != own):
        folder = f"/proc/{pid}/fd"
        for descriptor in tree.names(folder):
            target = tree.link(f"{folder}/{descriptor}").removesuffix(_DELETED)
            # Most descriptors are pipes and sockets. stat() of a file on a dead server would hang.
            if not target.startswith("/"):
                continue
            # In a container the disk's node may have any name.
            if target.rpartition("/")[2] not in last_names and is_below(target, _remote(tree, pid, remote)):
                continue
            number = _number(tree, f"{folder}/{descriptor}", target, graph)
            writes = _writes(tree, pid, descriptor)
            if not number or _is_passing(tree, pid, writes):
                continue
            job = _job_of(tree, pid)
            if not job and not writes and _is_raidtui(tree, pid):
                continue  # another raidtui that only reads the disks
            known = found.setdefault(number, {}).get(int(pid))
            found[number][int(pid)] = Opener(
                pid=int(pid),
                name=tree.text(f"/proc/{pid}/comm"),
                writes=writes or bool(known and known.writes),
                job=job,
            )
    return {number: tuple(processes.values()) for number, processes in found.items()}


def _remote(tree: Tree, pid: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    namespace = tree.link(f"/proc/{pid}/ns/mnt") or pid
    if namespace not in known:
        known[namespace] = remote_targets(tree, pid)
    return known[namespace]


def _number(tree: Tree, descriptor: str, target: str, graph: DeviceGraph) -> str:
    """The number of the block device behind a descriptor, whatever its node is called."""
    number = tree.block_number(descriptor)
    if number is None:
        # In a test's tree the descriptor is a dangling link; of a process that has ended it is gone.
        block = graph.by_name.get(tree.device_named(target))
        return block.number if block and tree.root else ""
    return number


def _is_passing(tree: Tree, pid: str, writes: bool) -> bool:
    name = tree.text(f"/proc/{pid}/comm")
    if name in _PASSING or (name in _LOOKING and not writes):
        return True
    parent = _parent(tree, pid)
    return bool(parent) and tree.text(f"/proc/{parent}/comm") in _PASSING


def _parent(tree: Tree, pid: str) -> str:
    # pid (name) state parent …; the name may contain anything, so split after the last bracket.
    words = tree.text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return words[1] if len(words) > 1 else ""


def _job_of(tree: Tree, pid: str) -> str:
    """The id of the raidtui job that a process or one of its parents belongs to; empty if there is none."""
    for _ in range(_MOST_PARENTS):
        command = tree.text(f"/proc/{pid}/cmdline") + "\0"
        if _is_raidtui(tree, pid) and (found := _JOB_COMMAND.search(command)):
            return found[1]
        folder = f"/proc/{pid}/fd"
        for descriptor in tree.names(folder):
            if found := _JOB_FILE.search(tree.link(f"{folder}/{descriptor}")):
                return found[1]
        pid = _parent(tree, pid)
        if pid in {"", "0", "1"}:
            break
    return ""


def _is_raidtui(tree: Tree, pid: str) -> bool:
    words = tree.text(f"/proc/{pid}/cmdline").split("\0")
    return any(word.rpartition("/")[2] == "raidtui" for word in words[:4])


def _writes(tree: Tree, pid: str, descriptor: str) -> bool:
    for line in tree.lines(f"/proc/{pid}/fdinfo/{descriptor}"):
        if line.startswith("flags:"):
            return int(line.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
    return False
