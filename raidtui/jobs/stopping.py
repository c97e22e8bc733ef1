"""Let a job be stopped between two steps, and within one only where a repetition makes good what was cut short."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Cancelled(Exception):
    """The job was canceled: its current step has ended, or its command was ended."""


class Cancel(NamedTuple):
    """How a request to stop is heeded while a command runs."""

    requested: Callable[[], bool]
    tell: Callable[[str], None]  # what is waited for
    may_end: bool  # whether the command can be ended, because its step can be repeated from the beginning


@contextmanager
def stop_requests() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether SIGTERM was received; the signal does not end a running command."""
    received: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        yield lambda: bool(received)
    finally:
        signal.signal(signal.SIGTERM, before)
