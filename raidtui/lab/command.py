"""A command that runs in a guest, seen from the host."""

import shlex
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from raidtui.lab import agent
from raidtui.model.errors import StepFailed

_WINDOW: Final = 65536  # bytes of standard input that may be on their way into the guest

Sink = Callable[[bytes], object]
"""Takes output as it comes."""


class CommandTimeout(StepFailed):
    """A command in the guest took longer than it was given; it has been killed."""


class Line(Protocol):
    """The host's end of the line to the guest."""

    def send(self, kind: int, channel: int = 0, payload: bytes = b"") -> None:
        """Queue a frame."""

    def pump(self, timeout: float | None) -> None:
        """Move what can be moved, waiting at most ``timeout`` seconds for something."""


class Command:
    """A command that runs in a guest. It makes progress while somebody waits for it or for another one."""

    def __init__(
        self, line: Line, channel: int, argv: Sequence[str], sinks: tuple[Sink, Sink] | None = None
    ) -> None:
        self._line = line
        self._channel = channel
        self._on_the_way = 0
        self.argv = tuple(argv)
        self.stdout = bytearray()
        """What it has written so far, unless that goes to a sink."""
        self.stderr = bytearray()
        self.returncode: int | None = None
        """As a shell has it, once it has ended: 128 and more is a signal."""
        self._sinks = sinks or (self.stdout.extend, self.stderr.extend)

    @property
    def room(self) -> int:
        """Bytes of standard input that may be written now."""
        return _WINDOW - self._on_the_way

    def write(self, data: bytes) -> None:
        """Send standard input, not more than `room`."""
        if data:
            self._on_the_way += len(data)
            self._line.send(agent.STDIN, self._channel, data)

    def write_all(self, data: bytes) -> None:
        """Send all of ``data``, waiting as long as the command takes to read it, and end its input."""
        rest = memoryview(data)
        while rest and self.returncode is None:
            piece = bytes(rest[: self.room])
            self.write(piece)
            rest = rest[len(piece) :]
            if rest:
                self._line.pump(None)
        self.close_input()

    def close_input(self) -> None:
        """Standard input ends here."""
        self._line.send(agent.STDIN, self._channel)

    def kill(self, number: int) -> None:
        """Send signal ``number`` to the command and to what it started, save what left its session."""
        self._line.send(agent.SIGNAL, self._channel, bytes([number]))

    def resize(self, rows: int, columns: int) -> None:
        """Pass on the new size of its terminal."""
        self._line.send(agent.RESIZE, self._channel, agent.SIZE.pack(rows, columns))

    def receive(self, kind: int, payload: bytes) -> None:
        """Take what the guest sent for this command."""
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
            GuestDied: the guest went away under it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                self.kill(9)
                self._line.pump(0)
                said = bytes(self.stdout[-500:] + self.stderr[-500:]).decode(errors="replace").strip()
                raise CommandTimeout(
                    f"{self.shown} in the lab took longer than {timeout:g} s; it said: {said}"
                )
            self._line.pump(left)
        return self.returncode

    @property
    def shown(self) -> str:
        """The command as one would type it."""
        return f"'{shlex.join(self.argv)}'"
