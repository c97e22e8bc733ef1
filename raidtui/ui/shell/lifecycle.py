"""What comes too late: nothing is done on a screen that is being left, for its widgets are gone then."""

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
    """A screen that knows since when it is in front: keys that were pressed before were meant for another one."""

    def __init__(self, **about: Any) -> None:
        super().__init__(**about)
        self.since = monotonic()  # the clock of Textual's events


def later(node: Widget, what: Callable[..., object], *about: object) -> None:
    """Call ``what`` after the next painting of ``node``; never when it is on its way out, for its widgets are gone then."""

    def unless_gone() -> object:
        return what(*about) if is_there(node) else None

    node.call_after_refresh(unless_gone)


def is_there(node: Widget) -> bool:
    """Whether ``node`` has its widgets: it is composed, and neither it nor the app is on its way out."""
    return node.app.is_running and node.is_mounted and node.display


async def in_thread(node: Widget, what: Callable[P, T], *about: P.args, **named: P.kwargs) -> T:
    """What ``what`` returns, from a thread; the worker that waits ends here when ``node`` has been left meanwhile.

    Raises:
        asyncio.CancelledError: nobody looks at ``node`` any more, and its widgets are gone.
    """
    try:
        return await asyncio.to_thread(what, *about, **named)
    finally:
        if not is_there(node):
            raise asyncio.CancelledError


async def calculated(node: Widget, what: Callable[P, T], *about: P.args, **named: P.kwargs) -> T:
    """Like `in_thread`, for what only calculates: raidtui ends without waiting for it.

    Raises:
        asyncio.CancelledError: nobody looks at ``node`` any more, and its widgets are gone.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def give(result: T | None, error: Exception | None) -> None:
        if answer.done():  # nobody waits any more
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
    """For what a screen does when one of its widgets reports something: nothing once it is being left.

    The second of two Enters is such a message, and may come when the first has led away.
    """

    @wraps(handler)
    def heard(self: W, /, *about: P.args, **named: P.kwargs) -> None:
        if is_there(self):
            handler(self, *about, **named)

    return heard
