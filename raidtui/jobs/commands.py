"""Runs the storage tools: the one place in raidtui where a command that may write is started.

A command gets no terminal, no shell, the C locale, a time limit and a session of its own; its output goes to
files, so it ends in peace even when this process is killed meanwhile, and is kept whole.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from raidtui.jobs.durable import make_folder
from raidtui.machine.tools import find_tool
from raidtui.model.errors import StepFailed, ToolMissing
from raidtui.model.struct import Record

_SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Done(Record, frozen=True, kw_only=True):
    """A command that has ended. ``returncode`` is negative (the signal) when it was killed."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False

    @property
    def last_words(self) -> str:
        """The last line that it wrote, for a sentence about why it failed."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return lines[-1].strip() if lines else "no message"


class Commands:
    """Runs commands one at a time, with their output in files of ``folder``.

    They inherit the descriptors of this process that are inheritable: a lock that lasts as long as they do.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: dict[str, str] = {}
        make_folder(folder)

    def run(self, argv: Sequence[str], *, text: str = "", timeout_seconds: float = 120) -> Done:
        """Run ``argv`` with ``text`` as its input and wait for it, at most ``timeout_seconds``.

        Raises:
            ToolMissing: there is no such program.
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
        source, out, err = files
        try:
            # This process is large, and where forking costs (a guest, an emulator) it would cost more than most
            # commands: with these arguments there is no fork but a vfork.
            process = subprocess.Popen(
                [program, *argv[1:]],
                stdin=source,
                stdout=out,
                stderr=err,
                start_new_session=True,
                # Python's descriptors are closed by exec anyway, except the one that is to be inherited.
                close_fds=False,
                env=_environment(),
                cwd="/",
            )
        except OSError as error:
            raise StepFailed(f"{program} could not be started: {error.strerror}") from error
        late = not _ends_within(process.pid, timeout_seconds)
        if late:
            # With what the command has started: it leads a session of its own.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return process.wait(), late

    def _input(self, text: str) -> IO[bytes]:
        if not text:
            return open(os.devnull, "rb")
        file = self._new("stdin")
        file.write(text.encode())
        file.seek(0)
        return file

    def _new(self, name: str) -> IO[bytes]:
        path = self._folder / name
        # A new file each time: a command that outlived a killed job keeps writing to its own.
        path.unlink(missing_ok=True)
        return path.open("x+b", buffering=0)


def _ends_within(pid: int, seconds: float) -> bool:
    """Whether a child ends in that time; the kernel reports it, nobody polls."""
    watch = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(watch)


def _find(name: str) -> str:
    found = name if name.startswith("/") and os.access(name, os.X_OK) else find_tool(name)
    if found is None:
        raise ToolMissing(f"{name} is not installed; 'raidtui doctor' says what to install")
    return found


def _environment() -> dict[str, str]:
    path = os.environ.get("PATH", "")
    return os.environ | {"LC_ALL": "C", "PATH": f"{path}:{_SYSTEM_PATH}" if path else _SYSTEM_PATH}


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
