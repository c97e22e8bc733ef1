"""A command that runs in a guest, seen from the host."""

import shlex
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from raidtui.lab import agent
from raidtui.model.errors import StepFailed

_WINDOW: Final = 65536  # bytes of standard input that may be in transit to the guest

Sink = Callable[[bytes], object]
"""Takes output as it comes."""


class CommandTimeout(StepFailed):
    """A command in the guest exceeded its timeout; it has been killed."""


class Line(Protocol):
    """The host's end of the line to the guest."""

    def send(self, kind: int, channel: int = 0, payload: bytes = b"") -> None:
        """Queue a frame."""

    def pump(self, timeout: float | None) -> None:
        """Send and receive what is ready, waiting at most ``timeout`` seconds."""


class Command:
    """A command that runs in a guest. Its streams move only while the caller waits for it or another command."""

    def __init__(
        self, line: Line, channel: int, argv: Sequence[str], sinks: tuple[Sink, Sink] | None = None
    ) -> None:
        self._line = line
        self._channel = channel
        self._on_the_way = 0
        self.argv = tuple(argv)
        self.stdout = bytearray()
        """Its output so far, unless that goes to a sink."""
        self.stderr = bytearray()
        self.returncode: int | None = None
        """Set when it has ended, as in a shell: above 128 it is 128 plus the signal."""
        self._sinks = sinks or (self.stdout.extend, self.stderr.extend)

    @property
    def room(self) -> int:
        """Bytes of standard input that may be written now."""
        return _WINDOW - self._on_the_way

    def write(self, data: bytes) -> None:
        """Send standard input, at most `room` bytes."""
        if data:
            self._on_the_way += len(data)
            self._line.send(agent.STDIN, self._channel, data)

    def write_all(self, data: bytes) -> None:
        """Send all of ``data``, waiting until the command has read it, and end its input."""
        rest = memoryview(data)
        while rest and self.returncode is None:
            piece = bytes(rest[: self.room])
            self.write(piece)
            rest = rest[len(piece) :]
            if rest:
                self._line.pump(None)
        self.close_input()

    def close_input(self) -> None:
        """End standard input."""
        self._line.send(agent.STDIN, self._channel)

    def kill(self, number: int) -> None:
        """Send signal ``number`` to the command and its children, except those that left its session."""
        self._line.send(agent.SIGNAL, self._channel, bytes([number]))

    def resize(self, rows: int, columns: int) -> None:
        """Pass on the new size of its terminal."""
        self._line.send(agent.RESIZE, self._channel, agent.SIZE.pack(rows, columns))

    def receive(self, kind: int, payload: bytes) -> None:
        """Handle a frame that the guest sent for this command."""
        if kind == agent.STDOUT:
            self._sinks[0](payload)
        elif kind == agent.STDERR:
            self._sinks[1](payload)
        elif kind == agent.TAKEN:
            self._on_the_way -= agent.COUNT.unpack(payload)[0]
        elif kind == agent.EXIT:
            self.returncode = payload[0]

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended and return its exit code; ``timeout`` in seconds.

        Raises:
            CommandTimeout: it took longer, and was killed.
            GuestDied: the guest died meanwhile.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                self.kill(9)
                self._line.pump(0)
                output = bytes(self.stdout[-500:] + self.stderr[-500:]).decode(errors="replace").strip()
                raise CommandTimeout(
                    f"{self.shown} in the lab took longer than {timeout:g} s; its output: {output}"
                )
            self._line.pump(left)
        return self.returncode

    @property
    def shown(self) -> str:
        """The command as typed in a shell."""
        return f"'{shlex.join(self.argv)}'"
