"""Drop calls and answers that arrive after a screen was left: its widgets are gone."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from threading import Thread
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from textual.widget import Widget

W = TypeVar("W", bound=Widget)
P = ParamSpec("P")
T = TypeVar("T")


class InFront:
    """A screen that records when it came to the front: earlier keys were for another screen."""

    def __init__(self, **about: Any) -> None:
        super().__init__(**about)
        self.since = monotonic()  # the clock of Textual's events


def later(node: Widget, what: Callable[..., object], *about: object) -> None:
    """Call ``what`` after the next refresh of ``node``, unless it is closing and its widgets are gone."""

    def unless_gone() -> object:
        return what(*about) if is_there(node) else None

    node.call_after_refresh(unless_gone)


def is_there(node: Widget) -> bool:
    """Whether ``node`` has its widgets: it is composed, and neither it nor the app is closing."""
    return node.app.is_running and node.is_mounted and node.display


async def in_thread(node: Widget, what: Callable[P, T], *about: P.args, **named: P.kwargs) -> T:
    """Run ``what`` in a thread and return its result; cancel the waiting worker if ``node`` was left meanwhile.

    Raises:
        asyncio.CancelledError: ``node`` was left, and its widgets are gone.
    """
    try:
        return await asyncio.to_thread(what, *about, **named)
    finally:
        if not is_there(node):
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
        if not is_there(node):
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
