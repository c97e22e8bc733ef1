"""Read the whole computer beside what is shown: a disk that answers slowly does not delay the news of another."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread

from raidtui.model.machine import Machine


class Beside:
    """Readings in threads, one after the other; Ctrl-C waits for none."""

    def __init__(self, read: Callable[[], Machine]) -> None:
        self._read = read
        self._one_at_a_time = Lock()
        self._reading: Future[Machine] | None = None

    @property
    def begun(self) -> bool:
        """Whether a reading was begun."""
        return self._reading is not None

    @property
    def pending(self) -> bool:
        """Whether a reading is under way."""
        return self._reading is not None and not self._reading.done()

    def begin(self) -> None:
        """Read again: what the former reading says holds no more."""
        reading: Future[Machine] = Future()
        self._reading = reading
        Thread(target=self._fill, args=(reading,), daemon=True).start()

    def _fill(self, reading: "Future[Machine]") -> None:
        with self._one_at_a_time:
            try:
                reading.set_result(self._read())
            except Exception as error:
                reading.set_exception(error)

    def machine(self) -> Machine | None:
        """What was read, for `diagnose`; None while it is read.

        Raises:
            RaidtuiError: it could not be read.
        """
        if self._reading is None or not self._reading.done():
            return None
        return self._reading.result()
