"""A process of raidtui's own that says some lines, and ends when it may; see `raidtui.jobs.own_process`."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import ClassVar, Generic, TypeVar

from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record

R = TypeVar("R", bound=Record)


class PretendedProcess(Generic[R]):
    """It ends with ``result``; a text is why there is none."""

    LONGEST: ClassVar[float] = 30.0  # seconds; the app waits for it before it ends

    def __init__(self, result: R | str, lines: Sequence[str], *, if_stopped: str = "") -> None:
        """``if_stopped``: why it has no result then; empty: it has it all the same."""
        self._result, self._lines, self._if_stopped = result, lines, if_stopped
        self.may_end = Event()
        self.stopped = Event()

    def follow(self, report: Callable[[str], None]) -> R:
        for line in self._lines:
            report(line)
        self.may_end.wait(self.LONGEST)
        if self.stopped.is_set() and self._if_stopped:
            raise StepFailed(self._if_stopped)
        if isinstance(self._result, str):
            raise StepFailed(self._result)
        return self._result

    def stop(self) -> None:
        self.stopped.set()
        self.may_end.set()
