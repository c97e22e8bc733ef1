"""Sweep: the matrix of arrays with their figures, and details of each array."""

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobKind, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Severity
from raidtui.model.text import count_of, harmless, spelled
from raidtui.ui.care import job_words
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.shell.explained import SWEEP as SWEEP_EXPLAINED
from raidtui.ui.shell.explained import for_screen
from raidtui.ui.shell.lifecycle import in_thread, later, while_there
from raidtui.ui.widgets.bars import bar, percent_bar
from raidtui.ui.widgets.chooser import Chooser
from raidtui.ui.widgets.dialog import Question
from raidtui.ui.widgets.rail import SWEEP, Rail
from raidtui.ui.widgets.rows import Column, Row, Rows

if TYPE_CHECKING:
    from raidtui.model.plan import Hazard
    from raidtui.model.sweep import Sweep
    from raidtui.results.summary import Summary
    from raidtui.sweep.matrix import Combination
    from raidtui.sweep.prepare import Preview
    from raidtui.sweep.state import Progress

BAR = 34  # cells of the bar of an array, where there is room
MOST_PASSES = 3  # columns; the last passes, if there are more
# Each paragraph is one line: the screen wraps it at its own width.
NONE = "No sweep has been started yet. A sweep measures many arrays on the same disks, one after the other and unattended."
REFUSED = "Nothing has happened: this study does not work with these disks. The line above the keys says why."
HOW = (
    "\n\nPress Enter to choose the disks and one of the published studies. You then see what it would do, how long it "
    "takes and how much it writes. Nothing is written before you have confirmed each disk by its serial number.\n\n"
    "For a sweep of your own write a file: raidtui sweep FILE. 'raidtui sweep --list' says where one is shown."
)


class SweepScreen(JobPage):
    """Previews a study or follows a sweep. Leaving the screen does not affect the sweep."""

    STEP = "sweep"
    STEPS = SWEEP
    TITLE = "Sweep"
    STARTS = True
    HELP = for_screen(SWEEP_EXPLAINED)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "part", "Watch", tooltip="Watch the part that runs now"),
        Binding("enter", "confirm", "Confirm", tooltip="Confirm the disks that it erases"),
        Binding(
            "space",
            "quick",
            "Quick",
            tooltip="Measure briefly, on a small part of each disk; again: the whole study",
        ),
        Binding("enter", "begin", "New", tooltip="Choose disks and a study, and see what it would do"),
        Binding("n", "new", "New", tooltip="Choose disks and a study, and see what it would do"),
        Binding("c", "compare", "Compare", tooltip="Compare the results side by side"),
        Binding("r", "resume", "Resume", tooltip="Resume with what is not measured yet"),
        Binding("u", "undo", "Clean up", tooltip="Remove what it left on its disks"),
        Binding("x", "stop", "Stop", tooltip="Stop it; its disks are free then"),
        Binding("l", "journal", "Journal", tooltip="Show the whole journal"),
    ]
    CSS_PATH = "sweep.tcss"
    STOPPED = "Stopping; what it has built is removed. r resumes it."
    UNDO = (
        "Removes everything that the sweep left on its disks; they are free afterwards. Its results are kept. To "
        "continue the sweep instead, cancel and press r."
    )

    def __init__(self, job: str = "", study: str = "", quick: str = "") -> None:
        """``job``: the sweep to follow; ``study``: the study to preview, reduced if ``quick``."""
        super().__init__()
        self._wanted = job
        self._study = study
        self._quick = quick
        self._seen: Preview | None = None
        self._results: dict[str, Summary] = {}

    def body(self) -> ComposeResult:
        yield Static("Looking for the sweep...", id="summary")
        with Vertical(id="panes"):
            yield Rows((Column("Array", 24, share=1),), id="matrix")
            with VerticalScroll(id="about", can_focus=False):
                yield Static(id="text")

    def on_mount(self) -> None:
        later(self, self._begin)

    def machine_changed(self, machine: Machine) -> None:
        if not self._study:
            return
        from raidtui.sweep.prepare import preview, with_disks

        draft, quick = self.tui.draft, self._quick
        self.work_out(
            lambda: preview(
                with_disks(self._study, draft.spec.members, quick=bool(quick)), machine, seed=draft.seed
            ),
            self._offer,
            self._refuse,
        )

    def _refuse(self) -> None:
        """Show that the study does not work with these disks; the error is on the message line."""
        self._seen = None
        self.head(f"Sweep {harmless(self._study)}: not with these disks")
        self._show_no_matrix(REFUSED)

    def _show_no_matrix(self, why: str) -> None:
        self.put("#summary", Content(why + HOW))
        self.query_one("#panes").display = False
        self.refresh_bindings()

    def _offer(self, seen: "Preview") -> None:
        from raidtui.ui.bench.sweep_words import about, offered

        self._seen = seen
        if not self.query_one("#panes").display:  # it was refused before a change of disks
            self.say("")
            self.query_one("#panes").display = True
        sweep = seen.sweep
        self.head(f"Sweep {sweep.name}: what it would do on {count_of(sweep.disks, 'disk')}")
        self.put("#summary", offered(seen, self._unaccepted()))
        rows = [
            Row(
                combination.id,
                (spelled(combination.title), estimate.refused or estimate.times),
                ("", "$text-warning" if estimate.refused else ""),
                wrap=True,
            )
            for combination, estimate in seen.combinations
        ]
        columns = (Column("Array", 24), Column("Time for one measurement", 40, share=1))
        table = self.query_one("#matrix", Rows)
        table.show(rows, columns=columns)
        table.focus_list()
        self.put("#text", about(seen))
        self.refresh_bindings()

    @work(group="find")
    async def _begin(self) -> None:
        """Follow the given sweep, else the last one."""
        if self._study:
            return
        wanted = self._wanted
        if not wanted:
            try:
                jobs = await in_thread(self, self.world.list_jobs)
            except RaidtuiError as error:
                self.complain(str(error))
                return
            sweeps = [job for job in jobs if job.request.kind is JobKind.SWEEP]
            if not sweeps:
                self._show_no_matrix(NONE)
                return
            wanted = sweeps[0].request.id
        self.follow(wanted)

    # The state.

    @property
    def _sweep(self) -> "Sweep | None":
        return self.job.request.sweep if self.job is not None else None

    @property
    def _is_empty(self) -> bool:
        """Whether there is neither a sweep nor a study to show, as the text says then."""
        return not self.query_one("#panes").display

    @property
    def _progress(self) -> "Progress":
        from raidtui.sweep.state import progress_of

        return progress_of(self.entries)

    def job_changed(self) -> None:
        if self._sweep is None:
            self.complain("this job is not a sweep; Jobs lists what it is")
            return
        self.query_one(Rail).show(SWEEP, "measure")
        if not set(self._progress.results.values()) <= set(self._results):
            self._read_results()
        self._show()

    @work(group="results", exclusive=True)
    async def _read_results(self) -> None:
        try:
            found = await in_thread(self, self.world.list_results)
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self._results = {summary.id: summary for summary in found}
        self._show()

    def on_resize(self) -> None:
        self._show()

    @while_there
    def on_rows_moved(self) -> None:
        self._explain()

    def _show(self) -> None:
        from raidtui.sweep.matrix import combinations_of, has_disks_for, turns_of
        from raidtui.sweep.state import left_words, made_words
        from raidtui.ui.bench.sweep_words import figures, mean_read

        sweep, job = self._sweep, self.job
        if sweep is None or job is None:
            return
        progress, turns = self._progress, turns_of(sweep)
        word, style = job_words.OUTCOMES[job.outcome]
        self.head(f"Sweep {harmless(sweep.name)}: {word}")
        ended = made_words(progress, len(turns))
        failed = f", {len(progress.failed)} of them FAILED" if progress.failed else ""
        running = job.outcome is Outcome.RUNNING
        left = f", {words}" if running and (words := left_words(progress, len(turns))) else ""
        now = harmless(progress.doing) if running else job_words.why(job)
        drawn = percent_bar(len(progress.ended) / len(turns), self.size.width - 2)
        self.put(
            "#summary",
            Content.assemble(
                (drawn, "$primary"), "\n", (ended, "bold"), (failed, "$text-error"), left, "\n", (now, style)
            ),
        )
        passes = range(max(1, sweep.passes - MOST_PASSES + 1), sweep.passes + 1)
        columns = (
            Column("Array", 24, share=1),
            *(Column(f"Pass {number}, R/W", 16, right=True) for number in passes),
            *([Column("Read, mean of the passes", BAR)] if self.panes > 2 else []),
        )
        reads = {one.id: mean_read(sweep, one, progress, self._results) for one in combinations_of(sweep)}
        most = max(reads.values()) or 1.0

        def cells(combination: "Combination") -> tuple[str, ...]:
            if not has_disks_for(sweep, combination):
                return (f"needs {combination.members} disks",)
            shown = (
                figures(sweep, combination, number, progress, self._results, running=running)
                for number in passes
            )
            share = reads[combination.id] / most
            return (*shown, *([bar(share, BAR) if share else ""] if self.panes > 2 else []))

        rows = [Row(one.id, (spelled(one.title), *cells(one))) for one in combinations_of(sweep)]
        table = self.query_one("#matrix", Rows)
        table.show(rows, columns=columns)
        if not self.focused:
            table.focus_list()
        self._explain()

    def _explain(self) -> None:
        """Show the details of the highlighted array."""
        from raidtui.sweep.matrix import combinations_of
        from raidtui.ui.bench.sweep_words import explained

        if self._seen is not None:
            return
        sweep = self._sweep
        key = self.query_one("#matrix", Rows).key
        if sweep is None or not key:
            return
        combination = next(one for one in combinations_of(sweep) if one.id == key)
        self.put("#text", explained(sweep, combination, self._progress, self._results))

    # The keys.

    def is_idle(self, action: str) -> bool:
        return action == "new" and self._is_empty  # Enter, which the footer shows there, does the same

    def allowed(self) -> dict[str, bool]:
        seen, running = self._seen is not None, job_words.runs(self.job)
        return super().allowed() | {
            "confirm": seen,
            "quick": seen,
            "begin": self._is_empty,
            "new": not running,
            "part": running and bool(self._progress.job),
            "journal": self.job is not None,
            "compare": len(self._progress.results) > 1,
        }

    def action_begin(self) -> None:
        self.action_new()

    def action_new(self) -> None:
        """Choose disks, then a study."""
        from raidtui.ui.widgets.disk_chooser import DiskChooser

        machine = self.tui.machine
        if machine is None:
            self.complain("still reading the disks")
            return

        def chosen(disks: tuple[str, ...]) -> None:
            self.tui.draft = self.tui.draft.with_spec(members=disks, spares=())
            self._choose_study()

        title = "Which disks? The sweep will erase them"
        self.ask_for(DiskChooser(title, machine, self.tui.draft.spec.members), chosen)

    def _choose_study(self) -> None:
        from raidtui.sweep.file import published_studies

        offers = [(name, sweep.about) for name, sweep in published_studies().items()]

        dialog = Chooser("Which study?", offers, column="Study")
        self.ask_for(dialog, lambda study: self.tui.go("sweep", study=study))

    def action_quick(self) -> None:
        self._quick = "" if self._quick else "yes"
        self.tui.remember(study=self._study, quick=self._quick)
        if self.tui.machine is not None:
            self.machine_changed(self.tui.machine)

    def action_confirm(self) -> None:
        """Go to Confirm; ask about each HIGH hazard first."""
        if not self.may_order("A sweep erases disks."):
            return
        high = self._unaccepted()
        if not high:
            self.tui.go("confirm", sweep=self._study, quick=self._quick)
            return
        hazard = high[0]

        def accepted(_: bool) -> None:
            self.tui.draft = self.tui.draft.accept(hazard.id, yes=True)
            self.action_confirm()

        self.ask_for(
            Question(
                f"HIGH: {hazard.id}",
                "\n\n".join(map(harmless, (hazard.seen, hazard.meaning, hazard.advice))),
                yes="Accept and continue",
            ),
            accepted,
        )

    def _unaccepted(self) -> "list[Hazard]":
        """The HIGH hazards of all arrays of the sweep, each once, that are not accepted yet."""
        hazards = self._seen.hazards if self._seen is not None else ()
        found = {one.id: one for one in hazards if one.severity is Severity.HIGH}
        return [one for name, one in found.items() if name not in self.tui.draft.accepted]

    def action_part(self) -> None:
        part = self._progress.job
        self.order(
            lambda: self.world.job_state(part),
            lambda state: self.tui.go(job_words.place(state.request), job=part),
        )

    def action_compare(self) -> None:
        self.work_out(
            self._to_compare, lambda picked: self.tui.go("compare", picked=",".join(picked), by="array")
        )

    def _to_compare(self) -> list[str]:
        from raidtui.results.published.beside import with_published

        own = [self.world.get_result(one) for one in self._progress.results.values()]
        return [one.id for one in with_published(own)]
