"""Jobs: all jobs, how each ended and why, and what can be done next."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Entry, JobKind, JobRequest, JobState
from raidtui.model.text import harmless, listed, spelled
from raidtui.ui.care import job_words
from raidtui.ui.care.job_orders import JobOrders
from raidtui.ui.care.jobs_page import JobsPage
from raidtui.ui.care.journal_text import journal_text
from raidtui.ui.shell.lifecycle import in_thread, while_there
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.dialog import Reader
from raidtui.ui.widgets.rows import Column, Row, Rows

COLUMNS = (
    Column("Started", 16),
    Column("What", 24, share=1),
    Column("Outcome", 28),
)


class JobsScreen(JobsPage, JobOrders):
    """Lists all jobs of this computer, newest first."""

    TITLE = "Jobs"
    READY_AT_ONCE = False
    HELP = """
    Every build, removal, benchmark and sweep started here, newest first, with its outcome. A job runs in its own
    process: raidtui, the terminal and the connection may all go, and the job continues. Enter follows the
    highlighted one while it runs, or shows what it did.

    INTERRUPTED means that the process died unexpectedly: it was killed, or the power failed. Every step is in the
    journal on disk before the next one starts, so nothing is lost. r resumes, u rolls back as far as possible,
    l shows the whole journal.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", tooltip="Follow the job, or show what it did"),
        Binding("r", "resume", "Resume", tooltip="Resume from the step where it stopped"),
        Binding("u", "undo", "Roll back", tooltip="Undo its steps, as far as possible"),
        Binding("x", "stop", "Stop", tooltip="Stop it: a build after the current step, a benchmark at once"),
        Binding("l", "journal", "Journal", tooltip="Show the whole journal"),
        Binding("n", "visit('disks')", "New", tooltip="A new array: choose its disks"),
        Binding("b", "visit('benchmark')", "Benchmark", tooltip="Benchmark an array or a directory"),
    ]
    CSS_PATH = "jobs.tcss"
    UNDO = (
        "Undoes every step, the last one first. The old contents of the disks come back only where nothing has been "
        "written over them."
    )

    def __init__(self) -> None:
        super().__init__()
        self._jobs: dict[str, JobState] | None = None  # None while they are being read
        self._damaged: tuple[str, ...] = ()  # a sentence for each job that cannot be read
        self._journal: tuple[JobState | None, Content] = (None, Content(""))  # of the job in this state

    def body(self) -> ComposeResult:
        yield Rows(COLUMNS, id="jobs")
        with VerticalScroll(id="about", can_focus=False):
            yield Static("Reading the jobs...", id="text")

    def jobs_changed(self, jobs: tuple[JobState, ...]) -> None:
        before, self._jobs = self._jobs, {job.request.id: job for job in jobs}
        if before is None or before.keys() != self._jobs.keys():
            self.run_worker(self._look_for_damaged(), group="damaged", exclusive=True)
        rows = []
        for job in jobs:
            outcome, style = job_words.outcome(job)
            rows.append(
                Row(job.request.id, (job_words.begun(job), job_words.title(job), outcome), ("", "", style))
            )
        table = self.query_one(Rows)
        table.show(rows)
        if not self.focused:
            table.focus_list()
        self._show_details()
        self.ready = True

    async def _look_for_damaged(self) -> None:
        """Say which jobs are missing from the list, and why: they are not "none"."""
        self._damaged = await in_thread(self, self.world.damaged_jobs)
        if self._damaged:
            more = f" ({len(self._damaged) - 1} more: 'raidtui jobs')" if len(self._damaged) > 1 else ""
            self.complain(f"{harmless(self._damaged[0])}{more}")
        self._show_details()

    @while_there
    def on_rows_moved(self) -> None:
        self._show_details()

    @property
    def job(self) -> JobState | None:
        return (self._jobs or {}).get(self.query_one(Rows).key)

    def _show_details(self) -> None:
        self.refresh_bindings()
        job = self.job
        if job is None and (self._jobs is None or self._jobs):
            return  # they are being read, or the list is about to mark one: that is not "none"
        none = "No job can be read." if self._damaged else "No jobs yet."
        text = Content(f"{none} Press n to build an array, or b to benchmark one.")
        if self.world.access is Access.RECORDED:
            text = Content("A recording has no jobs.")
        if job is not None:
            word, style = job_words.outcome(job)
            text = Content.assemble(
                (f"{job_words.title(job)}: ", "bold"),
                (word, style),
                (f"\n{_about(job)}; job {harmless(job.request.id)}\n", "$text-muted"),
                f"{job_words.why(job) or _steps(job)}",
            )
            if self.panes > 1:
                text = Content.assemble(text, "\n\n", self._journal_of(job))
        self.put("#text", text)

    def _journal_of(self, job: JobState) -> Content:
        """What it did, on a wide terminal; empty until that is read."""
        of, text = self._journal
        if of is job:
            return text
        self._read(job)
        return text if of is not None and of.request.id == job.request.id else Content("")

    @work(group="journal", exclusive=True)
    async def _read(self, job: JobState) -> None:
        try:
            text = journal_text(await in_thread(self, self.world.read_journal, job))
        except RaidtuiError as error:
            text = Content(str(error))
        self._journal = (job, text)
        self._show_details()

    def allowed(self) -> dict[str, bool]:
        job = self.job
        return super().allowed() | {
            "open": job is not None,
            "journal": job is not None,
            "visit": not self._jobs,
        }

    def on_resize(self) -> None:
        self.set_class(self.panes > 1, "-two-panes")
        self.set_class(self.panes > 2, "-large")
        self._show_details()

    def action_open(self) -> None:
        if self.job is not None:
            self.job_started(self.job.request)

    def action_journal(self) -> None:
        job = self.job
        if job is not None:
            self.order(lambda: self.world.read_journal(job), lambda entries: self._show(job, entries))

    def _show(self, job: JobState, entries: tuple[Entry, ...]) -> None:
        self.app.push_screen(Reader(f"Journal of {harmless(job.request.id)}", journal_text(entries)))

    def undo_title(self, job: JobState) -> str:
        return f"Roll back '{job_words.title(job)}'?"

    def job_started(self, request: JobRequest) -> None:
        self.tui.go(job_words.place(request), job=request.id)


def _about(job: JobState) -> str:
    """The target of the job, in a few words."""
    request = job.request
    if request.bench is not None:
        return harmless(f"benchmark of {request.bench.target}")
    if request.burn_in is not None:
        return harmless(f"burn-in of {listed(request.burn_in.disks)}")
    if request.sweep is not None:
        return harmless(f"sweep of {', '.join(request.sweep.levels)} on {len(request.sweep.disks)} disks")
    if request.spec is not None:
        if request.spec.alone:
            return harmless(f"single disk {request.spec.members[0]}")
        return harmless(f"{spelled(request.spec.kind)} of {len(request.spec.members)} disks")
    if request.procedure is not None:
        return harmless(f"erases {listed(request.erase)}") if request.erase else "erases no disk"
    return harmless(f"removal of {', '.join((request.array, *request.also))}")


def _steps(job: JobState) -> str:
    """How far a build or teardown is; empty for a benchmark or sweep, which have no plan."""
    if job.request.kind in {JobKind.BENCH, JobKind.SWEEP, JobKind.BURN_IN}:
        return ""
    count = len(job.steps_done)
    return f"{count} step{'s'[: count != 1]} done" if count else "no steps done yet"
