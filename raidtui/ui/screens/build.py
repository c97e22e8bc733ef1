"""Build: a job's steps with what they said, then the array's first sync until it has ended."""

from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import Event, JobKind, JobState, Outcome
from raidtui.model.machine import Array, Machine, Sync
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.text import harmless
from raidtui.model.units import both, duration
from raidtui.ui import array_words, clock, job_words, pace
from raidtui.ui.activity import Activity, Meter
from raidtui.ui.job_page import JobPage
from raidtui.ui.journal_text import step_parts
from raidtui.ui.later import in_thread, later, while_there
from raidtui.ui.step_words import current_step, failed_steps, step_views
from raidtui.ui.sync_panel import member_lines, sync_lines
from raidtui.ui.widgets.live import Live
from raidtui.ui.widgets.rows import Column, Row, Rows
from raidtui.ui.world import Access

COLUMNS = (Column("", 7), Column("Step", 30, share=1), Column("Took", 9, right=True))
LINES_OF_OUTPUT = 12  # of each command, where the step is shown; l shows all
EVENTS = 4
MEMBERS_A_SECOND = 8  # more rows than that are painted less often: a line to a terminal may be slow
ORDER_SECONDS = 3.0  # until a reading of the array is certainly later than an order
TALL = 34  # lines of a terminal where steps and sync have room together
STEPS = 13  # lines of the list of steps where they have not
LONGEST_FIRST_SYNC = 7 * 24 * 3600.0  # seconds
ENDED = frozenset({Outcome.FAILED, Outcome.REFUSED, Outcome.CANCELLED, Outcome.INTERRUPTED})


class BuildScreen(JobPage):
    """Follows a build or a teardown. Leaving it leaves the job alone; coming back finds it again."""

    STEP = "build"
    TITLE = "Build"
    HELP = """
    The job runs in a process of its own. Escape leads to the overview and leaves it alone, and so does closing
    raidtui or losing the connection; the overview and Jobs lead back here.

    Each step says what it is, how long it took and, below, which commands it ran and what they printed. l shows
    all of it. x asks the job to stop after the step it is at. If a step fails, the text says which, why and what is
    left: r tries again from there, u undoes what was done as far as that is possible.

    When the steps are done the array can be used. The kernel goes on with its first sync: it computes parity, or
    makes the copies equal. p pauses it, + and - make it faster or gentler; the limits are put back when it ends.
    The end is given as a range, because rotating disks get slower towards their inside.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Benchmark", tooltip="Measure the array"),
        Binding("p", "pause", "Pause", tooltip="Pause the sync, or go on with it"),
        Binding(
            "plus", "pace(1)", "Speed", key_display="+-", tooltip="Make the sync faster (+) or gentler (-)"
        ),
        Binding("minus", "pace(-1)", "Gentler", show=False),
        Binding("r", "resume", "Resume", tooltip="Try again from the step where it stopped"),
        Binding("u", "undo", "Undo", tooltip="Undo what was done, as far as possible"),
        Binding("x", "stop", "Stop", tooltip="Stop the job after the step it is at"),
        Binding("l", "log", "Log", tooltip="Everything that the job did and was told"),
    ]
    CSS_PATH = "build.tcss"
    STOPPED = "It stops after the step it is at; r goes on later, u undoes."
    UNDO = (
        "Every step is taken back in the reverse order: the array is stopped, its metadata erased, the files in "
        "/etc put back. What the disks held before comes back only where nothing was written over it; the log "
        "says which steps that is so for."
    )

    def __init__(self, job: str = "") -> None:
        super().__init__()
        self._wanted = job
        self._plan: Plan | None = None
        self._array: Array | None = None  # as last seen
        self._gone = False  # it was seen and is no more
        self._sync: Sync | None = None  # the last one seen: kept while paused
        self._events: list[Content] = []
        self._meter = Meter()
        self._activity: dict[str, Activity] = {}
        self._member_lines: list[Content] = []
        self._tick = 0
        self._step = ""  # the one that is shown because the job is at it
        self._restoring = False
        self._ordered = pace.NORMAL, float("-inf")  # the last pace that was asked for, and when
        self._pausing = False, float("-inf")  # whether a pause or its end was asked for last, and when

    def body(self) -> ComposeResult:
        yield Static(id="told")
        yield Rows(COLUMNS, id="steps")
        with VerticalScroll(id="output", can_focus=False):
            yield Static("Looking for the job...", id="said")
        yield Live(id="sync")

    def on_mount(self) -> None:
        later(self, self._begin)
        self.set_interval(1, self._count_seconds)

    @work(group="find")
    async def _begin(self) -> None:
        """Follow the job that was asked for, or the one that runs, or the last one."""
        wanted = self._wanted
        if not wanted:
            try:
                jobs = await in_thread(self, self.world.list_jobs)
            except RaidtuiError as error:
                self.complain(str(error))
                return
            steps = [job for job in jobs if job.request.kind.has_plan]
            running = [job for job in steps if job.outcome is Outcome.RUNNING]
            if not steps:
                self._said(Content("No job has built anything yet. n on the overview begins a new array."))
                return
            wanted = (running or steps)[0].request.id
        self.follow(wanted)

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
        self._tell()

    def _show_steps(self, job: JobState, plan: Plan) -> None:
        views = step_views(plan, self.entries, job.outcome)
        rows = [Row(v.id, (v.sign, v.title, v.took), (v.style, "", "$text-muted")) for v in views]
        table = self.query_one("#steps", Rows)
        failed = failed_steps(self.entries)
        at = next((v.id for v in views if v.id in failed), current_step(self.entries))
        moved = at != self._step
        self._step = at
        table.show(rows, highlight=at if moved else "")
        table.styles.height = self._steps_height
        if not self.focused:
            table.focus_list()
        self._show_output()

    @property
    def _steps_height(self) -> int:
        """Lines of the list with its header: what follows has room below it."""
        steps = self._plan.steps if self._plan is not None else ()
        return min(len(steps) + 1, STEPS if self.size.height < TALL else self.size.height // 2)

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
        self._said(Content.assemble(*parts))

    def _said(self, text: Content) -> None:
        self.put("#said", text)

    # The array.

    def machine_changed(self, machine: Machine) -> None:
        self._tell()

    def arrays_changed(self, arrays: tuple[Array, ...]) -> None:
        self._look(arrays)
        self._tell()

    def _look(self, arrays: tuple[Array, ...]) -> None:
        """Take notice of our array among them."""
        if self._plan is None:
            return
        uuid = self._plan.array_uuid
        found = next((array for array in arrays if array.is_called(uuid)), None)
        if self._array is not None and found != self._array:
            if happened := array_words.events(self._array, found):
                self.say("")
            self._events += [
                Content.assemble((f"{clock.hour()} ", "$text-muted"), (text, style))
                for text, style in happened
            ]
            del self._events[:-EVENTS]
        if found is None:
            self._gone = self._gone or self._array is not None
            self._array = None
            return
        self._gone = False
        self._array = found
        if array_words.is_paused(found):
            pass  # how far it was is not in the kernel's files now, but it was here
        elif found.sync is not None:
            self._sync, self._restoring = found.sync, False
        else:
            self._sync = None
            self._restore_limits(found)
        if found.sync is not None:
            self._activity = self._meter.measure(self.world.counters(), clock.monotonic())
        else:
            self._activity = {}

    def _restore_limits(self, array: Array) -> None:
        if (
            array_words.limits_moved(array, self.tui.machine)
            and self.world.access is Access.ROOT
            and not self._restoring
        ):
            self._restoring = True
            self._order_speed(lambda: self.world.restore_sync_speed(array.node), "")

    # What is shown.

    def on_resize(self) -> None:
        if self._plan is not None:
            self.query_one("#steps", Rows).styles.height = self._steps_height
        self._tell()

    def _tell(self) -> None:
        """Bring everything but the steps up to date."""
        if self.job is None or self._plan is None:
            return
        if self._array is None and not self._gone:
            self._look(self.tui.arrays)
        job, array = self.job, self._array
        built = job.outcome is Outcome.DONE and job.request.kind is JobKind.BUILD
        live = array is not None and (built or array.sync is not None)
        self.set_class(built, "-built")
        self.head(self._title(job))
        told = self._told(job, self._plan, built=built)
        self.put("#told", told)
        self.query_one("#told").display = bool(told.plain)
        panel = self.query_one("#sync", Live)
        panel.display = live or (built and self._gone)
        if array is not None and live:
            panel.show(self._panel(array))
        elif panel.display:
            panel.show(self._events)
        self.refresh_bindings()

    def _panel(self, array: Array) -> list[Content]:
        width = self.size.width - 2
        lines = sync_lines(array, self._sync, self.tui.machine, width=width, first=self._is_first())
        if not self.has_class("-built") and self.size.height < TALL:
            return lines[:2]  # the steps that still run are more to the point
        room = self.size.height - (9 if self.size.height < TALL else 13 + self._steps_height)
        room = max(4, room - len(lines) - len(self._events))
        self._tick += 1
        every = 1 + len(array.members) // (MEMBERS_A_SECOND + 1)
        if not self._member_lines or self._tick % every == 0 or array.sync is None:
            self._member_lines = member_lines(array, self._activity, width=width, most=room)
        return [
            *lines,
            Content(""),
            *self._member_lines,
            *([Content("")] if self._events else []),
            *self._events,
        ]

    def _is_first(self) -> bool:
        """Whether a resync of the array is its first: md does not say, so it is judged by the age of the build."""
        ended = next((entry.at for entry in reversed(self.entries) if entry.event is Event.ENDED), "")
        return bool(ended) and clock.since(ended) < LONGEST_FIRST_SYNC

    def _title(self, job: JobState) -> str:
        title = job_words.title(job)
        order = [step.id for step in self._plan.steps] if self._plan is not None else []
        if job.outcome is not Outcome.RUNNING or self._plan is None:
            return f"{title}: {job_words.outcome(job, order)[0]}"
        step = current_step(self.entries)
        if step not in order:
            return f"{title}: running"
        begun = next(e.at for e in reversed(self.entries) if e.step == step and e.event is Event.STEP)
        return f"{title}: step {order.index(step) + 1} of {len(order)}, {duration(clock.since(begun))}"

    def _told(self, job: JobState, plan: Plan, *, built: bool) -> Content:
        """The one line that says where things stand once the steps are done."""
        if job.outcome is Outcome.DONE and job.request.kind is JobKind.TEARDOWN:
            return Content(
                f"{harmless(plan.spec.name)} is taken away; its disks are blank. Escape leads back."
            )
        if job.outcome is Outcome.ROLLED_BACK:
            return Content("Everything that was done is undone. Escape leads back.")
        if not built:
            return Content("")
        name, place = harmless(plan.spec.name), plan.spec.filesystem.mountpoint
        if self._gone:
            return Content.assemble(
                (f"{name} is not running any more: it was stopped. ", array_words.BAD),
                f"Its disks still belong to it; 'mdadm --assemble {plan.array_path}' starts it again.",
            )
        where = f", mounted at {harmless(place)}" if place and plan.spec.filesystem.type != "none" else ""
        shape = "one disk alone" if plan.spec.alone else f"{plan.spec.level} of {len(plan.spec.members)}"
        made = f"{name}: {shape}, {both(plan.array_bytes)}{where}. "
        if self._array is not None and array_words.is_failed(self._array):
            return Content.assemble(
                made,
                ("Write nothing to its disks now. ", array_words.BAD),
                "F1 on the overview says what can still be tried.",
            )
        return Content.assemble(
            (f"All {len(plan.steps)} steps are done. ", "bold $text-success"),
            made,
            ("Enter measures it." if where else "", ""),
        )

    def _count_seconds(self) -> None:
        """A step that takes long is seen not to have died."""
        if self.job is not None and self.job.outcome is Outcome.RUNNING:
            self.head(self._title(self.job))

    # What the keys do.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        job, array = self.job, self._array
        outcome = job.outcome if job is not None else None
        can_sync = array is not None and (array.sync is not None or array_words.is_paused(array))
        allowed = {
            "next": outcome is Outcome.DONE
            and (
                not array_words.is_failed(array)
                if array is not None
                else self._plan is not None and self._plan.spec.alone and self._plan.kind is PlanKind.BUILD
            ),
            "pause": can_sync,
            "pace": can_sync,
        }
        return allowed[action] if action in allowed else super().check_action(action, parameters)

    def action_next(self) -> None:
        """On to measuring the array."""
        if self._plan is not None:
            files = self._plan.spec.filesystem
            self.tui.go(
                "benchmark", target=files.mountpoint if files.type != "none" else self._plan.array_path
            )

    def action_pause(self) -> None:
        """Pause the sync, or go on with it."""
        array = self._array
        if array is None or not self.may_order("Pausing a sync needs root."):
            return
        paused = self._is_paused(array)
        self._pausing = not paused, clock.monotonic()
        if paused:
            self._order_speed(lambda: self.world.continue_sync(array.node), "The sync goes on.")
        else:
            self._order_speed(
                lambda: self.world.pause_sync(array.node), "The sync is paused until p is pressed again."
            )

    def _is_paused(self, array: Array) -> bool:
        """Whether it is paused, or will be in a moment: md ends what it is at first."""
        asked, at = self._pausing
        return asked if clock.monotonic() - at < ORDER_SECONDS else array_words.is_paused(array)

    def action_pace(self, step: int) -> None:
        """Make the sync faster or gentler."""
        array, machine = self._array, self.tui.machine
        if array is None or not self.may_order("Changing the speed of a sync needs root."):
            return
        if self._is_paused(array):
            self.complain("the sync is paused; p goes on with it")
            return
        now = pace.pace_of(array, machine.system if machine else None)
        ordered, at = self._ordered
        if clock.monotonic() - at < ORDER_SECONDS:
            now = ordered  # a reading from before the order may arrive after it
        wanted = pace.next_pace(now, step)
        if wanted is None:
            self.say("It is at the gentlest already." if step < 0 else "It is at the fastest already.")
            return
        self._ordered = wanted, clock.monotonic()
        chosen = pace.PACES[wanted]
        if wanted == pace.NORMAL:
            self._order_speed(lambda: self.world.restore_sync_speed(array.node), f"Limits: {chosen.words}.")
        else:
            self._order_speed(
                lambda: self.world.set_sync_speed(array.node, chosen.minimum, chosen.maximum),
                f"Limits: {chosen.words}.",
            )

    @work(group="speed")
    async def _order_speed(self, what: Callable[[], None], done: str) -> None:
        """Change the speed, then look at the array at once: md does not tell of new limits."""
        try:
            await in_thread(self, what)
            arrays = await in_thread(self, self.world.arrays)
        except RaidtuiError as error:
            self._pausing = False, float("-inf")
            self.complain(str(error))
        else:
            self._look(arrays)
            if done:
                self.say(done)
            self._tell()
