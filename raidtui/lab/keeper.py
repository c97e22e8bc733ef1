"""The process that owns a guest: starts it, and when it or whoever asked for it is gone, clears up.

It runs as a script in a session of its own, so that no key and no hang-up reaches it. Its standard input is a
pipe whose other end the asking process holds: end of file means that process has ended, however it ended.
One line of JSON on that pipe says what to start; everything that the guest leaves on the host lies in one
folder, which the keeper makes first and removes last.

Output: the folder's name, and later the process group of the guest, a line each. Exit code: the guest's.
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
    """A processor for one guest, and what holds it: close that to give it back. None if none can be had.

    The guest's kernel and its processes take turns at every system call. Where the scheduler lets these two sit on
    two processors each turn starts a sleeping one, which in a virtual machine takes ten times as long as the turn:
    all the guest does is then four times slower. So each guest gets one processor, another one than the guests that
    are there already as long as there are enough.
    """
    for layer in range(_MOST_GUESTS):
        for processor in sorted(os.sched_getaffinity(0)):
            # A name in the kernel's own list of sockets: taken in one go, and gone with this process.
            token = socket.socket(socket.AF_UNIX)
            try:
                token.bind(f"\0raidtui-lab-processor-{processor}-{layer}")
            except OSError:
                token.close()
            else:
                return processor, token
    return None


def _start(wish: dict[str, Any], processor: int | None) -> int:
    """Start the guest in a process group of its own that dies with the keeper; returns its pid."""
    libc = ctypes.CDLL(None)  # before the fork: the child should do as little as possible
    keeper = os.getpid()
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # the guest's own processes are to be waited for as well
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
    """Kill what is left of the guest, wait until it is gone, and return its exit code."""
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
    """Wait for the order, start the guest, and stay until it or the asking process is gone."""
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
            os.close(end)  # or nobody would see the guest hang up
        # Now and then user-mode Linux sets its timer no more, and stands still for ever: an alarm that it did not order
        # starts it again, and costs one that runs nothing.
        nudge = _NUDGE_SECONDS if wish["nudged"] else None
        while not any(select.select([0, guest], [], [], nudge)):
            os.kill(pid, signal.SIGALRM)
    finally:
        code = _end(pid)
        if token is not None:
            token.close()
    return code


def main(parent: str) -> int:
    """Keep one guest, with its folder below ``parent``; returns the guest's exit code."""
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
    # A reader that went away shows as an error of write, not as the end of the keeper.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    raise SystemExit(main(sys.argv[1]))
