"""Run fio as a child that never outlives us: follow its progress, wait for its end, stop it, explain why it failed."""

import ctypes
import errno
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.bench.fio import LOG, OUTPUT
from raidtui.bench.fio_output import Eta, read_eta, read_output
from raidtui.bench.stop import StopRequests
from raidtui.machine.own_files import open_own
from raidtui.model.errors import RaidtuiError, Refused, StepFailed, ToolMissing
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.results.foreign.fio_document import Job

TICK_SECONDS: Final = 0.25
_SIGINT_SECONDS: Final = 10.0  # for fio to end after SIGINT
_SIGKILL_SECONDS: Final = 5.0  # for the kernel to end it after SIGKILL
_MOST_BYTES: Final = 65536  # of stderr that are kept
_PR_SET_PDEATHSIG: Final = 1
_LINE_END: Final = re.compile(rb"[\r\n]+")
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class Finished(Record, frozen=True, kw_only=True):
    """The outcome of one fio."""

    argv: tuple[str, ...]
    returncode: int  # negative: the signal that ended it
    output: str  # of --output: JSON, perhaps after other text
    log: str  # the bandwidth log
    stderr: str
    seconds: float


def run_fio(
    argv: Sequence[str],
    *,
    program: str,
    folder: Path,
    keep: Sequence[int],
    stop: StopRequests,
    tick: Callable[[Eta], None],
    prints: bool = False,
) -> Finished:
    """Run ``argv`` in ``folder`` and call ``tick`` four times a second with its last progress line.

    Args:
        program: the path of fio.
        keep: descriptors that it inherits.
        stop: on a stop request fio gets SIGINT at once, and SIGKILL if it does not end.
        prints: it is another program, which prints its figures and no progress.

    Raises:
        Cancelled: fio was stopped and has ended.
        StepFailed: it could not be stopped: a disk keeps it inside the kernel.
    """
    stop.check()
    for name in (OUTPUT, LOG):
        (folder / name).unlink(missing_ok=True)
    begin = time.monotonic()
    process = start_fio(argv, program=program, folder=folder, keep=keep, prints=prints)
    try:
        stderr = _wait(process, stop, tick)
    finally:
        _reap(process)
    seconds = time.monotonic() - begin
    stop.check()
    return Finished(
        argv=tuple(argv),
        returncode=process.returncode,
        output=read_text(folder / OUTPUT),
        log=read_text(folder / LOG),
        stderr=stderr,
        seconds=seconds,
    )


def start_fio(
    argv: Sequence[str], *, program: str, folder: Path, keep: Sequence[int], prints: bool = False
) -> subprocess.Popen[bytes]:
    """Start ``argv``, which ends with this process; for the arguments see `run_fio`.

    Raises:
        ToolMissing: it cannot be run.
    """
    parent = os.getpid()
    # Its stdout is its result, so it goes where fio would put that; there is no progress to read.
    output = open_own(folder / OUTPUT, os.O_WRONLY | os.O_CREAT) if prints else None

    def die_with_parent() -> None:
        # Between fork and exec. fio runs its work in threads (thread=1), so one signal ends all of it.
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    try:
        return subprocess.Popen(
            list(argv),
            executable=program,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if output is None else output,
            stderr=subprocess.PIPE,
            cwd=folder,
            pass_fds=tuple(keep),
            env=os.environ | {"LC_ALL": "C"},
            preexec_fn=die_with_parent,
        )
    except OSError as error:
        raise ToolMissing(f"{program} cannot be run: {error.strerror}") from error
    finally:
        if output is not None:
            os.close(output)


def _wait(process: subprocess.Popen[bytes], stop: StopRequests, tick: Callable[[Eta], None]) -> str:
    """Wait until the process ends; return its stderr.

    Runs only at ticks, a stop and the end, and then reads what fio has printed: on a computer with one processor,
    reading each line would take time from the measurement.
    """
    assert process.stderr is not None, "it was opened as a pipe"
    progress = Pipe(process.stdout.fileno()) if process.stdout is not None else None
    errors = Pipe(process.stderr.fileno())
    eta, stderr = Eta(), b""
    next_tick = time.monotonic() + TICK_SECONDS
    stopped_at: float | None = None
    ended = os.pidfd_open(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(ended, selectors.EVENT_READ)
            selector.register(stop, selectors.EVENT_READ)
            while process.poll() is None:
                ready = selector.select(max(0.0, next_tick - time.monotonic()))
                if stopped_at is None and stop.requested:
                    selector.unregister(stop)
                    stopped_at = time.monotonic()
                    process.send_signal(signal.SIGINT)
                stderr = (stderr + errors.read())[-_MOST_BYTES:]
                lines = progress.lines() if progress is not None else []
                etas = [found for line in lines if (found := read_eta(line)).states]
                eta = etas[-1] if etas else eta
                if stopped_at is not None:
                    _kill_late(process, time.monotonic() - stopped_at)
                if not ready:
                    next_tick = time.monotonic() + TICK_SECONDS
                    if stopped_at is None:
                        tick(eta)
    finally:
        os.close(ended)
    return (stderr + errors.read())[-_MOST_BYTES:].decode(errors="replace")


class Pipe:
    """Reads from a pipe without waiting."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        os.set_blocking(descriptor, False)

    def read(self) -> bytes:
        """Everything available."""
        pieces = []
        with suppress(BlockingIOError):
            while piece := os.read(self._descriptor, 65536):
                pieces.append(piece)
        return b"".join(pieces)

    def lines(self) -> list[str]:
        """The complete lines; fio may end them with a carriage return, to overwrite them on a terminal."""
        *lines, self._rest = _LINE_END.split(self._rest + self.read())
        return [line.decode(errors="replace") for line in lines]


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Make sure that the process has ended. If a disk keeps it inside the kernel, give up: it ends with its I/O."""
    if process.poll() is None:
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_SIGKILL_SECONDS)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _kill_late(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Kill a process that has not ended ``seconds`` after SIGINT: it is inside the kernel, or broken.

    Raises:
        StepFailed: SIGKILL has not ended it either.
    """
    if seconds > _SIGINT_SECONDS + _SIGKILL_SECONDS:
        raise StepFailed(
            f"fio (process {process.pid}) cannot be killed: it waits for a disk that does not answer"
        )
    if seconds > _SIGINT_SECONDS:
        process.kill()


def read_text(path: Path) -> str:
    """The text in a file of fio; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


class EngineUnavailable(Exception):
    """This fio or this kernel lacks the I/O engine; another may work."""


# io_uring may be forbidden by sysctl or seccomp, absent from the kernel, or short of locked memory.
_NO_ENGINE = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOMEM, errno.EOPNOTSUPP})


def job_of(done: Finished, *, target: str, engine: str) -> Job:
    """The job that ``done`` has measured.

    Raises:
        EngineUnavailable: the engine could not be used; nothing was measured.
        Refused: the target does not support this I/O.
        StepFailed: it failed in another way.
    """
    job: Job | None = None
    try:
        job = read_output(done.output)
    except StepFailed:
        if done.returncode == 0:
            raise
    if job is not None and done.returncode == 0 and not job.error:
        return job
    stderr = done.stderr.lower()
    ios = job.read.total_ios + job.write.total_ios + job.mixed.total_ios if job is not None else 0
    if not ios and (
        "failed to load engine" in stderr or "not loadable" in stderr or (job and job.error in _NO_ENGINE)
    ):
        raise EngineUnavailable(_last_line(done.stderr) or os.strerror(job.error if job else 0))
    raise _explain(done, job.error if job is not None else 0, target=target, engine=engine)


def _explain(done: Finished, error: int, *, target: str, engine: str) -> RaidtuiError:
    if error == errno.EINVAL and "direct" in done.stderr:
        return Refused(f"{target} does not support O_DIRECT: only the page cache could be measured")
    if error == errno.EINVAL:
        return Refused(f"{target} rejects this I/O: its sectors may be larger than a row's blocks")
    if known := explain_errno(error, target):
        return known
    if done.returncode < 0:
        return StepFailed(f"fio was killed by {signal.Signals(-done.returncode).name}")
    reason = os.strerror(error) if error else _last_line(done.stderr) or f"exit code {done.returncode}"
    return StepFailed(f"fio failed on {target} with the engine {engine}: {reason}")


def explain_errno(error: int, target: str) -> StepFailed | None:
    """What an errno means for the target, in a sentence; ``None`` if it is not about the target."""
    match error:
        case errno.ENOSPC:
            return StepFailed(f"{target} is full; free some space or use a smaller --size")
        # A device that disappears may return any of these.
        case errno.EIO | errno.EAGAIN | errno.ENODEV | errno.ENXIO | errno.EOPNOTSUPP:
            return StepFailed(
                f"{target} has an I/O error; 'raidtui inspect' and the kernel log ('dmesg') show which disk"
            )
        case errno.EDQUOT:
            return StepFailed(f"your disk quota on {target} is used up; use a smaller --size")
        case errno.EROFS:
            return StepFailed(
                f"{target} became read-only during the benchmark; the kernel log ('dmesg') shows why"
            )
    return None


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return harmless(lines[-1]) if lines else ""
