"""A real process on a pseudo terminal, as a shell would start it."""

import contextlib
import os
import pty
import select
import signal
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

import pyte

_NOT_INHERITED = {"NO_COLOR", "RAIDTUI_CONSOLE", "COLUMNS", "LINES"}


class Terminal:
    """Runs ``python ARGV`` on a terminal of the given size; `screen` is its text."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.written = b""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        own = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        wanted = {**own, "TERM": "xterm-256color", **(environment or {})}
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            with contextlib.suppress(OSError):
                termios.tcsetwinsize(0, (size[1], size[0]))
                os.execve(sys.executable, [sys.executable, *argv], wanted)
            os._exit(127)
        self._code: int | None = None

    @property
    def screen(self) -> str:
        """The text on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until_cursor_on(self, text: str, seconds: float = 30) -> None:
        """Wait until the terminal's own cursor stands on a line with ``text``."""
        end = time.monotonic() + seconds
        while text not in self._screen.display[self._screen.cursor.y]:
            place = self._screen.cursor.y + 1
            assert time.monotonic() < end, f"the cursor is on line {place} of:\n{self.screen}"
            self._read(0.2)

    def until(self, text: str, seconds: float = 30) -> None:
        """Wait until ``text`` is on the screen."""
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} did not appear; the screen shows:\n{self.screen}"
            self._read(0.2)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(0.05)

    def press(self, keys: str) -> None:
        """Send these keys."""
        os.write(self._terminal, keys.encode())

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        os.kill(self._pid, number)

    def hang_up(self) -> None:
        """Close the terminal, like a lost connection."""
        os.close(self._terminal)
        self._terminal = -1

    def exit_code(self, seconds: float = 30) -> int:
        """Wait for the process to end; return its exit code, negative for a signal."""
        end = time.monotonic() + seconds
        while self._code is None:
            assert time.monotonic() < end, f"it did not end; the screen shows:\n{self.screen}"
            if self._terminal >= 0:
                self._read(0.1)
            else:
                time.sleep(0.02)
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        if self._terminal >= 0:
            self._read(0)
        return self._code

    def _read(self, seconds: float) -> None:
        while select.select([self._terminal], [], [], seconds)[0]:
            try:
                got = os.read(self._terminal, 65536)
            except OSError:  # the other side is closed
                return
            if not got:
                return
            self.written += got
            self._stream.feed(got)
            seconds = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        if self._terminal >= 0:
            os.close(self._terminal)
