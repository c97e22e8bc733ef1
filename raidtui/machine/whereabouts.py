"""Which computer this is, and how it was reached: so that nobody erases the disks of another one."""

import os
from pathlib import Path
from typing import Final

_SSHD: Final = ("sshd", "sshd-session")
_LONGEST_CHAIN: Final = 64  # ancestors


def hostname() -> str:
    """The name of this computer."""
    return os.uname().nodename


def in_lab() -> bool:
    """Whether this computer is the lab, whose disks are virtual."""
    return "RAIDTUI_LAB" in os.environ


def over_ssh() -> bool:
    """Whether this process was started over SSH; False also where nothing shows it, as within tmux under sudo.

    Not only by the environment: sudo removes ``SSH_CONNECTION``.
    """
    return "SSH_CONNECTION" in os.environ or any(name in _SSHD for name in _ancestors())


def _ancestors(proc: Path = Path("/proc")) -> list[str]:
    """The names of the processes above this one, from the nearest."""
    names: list[str] = []
    process = os.getppid()
    while process > 1 and len(names) < _LONGEST_CHAIN:
        try:
            stat = (proc / str(process) / "stat").read_text(errors="replace")
        except OSError:
            break
        # "812 (sshd) S 1 …": the name may hold spaces and brackets itself
        names.append(stat[stat.index("(") + 1 : stat.rindex(")")])
        process = int(stat[stat.rindex(")") + 1 :].split()[1])
    return names


def modes(*, lab: bool, root: bool, ssh: bool) -> tuple[str, ...]:
    """The words beside the name of this computer: ``root``, ``ssh``; of the lab, that its disks are virtual."""
    if lab:
        return ("virtual disks",)
    return ("root" if root else "not root", *(("ssh",) if ssh else ()))


def this_computer() -> str:
    """The name of this computer and how it was reached: ``nas-keller (root, ssh)``."""
    return f"{hostname()} ({', '.join(modes(lab=in_lab(), root=os.geteuid() == 0, ssh=over_ssh()))})"
