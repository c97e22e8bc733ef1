"""Jobs, as the app hears of them, and the sentence about a long one that ended while the user looked elsewhere."""

from __future__ import annotations  # do not load the records of jobs for the first picture

from typing import TYPE_CHECKING, Final

from textual.message import Message

from raidtui.ui.shell import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raidtui.model.journal import JobState

LONG: Final = 60.0  # seconds: the user may have stopped watching


class Reported(Message, namespace="jobs"):
    """A job appeared, progressed or ended."""

    def __init__(self, jobs: tuple[JobState, ...]) -> None:
        super().__init__()
        self.jobs = jobs

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Reported)


def ended_elsewhere(before: Sequence[JobState], now: Sequence[JobState], *, shown: str) -> str:
    """Which long job has ended, and how; empty if none has, or if it is ``shown``: its id, as the page in front has it."""
    if not before:
        return ""
    from raidtui.model.journal import Outcome
    from raidtui.ui.care import job_words

    running = {job.request.id for job in before if job.outcome is Outcome.RUNNING}
    for job in now:
        request = job.request
        if (
            request.id in running
            and job.outcome is not Outcome.RUNNING
            and not request.part_of
            and request.id != shown
            and clock.since(request.created) >= LONG
        ):
            return f"{job_words.title(job)}: {job_words.outcome(job)[0]}. j on the overview shows it."
    return ""
