"""Jobs: everything that was started, how it ended and why, and what can still be done about it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.journal import Entry, JobKind, JobRequest, JobState, Outcome
from raidtui.model.text import harmless
from raidtui.ui import job_words
from raidtui.ui.jobs_page import JobsPage
from raidtui.ui.journal_text import journal_text
from raidtui.ui.later import while_there
from raidtui.ui.widgets.dialog import Question, Reader
from raidtui.ui.widgets.rows import Column, Row, Rows

COLUMNS = (
    Column("Asked for", 16),
    Column("What", 24, share=1),
    Column("Outcome", 24),
)
KINDS = {
    JobKind.BUILD: "builds",
    JobKind.TEARDOWN: "takes away",
    JobKind.BENCH: "measures",
    JobKind.SWEEP: "sweeps",
}


class JobsScreen(JobsPage):
    """Every job of this computer, newest first."""

    TITLE = "Jobs"
    HELP = """
    Every build, teardown and benchmark that was started here, newest first, with how it ended in a word. A job runs
    in a process of its own: raidtui, the terminal and the connection may all go, and it carries on. Enter follows
    the highlighted one as it runs, or shows what it did.

    INTERRUPTED means that its process is gone without a word: it was killed, or the power went. Nothing is lost by
    that: every step is in the journal on disk before the next begins. r goes on from there, u undoes what was done
    as far as that is possible, v shows the whole journal.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", tooltip="Follow it, or see what it did"),
        Binding("r", "resume", "Resume", tooltip="Carry on with it from where it stopped"),
        Binding("u", "undo", "Undo", tooltip="Undo what it did, as far as possible"),
        Binding("x", "stop", "Stop", tooltip="A build stops after the step it is at, a benchmark at once"),
        Binding("v", "journal", "Journal", tooltip="Everything that it did and was told"),
    ]
    CSS_PATH = "jobs.tcss"

    def __init__(self) -> None:
        super().__init__()
        self._jobs: dict[str, JobState] = {}

    def body(self) -> ComposeResult:
        yield Rows(COLUMNS, id="jobs")
        with VerticalScroll(id="about", can_focus=False):
            yield Static("Reading the jobs...", id="said")

    def jobs_changed(self, jobs: tuple[JobState, ...]) -> None:
        self._jobs = {job.request.id: job for job in jobs}
        rows = []
        for job in jobs:
            said, style = job_words.outcome(job)
            rows.append(
                Row(job.request.id, (job_words.begun(job), job_words.title(job), said), ("", "", style))
            )
        table = self.query_one(Rows)
        table.show(rows)
        if not self.focused:
            table.focus_list()
        self._tell()

    @while_there
    def on_rows_moved(self) -> None:
        self._tell()

    @property
    def _job(self) -> JobState | None:
        """The highlighted one."""
        return self._jobs.get(self.query_one(Rows).key)

    def _tell(self) -> None:
        self.refresh_bindings()
        job = self._job
        text = Content("No job was started yet. n on the overview begins a new array, b a benchmark.")
        if job is not None:
            word, style = job_words.outcome(job)
            text = Content.assemble(
                (f"{job_words.title(job)}: ", "bold"),
                (word, style),
                f", {KINDS[job.request.kind]} {_about(job)}\n",
                (f"{harmless(job.request.id)}\n", "$text-muted"),
                f"{job_words.why(job) or _steps(job)}",
            )
        self.put("#said", text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if not self.is_mounted:
            return True
        job = self._job
        allowed = {
            "open": job is not None,
            "journal": job is not None,
            "resume": job_words.can_resume(job),
            "undo": job_words.can_undo(job),
            "stop": job is not None and job.outcome is Outcome.RUNNING,
        }
        return allowed.get(action, True)

    def action_open(self) -> None:
        """Follow it."""
        if self._job is not None:
            self._follow(self._job.request)

    def action_journal(self) -> None:
        """Show the whole journal."""
        job = self._job
        if job is not None:
            self.order(lambda: self.world.read_journal(job), lambda entries: self._show(job, entries))

    def _show(self, job: JobState, entries: tuple[Entry, ...]) -> None:
        self.app.push_screen(Reader(f"Journal of {harmless(job.request.id)}", journal_text(entries)))

    def action_resume(self) -> None:
        """Carry on with it."""
        if self._job is not None and self.may_order("Going on with a job changes disks."):
            job = self._job.request.id
            self.order(lambda: self.world.resume(job), self._follow)

    def action_undo(self) -> None:
        """Undo it, after a question."""
        if self._job is None or not self.may_order("Undoing a job changes disks."):
            return
        job = self._job.request.id

        def answered(yes: bool | None) -> None:
            if yes:
                self.order(lambda: self.world.rollback(job), self._follow)

        self.app.push_screen(
            Question(
                f"Undo '{job_words.title(self._job)}'?",
                "Every step is taken back in the reverse order. What the disks held before comes back only where "
                "nothing was written over it.",
                yes="Undo",
            ),
            answered,
        )

    def action_stop(self) -> None:
        """Stop it."""
        if self._job is not None:
            job = self._job.request.id
            self.order(lambda: self.world.cancel(job), lambda _: self.say("It was asked to stop."))

    def _follow(self, request: JobRequest) -> None:
        self.tui.go(job_words.place(request), job=request.id)


def _about(job: JobState) -> str:
    """What the job is about, in a word."""
    request = job.request
    if request.bench is not None:
        return harmless(request.bench.target)
    if request.sweep is not None:
        return harmless(f"{', '.join(request.sweep.levels)} on {len(request.sweep.disks)} disks")
    if request.spec is not None:
        if request.spec.alone:
            return harmless(f"one disk alone, {request.spec.name}")
        return harmless(f"{request.spec.level} {request.spec.name} of {len(request.spec.members)}")
    return harmless(request.array)


def _steps(job: JobState) -> str:
    count = len(job.steps_done)
    return f"{count} step{'s'[: count != 1]} done" if count else "no step is done yet"
