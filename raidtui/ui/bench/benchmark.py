"""Benchmark: the CrystalDiskMark grid of a directory or device, measured live."""

from typing import ClassVar

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from raidtui.bench.live import Live as Moment
from raidtui.model.errors import RaidtuiError, Refused
from raidtui.model.journal import BenchRequest, Event, JobKind, JobRequest, JobState
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.bench import bench_lines
from raidtui.ui.bench.bench_grid import grid_lines
from raidtui.ui.bench.bench_page import BenchPage
from raidtui.ui.bench.bench_sentences import cell_words, request_words
from raidtui.ui.bench.bench_view import Seen
from raidtui.ui.bench.bench_words import cell_detail, command_of, live_words
from raidtui.ui.care import job_words
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import in_thread, later
from raidtui.ui.widgets.dialog import Question, Reader
from raidtui.ui.widgets.live import Live

LOOKS_A_SECOND = 4
_AROUND = 7  # lines of the screen that are not the grid's


class BenchmarkScreen(BenchPage):
    """Takes target and options, starts the job, shows each cell as it is measured, then the result."""

    STEP = "benchmark"
    TITLE = "Benchmark"
    STARTS = True
    DELIBERATE = BenchPage.DELIBERATE | {
        "enter"
    }  # the second of two on the screen before would start minutes of writing
    HELP = explained.for_screen(explained.BENCHMARK)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "start", "Start", tooltip="Measure every cell, also once more"),
        Binding("x", "stop", "Stop", tooltip="Stop at once and remove the test file"),
        Binding("t", "target", "Target", tooltip="Choose what to measure"),
        Binding("o", "options", "Options", tooltip="Size, runs, seconds, mix, label, grid"),
        Binding("m", "mix", "Mix", tooltip="Measure mixed reads and writes, or not"),
        Binding("enter", "begin", "Start", tooltip="Measure every cell of the grid"),
        Binding(
            "enter", "detail", "Cell", tooltip="Every run of the marked cell, latencies, the exact command"
        ),
        Binding("up", "move(0,-1)", "Cell", key_display="↑↓←→", show=False, tooltip="Mark another cell"),
        Binding("down", "move(0,1)", "Down", show=False),
        Binding("left", "move(-1,0)", "Left", show=False),
        Binding("right", "move(1,0)", "Right", show=False),
        Binding("c", "compare", "Compare", tooltip="Compare with the previous result"),
    ]
    CSS_PATH = "benchmark.tcss"
    STOPPED = ""
    MARKED_IN = "#grid"
    MARK = "║ "

    class Measured(Message):
        """The running measurement has changed."""

        def __init__(self, live: Moment | None) -> None:
            super().__init__()
            self.live = live

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, BenchmarkScreen.Measured)

    def __init__(self, job: str = "", target: str = "", result: str = "") -> None:
        super().__init__(target)
        self._wanted = job
        self._stored = result  # id of a stored result to show instead of a measurement
        self._target = target
        self._seen = Seen()
        self._previous = ""  # id of the result before the shown one
        self._starting = False
        self._looking: Worker[None] | None = None

    def body(self) -> ComposeResult:
        yield Static("Reading arrays...", id="request")
        yield Live(id="grid")
        yield Live(id="live")
        yield Static(id="marked")

    def on_mount(self) -> None:
        self.take_kept(self._target)
        self.set_interval(1 / LOOKS_A_SECOND, self._look)
        later(self, self._begin)
        later(self, lambda: self.watch(self.app, "units_known", self._show_all, init=False))

    @work(group="find")
    async def _begin(self) -> None:
        """Show the given result, or follow the given or running benchmark; else wait for the user."""
        if self._stored:
            self._load(self._stored)
            return
        if self._wanted:
            self.follow(self._wanted)
            return
        try:
            jobs = await in_thread(self, self.world.list_jobs)
        except RaidtuiError as error:
            self.complain(str(error))
            return
        running = [job for job in jobs if job_words.runs(job) and job.request.kind is JobKind.BENCH]
        if running:
            self.follow(running[0].request.id)
        else:
            self._show_all()

    # The state.

    @property
    def _is_measuring(self) -> bool:
        return job_words.runs(self.job)

    def job_changed(self) -> None:
        from raidtui.bench.measured import cells_so_far

        if self.job is None or self.job.request.bench is None:
            return
        self._starting = False
        self.request = self.job.request.bench
        stored = next((entry.text for entry in self.entries if entry.event is Event.RESULT), "")
        if self._seen.result is None or self._seen.result.id != stored:
            # Keep the stored cells, which have flags, if the same journal arrives again.
            self._see(cells=cells_so_far(self.entries), result=None)
        if not self._is_measuring:
            self._see(live=None)
            if stored and self._seen.result is None:
                self._load(stored)
        self._show_all()
        self._look()

    @work(group="result", exclusive=True)
    async def _load(self, stored: str) -> None:
        """Show the stored result, whose cells have flags, and find the previous one."""
        try:
            result = await in_thread(self, self.world.get_result, stored)
            others = await in_thread(self, self.world.list_results)
        except RaidtuiError as error:
            self._stored = ""
            self.complain(str(error))
        else:
            if self.job is None and not self._stored:
                return  # the request has changed meanwhile
            self._previous = bench_lines.previous(result, others)
            if self._stored and not result.context.origin:
                self.request = bench_lines.request_of(result)
            self._see(result=result, cells=result.cells)
        self._show_all()

    def _see(self, **changes: object) -> None:
        self._seen = msgspec.structs.replace(self._seen, **changes)

    def _look(self) -> None:
        """Read the running measurement, unless the last read is not finished: on a slow machine none ever would be."""
        is_looking = self._looking is not None and not self._looking.is_finished
        if self.job is not None and self._is_measuring and not is_looking:
            self._looking = self._read_live(self.job)

    @work(group="live")
    async def _read_live(self, job: JobState) -> None:
        live = await in_thread(self, self.world.read_live, job)
        if live != self._seen.live and self._is_measuring:
            self._see(live=live)
            self._show_live()

    def machine_changed(self, machine: Machine) -> None:
        self._show_all()

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        if self.job is None:
            self.take_mounted()
        self._show_all()

    def target_known(self) -> None:
        self._show_all()

    # The display.

    def on_resize(self) -> None:
        self._show_all()

    def _show_all(self) -> None:
        """Update everything."""
        self._see(settings=self.settings())
        stored = self._seen.result if self._stored else None
        self.head(
            bench_lines.title_of(stored)
            if stored is not None
            else bench_lines.title(self.request.target, self.unit)
        )
        self.put("#request", Content(self._request_words()))
        self._show_live()
        self.refresh_bindings()

    def _request_words(self) -> str:
        from raidtui.bench.schedule import expected_seconds

        settings, stored = self._seen.settings, self._seen.result
        if stored is not None and stored.context.origin:
            words = f"by {harmless(stored.context.origin)}"
        elif settings is None:
            words = f"grid {harmless(self.request.profile)}"
        else:
            seconds = expected_seconds(settings) if self.job is None and not self._stored else None
            words = request_words(self.request, settings, seconds)
        return words if stored is None else f"{words}; stored as '{harmless(stored.label)}'"

    def _show_live(self) -> None:
        seen, width = self._seen, self.size.width - 2
        self.query_one("#grid", Live).show(
            grid_lines(
                seen.names,
                seen.directions,
                seen.views(),
                cursor=seen.key,
                width=width,
                height=self.size.height - _AROUND,
            )
        )
        self.query_one("#live", Live).show([self._state(width)])
        cell = self._seen.cell
        if cell is None:
            self.put("#marked", Content(""))
        elif self.size.height >= 34:
            self.put("#marked", cell_detail(cell, command_of(self.entries, cell), self.request.compat))
        else:
            doubts = "; ".join(harmless(flag) for flag in cell.flags)
            words = cell_words(cell, self.request.compat)
            self.put("#marked", Content.assemble(words, (f"\n! {doubts}" if doubts else "", "$text-warning")))

    def _state(self, width: int) -> Content:
        if self._seen.live is not None:
            return live_words(self._seen.live, width)
        if self._starting or self._is_measuring:
            return Content("Starting...")
        if self.job is None:
            if self._stored:
                stored = self._seen.result
                return bench_lines.done(stored, width) if stored else Content("Reading the result...")
            if not self.request.target and not self.tui.units_known:
                return Content("Reading this computer...")
            return bench_lines.before(self.request, self.unit, self.tui.jobs or ())
        return bench_lines.ended(self.job, self._seen.result, width)

    # The keys.

    def allowed(self) -> dict[str, bool]:
        idle = not self._is_measuring and not self._starting
        return super().allowed() | {
            "begin": idle and not self._seen.cells,
            "start": idle,
            "target": idle,
            "options": idle,
            "mix": idle,
            "detail": bool(self._seen.cells),
            "compare": self._seen.result is not None,
        }

    def is_idle(self, action: str) -> bool:
        if action == "begin":
            return not self.request.target
        if action == "start":
            return not self._seen.cells  # Enter is shown, which does the same then
        return action == "detail" and self._seen.cell is None

    def action_move(self, columns: int, rows: int) -> None:
        self._seen = self._seen.moved(columns, rows)
        self._show_live()
        self.offer_keys()

    def action_detail(self) -> None:
        cell = self._seen.cell
        if cell is None:
            self.complain("this cell is not measured yet")
            return
        title = f"{cell.name} {cell.direction}"
        self.app.push_screen(
            Reader(title, cell_detail(cell, command_of(self.entries, cell), self.request.compat))
        )

    def request_changed(self) -> None:
        self._clear()
        self._show_all()

    def action_begin(self) -> None:
        """Start with the way on of every other step, while there is no cell to open."""
        self.action_start()

    def action_start(self) -> None:
        """Start the benchmark; ask first if the array is syncing."""
        if not self.request.target:
            self.complain("choose what to measure first: press t")
            return
        unit = self.unit
        self.tui.bench = self.request = msgspec.structs.replace(self.request, during_sync=False)
        if unit is not None and unit.activity is not None:
            self._offer(f"{bench_lines.busy(unit, ' is busy:')}.")
        else:
            self._start(self.request)

    def _offer(self, why: str) -> None:
        """Ask whether to measure during the sync."""

        self.ask_for(
            Question(
                "The array is syncing",
                f"{why}\n\nA sync uses part of the disks' bandwidth, so the figures would be too low. Wait until it "
                "ends, or measure anyway: the result is flagged R, and comparisons say so.",
                yes="Measure anyway",
                no="Wait",
            ),
            lambda _: self._start(msgspec.structs.replace(self.request, during_sync=True)),
        )

    def _clear(self) -> None:
        """Clear the job and the stored result."""
        self.job, self.entries, self._seen, self._stored = None, (), Seen(cursor=self._seen.cursor), ""
        self.say("")

    def _start(self, request: BenchRequest) -> None:
        self._clear()
        self.request = request
        self._starting = True
        self._show_all()
        self._order_start(request)

    @work(group="start", exclusive=True)
    async def _order_start(self, request: BenchRequest) -> None:
        try:
            started: JobRequest = await in_thread(self, self.world.start_bench, request)
        except Refused as error:
            # A unit below the directory is syncing that this screen did not find: ask as well.
            if not request.during_sync and any(unit.activity is not None for unit in self.tui.units):
                self._offer(f"{str(error)[0].upper()}{str(error)[1:]}.")
            else:
                self.complain(str(error))
            self._not_started()
        except RaidtuiError as error:
            self.complain(str(error))
            self._not_started()
        else:
            self.follow(started.id)

    def _not_started(self) -> None:
        self._starting = False
        self._show_all()

    def action_compare(self) -> None:
        if self._seen.result is not None:
            self.tui.remember(result=self._seen.result.id)
            ids = [self._previous] if self._previous else []
            self.tui.go("compare", picked=",".join([*ids, self._seen.result.id]))
