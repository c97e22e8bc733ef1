"""What a guest is made to be before and after a case, without processes: to start one takes longer than what it does.

Runs in the guest, as root.
"""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_FORGET: Final = 0x50009405  # BTRFS_IOC_FORGET_DEV (linux/btrfs.h), for all devices that are not mounted
_OF_DISKS: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs"})
_EXT_MAGIC: Final = (0x438, b"\x53\xef")
_SYNCING: Final = re.compile(r"(resync|recovery|reshape|check|repair) *= *(\d|DELAYED)")
_LOOK_SECONDS: Final = 0.02
_BIND: Final = 4096  # MS_BIND (mount(2))
_COPIES: Final = "/run/campaign"
_POOLS: Final = Path("/proc/spl/kstat/zfs")
_DISKS: Final = ("/dev/ubd", "/dev/sd")
_OTHERS: Final = ("/run/udev", "/run/systemd", "/run/log", "/run/user")  # they come and go without a case
_LEFT: Final = (
    "campaign",
    "dmeventd*",
    "fsck",
    "mdadm/*",
    "lvm",
    "raidtui*",
    "lock/*",
    "mount/*",
    "blkid",
)  # below /run


def content(name: str) -> str:
    """What is in a file; empty if it is not there."""
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def shell(script: str) -> str:
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False).stdout


def call(*words: str) -> str:
    """Run a command, whatever it returns, and return its output."""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def settle() -> None:
    """Wait until udevd has nothing left to do: as long as it has, this file is there (udevadm-settle(8))."""
    end = time.monotonic() + 20
    while os.path.exists("/run/udev/queue") and time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)


def arrays() -> list[Path]:
    return sorted(Path("/sys/block").glob("md*"))


def wait_for_syncs() -> None:
    """As mdadm --wait, for each array."""
    while _SYNCING.search(content("/proc/mdstat")) or any(
        content(f"{one}/md/sync_action").strip() not in {"", "idle", "frozen"} for one in arrays()
    ):
        time.sleep(_LOOK_SECONDS)
    for pool in pools():
        call("zpool", "wait", "-t", "resilver,replace,remove", pool)
    settle()


def pools() -> list[str]:
    return [one.name for one in _POOLS.glob("*/")]


def mounts() -> list[tuple[str, str, str]]:
    """Source, mount point and type, the last mount first."""
    lines = [line.split() for line in content("/proc/mounts").splitlines()]
    return [(words[0], words[1].encode().decode("unicode_escape"), words[2]) for words in reversed(lines)]


def source_of(point: str) -> str:
    """What is mounted there; empty if nothing is."""
    return next((source for source, where, _ in mounts() if where == point), "")


def unmount(point: str) -> bool:
    """Unmount it, and return whether it is; what still reads there, as udevd reads /etc, gets some time."""
    end = time.monotonic() + 2
    while _LIBC.umount2(os.fsencode(point), 0):
        if ctypes.get_errno() != errno.EBUSY or time.monotonic() > end:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def _mount_folder(folder: str, point: str) -> None:
    """Mount a folder of the host, or a copy of it where hostfs, user-mode Linux's own, is not there."""
    words = (b"none", os.fsencode(point), b"hostfs", 0, os.fsencode(folder))
    if "hostfs" not in content("/proc/filesystems"):
        copy = _COPIES + point
        shutil.copytree(folder, copy, symlinks=True)
        os.makedirs(point, exist_ok=True)
        words = (os.fsencode(copy), os.fsencode(point), b"none", _BIND, b"")
    if _LIBC.mount(*words):
        raise OSError(ctypes.get_errno(), f"mount of {folder}")


def checksum(name: str) -> str:
    """As sha256sum says it of standard input; empty if it cannot be read."""
    try:
        with open(name, "rb") as file:
            return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  -\n"
    except OSError:
        return ""


def check(point: str) -> str:
    """Unmount and check an ext4, or scrub a pool; what e2fsck or zpool says if something is wrong."""
    source = source_of(point)
    if (pool := source.partition("/")[0]) in pools():
        said = shell(f"zpool scrub -w {pool} 2>&1; zpool status {pool}")
        return "" if "with 0 errors" in said and "No known data errors" in said else said
    if not source or not unmount(point):
        return ""
    with open(source, "rb") as device:
        is_ext = os.pread(device.fileno(), 2, _EXT_MAGIC[0]) == _EXT_MAGIC[1]
    return shell(f"e2fsck -fn {source} >/run/fsck 2>&1 || cat /run/fsck") if is_ext else ""


def signatures(nodes: dict[str, str]) -> dict[str, str]:
    """What wipefs finds on these disks and their partitions; the keys are serial numbers, the values paths."""
    devices = {
        f"/dev/{one.name}": serial
        for serial, node in nodes.items()
        for one in Path("/sys/class/block").glob(f"{os.path.basename(node)}*")
    }
    found = dict.fromkeys(nodes, "")
    for line in call("wipefs", "-n", *devices).splitlines():
        if serial := devices.get(f"/dev/{line.split(' ')[0]}"):
            found[serial] += line
    return found


def boot() -> None:
    """What the lab does at its boot, then what mdadm-last-resort@.timer does half a minute after one, and then fstab."""
    # udevd sometimes leaves its queue alone after it was told to start it (1 in some 300 cases): it is told again.
    for _ in range(4):
        call("udevadm", "control", "--start-exec-queue")
        if (
            subprocess.run(["udevadm", "settle", "--timeout=20"], capture_output=True, check=False).returncode
            == 0
        ):
            break
    if "inactive" in content("/proc/mdstat"):
        call("mdadm", "--incremental", "--run", "--scan")
    if os.path.exists("/etc/zfs/zpool.cache"):  # as zfs-import-cache.service and zfs-mount.service do
        call("zpool", "import", "-c", "/etc/zfs/zpool.cache", "-aN")
        call("zfs", "mount", "-a")
    for line in content("/etc/fstab").splitlines():
        if (words := line.split())[1:] and not line.startswith("#") and words[1].startswith("/"):
            os.makedirs(words[1], exist_ok=True)
    mount_all()
    if stopped := [one for one in arrays() if content(f"{one}/md/array_state").strip() == "inactive"]:
        for one in stopped:
            call("mdadm", "--run", f"/dev/{one.name}")
        settle()
        mount_all()


def mount_all() -> None:
    call("mount", "-a")
    settle()


def begin(state: str) -> None:
    """As after a boot: the files of this case, and no event of a disk before all disks are there."""
    _mount_folder(f"{state}/etc", "/etc")
    _mount_folder(f"{state}/raidtui", "/var/lib/raidtui")
    call("udevadm", "control", "--stop-exec-queue")


def end() -> None:
    """Take down what is there, and remove what a case leaves behind; what cannot be taken down stays."""
    for holder in _holders_of_disks():
        if "udev" not in content(f"/proc/{holder}/comm"):
            _kill(holder)
    for _ in range(4):
        for _, point, kind in mounts():
            if (kind in _OF_DISKS and point != "/") or point.startswith("/srv/"):
                unmount(point)
        mapped, made = [*Path("/sys/block").glob("dm-*")], arrays()
        if mapped:
            call("vgchange", "--quiet", "--activate", "n")
            call("dmsetup", "remove_all", "--force")
        for one in made:
            call("mdadm", "--quiet", "--stop", f"/dev/{one.name}")
        if imported := pools():
            call("zpool", "export", "-f", *imported)
        if not mapped and not made and not imported:
            break
    if dmeventd := content("/run/dmeventd.pid").strip():  # LVM starts it, and it would stay for an hour
        _kill(dmeventd)
    unmount("/var/lib/raidtui")
    unmount("/etc")
    with contextlib.suppress(OSError), open("/dev/btrfs-control", "rb") as control:
        fcntl.ioctl(control, _FORGET, bytearray(4096))
    for pattern in _LEFT:
        _remove(Path("/run").glob(pattern))
    _remove(Path("/srv").iterdir())
    if rules := [*Path("/run/udev/rules.d").glob("60-raidtui-*")]:
        _remove(iter(rules))
        call("udevadm", "control", "--reload")
    settle()


def _kill(process: str) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(process), signal.SIGKILL)


def _remove(found: Iterator[Path]) -> None:
    for one in found:
        if one.is_mount():
            continue  # the lab's, as the host's files
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)


def _processes() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]


def _holders_of_disks() -> Iterator[str]:
    for process in _processes():
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{process}/fd"):
                if os.readlink(f"/proc/{process}/fd/{number}").startswith(_DISKS):
                    yield process
                    break


def _files(top: str) -> Iterator[str]:
    """Everything below ``top`` but what is mounted there, and what comes and goes without a case."""
    for folder, folders, names in os.walk(top):
        paths = {name: os.path.join(folder, name) for name in folders}
        folders[:] = [
            name for name in folders if not os.path.ismount(paths[name]) and paths[name] not in _OTHERS
        ]
        yield from (os.path.join(folder, name) for name in (*folders, *names))


def seen() -> str:
    """Everything that one case could leave for the next one."""
    settle()
    lines = [*_files("/run"), *_files("/srv")]
    for folder in ("/run/udev/rules.d", "/sys/block"):
        with contextlib.suppress(OSError):
            lines += os.listdir(folder)
    lines += [point for _, point, _ in mounts()]
    for pattern in ("/sys/module/md_mod/parameters/*", "/proc/sys/dev/raid/*"):
        lines += [f"{one}: {content(str(one))}" for one in Path("/").glob(pattern[1:])]
    for process in _processes():
        name = content(f"/proc/{process}/comm").strip()
        if content(f"/proc/{process}/cmdline") and name != "(udev-worker)":
            lines.append(f"{process} {name}")
    return "\n".join(sorted(lines))
