"""What the lab needs of the computer it runs on, asked before anything is started."""

import os
import platform
import shutil
from pathlib import Path
from typing import Final

import psutil

from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.units import MIB, binary

SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# program → Debian package
PROGRAMS: Final = {"linux.uml": "user-mode-linux", "mdadm": "mdadm", "udevadm": "udev", "modprobe": "kmod"}


def check_needs(memory_bytes: int, *, path: str | None = None) -> str:
    """The path of the guest kernel, after everything that it needs was found.

    Raises:
        ToolMissing: a package is absent, or this is not an amd64 machine, or tracing children is forbidden.
        Refused: not enough memory.
        BadInput: less memory asked for than a guest can start with.
    """
    where = path or f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}"
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program, path=where) is None]
    if missing:
        hint = f"apt-get install {' '.join(missing)}"
        if platform.machine() != "x86_64":
            hint = f"user-mode Linux is packaged for amd64 only, and this is {platform.machine()}"
        raise ToolMissing(f"the lab needs {' and '.join(missing)}; {hint}")
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    if scope.exists() and scope.read_text(encoding="ascii").strip() == "3":
        raise ToolMissing(
            "the lab traces its own child processes, and kernel.yama.ptrace_scope=3 forbids that until the next boot"
        )
    if memory_bytes < 256 * MIB:
        raise BadInput(
            f"--memory {binary(memory_bytes)} is too little for a guest; at least 256MiB, better 1GiB"
        )
    available = psutil.virtual_memory().available
    if available < memory_bytes + 128 * MIB:
        raise Refused(
            f"the guest would have {binary(memory_bytes)} of memory and only {binary(available)} is available; "
            "free some, or give less with --memory"
        )
    return str(shutil.which("linux.uml", path=where))


def check_room(folder: Path, wanted: int) -> None:
    """Refuse when ``folder`` has less than ``wanted`` bytes free: a full disk under the guest looks like a dying one.

    Raises:
        Refused: too little room.
    """
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise Refused(
            f"{folder} has {binary(free)} free and the lab wants {binary(wanted)}; name another with --disk-dir"
        )
