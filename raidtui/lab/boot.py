"""What a guest is started with: its script, its command line, its environment, the state it keeps."""

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from raidtui.lab import disks as virtual
from raidtui.model.units import MIB

MODULES: Final = Path("/usr/lib/uml/modules")

# As Debian's package writes it on a machine without arrays.
MDADM_CONF: Final = "HOMEHOST <system>\nMAILADDR root\n"

_HERE: Final = Path(__file__).parent
_ETC: Final = Path("/etc")
_SBIN: Final = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_BIN: Final = ("/usr/local/bin", "/usr/bin", "/bin")
_CARRIED: Final = frozenset(
    [
        "HOME",
        "TERM",
        "COLORTERM",
        "LANG",
        "LANGUAGE",
        "TZ",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "EDITOR",
        "PAGER",
    ]
)


def environment(outside: Mapping[str, str]) -> dict[str, str]:
    """What the caller's environment becomes inside: language, terminal, folders; not its secrets."""
    inside = {
        name: value
        for name, value in outside.items()
        if name in _CARRIED or name.startswith(("LC_", "RAIDTUI_"))
    }
    path = [folder for folder in outside.get("PATH", "").split(":") if folder]
    path += [folder for folder in (*_BIN, *_SBIN) if folder not in path]
    return inside | {
        "PATH": ":".join(["/run/lab/bin", *path]),
        "HOME": outside.get("HOME", "/root"),
        "USER": "root",
        "LOGNAME": "root",
        "SHELL": "/bin/sh",
        "SYSTEMD_IGNORE_CHROOT": "1",
        "RAIDTUI_LAB": "1",
    }


def _wrapper() -> str:
    """A script that is ``raidtui`` inside: the very interpreter and package that run outside."""
    package = _HERE.parent
    lines = ["#!/bin/sh"]
    if package.parent.name not in ("site-packages", "dist-packages"):
        lines.append(f'export PYTHONPATH={shlex.quote(str(package.parent))}"${{PYTHONPATH:+:$PYTHONPATH}}"')
    lines.append(f'exec {shlex.quote(sys.executable)} -P -m raidtui "$@"')
    return "\n".join(lines) + "\n"


def init_script(disks: tuple[virtual.VirtualDisk, ...], share: Path | None, state: Path | None) -> str:
    """The whole script that the guest runs as process 1."""
    settings = {
        "PYTHON": sys.executable,
        "AGENT": str(_HERE / "agent.py"),
        "MODULES": str(MODULES),
        "STATE": str(state or ""),
        "SHARE": str(share or ""),
        "RULES": virtual.udev_rules(disks),
        "WRAPPER": _wrapper(),
        "MDADM_CONF": MDADM_CONF,
    }
    head = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    return "\n".join(["#!/bin/sh", *head, (_HERE / "init.sh").read_text(encoding="utf-8")])


def kernel_arguments(
    program: str, folder: Path, memory: int, disks: Sequence[virtual.VirtualDisk], line: int
) -> list[str]:
    """The command line of user-mode Linux. Its working directory has to be the folder of the disks.

    ``line`` is the descriptor that becomes the guest's first serial line. The kernel's own messages go to
    its standard output, and only those of level error and worse.
    """
    return [
        program,
        f"mem={memory // MIB}M",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        f"init={folder / 'init'}",
        f"uml_dir={folder}/",
        "umid=uml",
        "con=null",
        "con0=null,fd:1",
        "console=tty0",
        f"ssl0=fd:{line},fd:{line}",
        "quiet",
        *(f"ubd{number}={disk.file_name}" for number, disk in enumerate(disks)),
    ]


def prepare_state(folder: Path) -> Path:
    """The part of a folder of disks that stands for the guest's system disk: /etc and /var/lib/raidtui.

    The first time it becomes a copy of the host's /etc, as far as the caller may read it, without what
    speaks of the host's own disks.
    """
    state = folder / "state"
    etc = state / "etc"
    if not etc.is_dir():
        half = state / "etc.new"
        shutil.rmtree(half, ignore_errors=True)
        _copy_readable(_ETC, half)
        (half / "mdadm").mkdir(exist_ok=True)
        own = {"fstab": "", "hostname": "lab\n", "mdadm/mdadm.conf": MDADM_CONF}
        own["hosts"] = _known_hosts() + "127.0.1.1 lab\n"  # sudo looks the host up
        for name, text in own.items():
            (half / name).unlink(missing_ok=True)  # a link would lead to the host's own
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
