"""The base class of screens that follow a job: they get each journal entry as it is written."""

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from raidtui.advice.findings.alerts import summary
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Entry, JobKind, JobRequest, JobState, Outcome
from raidtui.model.procedure import SetAlerts
from raidtui.ui.care import job_words
from raidtui.ui.care.job_orders import JobOrders
from raidtui.ui.care.journal_text import journal_text
from raidtui.ui.widgets.dialog import Reader


class JobPage(JobOrders):
    """After `follow`, `job_changed` is called with the entries so far, and again on every new entry."""

    class Followed(Message):
        """The journal has new entries, or the job ended."""

        def __init__(self, state: JobState, entries: tuple[Entry, ...], *, ended: bool = False) -> None:
            """``ended``: it ran when it was first read."""
            super().__init__()
            self.state = state
            self.entries = entries
            self.ended = ended

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, JobPage.Followed)

    class Lost(Message):
        """The job cannot be followed."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    job: JobState | None = None  # as last read: at the beginning and at the end

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[Entry, ...] = ()

    def job_changed(self) -> None:
        """Called when ``self.job`` and ``self.entries`` have changed."""

    @work(thread=True, group="follow", exclusive=True)
    def follow(self, job: str) -> None:
        """Follow this job instead of the previous one."""
        worker = get_current_worker()
        try:
            state = self.world.job_state(job)
            # One message for all entries so far, however long the journal is.
            entries = self.world.read_journal(state)
            self.post_message(self.Followed(state, entries))
            for number, entry in enumerate(self.world.follow(state, lambda: worker.is_cancelled)):
                if number >= len(entries):
                    entries = (*entries, entry)
                    self.post_message(self.Followed(state, entries))
            if not worker.is_cancelled:
                now = self.world.job_state(job)
                ended = job_words.has_ended([state], [now])
                self.post_message(self.Followed(now, entries, ended=ended))
        except RaidtuiError as error:
            self.post_message(self.Lost(str(error)))

    def on_job_page_followed(self, message: Followed) -> None:
        before = self.job
        if before is not None and before.request.id != message.state.request.id and self.entries:
            self.say("")
        self.job, self.entries = message.state, message.entries
        if message.ended or (before is not None and job_words.has_ended([before], [self.job])):
            self.say("")
            self.tui.read_machine()  # its disks are free now
            self._prove_alerts(self.job)
        self.refresh_bindings()
        self.job_changed()

    def _prove_alerts(self, job: JobState) -> None:
        """Go on to the test of alerts that a job has just set, if a person looks at it."""
        was_set = isinstance(job.request.procedure, SetAlerts) and job.outcome is Outcome.DONE
        if was_set and self.is_current:
            self.action_alerts()

    def allowed(self) -> dict[str, bool]:
        job = self.job
        ended_well = job is not None and job.outcome is Outcome.DONE and self.may_need_alerts(job)
        return super().allowed() | {"alerts": ended_well}

    def may_need_alerts(self, job: JobState) -> bool:
        """Whether it has built something that no proven alert watches, or has set alerts that are to be tested."""
        if isinstance(job.request.procedure, SetAlerts):
            return True
        machine = self.tui.machine
        said = summary(machine) if job.request.kind is JobKind.BUILD and machine is not None else ""
        return bool(said) and not said.startswith("alerts proven")

    def action_alerts(self) -> None:
        """Go to Alerts; after a job that has set them, send a test at once."""
        job = self.job
        was_set = job is not None and isinstance(job.request.procedure, SetAlerts)
        self.tui.go("alerts", **({"test": "yes"} if was_set else {}))

    def action_journal(self) -> None:
        """Show the whole journal; for a running job, from its end."""
        text = journal_text(self.entries)
        self.app.push_screen(Reader("Journal", text, at_end=job_words.runs(self.job)))

    def job_started(self, request: JobRequest) -> None:
        self.say("")
        self.follow(request.id)

    def on_job_page_lost(self, message: Lost) -> None:
        self.complain(message.sentence)
