"""The base of screens that follow one job: they are told of every line of its journal as it is written."""

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Entry, JobState
from raidtui.ui.page import Page


class JobPage(Page):
    """`follow` a job, and `job_changed` is called with what there is at once and after every new line."""

    class Followed(Message):
        """The journal got longer, or the job ended."""

        def __init__(self, state: JobState, entries: tuple[Entry, ...]) -> None:
            super().__init__()
            self.state = state
            self.entries = entries

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, JobPage.Followed)

    class Lost(Message):
        """The job cannot be followed."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    def __init__(self) -> None:
        super().__init__()
        self.job: JobState | None = None  # as it was when it was last asked: at the beginning and at the end
        self.entries: tuple[Entry, ...] = ()

    def job_changed(self) -> None:
        """``self.job`` and ``self.entries`` are new."""

    @work(thread=True, group="follow", exclusive=True)
    def follow(self, job: str) -> None:
        """Follow this job instead of whichever was followed before."""
        worker = get_current_worker()
        try:
            state = self.world.job_state(job)
            # The first look is one message, however long the journal is already.
            entries = self.world.read_journal(state)
            self.post_message(self.Followed(state, entries))
            for number, entry in enumerate(self.world.follow(state, lambda: worker.is_cancelled)):
                if number >= len(entries):
                    entries = (*entries, entry)
                    self.post_message(self.Followed(state, entries))
            if not worker.is_cancelled:
                self.post_message(self.Followed(self.world.job_state(job), entries))
        except RaidtuiError as error:
            self.post_message(self.Lost(str(error)))

    def on_job_page_followed(self, message: Followed) -> None:
        if self.job is not None and self.job.request.id != message.state.request.id and self.entries:
            self.say("")
        self.job, self.entries = message.state, message.entries
        self.keys_changed()
        self.job_changed()

    def on_job_page_lost(self, message: Lost) -> None:
        self.complain(message.sentence)
