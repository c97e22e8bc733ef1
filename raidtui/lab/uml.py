"""The user-mode Linux engine: a kernel in a process, on the host's own tree, without an image."""

import contextlib
import os
import platform
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from raidtui.lab import boot, host, mconsole
from raidtui.lab import disks as virtual
from raidtui.lab.engine import Launch, Parts
from raidtui.lab.xstate import preload_library
from raidtui.model.errors import BadInput, RaidtuiError, Refused, StepFailed, ToolMissing
from raidtui.model.text import listed
from raidtui.model.units import MIB

MODULES: Final = Path("/usr/lib/uml/modules")

_HERE: Final = Path(__file__).parent
_ETC: Final = Path("/etc")
_UMID: Final = "uml"
_PTRACE_FORBIDDEN: Final = re.compile(r"numbers\.\.\.ptrace:|check_ptrace :")
_PTRACE_SCOPE: Final = Path("/proc/sys/kernel/yama/ptrace_scope")

_SCSI_MODULES: Final = ("target_core_file", "tcm_loop", "sd_mod")

_NEEDED: Final = {
    "linux.uml": "user-mode-linux",
    "mdadm": "mdadm",
    "udevadm": "udev",
    "modprobe": "kmod",
    "mount": "mount",
}


class UserModeLinux:
    """Runs on any x86-64 Linux without root; its disks can be pulled only if they are on no bus and not open."""

    title: Final = "user-mode Linux"
    buses: Final = (virtual.SCSI, virtual.SCSI_4KN)
    least_memory: Final = host.MIN_MEMORY
    boot_timeout: Final = 120.0  # 3 s on an idle computer

    def __init__(self) -> None:
        self._kernel = ""

    def prepare(self) -> None:
        """Find its kernel and the tools that it boots with."""
        self._kernel = find_kernel()

    @contextlib.contextmanager
    def inherited(self) -> Iterator[tuple[int, ...]]:
        """The preloaded library, without a file, because that could be on a filesystem mounted noexec."""
        preload = os.memfd_create("raidtui-lab")
        with open(preload, "wb", buffering=0) as library:
            library.write(preload_library())
            yield (preload,)

    def launch(self, parts: Parts) -> Launch:
        """Write the script of process 1, and return the kernel's command line.

        Raises:
            BadInput, ToolMissing: there are too many disks, or its kernel has no SCSI target.
        """
        check_disks(parts.disks)
        state = prepare_state(parts.kept, parts.etc) if parts.kept else None
        init = parts.folder / "init"
        init.write_text(init_script(parts, state), encoding="utf-8")
        init.chmod(0o755)
        argv = kernel_arguments(self._kernel, parts.folder, parts.memory_bytes, parts.disks, parts.line)
        env = {
            "PATH": os.defpath,
            "HOME": str(parts.folder),
            "TMPDIR": str(memory_folder(parts.memory_bytes, parts.folder)),
            "LD_PRELOAD": f"/proc/self/fd/{parts.inherited[0]}",
        }
        return Launch(argv, env, one_processor=True, nudged=True)

    def explain(self, kernel_log: str) -> RaidtuiError | None:
        """Explain a system that forbids ptrace, the only cause with a fix; a kernel with seccomp does without it."""
        if not _PTRACE_FORBIDDEN.search(kernel_log):
            return None
        scope = _PTRACE_SCOPE.read_text(encoding="ascii").strip() if _PTRACE_SCOPE.exists() else "0"
        return ToolMissing(
            "the guest's kernel has to trace its own processes with ptrace, and this system forbids it; "
            + (
                f"kernel.yama.ptrace_scope is {scope}: set it to 1 in /etc/sysctl.d and reboot"
                if scope in {"2", "3"}
                else "in a container, allow it with --cap-add=SYS_PTRACE"
            )
        )

    def pull(self, parts: Parts, disk: virtual.VirtualDisk) -> None:
        """Remove the device of the disk. Nothing may have it open: the command ``lab`` sees to it that arrays let go."""
        if disk.on_scsi:
            raise BadInput(f"{disk.serial} cannot be pulled: {self.title} has no hot-plug on {disk.bus}")
        if not mconsole.remove(parts.folder / _UMID, device_name(parts, disk)):
            raise Refused(
                f"{disk.serial} is in use by a mount, a volume or swap, and {self.title} cannot pull a disk that is open; "
                "the engine qemu can"
            )

    def plug(self, parts: Parts, disk: virtual.VirtualDisk) -> None:
        """Add the device of the disk again."""
        if said := mconsole.command(
            parts.folder / _UMID, f"config {device_name(parts, disk)}={disk.file_name}"
        ):
            raise StepFailed(f"{disk.serial} cannot be plugged: {said}")


def device_name(parts: Parts, disk: virtual.VirtualDisk) -> str:
    """The kernel's name of a disk that is on no bus."""
    return f"ubd{virtual.LETTERS[virtual.split(parts.disks)[0].index(disk)]}"


def check_disks(disks: Sequence[virtual.VirtualDisk]) -> None:
    """Refuse more disks than there are letters, and disks on SCSI if the kernel has no SCSI target.

    Raises:
        BadInput, ToolMissing: with the reason.
    """
    own, scsi = virtual.split(disks)
    if len(own) > len(virtual.LETTERS):
        raise BadInput(
            f"user-mode Linux has room for {len(virtual.LETTERS)} disks without a bus, not {len(own)}; "
            f"put more of them on scsi, for example {len(own)}xscsi:1GiB"
        )
    if scsi and (missing := [one for one in _SCSI_MODULES if not any(MODULES.rglob(f"{one}.ko*"))]):
        raise ToolMissing(
            f"the lab needs the kernel modules {listed(missing)} for disks with 4096-byte sectors and for more than "
            f"{len(virtual.LETTERS)} disks; {MODULES} does not have them"
        )


def find_kernel() -> str:
    """Check that everything a guest needs is here, and return the path of user-mode Linux.

    The folders of system programs are searched even if ``PATH`` lacks them.

    Raises:
        ToolMissing: something is not installed; the message says what to do.
    """
    search = f"{os.environ.get('PATH', '')}:{host.SBIN}"
    found = {program: shutil.which(program, path=search) for program in _NEEDED}
    missing = [package for program, package in _NEEDED.items() if found[program] is None]
    if missing:
        cure = host.to_install(missing)
        if platform.machine() != "x86_64":
            cure = f"user-mode Linux is packaged for amd64 only, and this is {platform.machine()}"
        raise ToolMissing(f"the lab needs {' and '.join(missing)}, not found here; {cure}")
    if not MODULES.is_dir():
        raise ToolMissing(f"the lab needs the kernel modules in {MODULES}; reinstall user-mode-linux")
    kernel = found["linux.uml"]
    assert kernel is not None
    return kernel


def kernel_arguments(
    program: str, folder: Path, memory: int, disks: Sequence[virtual.VirtualDisk], line: int
) -> list[str]:
    """The command line of user-mode Linux. Its working directory must be the folder of the disks.

    ``line`` is the descriptor that becomes the guest's first serial line. Kernel messages of level error and above go
    to standard output. From 6.16 on, user-mode Linux can catch its processes' system calls with seccomp in place of
    ptrace, which starts a process four times as fast; older kernels hand the word on to process 1.
    """
    return [
        program,
        "seccomp=auto",
        f"mem={memory // MIB}M",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        f"init={folder / 'init'}",
        f"uml_dir={folder}/",
        f"umid={_UMID}",
        "con=null",
        "con0=null,fd:1",
        "console=tty0",
        f"ssl0=fd:{line},fd:{line}",
        "quiet",
        *(f"ubd{number}={disk.file_name}" for number, disk in enumerate(virtual.split(disks)[0])),
    ]


def init_script(parts: Parts, state: Path | None) -> str:
    """The whole script that the guest runs as process 1."""
    own, scsi = virtual.split(parts.disks)
    seen = [(device_name(parts, disk), disk) for disk in own]
    seen += [(f"[0-9]*:*:*:{lun}", disk) for lun, disk in enumerate(scsi)]
    settings = {
        "PYTHON": sys.executable,
        "AGENT": str(_HERE / "agent.py"),
        "MODULES": str(MODULES),
        "STATE": str(state or ""),
        "SHARE": str(parts.share or ""),
        "FOLDER": str(parts.disk_folder),
        "SCSI": "".join(
            f"{lun} {disk.sector_bytes} {disk.size} {disk.file_name}\n" for lun, disk in enumerate(scsi)
        ),
        "SCSI_MODULES": " ".join(_SCSI_MODULES),
        "RULES": virtual.udev_rules(seen),
        "WRAPPER": boot.wrapper("raidtui"),
        "LAB": boot.wrapper("raidtui.lab.inside"),
        "MDADM_CONF": boot.MDADM_CONF,
    }
    head = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    return "\n".join(["#!/bin/sh", *head, (_HERE / "uml.sh").read_text(encoding="utf-8")])


def prepare_state(folder: Path, files: Mapping[str, str]) -> Path:
    """The subfolder of the disks' folder that keeps the guest's /etc and /var/lib/raidtui.

    The first time, copy the host's /etc to it, as far as the caller may read it, without the settings of the host's
    own disks, and with ``files``.
    """
    state = folder / "state"
    etc = state / "etc"
    if not etc.is_dir():
        half = state / "etc.new"
        shutil.rmtree(half, ignore_errors=True)
        _copy_readable(_ETC, half)
        own = {"fstab": "", "hostname": "lab\n", "mdadm/mdadm.conf": boot.MDADM_CONF}
        own |= files
        own["hosts"] = _known_hosts() + f"127.0.1.1 {own['hostname'].strip()}\n"  # sudo looks the host up
        for name, text in own.items():
            (half / name).parent.mkdir(parents=True, exist_ok=True)
            (half / name).unlink(missing_ok=True)  # a symbolic link could lead to the host's file
            (half / name).write_text(text, encoding="utf-8")
        half.rename(etc)
    (state / "raidtui").mkdir(exist_ok=True)
    return state


def _known_hosts() -> str:
    try:
        return (_ETC / "hosts").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _copy_readable(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for entry in os.scandir(source):
        copy = target / entry.name
        with contextlib.suppress(PermissionError):
            if entry.is_symlink():
                copy.symlink_to(os.readlink(entry.path))
            elif entry.is_dir():
                _copy_readable(Path(entry.path), copy)
            elif entry.is_file():
                shutil.copy(entry.path, copy)


def memory_folder(size: int, otherwise: Path) -> Path:
    """The folder for the file with the guest's memory: /dev/shm if it has room and is not mounted noexec."""
    shared = Path("/dev/shm")
    try:
        status = os.statvfs(shared)
    except OSError:
        return otherwise
    fits = status.f_bavail * status.f_frsize >= size + host.SPARE_MEMORY
    runs = not status.f_flag & os.ST_NOEXEC
    return shared if fits and runs and os.access(shared, os.W_OK | os.X_OK) else otherwise
