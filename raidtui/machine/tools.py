"""The programs that raidtui drives: where they are, which version, and what to install where one is missing."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.struct import Record

# An ordinary user's PATH often lacks the folders of system programs.
_SYSTEM_FOLDERS: Final = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin")
_VERSION_TIMEOUT_SECONDS: Final = 60.0  # programs on a disk that spins up, or on a computer that is busy
_VERSION: Final = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)*)")


class Tool(Record, frozen=True, kw_only=True):
    """A program: the Debian package that has it and what it is for."""

    package: str
    why: str
    needed: bool = True  # raidtui cannot do its main job without it
    at_least: str = ""  # older ones cannot be used
    version: tuple[str, ...] = ("--version",)  # arguments that make it tell its version
    like: str = ""  # released together with this program: that one's version is this one's
    module: str = ""  # the kernel module without which it does nothing, not even tell its version …
    built_by: str = ""  # … and the packages that build it on this computer


_ZFS: Final = Tool(
    package="zfsutils-linux",
    why="creates ZFS pools",
    needed=False,
    version=("version",),
    module="zfs",
    built_by="linux-headers-amd64 zfs-dkms",
)

TOOLS: Final = {
    "mdadm": Tool(package="mdadm", why="manages arrays"),
    "wipefs": Tool(package="util-linux", why="finds and erases signatures"),
    "blockdev": Tool(package="util-linux", why="rereads partition tables", like="wipefs"),
    "sfdisk": Tool(package="fdisk", why="writes partition tables", like="wipefs"),
    "mount": Tool(package="mount", why="mounts filesystems", like="wipefs"),
    "udevadm": Tool(package="udev", why="waits for udev's names"),
    "fio": Tool(package="fio", why="measures", at_least="3.28"),
    "mkfs.ext4": Tool(package="e2fsprogs", why="creates ext4 filesystems", version=("-V",)),
    "mkfs.xfs": Tool(package="xfsprogs", why="creates XFS filesystems", needed=False, version=("-V",)),
    "mkfs.btrfs": Tool(package="btrfs-progs", why="creates Btrfs filesystems", needed=False),
    "btrfs": Tool(package="btrfs-progs", why="manages Btrfs filesystems", needed=False, like="mkfs.btrfs"),
    "smartctl": Tool(package="smartmontools", why="reads the health of disks", needed=False),
    "lvm": Tool(package="lvm2", why="creates LVM volume groups", needed=False, version=("version",)),
    "zpool": _ZFS,
    "zfs": msgspec.structs.replace(_ZFS, why="mounts ZFS datasets", like="zpool"),
    "linux.uml": Tool(package="user-mode-linux", why="is the kernel of 'raidtui lab'", needed=False),
}
"""By the name of the program."""


def find_tool(name: str) -> str | None:
    """The path of the program ``name``, ``None`` if it is not installed."""
    path = os.environ.get("PATH", os.defpath)
    return shutil.which(name, path=os.pathsep.join((path, *_SYSTEM_FOLDERS)))


def version_in(text: str) -> str:
    """The first version number in what a program says of itself: ``4.2`` in ``mdadm - v4.2 - 2021-12-30``."""
    found = _VERSION.search(text)
    return found[1] if found else ""


def is_older(version: str, than: str) -> bool:
    """Whether ``version`` comes before ``than``, number by number: 3.9 is older than 3.28."""
    numbers, limit = ([int(n) for n in re.findall(r"\d+", text)] for text in (version, than))
    return numbers < limit


def tool_versions() -> dict[str, str]:
    """The version of every program of `TOOLS` that is installed, by name; empty text where it does not say."""
    return ask_versions()()


def not_needed(*needed: str) -> dict[str, str]:
    """All programs but ``needed`` with an unknown version: a reading then need not start them to ask."""
    return {name: "" for name in TOOLS if name not in needed}


def ask_versions(known: Mapping[str, str] | None = None) -> Callable[[], dict[str, str]]:
    """Start asking for `tool_versions`; what is returned waits for the answers.

    All programs are asked at once, and the caller has time for other things meanwhile.

    Args:
        known: versions from an earlier reading: those programs are only looked for, not started again.
    """
    known = known or {}
    here = {name: path for name in TOOLS if (path := find_tool(name)) is not None}
    asked: dict[str, subprocess.Popen[bytes]] = {}
    for name, path in here.items():
        if name not in known and TOOLS[name].like not in here:
            with contextlib.suppress(OSError):  # it is there, but it cannot be run: as good as absent
                asked[name] = _start(path, TOOLS[name])

    def answers() -> dict[str, str]:
        said = {name: known[name] for name in here if name in known}
        said |= {name: _finish(process) or "" for name, process in asked.items()}
        speakers = {name: name if name in said else TOOLS[name].like for name in here}
        return {name: said[speaker] for name, speaker in speakers.items() if speaker in said}

    return answers


def _start(path: str, tool: Tool) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [path, *tool.version],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # mdadm and mke2fs answer there
        env={**os.environ, "LC_ALL": "C"},
    )


def _finish(process: subprocess.Popen[bytes]) -> str | None:
    """The version that a program reports, empty if it reports none; ``None`` if it does not answer in time."""
    try:
        said, warned = process.communicate(timeout=_VERSION_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return version_in(said.decode(errors="replace")) or version_in(warned.decode(errors="replace"))


def require(name: str, at_least: str = "") -> str:
    """The path of the program ``name``.

    Raises:
        ToolMissing: it is not installed, or older than ``at_least`` (or than `TOOLS` says it must be).
        StepFailed: it does not answer when asked for its version.
    """
    tool = TOOLS.get(name) or Tool(package=name, why="")
    purpose = f", which {tool.why}," if tool.why else ""
    path = find_tool(name)
    if path is None:
        raise ToolMissing(f"{name}{purpose} is not installed; on Debian: apt-get install {tool.package}")
    if limit := at_least or tool.at_least:
        try:
            version = _finish(_start(path, tool))
        except OSError as error:
            raise ToolMissing(f"{path} cannot be run: {error.strerror}") from error
        if version is None:
            raise StepFailed(
                f"{name}{purpose} did not report its version within {_VERSION_TIMEOUT_SECONDS:.0f} s; "
                "the computer may be too busy: try again"
            )
        if is_older(version, limit):
            raise ToolMissing(
                f"{name}{purpose} is {version or 'of unknown version'} here and must be {limit} or newer; "
                f"on Debian: apt-get install {tool.package}"
            )
    return path
