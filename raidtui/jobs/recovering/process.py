"""``raidtui recover`` in a process of its own, for screens."""

from collections.abc import Callable, Sequence

from raidtui.jobs.own_process import OwnProcess
from raidtui.model.recovery import Recovery


class RecoveryProcess(OwnProcess):
    """A trial, the mount of one of its candidates, or its end; when it is stopped, the members are as they were."""

    def __init__(self, words: Sequence[str]) -> None:
        """Start it; ``words`` are those of the command, after ``recover``.

        Raises:
            OSError: it cannot be started.
        """
        super().__init__(["recover", *words])

    def follow(self, report: Callable[[str], None]) -> Recovery:
        """Call ``report`` with each line that it prints, and return the list when it has ended.

        Raises:
            StepFailed: there is none: it was refused or failed, with its reason, or was stopped.
        """
        return self.document(Recovery, report, what="the trial")
