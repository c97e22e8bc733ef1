"""An 80x24 terminal for a program in the guest: its screen, its output, and its processor time."""

import os
import pty
import select
import signal
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pyte

KEYS: Final = {"enter": "\r", "escape": "\x1b", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C"}
RAIDTUI: Final = (sys.executable, "-m", "raidtui")


class Terminal:
    """Runs ``argv`` on a pseudo terminal like a Linux console, and kills it at the end of the context."""

    def __init__(self, argv: Sequence[str] = RAIDTUI) -> None:
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.received = 0  # bytes so far
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "linux"}
            os.environ.pop("COLORTERM", None)
            os.execv(argv[0], list(argv))
        termios.tcsetwinsize(self._fd, (24, 80))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._fd)

    @property
    def text(self) -> str:
        """The text on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def processor_seconds(self) -> float:
        """The processor time of its threads so far."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def press(self, *keys: str) -> None:
        """Press keys one by one."""
        for key in keys:
            os.write(self._fd, KEYS.get(key, key).encode())
            self.watch(0.3)

    def watch(self, seconds: float) -> None:
        """Read its output for this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._read(left)

    def until(self, *words: str, seconds: float = 60) -> float:
        """Wait until all ``words`` are on the screen; return the seconds this took."""
        begin = time.monotonic()
        while not all(word in self.text for word in words):
            if time.monotonic() - begin > seconds:
                raise AssertionError(f"no {words} within {seconds} s:\n{self.text}")
            self._read(0.1)
        return time.monotonic() - begin

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if ready:
            data = os.read(self._fd, 65536)
            self.received += len(data)
            self._stream.feed(data)
