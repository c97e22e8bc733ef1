"""The programs that raidtui runs: paths, versions, and what to install if one is missing."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from raidtui.machine.child import finish, start
from raidtui.machine.tree import Tree
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.packages import Family, family_in, to_install
from raidtui.model.struct import Record

# An ordinary user's PATH often lacks the folders of system programs.
_SYSTEM_FOLDERS: Final = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_VERSION_TIMEOUT_SECONDS: Final = 60.0  # for a disk that has to spin up, or a busy computer
_VERSION: Final = re.compile(r"(?<![\w.])v?(\d{1,19}(?:\.\d{1,19})*)")


class Tool(Record, frozen=True, kw_only=True):
    """A program: its package, by Debian's name, and what it is for."""

    package: str
    why: str
    needed: bool = True  # required for raidtui's main job
    at_least: str = ""  # older ones cannot be used
    version: tuple[str, ...] = ("--version",)  # arguments that print its version
    decides: bool = False  # its version changes what a layout or a filesystem holds
    like: str = ""  # has the same version as this program, from the same release
    module: str = ""  # kernel module without which it does nothing, not even print its version …
    built_by: str = ""  # … and the packages that build the module
    plans: bool = True  # its version can change a plan, so a reading of the computer asks for it

    @property
    def all_packages(self) -> tuple[str, ...]:
        """Its package, after those that build its kernel module."""
        return (*self.built_by.split(), self.package)


_ZFS: Final = Tool(
    package="zfsutils-linux",
    why="creates ZFS pools",
    needed=False,
    version=("version",),
    module="zfs",
    built_by="linux-headers-amd64 zfs-dkms",
)

TOOLS: Final = {
    "mdadm": Tool(package="mdadm", why="manages arrays", decides=True),
    "wipefs": Tool(package="util-linux", why="finds and erases signatures", plans=False),
    "blockdev": Tool(package="util-linux", why="rereads partition tables", like="wipefs"),
    "sfdisk": Tool(package="fdisk", why="writes partition tables", like="wipefs"),
    "mount": Tool(package="mount", why="mounts filesystems", like="wipefs"),
    "udevadm": Tool(package="udev", why="waits for udev's names", plans=False),
    "fio": Tool(package="fio", why="measures", at_least="3.28", plans=False),
    "mkfs.ext4": Tool(package="e2fsprogs", why="creates ext4 filesystems", version=("-V",), decides=True),
    "mkfs.xfs": Tool(
        package="xfsprogs", why="creates XFS filesystems", needed=False, version=("-V",), plans=False
    ),
    "mkfs.btrfs": Tool(package="btrfs-progs", why="creates Btrfs filesystems", needed=False),
    "btrfs": Tool(package="btrfs-progs", why="manages Btrfs filesystems", needed=False, like="mkfs.btrfs"),
    "smartctl": Tool(package="smartmontools", why="reads the health of disks", needed=False, plans=False),
    "lvm": Tool(
        package="lvm2", why="creates LVM volume groups", needed=False, version=("version",), plans=False
    ),
    "zpool": _ZFS,
    "zfs": msgspec.structs.replace(_ZFS, why="mounts ZFS datasets", like="zpool"),
    "linux.uml": Tool(
        package="user-mode-linux",
        why="runs the lab and rehearsals",
        needed=False,
        plans=False,
    ),
}
"""By program name."""


def find_tool(name: str) -> str | None:
    """The path of the program ``name``; ``None`` if it is not installed."""
    return shutil.which(name, path=search_path())


def search_path() -> str:
    """The folders of programs, as in PATH: the user's and the system's.

    For root the system's come first: su keeps the PATH of the user, who can write to its folders.
    """
    own, system = os.environ.get("PATH", os.defpath), os.pathsep.join(_SYSTEM_FOLDERS)
    return os.pathsep.join((system, own) if os.geteuid() == 0 else (own, system))


def version_in(text: str) -> str:
    """The first version number in a program's output: ``4.2`` in ``mdadm - v4.2 - 2021-12-30``."""
    found = _VERSION.search(text)
    return found[1] if found else ""


def is_older(version: str, than: str) -> bool:
    """Whether ``version`` comes before ``than``, number by number: 3.9 is older than 3.28."""
    numbers, limit = ([int(n) for n in re.findall(r"\d{1,19}", text)] for text in (version, than))
    return numbers < limit


def tool_versions() -> dict[str, str]:
    """The versions of all installed programs of `TOOLS`, by name; empty if a program does not report one."""
    return ask_versions()()


def deciding_versions() -> dict[str, str]:
    """The versions of the installed programs that decide what a layout or a filesystem holds."""
    names = [name for name, tool in TOOLS.items() if tool.decides]
    found = ask_versions(not_needed(*names))()
    return {name: found[name] for name in names if name in found}


def not_needed(*needed: str) -> dict[str, str]:
    """All programs except ``needed``, with an unknown version, so that a reading does not run them."""
    return {name: "" for name in TOOLS if name not in needed}


def never_in_plans() -> dict[str, str]:
    """The programs whose version no plan depends on, with an unknown version, so that a reading does not run them."""
    return {name: "" for name, tool in TOOLS.items() if not tool.plans}


def ask_versions(known: Mapping[str, str] | None = None) -> Callable[[], dict[str, str]]:
    """Start `tool_versions` in the background and return a function that waits for the result.

    All programs run at the same time, while the caller does other work.

    Args:
        known: versions from an earlier reading; these programs are only looked up, not run again.
    """
    known = known or {}
    here = {name: path for name in TOOLS if (path := find_tool(name)) is not None}
    asked: dict[str, subprocess.Popen[bytes]] = {}
    for name, path in here.items():
        if name not in known and TOOLS[name].like not in here:
            with contextlib.suppress(OSError):  # installed but not executable: counts as missing
                asked[name] = _start(path, TOOLS[name])

    def answers() -> dict[str, str]:
        said = {name: known[name] for name in here if name in known}
        said |= {name: _finish(process) or "" for name, process in asked.items()}
        speakers = {name: name if name in said else TOOLS[name].like for name in here}
        return {name: said[speaker] for name, speaker in speakers.items() if speaker in said}

    return answers


def _start(path: str, tool: Tool) -> subprocess.Popen[bytes]:
    return start([path, *tool.version])


def _finish(process: subprocess.Popen[bytes]) -> str | None:
    """The version a program reports; empty if it reports none, ``None`` if it times out."""
    done = finish(process, _VERSION_TIMEOUT_SECONDS)
    if done.returncode is None:
        return None
    # mdadm and mke2fs print it as an error.
    return version_in(done.stdout.decode(errors="replace")) or version_in(
        done.stderr.decode(errors="replace")
    )


def version_of(name: str) -> str:
    """The version that the program ``name`` reports; empty if it is not installed or reports none."""
    path = find_tool(name)
    with contextlib.suppress(OSError):
        return (_finish(_start(path, TOOLS[name])) or "") if path is not None else ""
    return ""


def require(name: str, at_least: str = "") -> str:
    """The path of the program ``name``.

    Raises:
        ToolMissing: it is not installed, or older than ``at_least`` (by default that of `TOOLS`).
        StepFailed: it does not report its version in time.
    """
    tool = TOOLS.get(name) or Tool(package=name, why="")
    purpose = f", which {tool.why}," if tool.why else ""
    path = find_tool(name)
    if path is None:
        raise ToolMissing(
            f"{name}{purpose} is not installed; {to_install([tool.package], read_family(Tree()))}"
        )
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
                f"{to_install([tool.package], read_family(Tree()))}"
            )
    return path


_OS_RELEASE: Final = ("/etc/os-release", "/usr/lib/os-release")  # os-release(5): the first that exists


def read_family(tree: Tree) -> Family | None:
    """The family; None: not known."""
    return family_in(next((text for file in _OS_RELEASE if (text := tree.text(file))), ""))
