"""Do something with several devices at the same time.

Like the standard library's pools, but loads nothing: those bring the logging with them, a twentieth of what a command
takes to start.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

_AT_ONCE: Final = 8

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def at_once(do: Callable[[_In], _Out], some: Iterable[_In]) -> list[_Out]:
    """What ``do`` returns for each of ``some``, in their order; up to eight threads at a time.

    Raises:
        Exception: the first, in their order, that ``do`` raised, after all have ended.
    """
    items = list(some)
    waiting, lock = iter(range(len(items))), threading.Lock()
    found: dict[int, _Out] = {}
    failed: dict[int, BaseException] = {}

    def work() -> None:
        while True:
            with lock:
                place = next(waiting, None)
            if place is None:
                return
            try:
                found[place] = do(items[place])
            except BaseException as error:
                failed[place] = error

    threads = [threading.Thread(target=work) for _ in items[:_AT_ONCE]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[min(failed)]
    return [found[place] for place in range(len(items))]
