"""What has been ordered and is under way, which the end of the wizard waits for."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Orders:
    """Orders that a thread carries out, such as starting a job: they are not cut off half way."""

    def __init__(self) -> None:
        self._count, self._lock = 0, threading.Lock()

    @property
    def under_way(self) -> bool:
        """Whether one is being carried out."""
        return self._count > 0

    def carry_out(self, order: Callable[[], T]) -> T:
        """Carry out ``order`` in this thread."""
        with self._lock:
            self._count += 1
        try:
            return order()
        finally:
            with self._lock:
                self._count -= 1
