"""The process that owns a guest: it starts the guest, and cleans up when the guest or the calling process ends.

It runs as a script in its own session, so that no key and no hang-up reaches it. Its standard input is a pipe from
the calling process: end of file means that this process has ended, in whatever way. One line of JSON on the pipe says
what to start. All files of the guest on the host are in one folder, which the keeper creates first and removes last.

Output: the name of the folder, and later the process group of the guest, one per line. Exit code: the guest's.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from typing import Any, Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_GRACE: Final = 10.0
_NUDGE_SECONDS: Final = 5.0
_MOST_GUESTS: Final = 64  # on one processor


def _take_processor() -> tuple[int, socket.socket] | None:
    """A processor for one guest, and the socket that reserves it: close that to free it. None if none is left.

    The guest's kernel and its processes alternate at every system call. If the scheduler puts them on two processors,
    each switch has to start a sleeping one, which in a virtual machine takes ten times as long as the work itself:
    the whole guest is then four times slower. So each guest gets one processor, a different one for each guest as
    long as there are enough.
    """
    for layer in range(_MOST_GUESTS):
        for processor in sorted(os.sched_getaffinity(0)):
            # An abstract socket name: taken atomically, and freed when this process ends.
            token = socket.socket(socket.AF_UNIX)
            try:
                token.bind(f"\0raidtui-lab-processor-{processor}-{layer}")
            except OSError:
                token.close()
            else:
                return processor, token
    return None


def _start(wish: dict[str, Any], processor: int | None) -> int:
    """Start the guest in its own process group, which dies with the keeper; return its pid."""
    libc = ctypes.CDLL(None)  # before the fork: the child should do as little as possible
    keeper = os.getpid()
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # to wait for the guest's own processes too
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != keeper:
                os._exit(1)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if processor is not None:
                os.sched_setaffinity(0, {processor})
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDONLY)
            log = os.open(wish["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(nothing, 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.chdir(wish["cwd"])
            os.execve(wish["argv"][0], wish["argv"], wish["env"])
        finally:
            os._exit(127)
    return pid


def _end(pid: int) -> int:
    """Kill what is left of the guest, wait until it has ended, and return its exit code."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        try:
            os.killpg(pid, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.002)
        except (ProcessLookupError, ChildProcessError):
            break
    return status if status >= 0 else 128 - status


def _keep(folder: str) -> int:
    """Wait for the order, start the guest, and stay until it or the calling process has ended."""
    print(folder, flush=True)
    order = b""
    while not order.endswith(b"\n"):
        piece = os.read(0, 65536)
        if not piece:
            return 0
        order += piece
    wish = json.loads(order)
    processor, token = (_take_processor() if wish["one_processor"] else None) or (None, None)
    pid = _start(wish, processor)
    try:
        print(pid, flush=True)
        guest = os.pidfd_open(pid)
        for end in wish["fds"]:
            os.close(end)  # else the end of the guest would go unnoticed
        # Sometimes user-mode Linux no longer sets its timer, and hangs forever. An extra alarm starts it again; it
        # does no harm to a guest that runs.
        nudge = _NUDGE_SECONDS if wish["nudged"] else None
        while not any(select.select([0, guest], [], [], nudge)):
            os.kill(pid, signal.SIGALRM)
    finally:
        code = _end(pid)
        if token is not None:
            token.close()
    return code


def main(parent: str) -> int:
    """Keep one guest, with its folder below ``parent``; return the guest's exit code."""
    folder = tempfile.mkdtemp(prefix="raidtui-lab-", dir=parent)
    try:
        return _keep(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _terminated(_number: int, _frame: object) -> None:
    raise SystemExit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _terminated)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # If the reader is gone, write shall return an error, not kill the keeper.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    raise SystemExit(main(sys.argv[1]))
