"""Ctrl-Z: return the terminal to the shell that started raidtui, if there is one."""

import os
import shutil
import subprocess

import psutil

_GO_BETWEEN = frozenset({"sudo", "su", "pkexec", "doas"})  # they stop when their command stops


def a_shell_waits(process: int = 0) -> bool:
    """Whether a shell with job control can resume this process after it is stopped.

    Without one (``ssh host raidtui``, a tmux window, the lab) a stopped wizard could not be resumed. This is the
    kernel's own test: a process group is orphaned if no member has a parent in another group of the same session,
    setpgid(2). Behind sudo and the like, their own parents count.
    """
    process = process or os.getpid()
    try:
        group = os.getpgid(process)
        parent = psutil.Process(process).ppid()
        while parent and os.getpgid(parent) == group:
            parent = psutil.Process(parent).ppid()
        if not parent:
            return False
        if psutil.Process(parent).name() in _GO_BETWEEN:
            return a_shell_waits(parent)
        return os.getsid(parent) == os.getsid(process)
    except (ProcessLookupError, PermissionError, psutil.Error):
        return False


def open_shell() -> None:
    """Run a shell on this terminal until the user exits it."""
    print("A shell in the lab, as root: 'exit' returns to raidtui.", flush=True)
    subprocess.run([shutil.which("bash") or "/bin/sh", "-i"], check=False)
