"""What Ctrl-Z can do: give the terminal back to the shell that raidtui was started from, if there is one."""

import os
import shutil
import subprocess

import psutil

_GO_BETWEEN = frozenset({"sudo", "su", "pkexec", "doas"})  # they stop when what they run stops


def a_shell_waits(process: int = 0) -> bool:
    """Whether somebody is there to resume this process after it has stopped: a shell with job control.

    Without one (the command of an SSH call, a window of tmux, the lab) a stopped wizard could not be resumed. The kernel's own test for that is used: a process group is orphaned if no member has a parent in another
    group of the same session, setpgid(2). Behind sudo and its like their own parents count.
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
    """Run a shell on this terminal until the user leaves it."""
    print("A shell in the lab, as root: 'exit' returns to raidtui.", flush=True)
    subprocess.run([shutil.which("bash") or "/bin/sh", "-i"], check=False)
