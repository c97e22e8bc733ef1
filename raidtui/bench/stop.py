"""How a benchmark hears that it shall stop: at once, whatever it waits for."""

import os
import signal
from types import FrameType, TracebackType
from typing import Final, Self

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Cancelled(BaseException):
    """The benchmark was asked to stop. Not an error: nobody who handles errors shall swallow it."""


class StopRequests:
    """Hears SIGTERM and SIGINT while it is open. Its descriptor becomes readable when one came."""

    def __init__(self) -> None:
        self.asked = False
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._before: dict[signal.Signals, object] = {}

    def fileno(self) -> int:
        """To be waited on, together with whatever else is waited for."""
        return self._read

    def check(self) -> None:
        """Go no further if asked to stop.

        Raises:
            Cancelled: it was asked.
        """
        if self.asked:
            raise Cancelled

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if not self.asked:
            self.asked = True
            os.write(self._write, b"!")

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal itself returned
        os.close(self._read)
        os.close(self._write)
