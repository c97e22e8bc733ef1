"""The line to a guest: frames over a socket, no more at once than the agent can take."""

import select
import socket
from collections.abc import Iterator

from raidtui.lab import agent


class Wire:
    """The host's end."""

    def __init__(self, end: socket.socket) -> None:
        """Take ``end``, which is closed with this."""
        end.setblocking(False)
        self._end = end
        self._outgoing = bytearray()
        self._incoming = bytearray()
        self._window = agent.WINDOW

    def fileno(self) -> int:
        return self._end.fileno()

    @property
    def sending(self) -> bool:
        """Whether there is something to send when the line is free."""
        return bool(self._outgoing) and self._window > 0

    @property
    def wanted(self) -> int:
        """The events to poll for."""
        return select.POLLIN | (select.POLLOUT if self.sending else 0)

    def send(self, kind: int, channel: int, payload: bytes) -> None:
        """Queue a frame; `exchange` sends it."""
        self._outgoing += agent.frame(kind, channel, payload)

    def exchange(self, events: int) -> bool:
        """Send and receive what is ready by these events of a poll; return False if the other end is closed."""
        try:
            if events & select.POLLOUT:
                count = self._end.send(self._outgoing[: self._window])
                self._window -= count
                del self._outgoing[:count]
            if events & ~select.POLLOUT:
                data = self._end.recv(1 << 20)
                self._incoming += data
                return bool(data)
        except (ConnectionResetError, BrokenPipeError):
            return False
        return True

    def frames(self) -> Iterator[tuple[int, int, bytes]]:
        """Every complete frame that has come, but for those about the line itself."""
        for kind, channel, payload in agent.frames_in(self._incoming):
            if kind == agent.RECEIVED:
                self._window += agent.COUNT.unpack(payload)[0]
            else:
                yield kind, channel, payload

    def close(self) -> None:
        self._end.close()
