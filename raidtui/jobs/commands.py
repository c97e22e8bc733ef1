"""Run the storage tools: the only place in raidtui that starts commands which may write.

A command gets no terminal, no shell, the C locale, a timeout and its own session. Its output goes to files, so it is
kept completely, and the command can finish even if this process is killed.
"""

import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import sh

from raidtui.jobs.durable import make_folder
from raidtui.machine.own_files import open_own
from raidtui.machine.tools import find_tool
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.struct import Record

_EVERY_CODE: Final = tuple(range(256))  # the caller decides which exit codes mean success
_SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Done(Record, frozen=True, kw_only=True):
    """A command that has ended. ``returncode`` is the negative signal number if it was killed."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False

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

    def run(self, argv: Sequence[str], *, text: str = "", timeout_seconds: float = 120) -> Done:
        """Run ``argv`` with ``text`` as its input and wait for it; kill it after ``timeout_seconds``.

        Raises:
            ToolMissing: the program is not installed.
            StepFailed: it could not be started.
        """
        program = self._programs.get(argv[0]) or self._programs.setdefault(argv[0], _find(argv[0]))
        with self._input(text) as source, self._new("stdout") as out, self._new("stderr") as err:
            begin = time.monotonic()
            code, timed_out = self._spawn(program, argv, (source, out, err), timeout_seconds)
            seconds = time.monotonic() - begin
            return Done(
                argv=tuple(argv),
                returncode=code,
                stdout=_content(out),
                stderr=_content(err),
                seconds=seconds,
                timed_out=timed_out,
            )

    def _spawn(
        self, program: str, argv: Sequence[str], files: tuple[IO[bytes], ...], timeout_seconds: float
    ) -> tuple[int, bool]:
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
        expired = threading.Event()

        def kill() -> None:
            expired.set()
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)

        clock = threading.Timer(timeout_seconds, kill)
        clock.start()
        try:
            # If a signal ended the command, the exit code shows it.
            with suppress(sh.SignalException):
                running.wait()
        finally:
            clock.cancel()
            clock.join()
        code = running.process.exit_code
        assert code is not None, "sh waits until the command has ended"
        return code, expired.is_set()

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
    path = os.environ.get("PATH", "")
    # LVM would warn about the inherited lock descriptor.
    quiet = {"LVM_SUPPRESS_FD_WARNINGS": "1"}
    return os.environ | quiet | {"LC_ALL": "C", "PATH": f"{path}:{_SYSTEM_PATH}" if path else _SYSTEM_PATH}


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
