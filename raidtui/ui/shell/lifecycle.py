"""Drop calls and answers that arrive after a screen was left: its widgets are gone."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from threading import Thread
from time import monotonic
from typing import Any, ClassVar, Concatenate, Final, ParamSpec, TypeVar, cast

from textual.widget import Widget

W = TypeVar("W", bound=Widget)
P = ParamSpec("P")
T = TypeVar("T")


_ANSWERS: Final = frozenset({"enter", "space"})


class InFront:
    """A screen that records since when it can be seen: earlier keys were typed ahead.

    Its keys wait while it is not `ready`: while it reads or calculates what they act on.
    """

    READY_AT_ONCE: ClassVar[bool] = True
    WAITS: ClassVar[frozenset[str] | None] = None  # the keys that wait; None: all
    TYPES: ClassVar[bool] = False  # it opens with the focus in a field
    DELIBERATE: ClassVar[frozenset[str]] = (
        frozenset()
    )  # keys that confirm something, and are not taken typed ahead

    def takes_unseen(self, key: str) -> bool:
        """Whether ``key``, pressed before the screen was seen, may act on it."""
        return key not in self.DELIBERATE and not (self._has_asked and key in _ANSWERS)

    def is_idle(self, action: str) -> bool:
        """Whether ``action`` can do nothing now: the footer does not show its key, but the key still says why."""
        return False

    def __init__(self, **about: Any) -> None:
        super().__init__(**about)
        self.since = monotonic()  # the clock of Textual's events
        self._ready = self.READY_AT_ONCE
        self._has_asked = False

    @property
    def ready(self) -> bool:
        """Whether it takes keys."""
        return self._ready

    @ready.setter
    def ready(self, ready: bool) -> None:
        if ready and not self._ready:
            self.since, self._has_asked = monotonic(), False
        self._ready = ready

    def come_back(self, *, from_question: bool) -> None:
        """Come to the front again, after a dialog: a second Enter was meant for its question."""
        self.since, self._has_asked = monotonic(), from_question


def later(node: Widget, what: Callable[..., object], *about: object) -> None:
    """Call ``what`` after the next refresh of ``node``, unless it is closing and its widgets are gone."""

    def unless_gone() -> object:
        return what(*about) if is_there(node) else None

    node.call_after_refresh(unless_gone)


def is_there(node: Widget) -> bool:
    """Whether ``node`` has its widgets: it is composed, and neither it nor the app is closing."""
    return node.is_mounted and not _is_left(node)


def _is_left(node: Widget) -> bool:
    """Whether ``node`` or the app is closing. One that is still being mounted is not."""
    return not (node.app.is_running and node.display)


async def in_thread(node: Widget, what: Callable[P, T], *about: P.args, **named: P.kwargs) -> T:
    """Run ``what`` in a thread and return its result; cancel the waiting worker if ``node`` was left meanwhile.

    Raises:
        asyncio.CancelledError: ``node`` was left, and its widgets are gone.
    """
    try:
        return await asyncio.to_thread(what, *about, **named)
    finally:
        if _is_left(node):
            raise asyncio.CancelledError


async def calculated(node: Widget, what: Callable[P, T], *about: P.args, **named: P.kwargs) -> T:
    """Like `in_thread`, for pure calculations: raidtui exits without waiting for them.

    Raises:
        asyncio.CancelledError: ``node`` was left, and its widgets are gone.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def give(result: T | None, error: Exception | None) -> None:
        if answer.done():  # canceled
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(cast("T", result))

    def run() -> None:
        result, error = None, None
        try:
            result = what(*about, **named)
        except Exception as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(give, result, error)

    Thread(target=run, daemon=True, name="calculation").start()
    try:
        return await answer
    finally:
        if _is_left(node):
            raise asyncio.CancelledError


def while_there(handler: Callable[Concatenate[W, P], None]) -> Callable[Concatenate[W, P], None]:
    """Decorate a message handler of a screen: do nothing if the screen is being left.

    For example, the second of two Enters may arrive after the first has left the screen.
    """

    @wraps(handler)
    def heard(self: W, /, *about: P.args, **named: P.kwargs) -> None:
        if is_there(self):
            handler(self, *about, **named)

    return heard
