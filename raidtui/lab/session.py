"""Run one command in its own guest, on the caller's terminal or through pipes."""

import contextlib
import os
import select
import signal
import termios
import tty
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Final

from raidtui.lab.command import Command
from raidtui.lab.guest import Guest, GuestDied, Setup

# Switches off what an interrupted program may have left on: mouse, paste and focus reports, the alternate screen,
# colors, a hidden cursor.
_RESET_TERMINAL: Final = (
    b"\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?1049l\x1b[0m\x1b[?25h\r\n"
)
_BOOTING: Final = b"Starting a guest kernel with virtual disks ..."
_BOOTED: Final = b"\r\x1b[K"
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CHUNK: Final = 32768


class Ended(BaseException):
    """A signal asks this process to end. Not an Exception, so that no handler catches it on the way."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def open_terminal(setup: Setup, argv: Sequence[str]) -> int:
    """Boot a guest, run a command in it on the caller's terminal as if it ran here, and return its exit code.

    Raises:
        RaidtuiError: the guest cannot run here, or died; the end of its kernel log is on standard error.
    """
    _write(2, _BOOTING)
    try:
        with _guest(setup) as guest:
            _write(2, _BOOTED)
            with _raw_terminal(), _size_changes() as changes:
                command = guest.start(argv, size=_size(), sinks=(_write_out, _write_out))
                try:
                    return _follow(guest, command, changes)
                except BaseException:
                    with contextlib.suppress(OSError):  # the terminal may be gone
                        _write_out(_RESET_TERMINAL)
                    raise
    except Ended as ended:
        return ended.exit_code


def run_here(setup: Setup, argv: Sequence[str]) -> int:
    """Boot a guest, run a command in it on the caller's terminal, or without one with its streams, and return its exit code.

    On a terminal, sentences are wrapped for its width.

    Raises:
        RaidtuiError: the guest cannot run here, or died; the end of its kernel log is on standard error.
    """
    run = open_terminal if all(map(os.isatty, (0, 1, 2))) else run_command
    return run(setup, argv)


def run_command(setup: Setup, argv: Sequence[str]) -> int:
    """Boot a guest, run a command in it with the caller's standard streams, and return its exit code.

    Standard input is passed on unless it is a terminal or closed; then the command's input is empty.

    Raises:
        RaidtuiError: the guest cannot run here, or died; the end of its kernel log is on standard error.
    """
    try:
        with _guest(setup) as guest:
            command = guest.start(argv, sinks=(_write_out, lambda data: _write(2, data)))
            return _follow(guest, command)
    except Ended as ended:
        return ended.exit_code


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise `Ended` in the block when a signal asks this process to end, so that it cleans up on its way."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise Ended(number)

    # Keep ignoring a signal that the caller ignores (nohup).
    heeded = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _guest(setup: Setup) -> Iterator[Guest]:
    """A guest that ends when a signal ends this process; if it dies, its last kernel messages are printed."""
    try:
        with ended_by_signals(), Guest(setup) as guest:
            yield guest
    except GuestDied as death:
        if death.kernel_log:
            _write(2, f"Last messages of the guest's kernel:\n{death.kernel_log}\n".encode())
        raise


def _follow(guest: Guest, command: Command, changes: int | None = None) -> int:
    """Carry the streams of ``command`` until it has ended.

    ``changes`` is a descriptor on which a byte arrives at each change of the terminal's size; it is given if the
    command is on a terminal.
    """
    reading = changes is not None or _has_input()
    if not reading:
        command.close_input()
    while command.returncode is None:
        poll = select.poll()
        poll.register(guest.fileno(), select.POLLIN | (select.POLLOUT if guest.sending else 0))
        if reading and command.room:
            poll.register(0, select.POLLIN)
        if changes is not None:
            poll.register(changes, select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll()]
        if guest.fileno() in ready:
            guest.pump(0)
        if 0 in ready:
            data = os.read(0, min(_CHUNK, command.room))
            if data:
                command.write(data)
            else:
                reading = False
                command.close_input()
        if changes is not None and changes in ready:
            os.read(changes, _CHUNK)
            command.resize(*_size())
    return command.returncode


def _has_input() -> bool:
    try:
        return not os.isatty(0) and os.fstat(0) is not None
    except OSError:
        return False


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _write_out(data: bytes) -> None:
    _write(1, data)


def _size() -> tuple[int, int]:
    size = os.get_terminal_size(1)
    return size.lines, size.columns


@contextlib.contextmanager
def _raw_terminal() -> Iterator[None]:
    """Put the terminal into raw mode, so that every key goes to the guest unchanged, and restore it afterwards."""
    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        yield
    finally:
        with contextlib.suppress(termios.error):  # hung up
            termios.tcsetattr(0, termios.TCSAFLUSH, before)


@contextlib.contextmanager
def _size_changes() -> Iterator[int]:
    """A descriptor on which a byte arrives at each change of the terminal's size."""
    alarm, alarmed = os.pipe()
    os.set_blocking(alarmed, False)
    woken = signal.set_wakeup_fd(alarmed, warn_on_full_buffer=False)
    handler = signal.signal(signal.SIGWINCH, lambda *_: None)
    try:
        yield alarm
    finally:
        signal.signal(signal.SIGWINCH, handler)
        signal.set_wakeup_fd(woken)
        os.close(alarm)
        os.close(alarmed)
