"""Stop requests for a benchmark: noticed at once, whatever it waits for."""

import os
import signal
from types import FrameType, TracebackType
from typing import Final, Self

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Cancelled(BaseException):
    """The benchmark was asked to stop. This is not an error, and error handlers must not swallow it."""


class StopRequests:
    """Catches SIGTERM and SIGINT while it is open. Its descriptor becomes readable when one arrives."""

    def __init__(self) -> None:
        self.requested = False
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._before: dict[signal.Signals, object] = {}

    def fileno(self) -> int:
        """The descriptor to wait on, together with others."""
        return self._read

    def check(self) -> None:
        """Raise if a stop was requested. Raises Cancelled: it was."""
        if self.requested:
            raise Cancelled

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self.requested:
            self.requested = True
            os.write(self._write, b"!")

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal itself returned
        os.close(self._read)
        os.close(self._write)
