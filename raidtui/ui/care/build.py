"""Build: the steps of a job with their output, then the first sync of the array until it ends."""

from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Event, JobKind, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.unit import Health, Unit
from raidtui.ui.care import build_words, job_words
from raidtui.ui.care.build_room import MEMBERS, TALL, Room
from raidtui.ui.care.journal_text import step_parts
from raidtui.ui.care.step_progress import progress, seconds_of
from raidtui.ui.care.step_words import current_step, failed_steps, step_views
from raidtui.ui.care.sync_control import SyncControl
from raidtui.ui.care.traffic import Meter, Traffic
from raidtui.ui.care.unit_events import events
from raidtui.ui.care.unit_panel import member_lines, state_lines
from raidtui.ui.shell import clock, explained
from raidtui.ui.shell.lifecycle import in_thread, later, while_there
from raidtui.ui.widgets.live import Live, height_of
from raidtui.ui.widgets.rail import Rail
from raidtui.ui.widgets.rows import Column, Row, Rows

COLUMNS = (
    Column("#", 2, right=True),
    Column("", 7),
    Column("Step", 30, share=1),
    Column("Took", 9, right=True),
)
LINES_OF_OUTPUT = 12  # of each command, in the details of a step; l shows all
EVENTS = 4  # most events shown
MEMBERS_A_SECOND = 8  # members repainted every second; more less often: the terminal line may be slow
UNIT_SECONDS = 2.0  # between polls of a unit whose changes the kernel does not report
LONGEST_FIRST_SYNC = 7 * 24 * 3600.0  # seconds
ENDED = frozenset({Outcome.FAILED, Outcome.REFUSED, Outcome.CANCELLED, Outcome.INTERRUPTED})


class BuildScreen(SyncControl):
    """Follows a build or teardown. Leaving the screen does not affect the job; returning to it follows it again."""

    STEP = "build"
    TITLE = "Build"
    HELP = explained.for_screen(explained.BUILD)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "care", "Care", tooltip="What is wrong or left to do, and how"),
        Binding("enter", "next", "Benchmark", tooltip="Benchmark the array"),
        Binding("p", "pause", "Pause", tooltip="Pause the resync, or resume it"),
        Binding("plus", "pace(1)", "Speed", key_display="+-", tooltip="Resync faster (+) or slower (-)"),
        Binding("minus", "pace(-1)", "Slower", show=False),
        Binding("s", "orders", "Scrub", tooltip="Scrub it, or stop the scrub"),
        Binding("r", "resume", "Resume", tooltip="Resume from the step where it stopped"),
        Binding("u", "undo", "Roll back", tooltip="Undo the steps, as far as possible"),
        Binding("x", "stop", "Stop", tooltip="Stop the job after the current step"),
        Binding("m", "alerts", "Alerts", tooltip="Where you hear of a disk that fails, and a test of it"),
        Binding("l", "journal", "Journal", tooltip="Show the whole journal"),
    ]
    CSS_PATH = "build.tcss"
    STOPPED = "Stopping after this step. r resumes, u rolls back."
    UNDO = (
        "Undoes every step, the last one first: stops what was built, erases its metadata, restores the files in /etc. "
        "The old contents of the disks come back only where nothing has been written over them; the journal shows "
        "which steps that applies to."
    )

    def __init__(self, job: str = "") -> None:
        super().__init__()
        self.unit: Unit | None = None  # what was built, as last read
        self._wanted = job
        self._plan: Plan | None = None
        self._gone = False  # it was there once, and is not any more
        self._unpaused: Unit | None = None  # the last reading in which it was not paused
        self._events: list[Content] = []
        self._meter = Meter()
        self._traffic: dict[str, Traffic] = {}
        self._member_lines: list[Content] = []
        self._tick = 0
        self._watched: Outcome | None = None  # outcome of the job when its output was last shown
        self._step = ""  # the current step of the job, whose output is shown
        self._took: dict[str, float] = {}  # seconds of each step in the last job of this kind
        self._lasted = "", 0.0  # a step, and how far the unit was with what it waits for, as last read

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield Live(id="progress")
        yield Live(id="sync")
        yield Static(id="next")
        with Vertical(id="panes"):
            yield Rows(COLUMNS, id="steps")
            with VerticalScroll(id="output", can_focus=False):
                yield Static("Looking for the job...", id="text")

    def on_mount(self) -> None:
        later(self, self._begin)
        self.set_interval(1, self._count_seconds)
        self.set_interval(UNIT_SECONDS, self._follow_units)

    @work(group="find")
    async def _begin(self) -> None:
        """Follow the given job, else the running one, else the last one."""
        wanted = self._wanted
        try:
            jobs = await in_thread(self, self.world.list_jobs)
        except RaidtuiError as error:
            if not wanted:
                self.complain(str(error))
                return
            jobs = ()
        steps = [job for job in jobs if job.request.kind.has_plan]
        if not wanted:
            running = [job for job in steps if job.outcome is Outcome.RUNNING]
            if not steps:
                self.put("#text", Content("No array has been built yet. n on the overview plans a new one."))
                return
            wanted = (running or steps)[0].request.id
        self.follow(wanted)
        await self._learn(wanted, steps)

    async def _learn(self, wanted: str, jobs: Sequence[JobState]) -> None:
        """Read how long each step of the last finished job of the same kind took."""
        kind = next((job.request.kind for job in jobs if job.request.id == wanted), JobKind.BUILD)
        earlier = [
            job
            for job in jobs
            if job.request.kind is kind and job.request.id != wanted and job.outcome is Outcome.DONE
        ]
        if earlier:
            try:
                entries = await in_thread(self, lambda: self.world.read_journal(earlier[0]))
            except RaidtuiError:
                return  # then without these estimates
            self._took = seconds_of(entries)
            self.show()

    # The steps.

    def job_changed(self) -> None:
        if self.job is None:
            return
        if self._plan is None:
            try:
                self._plan = self.world.read_plan(self.job)
            except RaidtuiError as error:
                self.complain(str(error))
                return
        self._show_steps(self.job, self._plan)
        self.show()

    def _show_steps(self, job: JobState, plan: Plan) -> None:
        views = step_views(plan, self.entries, job.outcome)
        rows = [
            Row(v.id, (str(number), v.sign, v.title, v.took), ("$text-muted", v.style, "", "$text-muted"))
            for number, v in enumerate(views, 1)
        ]
        table = self.query_one("#steps", Rows)
        failed = failed_steps(self.entries)
        at = next((v.id for v in views if v.id in failed), current_step(self.entries))
        moved = at != self._step
        self._step = at
        table.show(rows, highlight=at if moved else "")
        if not self.focused:
            table.focus_list()
        self._show_output()

    def _room(self, plan: Plan) -> Room:
        return Room(
            height=self.size.height,
            beside=self.panes > 1,
            built=self.has_class("-built"),
            steps=len(plan.steps),
            members=len(plan.spec.members),
        )

    def _share_room(self, plan: Plan) -> None:
        """Once the array is built, it takes priority: if room is short, show only the last steps, without output."""
        room = self._room(plan)
        self.set_class(room.is_tight, "-tight")
        table = self.query_one("#steps", Rows)
        table.styles.height = "1fr" if room.is_tight or room.beside else room.list_height
        table.styles.max_height = room.steps if room.is_tight else None

    @while_there
    def on_rows_moved(self) -> None:
        self._show_output()

    def _show_output(self) -> None:
        job, plan = self.job, self._plan
        if job is None or plan is None:
            return
        table = self.query_one("#steps", Rows)
        step = next((one for one in plan.steps if one.id == table.key), None)
        parts: list[tuple[str, str] | str] = []
        if job.outcome in ENDED:
            why = job_words.why(job)
            parts += [(f"{why[:1].upper()}{why[1:]}\n\n", "bold $text-error")]
        if step is not None:
            reason = f": {step.reason}" if job.outcome not in ENDED else ""
            parts += [(step.title, "bold"), f"{reason}\n"]
            parts += step_parts(self.entries, step.id, most=LINES_OF_OUTPUT)
        self.put("#text", Content.assemble(*parts))
        output = self.query_one("#output")
        if job.outcome is Outcome.RUNNING and table.key == self._step:
            output.scroll_end(animate=False)  # to the latest output
        elif self._watched is Outcome.RUNNING:
            output.scroll_home(animate=False)  # to the reason why it ended
        self._watched = job.outcome

    # What was built.

    def machine_changed(self, machine: Machine) -> None:
        self.show()

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        self.look(units)
        self.follow_controls()
        self.show()

    @property
    def made(self) -> Unit | None:
        return self.unit

    def _follow_units(self) -> None:
        """Poll the unit: the kernel does not report all changes."""
        job = self.job
        if job is None or self._plan is None or self._plan.spec.alone:
            return
        if self.unit is None:
            self.tui.read_units()
        else:
            self.tui.look_at_units()

    def look(self, units: tuple[Unit, ...]) -> None:
        """Find our unit in ``units``, and record its events and traffic."""
        mark = self._plan.array_uuid if self._plan is not None else ""
        there = (one for one in units if one.node or one.health is not Health.INACTIVE)  # not stopped
        found = next((one for one in there if mark and one.has_mark(mark)), None)
        if self.unit is not None and found != self.unit:
            if happened := events(self.unit, found):
                self.say("")
            self._events += [
                Content.assemble((f"{clock.hour()} ", "$text-muted"), (text, style))
                for text, style in happened
            ]
            del self._events[:-EVENTS]
        self._gone = found is None and (self._gone or self.unit is not None)
        self.unit = found
        if found is None:
            return
        if found.activity is None or not found.activity.paused:
            self._unpaused = found
        self._traffic = {}
        if found.activity is not None and not found.activity.paused:
            self._traffic = self._meter.measure(self.world.counters(), clock.monotonic())

    # The display.

    @property
    def _as_before(self) -> Unit | None:
        """The unit; if it is paused, with the progress that it had before."""
        if self.unit is None or self._unpaused is None:
            return self.unit
        return build_words.as_before(self.unit, self._unpaused)

    def on_resize(self) -> None:
        self.show()

    def show(self) -> None:
        """Update everything but the steps."""
        if self.job is None or self._plan is None:
            return
        if self.unit is None and not self._gone:
            self.look(self.tui.units)
        job, unit = self.job, self._as_before
        built = job.outcome is Outcome.DONE and job.request.kind is JobKind.BUILD
        has_data = unit is not None and bool(unit.path)  # a volume group exists before its volume
        live = unit is not None and ((built and has_data) or unit.activity is not None)
        self.set_class(built, "-built")
        self._share_room(self._plan)
        self.head(self._title(job))
        self.query_one(Rail).show(*job_words.rail(job))
        summary = build_words.ended(
            job, self._plan, unit, built=built, gone=self._gone, machine=self.tui.machine
        )
        self.put("#summary", summary)
        self.query_one("#summary").display = bool(summary.plain)
        self._show_progress(job, self._plan)
        is_usable = built and not self._gone and not self._has_failed
        unwatched = self.may_need_alerts(job)
        following = build_words.following(self._plan, unit, unwatched=unwatched) if is_usable else Content("")
        self.put("#next", following)
        self.query_one("#next").display = bool(following.plain)
        panel = self.query_one("#sync", Live)
        panel.display = live or (built and self._gone)
        if unit is not None and live:
            texts = (text.plain for text in (summary, following) if text.plain)
            around = sum(height_of(text, self.size.width - 2) for text in texts)
            panel.show(self._panel(self._plan, unit, around + bool(following.plain)))
        elif panel.display:
            panel.show(self._events)
        self.offer_keys()

    @property
    def _has_failed(self) -> bool:
        """Whether the unit has lost more members than it can survive."""
        return self.unit is not None and self.unit.health is Health.FAILED

    def _panel(self, plan: Plan, unit: Unit, around: int) -> list[Content]:
        """The lines on the unit. ``around``: lines taken by what was built and what to do next."""
        width, tui = self.size.width - 2, self.tui
        lines = state_lines(
            unit,
            tui.units,
            tui.machine,
            width=width,
            first=self._is_first(),
            resumes="p" if self.takes("resume") else "",
            built=plan.kind is not PlanKind.BUILD or self.has_class("-built"),
        )
        if not self.has_class("-built") and self.size.height < TALL:
            return lines[:2]  # the running steps are more important
        room = self._room(plan).left_for_members(around, len(lines))
        shown = self._events[-max(1, room - MEMBERS - 1) :]
        room -= len(shown) + bool(shown)
        room = max(MEMBERS, room)
        self._tick += 1
        every = 1 + len(unit.members) // (MEMBERS_A_SECOND + 1)
        still = unit.activity is None or unit.activity.paused
        if not self._member_lines or self._tick % every == 0 or still:
            self._member_lines = member_lines(unit, self._traffic, width=width, most=room)
        return [*lines, Content(""), *self._member_lines, *([Content("")] if shown else []), *shown]

    def _is_first(self) -> bool:
        """Whether a resync is the first one, judged by the age of the build: the kernel does not say."""
        ended = next((entry.at for entry in reversed(self.entries) if entry.event is Event.ENDED), "")
        return bool(ended) and clock.since(ended) < LONGEST_FIRST_SYNC

    def _title(self, job: JobState) -> str:
        title = job_words.title(job)
        if job.outcome is Outcome.RUNNING:
            undoing = self._plan is not None and progress(self._plan, self.entries, job.outcome).undoing
            return f"Rolling back: {title}" if undoing else title
        order = [step.id for step in self._plan.steps] if self._plan is not None else []
        return f"{title}: {job_words.outcome(job, order)[0]}"

    def _show_progress(self, job: JobState, plan: Plan) -> None:
        panel = self.query_one("#progress", Live)
        panel.display = job.outcome is Outcome.RUNNING
        if panel.display:
            width = self.size.width - 2
            unit, step = self._as_before, current_step(self.entries)
            before = self._lasted[1] if self._lasted[0] == step else 0.0
            self._lasted = step, max(before, build_words.fraction_of(unit))
            shown = build_words.running(
                plan, self.entries, self._took, unit, width=width, lasted=self._lasted[1]
            )
            panel.show(shown)

    def _count_seconds(self) -> None:
        """Update the times every second, to show that a long step is still alive."""
        if self.job is not None and job_words.runs(self.job):
            self.head(self._title(self.job))
            if self._plan is not None:
                self._show_progress(self.job, self._plan)

    # The keys.

    def allowed(self) -> dict[str, bool]:
        job = self.job
        outcome, is_care = (job.outcome, job.request.kind.is_care) if job is not None else (None, False)
        return super().allowed() | {
            "care": (is_care or self._has_failed) and outcome is not Outcome.RUNNING,
            "next": outcome is Outcome.DONE
            and not (is_care or self._has_failed)
            and (
                self.unit is not None
                or (self._plan is not None and self._plan.spec.alone and self._plan.kind is PlanKind.BUILD)
            ),
            "pause": self.takes("pause", "resume"),
            "pace": self.takes("faster", "slower", "resume"),
            # Not while steps run: a teardown could not stop a unit that is being read.
            "orders": outcome is not Outcome.RUNNING and self.takes("scrub", "stop"),
        }

    def is_idle(self, action: str) -> bool:
        return action == "pace" and not self.takes("faster", "slower")

    def action_care(self) -> None:
        self.tui.go_from_overview("care")

    def action_next(self) -> None:
        if self._plan is not None:
            self.tui.go("benchmark", target=self._plan.spec.filesystem.mountpoint or self._plan.array_path)
