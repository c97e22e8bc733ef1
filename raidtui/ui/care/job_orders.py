"""The orders of one job, for screens that show it: stop, resume, roll back."""

from abc import abstractmethod
from typing import ClassVar

from raidtui.model.journal import JobRequest, JobState
from raidtui.ui.care import job_words
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.dialog import Question


class JobOrders(Page):
    """x stops `job`, r resumes it, u rolls it back, if the screen binds these keys."""

    DELIBERATE = frozenset({"r", "u", "x"})
    STOPPED: ClassVar[str] = "Stopping."  # message after a request to stop the job
    RESUMING: ClassVar[str] = "Resuming the job changes disks."  # why this needs root
    UNDO: ClassVar[str] = ""  # what a rollback does, in sentences

    @property
    @abstractmethod
    def job(self) -> JobState | None:
        """The job that the orders are for, as last read."""

    @property
    def shown_job(self) -> str:
        return self.job.request.id if self.job is not None else ""

    @abstractmethod
    def job_started(self, request: JobRequest) -> None:
        """Called when the job was resumed, or is rolled back."""

    def allowed(self) -> dict[str, bool]:
        return super().allowed() | {
            "stop": job_words.runs(self.job),
            "resume": job_words.can_resume(self.job),
            "undo": job_words.can_undo(self.job),
        }

    def action_stop(self) -> None:
        if self.job is not None:
            job = self.job.request.id
            self.order(lambda: self.world.cancel(job), lambda _: self.say(self.STOPPED))

    def action_resume(self) -> None:
        if self.job is not None and self.may_order(self.RESUMING):
            job = self.job.request.id
            self.order(lambda: self.world.resume(job), self.job_started)

    def action_undo(self) -> None:
        """Ask, then roll the job back."""
        if self.job is None or not self.may_order("Rolling back the job changes disks."):
            return
        job = self.job.request.id
        self.ask_for(
            Question(self.undo_title(self.job), self.UNDO, yes="Roll back"),
            lambda _: self.order(lambda: self.world.rollback(job), self.job_started),
        )

    def undo_title(self, job: JobState) -> str:
        """The question before a rollback."""
        return "Roll the job back?"
