"""The base class of screens that show jobs: they are notified when a job appears, progresses or ends."""

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobState
from raidtui.ui.care import job_words
from raidtui.ui.shell.lifecycle import later
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.world import Watching


class JobsPage(Page):
    """Calls `jobs_changed` after the first refresh and on every change of a job, while the screen is shown."""

    class JobsSeen(Message):
        """A job appeared, progressed or ended."""

        def __init__(self, jobs: tuple[JobState, ...]) -> None:
            super().__init__()
            self.jobs = jobs

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, JobsPage.JobsSeen)

    class JobsUnknown(Message):
        """The jobs cannot be read."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    _watching: Watching | None = None
    _seen_jobs: tuple[JobState, ...] = ()

    def jobs_changed(self, jobs: tuple[JobState, ...]) -> None:
        """Called with all current jobs, newest first."""

    def on_mount(self) -> None:
        later(self, self._watch_jobs)

    def on_unmount(self) -> None:
        if self._watching is not None:
            self._watching.stop()

    @work(thread=True, group="jobs")
    def _watch_jobs(self) -> None:
        worker = get_current_worker()
        try:
            watching = self.world.watch_jobs(self._post_jobs)
        except RaidtuiError as error:
            self.post_message(self.JobsUnknown(str(error)))
            return
        if worker.is_cancelled:
            watching.stop()
        else:
            self._watching = watching

    def _post_jobs(self, jobs: tuple[JobState, ...]) -> None:
        self.post_message(self.JobsSeen(jobs))

    def on_jobs_page_jobs_seen(self, message: JobsSeen) -> None:
        before, self._seen_jobs = self._seen_jobs, message.jobs
        if job_words.has_ended(before, message.jobs):
            self.say("")
            self.tui.read_machine()  # its disks are free now
        self.jobs_changed(message.jobs)

    def on_jobs_page_jobs_unknown(self, message: JobsUnknown) -> None:
        self.complain(message.sentence)
