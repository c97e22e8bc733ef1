"""End the wizard within a second of a quit key, a signal or a hangup of the terminal, whatever it is calculating.

At exit Python waits for every thread of its pool, asyncio's signal handlers wait for the event loop, and behind sudo
a process gets no signal when its terminal hangs up. So a separate thread watches signals and the terminal, asks the
app to close, and ends the process if that takes too long.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import termios
import threading
from types import FrameType, TracebackType
from typing import Final, Self

from raidtui.ui.shell.tui import Tui

GRACE: Final = 0.7  # seconds to close cleanly
ORDER: Final = 10.0  # seconds for a running order to finish
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_LEAVES = b"\xff"  # sent on the signal socket when the app exits by itself
# Undo what Textual sets: mouse, bracketed paste, focus reports, keyboard protocol, alternate screen, hidden cursor.
_RESTORE: Final = (
    b"\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[?2048l\x1b[?1004l\x1b[?7h\x1b[<u"
    b"\x1b[?1049l\x1b[?25h\x1b[0m"
)
_WIPE: Final = b"\x1b[2J\x1b[H"


class Ending:
    """Watches one run of the app; use it as a context manager around the run, in the main thread."""

    def __init__(self, app: Tui) -> None:
        self._app = app
        self._closed = threading.Event()
        self._ours, self._signals = socket.socketpair()
        self._terminal = sys.stdin.fileno()
        self._settings = termios.tcgetattr(self._terminal)

    def __enter__(self) -> Self:
        self._signals.setblocking(False)
        self._wire = signal.set_wakeup_fd(self._signals.fileno(), warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, _nothing) for number in _SIGNALS}
        self._app.on_leave = self.leave
        threading.Thread(target=self._watch, name="ending", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._closed.set()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wire)
        self._signals.close()

    def leave(self) -> None:
        """Report that the app exits by itself."""
        with contextlib.suppress(OSError):
            self._signals.send(_LEAVES)

    def _watch(self) -> None:
        code = self._wait()
        if code is None:
            self._finish(self._app.return_code or 0)
        elif not self._closed.is_set():
            self._app.call_later(self._app.exit, code, code)
            self._finish(code)

    def _wait(self) -> int | None:
        """Wait for a reason to end; return the exit code for it, or None if the app exits by itself."""
        poll = select.poll()
        poll.register(self._ours, select.POLLIN)
        poll.register(self._terminal, 0)  # a hangup is always reported
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == self._terminal:
                    return 128 + signal.SIGHUP
                found = self._ours.recv(64)
                if not found or found[:1] == _LEAVES:
                    return None
                for number in found:
                    if number in _SIGNALS:
                        return 128 + number

    def _finish(self, code: int) -> None:
        if self._closed.wait(GRACE) or self._app.run_as_root is not None:
            return
        # After a crash the traceback is still to be printed.
        if (self._app.orders.under_way or self._app.crashed) and self._closed.wait(ORDER):
            return
        if select.select([], [self._terminal], [], 0)[1]:
            with contextlib.suppress(OSError, termios.error):
                os.write(self._terminal, _RESTORE + (_WIPE if self._app.in_console else b""))
                termios.tcsetattr(self._terminal, termios.TCSANOW, self._settings)
        os._exit(code)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Do nothing: the thread gets the signal from the socket; without a handler it would end the process."""
