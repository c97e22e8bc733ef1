"""Running orders, which quitting waits for."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Orders:
    """Counts the orders that threads are executing, such as starting a job: quitting must not interrupt them."""

    def __init__(self) -> None:
        self._count, self._lock = 0, threading.Lock()

    @property
    def under_way(self) -> bool:
        """Whether one is being executed."""
        return self._count > 0

    def carry_out(self, order: Callable[[], T]) -> T:
        """Execute ``order`` in this thread."""
        with self._lock:
            self._count += 1
        try:
            return order()
        finally:
            with self._lock:
                self._count -= 1
