"""The base class of screens that show jobs: they hear when a job appears, progresses or ends."""

from raidtui.model.journal import JobState
from raidtui.ui.care import job_words
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.page import Page


class JobsPage(Page):
    """Calls `jobs_changed` after the first refresh and on every change of a job, while the screen is shown."""

    _seen_jobs: tuple[JobState, ...] = ()

    def jobs_changed(self, jobs: tuple[JobState, ...]) -> None:
        """Called with all current jobs, newest first."""

    def on_mount(self) -> None:
        later(self, self._watch_jobs)

    def _watch_jobs(self) -> None:
        self.watch(self.app, "jobs", self._jobs_read)

    @while_there
    def _jobs_read(self, jobs: tuple[JobState, ...] | None) -> None:
        if jobs is None:
            return
        before, self._seen_jobs = self._seen_jobs, jobs
        if job_words.has_ended(before, jobs):
            self.say("")
            self.tui.read_machine()  # its disks are free now
        self.jobs_changed(jobs)
