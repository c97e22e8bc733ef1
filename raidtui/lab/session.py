"""One command in a guest for whoever called ``raidtui lab``: on the caller's terminal, or through pipes."""

import contextlib
import os
import select
import signal
import termios
import tty
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.lab.guest import Command, Guest

# What a program that was cut short may have left switched on: mouse, paste and focus reports, the alternate
# screen, colours, a hidden cursor.
_RESET_TERMINAL: Final = (
    b"\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?1049l\x1b[0m\x1b[?25h\r\n"
)
_CHUNK: Final = 32768


def on_terminal(guest: Guest, argv: Sequence[str]) -> int:
    """Run a command on the caller's terminal as if it ran here; returns its exit code."""
    command = guest.start(argv, size=_size(), sinks=(_write_out, _write_out))
    with _raw_terminal(), _size_changes() as changes:
        try:
            return _follow(guest, command, changes)
        except BaseException:
            _write_out(_RESET_TERMINAL)
            raise


def through_pipes(guest: Guest, argv: Sequence[str]) -> int:
    """Run a command with the caller's standard streams, each kept apart; returns its exit code.

    Standard input is passed on unless it is a terminal or closed: then the command finds it empty.
    """
    command = guest.start(argv, sinks=(_write_out, lambda data: _write(2, data)))
    return _follow(guest, command)


def _follow(guest: Guest, command: Command, changes: int | None = None) -> int:
    """Carry the streams of ``command`` until it has ended.

    ``changes`` is a descriptor on which a byte arrives whenever the terminal has another size; if there is
    one, the command is on a terminal.
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
    """Every key goes to the guest as it is; the terminal is put back as it was in any case."""
    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        yield
    finally:
        with contextlib.suppress(termios.error):  # hung up
            termios.tcsetattr(0, termios.TCSAFLUSH, before)


@contextlib.contextmanager
def _size_changes() -> Iterator[int]:
    """A descriptor on which bytes arrive when the terminal changes its size."""
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
