"""Overview: arrays, jobs, the latest results, and what to do next."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.advice.findings.alerts import summary
from raidtui.backends.registry import OF_CARDS
from raidtui.backends.unit_words import head_line, lost_words
from raidtui.backends.urgency import urgency
from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.text import fold, harmless
from raidtui.model.unit import Unit
from raidtui.ui.care import overview_words
from raidtui.ui.care.job_progress import JobProgress, job_lines, progress_of
from raidtui.ui.care.jobs_page import JobsPage
from raidtui.ui.care.overview_units import unit_blocks
from raidtui.ui.care.suggestion import Suggestion, findings_of, suggest
from raidtui.ui.care.unit_control import UnitControl
from raidtui.ui.care.unit_styles import called
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import in_thread, later
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.chooser import Chooser
from raidtui.ui.widgets.dialog import Question, Reader
from raidtui.ui.widgets.live import Live

if TYPE_CHECKING:
    from raidtui.machine.space import Space
    from raidtui.results.summary import Summary

READER = 5  # cells of a `Reader` besides the text: border, padding, scrollbar
WIDEST = 200  # cells of a text: longer lines are hard to read
SPACE_SECONDS = 30.0  # between readings of the used space
PROGRESS_SECONDS = 2.0  # between readings of the progress of running jobs
_AROUND = 4  # lines that are not the panes'
UNIT_SECONDS = 1.0  # between checks whether the poll interval of units has passed


class OverviewScreen(UnitControl, JobsPage):
    """The first screen. It updates by itself."""

    TITLE = "Overview"
    HELP = explained.for_screen(explained.OVERVIEW)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "New", tooltip="A new array: choose its disks"),
        Binding("b", "visit('benchmark')", "Benchmark", tooltip="Benchmark an array or a directory"),
        Binding("w", "visit('sweep')", "Sweep", show=False, tooltip="Benchmark many arrays in a row"),
        Binding("c", "visit('compare')", "Compare", tooltip="Compare results side by side"),
        Binding("j", "visit('jobs')", "Jobs", tooltip="All jobs, running and finished"),
        Binding("d", "visit('disks')", "Disks", tooltip="The disks: free, or in use and by what"),
        Binding("a", "acknowledge", "Acknowledge", show=False, tooltip="List lost members no longer"),
        Binding(
            "m",
            "visit('alerts')",
            "Alerts",
            show=False,
            tooltip="Mail, or another message, when a disk fails",
        ),
        Binding("u", "unit", "Array", tooltip="The page of an array: members, growing, scrub, removal"),
        Binding("r", "visit('care')", "Care", tooltip="What is wrong, which disk it is, and what to do"),
        Binding(
            "k", "visit('scrubs')", "Scrubs", show=False, tooltip="What scrubs found, and what starts them"
        ),
        Binding("h", "visit('health')", "Health", show=False, tooltip="Every disk: errors, temperature, age"),
        Binding("x", "break", "Break", tooltip="In the lab: pull a disk, make it slow, corrupt it"),
        Binding("s", "orders", "Scrub", tooltip="Scrub, or pause, stop or slow down what runs"),
        Binding("v", "details", "Details", tooltip="What each virtual drive is set to, and its drives"),
        Binding("enter", "next", "Open", show=False, tooltip="Open the marked thing to do"),
        Binding("up", "mark(-1)", "Mark", key_display="↑↓", show=False, tooltip="Mark another thing to do"),
        Binding("down", "mark(1)", "Down", show=False),
        Binding("pageup", "scroll(-10)", "Page up", show=False),
        Binding("pagedown", "scroll(10)", "Page down", show=False),
    ]
    CSS_PATH = "overview.tcss"
    MARKED_IN = "#first, #to-do"
    MARK = ">"
    READY_AT_ONCE = False
    WAITS = frozenset({"enter", "up", "down", "u", "s", "a", "v"})  # what these act on is not read yet

    def __init__(self) -> None:
        super().__init__()
        self._jobs: tuple[JobState, ...] | None = None
        self._outcomes: list[Outcome] = []  # of all jobs
        self._results: tuple[Summary, ...] = ()
        self._to_do: tuple[Suggestion, ...] = ()
        self._marked = 0  # the one of them that Enter opens
        self._progress: Mapping[str, JobProgress] = {}  # of running jobs, by id
        self._spaces: Mapping[str, Space] = {}
        self._space_of: list[str] = []  # the mount points whose space was read

    def body(self) -> ComposeResult:
        with Horizontal(id="panes"):
            with VerticalScroll(id="all", can_focus=False):
                yield Static(id="recorded")
                yield Static(id="welcome")
                yield Static(id="first")  # what to do, if the units leave no room for it below them
                yield Live(id="units")
                yield Static("Reading this computer...", id="to-do")
                yield Static(id="cards")
                yield Live(id="jobs")
                yield Static(id="results")
            with VerticalScroll(id="details", can_focus=False):
                yield Static(id="unit")
            with VerticalScroll(id="history", can_focus=False):
                yield Live(id="all-jobs")
                yield Static(id="all-results")
                yield Static(id="all-disks")

    def on_mount(self) -> None:
        later(self, self._read_results)
        later(self, lambda: self.watch(self.app, "units_known", self._show_all, init=False))
        self.set_interval(SPACE_SECONDS, self._read_spaces)
        self.set_interval(UNIT_SECONDS, self._follow_units)
        self.set_interval(PROGRESS_SECONDS, self._follow_progress)

    def _follow_units(self) -> None:
        self.tui.look_at_units()

    def _follow_progress(self) -> None:
        if Outcome.RUNNING in self._outcomes:
            self._read_progress()

    @work(group="progress", exclusive=True)
    async def _read_progress(self) -> None:
        """Read how far the running jobs are."""
        running = [job for job in self._jobs or () if job.outcome is Outcome.RUNNING]
        self._progress = await in_thread(self, progress_of, running, self.world)
        self._show_all()

    def jobs_changed(self, jobs: tuple[JobState, ...]) -> None:
        before, self._outcomes = self._outcomes, [job.outcome for job in jobs]
        if self._jobs is not None and before != self._outcomes:
            self._read_results()  # a benchmark may have ended, also within a sweep
            self.tui.read_machine()  # a job takes disks, and gives them back
        # Without the jobs of a sweep, which only Jobs lists.
        self._jobs = tuple(job for job in jobs if not job.request.part_of)
        self._follow_progress()
        self._show_all()

    @work(group="results", exclusive=True)
    async def _read_results(self) -> None:
        try:
            self._results = await in_thread(self, self.world.list_results)
        except RaidtuiError as error:
            self.complain(str(error))
        self._show_all()

    def machine_changed(self, machine: Machine) -> None:
        self._show_all()

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        self.follow_controls()
        if _places(units) != self._space_of:
            self._read_spaces()
        self._show_all()
        self.refresh_bindings()

    @work(group="spaces", exclusive=True)
    async def _read_spaces(self) -> None:
        """Read the used space of the arrays; a hanging filesystem does not block anything else."""
        self._space_of = _places(self.tui.units)
        self._spaces = await in_thread(self, self.world.spaces, self._space_of) if self._space_of else {}
        self._show_all()

    def on_resize(self) -> None:
        self._show_all()

    def _show_all(self) -> None:
        machine, units, jobs = self.tui.machine, self.tui.units, self._jobs or ()
        # Units that are polled may come after the machine: until then it has not "no arrays".
        known = machine is not None and self._jobs is not None and (bool(units) or self.tui.units_known)
        self.ready = self.ready or known
        said = summary(machine) if machine is not None and units else ""
        self.head(f"Overview   {said} (m)" if said else "Overview")
        panes = self.panes if units else min(2, self.panes) if machine is not None else 1
        self.set_class(panes == 1, "-one-pane")
        width = self.size.width // panes - 4  # margins, scrollbar
        findings = findings_of(units, machine) if known else ()
        blocks = unit_blocks(units, self._spaces, machine, findings, width=width)
        self.query_one("#units", Live).show(blocks)
        cards = machine is not None and bool(machine.cards or machine.problems)
        self.query_one("#cards").display = cards
        if machine is not None and cards:
            from raidtui.ui.care.overview_cards import card_lines

            self.put("#cards", card_lines(machine, width=width))
        rows = job_lines(jobs, self._progress, width, self._room)
        results = overview_words.result_lines(self._results, width, self._room)
        aside = panes == 3
        self.query_one("#all-jobs" if aside else "#jobs", Live).show(rows)
        self.put("#all-results" if aside else "#results", results)
        self.query_one("#history").display = aside
        if aside and machine is not None:
            from raidtui.ui.care.overview_disks import disk_page

            room = self.size.height - _AROUND - (len(rows) + 1) * bool(jobs)
            room -= (str(results).count("\n") + 2) * bool(self._results)
            self.put("#all-disks", disk_page(machine, width=width, room=room))
        for name, what in (("units", units), ("jobs", jobs), ("results", self._results)):
            self.query_one(f"#{name}").display = bool(what) and not (aside and name != "units")
        for name, what in (("#all-jobs", jobs), ("#all-results", self._results)):
            self.query_one(name).display = bool(what) and aside
        is_recorded = self.world.access is Access.RECORDED
        self._to_do = suggest(findings, units, jobs, self._results, plan_only=is_recorded) if known else ()
        self._marked = min(self._marked, max(0, len(self._to_do) - 1))
        self.query_one("#recorded").display = is_recorded and machine is not None
        if is_recorded and machine is not None:
            self.put("#recorded", overview_words.recorded(machine))
        nothing = known and not units and not jobs and not self._results
        self.query_one("#welcome").display = nothing
        if nothing and machine is not None:
            welcome = (
                overview_words.plan_only(machine, width=width)
                if is_recorded
                else overview_words.welcome(machine, in_lab=self.world.in_lab, width=width)
            )
            self.put("#welcome", Content(welcome))
        to_do = to_do_lines(self._to_do, self._marked, width=width)
        # Head, keys, news, the line between; what to do must be seen at once.
        fits = len(blocks) + len(to_do) + 2 * is_recorded + 4 <= self.size.height
        for name, shown in (("#to-do", fits or not units), ("#first", not fits and bool(units))):
            self.query_one(name).display = shown
            if shown:
                self.put(name, Content("\n").join(to_do) if known else Content("Reading this computer..."))
        self.query_one("#details").display = panes > 1
        if panes > 1:
            self._show_details(width)
        self.offer_keys()

    def _show_details(self, width: int) -> None:
        """Show the units as far as there is room, first the one that the marked thing to do is about; else the disks."""
        from raidtui.ui.care.overview_disks import disk_lines, disk_page
        from raidtui.ui.care.unit_screen import unit_lines

        machine, room = self.tui.machine, self.size.height - _AROUND
        if not self.tui.units and machine is not None:
            self.put("#unit", disk_page(machine, width=width, room=room))
            return
        about = self._to_do[self._marked].unit if self._to_do else ""
        lines: list[Content] = []
        for unit in sorted(self.tui.units, key=lambda one: (one.uuid != about, *urgency(one))):
            more = unit_lines(unit, self.tui.units, machine, width=width)
            if lines and len(lines) + len(more) + 2 > room:
                break
            lines += [*([Content("")] * 2 if lines else []), *more]
        if machine is not None and self.panes == 2 and len(lines) + len(machine.disks) + 2 <= room:
            lines += [Content(""), disk_lines(machine, width=width)]
        self.put("#unit", Content("\n").join(lines))

    @property
    def _room(self) -> int:
        """The number of jobs, and of results, to show."""
        return 3 if self.size.height < 34 else 8

    def action_new(self) -> None:
        """Plan a new array: go to Disks."""
        self.tui.go("disks")

    def allowed(self) -> dict[str, bool]:
        return {
            "acknowledge": any(unit.lost for unit in self.tui.units),
            "orders": bool(self.offers()),
            "break": self.world.in_lab,
            "unit": bool(self.tui.units),
            "details": bool(self._set_by_cards),
        }

    def action_unit(self) -> None:
        """Open the page of a unit: of the only one, or of one that is chosen."""
        units = {called(one): one for one in sorted(self.tui.units, key=urgency)}

        def chosen(name: str) -> None:
            self.tui.go("unit", unit=units[name].uuid)

        if len(units) == 1:
            chosen(*units)
        else:
            offers = [(name, harmless(head_line(one))) for name, one in units.items()]
            self.ask_for(Chooser("The page of an array", offers, column="Array"), chosen)

    def action_break(self) -> None:
        from raidtui.ui.care.breaking import break_it

        break_it(self)

    @property
    def _set_by_cards(self) -> list[Unit]:
        """The units of cards: virtual drives."""
        return [unit for unit in self.tui.units if unit.backend in OF_CARDS]

    def action_details(self) -> None:
        from raidtui.ui.care.unit_panel import unit_detail

        width = min(self.size.width, WIDEST) - READER
        lines: list[Content] = []
        for unit in self._set_by_cards:
            lines += [
                *([Content("")] if lines else []),
                *unit_detail(unit, self.tui.units, self.tui.machine, width=width),
            ]
        self.app.push_screen(Reader("Virtual drives", Content("\n").join(lines)))

    def action_acknowledge(self) -> None:
        """Ask, then acknowledge the lost members of a unit."""
        lost = [unit for unit in self.tui.units if unit.lost]
        if not lost or not self.may_order("Acknowledging a lost member needs root."):
            return
        unit = lost[0]
        names = "\n".join(harmless(lost_words(one)) for one in unit.lost)
        self.ask_for(
            Question(
                f"Lost members of {called(unit)}",
                f"{names}\n\nNote the serial number: it is on the disk's label. Acknowledged, "
                f"{'it is' if len(unit.lost) == 1 else 'they are'} not shown any more.",
                yes="Acknowledge",
            ),
            lambda _: self.order(lambda: self._acknowledge(unit), self._acknowledged),
        )

    def _acknowledge(self, unit: Unit) -> tuple[Unit, ...]:
        self.world.acknowledge(unit)
        return self.world.reported()

    def _acknowledged(self, units: tuple[Unit, ...]) -> None:
        self.tui.take_reported(units)
        self.tui.read_units(fresh=True)
        self.say("Acknowledged.")

    def action_scroll(self, lines: int) -> None:
        self.query_one("#all").scroll_relative(y=lines, animate=False)

    def action_mark(self, step: int) -> None:
        """Mark the next thing to do; with one or none, scroll."""
        if len(self._to_do) > 1:
            self._marked = min(len(self._to_do) - 1, max(0, self._marked + step))
            self._show_all()
        else:
            self.action_scroll(step)

    def action_next(self) -> None:
        if self._to_do:
            todo = self._to_do[self._marked]
            self.tui.go(todo.place, **todo.about)


def _places(units: Sequence[Unit]) -> list[str]:
    return [place for unit in units for place in unit.mountpoints[:1]]


def _title(text: str) -> Content:
    return Content.assemble((text, "bold $text-primary"))


def to_do_lines(to_do: Sequence[Suggestion], marked: int, *, width: int) -> list[Content]:
    """A line for each thing to do, most urgent first; Enter opens the marked one."""
    if not to_do:
        return []
    lines = [
        Content.assemble(
            ("To do" if to_do[0].urgent or len(to_do) > 1 else "Next", "bold $text-primary"),
            ("   Enter opens it" if len(to_do) == 1 else "   ↑↓ Enter opens it", "$text-muted"),
        )
    ]
    for number, one in enumerate(to_do):
        sign = ">" if number == marked else " "
        first = f" {sign} {number + 1} " if len(to_do) > 1 else f" {sign} "
        text = fold(one.text, width, first=first, then=" " * len(first))
        lines += [Content.assemble((line, "bold" if number == marked else "")) for line in text]
    return lines
