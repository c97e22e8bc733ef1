"""Run the storage tools: the only place in raidtui that starts commands which may write.

A command gets no terminal, no shell, the C locale, a timeout and its own session. Its output goes to files,
outside this process, and the command can finish even if this process is killed. Of a long output the middle is left out.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import sh

from raidtui.jobs.durable import make_folder
from raidtui.jobs.lock import held, is_locked, processes_with
from raidtui.jobs.stopping import Cancel, Cancelled
from raidtui.machine.own_files import open_own
from raidtui.machine.tools import find_tool, search_path
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.struct import Record

GRACE_SECONDS: Final = 10.0  # for a canceled command to end by itself, and again after SIGTERM
_ORPHAN_SECONDS: Final = 900.0
_LOOK_SECONDS: Final = 0.2
_DEATH_SECONDS: Final = 5.0
_KEPT_BYTES: Final = 64 * 1024  # at each end of an output
_EVERY_CODE: Final = tuple(range(256))  # the caller decides which exit codes mean success


@contextmanager
def no_other_command(
    folder: Path, *, note: Callable[..., object], stop_requested: Callable[[], bool]
) -> Iterator[None]:
    """Wait until no command of an earlier process of the job in ``folder`` runs, and mark those of this one.

    Commands inherit the lock, so it shows whether one is still running after its job was killed.

    Args:
        note: records in the journal what is waited for.

    Raises:
        Refused: one still runs after a quarter of an hour.
        Cancelled: the job was asked to stop meanwhile.
    """
    lock = folder / "commands"

    def heed() -> None:
        if stop_requested():
            raise Cancelled

    if is_locked(lock):
        names = ", ".join(processes_with(lock)) or "a command"
        note(text=f"{names} of the killed process of this job still runs; waiting for it")
    refusal = "a command of this job's earlier process is still running; try again when it has ended"
    with held(lock, patience_seconds=_ORPHAN_SECONDS, refusal=refusal, inherited=True, waiting=heed):
        yield


class Done(Record, frozen=True, kw_only=True):
    """A command that has ended. ``returncode`` is the negative signal number if it was killed."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    cancelled: bool = False  # it was ended on request

    @property
    def last_words(self) -> str:
        """The last line of its output, to explain a failure."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return lines[-1].strip() if lines else "no message"


class Commands:
    """Runs commands one at a time, with their output in files in ``folder``.

    They inherit this process's inheritable descriptors, such as a lock that is held as long as they run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: dict[str, str] = {}
        make_folder(folder)

    def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        timeout_seconds: float = 120,
        cancel: Cancel | None = None,
    ) -> Done:
        """Run ``argv`` with ``text`` as its input and wait for it; kill it after ``timeout_seconds``.

        While it waits after a request to stop, it says what for. If the command may be ended, it gets 10 s to end by
        itself, then SIGTERM, and SIGKILL after another 10 s, as do its children.

        Raises:
            ToolMissing: the program is not installed.
            StepFailed: it could not be started.
        """
        program = self._programs.get(argv[0]) or self._programs.setdefault(argv[0], _find(argv[0]))
        with self._input(text) as source, self._new("stdout") as out, self._new("stderr") as err:
            begin = time.monotonic()
            code, watch = self._spawn(program, argv, (source, out, err), timeout_seconds, cancel)
            seconds = time.monotonic() - begin
            done = Done(
                argv=tuple(argv),
                returncode=code,
                stdout=ends_of(out),
                stderr=ends_of(err),
                seconds=seconds,
                timed_out=watch.expired,
                cancelled=watch.cancelled,
            )
            with suppress(OSError):
                for file in (out, err):
                    file.truncate(0)  # a long output would stay on the disk until the next command
            return done

    def _spawn(
        self,
        program: str,
        argv: Sequence[str],
        files: tuple[IO[bytes], ...],
        timeout_seconds: float,
        cancel: Cancel | None,
    ) -> "tuple[int, _Watch]":
        command = sh.Command(program)
        try:
            # In the background, with our own timer: that of sh polls ten times a second, and kills the command
            # but not its children.
            running = command(
                *argv[1:],
                _in=files[0],
                _out=files[1],
                _err=files[2],
                _tty_in=False,
                _tty_out=False,
                _new_session=True,
                # exec closes Python's descriptors anyway, except the inheritable one; sh would close each of them
                # in the child.
                _close_fds=False,
                _env=_environment(),
                _cwd="/",
                _bg=True,
                _bg_exc=False,
                _ok_code=_EVERY_CODE,
                _return_cmd=True,
            )
        except sh.ForkException as error:
            reason = str(error).strip().splitlines()[-1]
            raise StepFailed(f"{program} could not be started: {reason}") from error
        watch = _Watch(argv[0], running.pid, timeout_seconds, cancel)
        watch.start()
        try:
            # If a signal ended the command, the exit code shows it.
            with suppress(sh.SignalException):
                running.wait()
        finally:
            watch.stop()
        code = running.process.exit_code
        assert code is not None, "sh waits until the command has ended"
        return code, watch

    def _input(self, text: str) -> IO[bytes]:
        if not text:
            return open(os.devnull, "rb")
        file = self._new("stdin")
        file.write(text.encode())
        file.seek(0)
        return file

    def _new(self, name: str) -> IO[bytes]:
        path = self._folder / name
        # A new file each time: a command that outlived a killed job keeps writing to its own file.
        path.unlink(missing_ok=True)
        return os.fdopen(open_own(path, os.O_RDWR | os.O_CREAT | os.O_EXCL), "w+b", buffering=0)


def _find(name: str) -> str:
    found = name if name.startswith("/") and os.access(name, os.X_OK) else find_tool(name)
    if found is None:
        raise ToolMissing(f"{name} is not installed; 'raidtui doctor' says what to install")
    return found


def _environment() -> dict[str, str]:
    # LVM would warn about the inherited lock descriptor.
    quiet = {"LVM_SUPPRESS_FD_WARNINGS": "1"}
    return os.environ | quiet | {"LC_ALL": "C", "PATH": search_path()}


def ends_of(file: IO[bytes]) -> str:
    """The content of ``file``; if it is long, its beginning and its end."""
    size = file.seek(0, os.SEEK_END)
    if size <= 2 * _KEPT_BYTES:
        return os.pread(file.fileno(), size, 0).decode(errors="replace")
    ends = (os.pread(file.fileno(), _KEPT_BYTES, place) for place in (0, size - _KEPT_BYTES))
    begin, end = (piece.decode(errors="replace") for piece in ends)
    return f"{begin}\n[{size - 2 * _KEPT_BYTES:,} of {size:,} bytes left out]\n{end}"


class _Watch(threading.Thread):
    """Ends a command that takes too long, or was canceled and may be ended, together with its children."""

    def __init__(self, name: str, pid: int, timeout_seconds: float, cancel: Cancel | None) -> None:
        super().__init__(daemon=True)
        self._command = f"{name} (process {pid})"
        self._pid = pid
        self._timeout = timeout_seconds
        self._cancel = cancel
        self._over = threading.Event()
        self.expired = False
        self.cancelled = False

    def stop(self) -> None:
        """The command has ended."""
        self._over.set()
        self.join()

    def run(self) -> None:
        """Watch until `stop`."""
        deadline = time.monotonic() + self._timeout
        if not self._wait(lambda: time.monotonic() >= deadline or self._is_cancelled()):
            return
        if self._is_cancelled() and self._cancel is not None:
            self._tell(_waits_for(self._command, self._cancel.may_end, self._timeout))
            end = min(deadline, time.monotonic() + GRACE_SECONDS) if self._cancel.may_end else deadline
            if not self._wait(lambda: time.monotonic() >= end):
                return
            self.cancelled = end < deadline
        if self.cancelled:
            self._tell(f"ending {self._command}")
            self._signal(signal.SIGTERM)
            patience = time.monotonic() + GRACE_SECONDS
            if not self._wait(lambda: time.monotonic() >= patience):
                return
        self.expired = not self.cancelled
        self._signal(signal.SIGKILL)
        if not self._over.wait(_DEATH_SECONDS):
            self._tell(
                f"{self._command} was killed but does not end: it waits in the kernel, probably for a disk that "
                "does not answer"
            )

    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.requested()

    def _wait(self, until: Callable[[], bool]) -> bool:
        """Wait for ``until``; return whether the command still runs."""
        while not self._over.wait(_LOOK_SECONDS):
            if until():
                return True
        return False

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._pid, number)

    def _tell(self, text: str) -> None:
        if self._cancel is not None:
            with suppress(
                StepFailed
            ):  # a journal that cannot be written fails the step when the command has ended
                self._cancel.tell(text)


def _waits_for(command: str, may_end: bool, timeout_seconds: float) -> str:
    begin = f"cancel: waiting for {command}"
    if may_end:
        return f"{begin}; it will be ended in {GRACE_SECONDS:.0f} s"
    return f"{begin}, which must not be interrupted; its time limit is {timeout_seconds:,.0f} s"
