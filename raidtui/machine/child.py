"""Start a program that only reads, and take its output: bounded in time and size, whatever the program does.

It has ended when its own process has: a child that it leaves behind may keep its output open for hours.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import IO, Final

from raidtui.model.struct import Record
from raidtui.model.units import MIB

LARGEST: Final = 16 * MIB  # of each stream; the largest answers of a tool are a tenth of this
_PIECE: Final = 64 * 1024
_DEATH_SECONDS: Final = 1.0  # after SIGKILL; a process in D state does not die before its device answers
_POLL_SECONDS: Final = 0.05  # without pidfd_open

_undead: list[subprocess.Popen[bytes]] = []  # killed, but not dead yet


class Output(Record, frozen=True, kw_only=True):
    """What a program printed. ``returncode`` is None if it was ended; then ``problem`` says why."""

    returncode: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    problem: str = ""


def start(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start ``argv`` in the C locale, without a terminal or input, in a session of its own.

    Raises:
        OSError: it cannot be run.
    """
    _undead[:] = [one for one in _undead if one.poll() is None]
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},
        start_new_session=True,
    )


def finish(process: subprocess.Popen[bytes], timeout_seconds: float) -> Output:
    """Wait until a program that was started here has ended; end it and its children if it prints or takes too much."""
    with ExitStack() as stack:
        watch = stack.enter_context(selectors.DefaultSelector())
        ended = _pidfd(process, stack)
        if ended is not None:
            watch.register(ended, selectors.EVENT_READ)
        streams: dict[IO[bytes], bytearray] = {}
        for stream in (process.stdout, process.stderr):
            assert stream is not None, "both are pipes"
            stack.callback(stream.close)
            os.set_blocking(stream.fileno(), False)
            watch.register(stream, selectors.EVENT_READ)
            streams[stream] = bytearray()
        stack.callback(_end, process)
        deadline = time.monotonic() + timeout_seconds
        while process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return Output(returncode=None, problem=f"did not end within {timeout_seconds:.0f} s")
            ready = {
                key.fileobj
                for key, _ in watch.select(left if ended is not None else min(left, _POLL_SECONDS))
            }
            for stream in [one for one in streams if one in ready]:
                if not _take(stream, streams[stream]):
                    watch.unregister(stream)  # the program has closed it
            if any(len(taken) > LARGEST for taken in streams.values()):
                return _too_much()
        for stream, taken in streams.items():
            while len(taken) <= LARGEST and _take(stream, taken):
                pass  # what it printed last is still in the pipe
            if len(taken) > LARGEST:
                return _too_much()
        said, warned = map(bytes, streams.values())
        return Output(returncode=process.returncode, stdout=said, stderr=warned)


def _too_much() -> Output:
    return Output(returncode=None, problem=f"printed more than {LARGEST // MIB} MiB")


def _take(stream: IO[bytes], taken: bytearray) -> bool:
    """Read a piece of what is there; return whether there was one. Called when there is something, or the end."""
    try:
        piece = os.read(stream.fileno(), _PIECE)
    except BlockingIOError:
        return False
    taken += piece
    return bool(piece)


def _pidfd(process: subprocess.Popen[bytes], stack: ExitStack) -> int | None:
    try:
        found = os.pidfd_open(process.pid)
    except OSError:
        return None  # a container's filter of system calls does not know it
    stack.callback(os.close, found)
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that is still running, with its children, but do not wait for one that cannot die now."""
    if process.poll() is not None:
        return  # what it left behind is not ours to end: it may be a service
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    try:
        process.wait(_DEATH_SECONDS)
    except subprocess.TimeoutExpired:
        _undead.append(process)
