"""Compare: any number of results side by side, in groups, or of one target over time; what others published too."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.result import Result
from raidtui.model.text import harmless
from raidtui.results.compare import Comparison, compare, compare_by
from raidtui.results.groups import BY, groupings
from raidtui.results.published.reader import all_published, is_published, published
from raidtui.results.summary import summarise
from raidtui.ui import saving
from raidtui.ui.compare_export import exported
from raidtui.ui.compare_lines import is_narrow, legend, metrics_of, table, window
from raidtui.ui.compare_list import COLUMNS, PUBLISHED, picked_row, plain_row
from raidtui.ui.compare_notes import findings, is_open, note, verdicts
from raidtui.ui.history_lines import bars
from raidtui.ui.later import in_thread, later
from raidtui.ui.page import Page
from raidtui.ui.widgets.dialog import AskText, Question, Reader
from raidtui.ui.widgets.rows import Row, Rows

if TYPE_CHECKING:
    from raidtui.results.summary import Summary

FEWEST = 2
LONGEST = 200  # results of a history: the newest


class CompareScreen(Page):
    """Results are picked from a list; Enter puts them side by side, h shows one target over time."""

    STEP = "compare"
    TITLE = "Compare results"
    HELP = """
    Pick two results or more with Space, in the order in which they shall stand; b makes the highlighted one the
    baseline, of which the others are a factor. Enter puts them side by side. p shows what others published instead
    of your own results; both can be picked. h shows the target of the highlighted result over time.

    A star marks the best of each row. "1.50x" is one and a half times the baseline. The sign after it is the
    verdict, corrected for the number of rows: + faster or - slower by more than 3 %, = equal within 3 %, ? no
    significant difference. Below the table is the interval for the marked row. v changes what is shown: MB/s, factors, IOPS,
    latency, rank, the part of what such disks could do at best. g puts all results of one level, chunk, filesystem,
    machine, day or array built alike into one column. Left and right bring more columns; the baseline stays. a draws the marked row as
    bars.

    What was measured differently (another size, engine, computer, a sync in the way) is told as a remark with "!",
    because such figures cannot simply be compared. w shows all remarks, what is proved over the whole grid, and what
    each array costs in capacity. e saves a file: .json can be imported elsewhere with 'raidtui results import', .md
    is for a forum, .html is a page with charts, .csv is for a spreadsheet, .txt is plain text.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pick", "Pick", tooltip="Pick the highlighted result, or put it back"),
        Binding("b", "baseline", "Baseline", tooltip="The result that the others are a factor of"),
        Binding("enter", "side_by_side", "Compare", tooltip="Put the picked results side by side"),
        Binding("v", "metric", "Show", tooltip="MB/s, factor, IOPS, latency, rank, part of the ideal"),
        Binding(
            "g", "group", "Group", tooltip="A column for each level, chunk, filesystem, machine, day or array"
        ),
        Binding("a", "bars", "Bars", tooltip="Bars of the marked row, or all rows"),
        Binding("p", "published", "Published", show=False, tooltip="What others published, or your own"),
        Binding(
            "h", "history", "History", show=False, tooltip="The target of the highlighted result over time"
        ),
        Binding("left", "scroll(-1)", "Columns", key_display="←→", tooltip="More columns", show=False),
        Binding("right", "scroll(1)", "More columns", show=False),
        Binding("up", "mark(-1)", "Row", key_display="↑↓", tooltip="Mark another row", show=False),
        Binding("down", "mark(1)", "Next row", show=False),
        Binding("w", "remarks", "Remarks", tooltip="What is not the same, what is proved, and what it costs"),
        Binding("e", "export", "Export", tooltip="Save the picked results to a file"),
        Binding("delete", "forget", "Forget", tooltip="Remove the highlighted result for good"),
        Binding("escape", "back", "Back"),
    ]
    CSS_PATH = "compare.tcss"
    AUTO_FOCUS = ""  # the list is hidden behind the table: it must not get the keys back after a dialog

    def __init__(self, picked: str = "") -> None:
        super().__init__()
        self._picked = [word for word in picked.split(",") if word]
        self._baseline = ""  # the id of a result, or the value of a group
        self._own: dict[str, Row] = {}
        self._published: dict[str, Row] = {}
        self._targets: dict[str, str] = {}
        self._shows_published = False
        self._results: tuple[Result, ...] = ()
        self._comparison: Comparison | None = None
        self._is_history = self._is_bars = False
        self._by = ""
        self._metric = 0
        self._row = 0
        self._first = 0  # of the columns beside the baseline

    def body(self) -> ComposeResult:
        yield Rows(COLUMNS, id="results")
        yield Static(id="hint")
        with Vertical(id="side"):
            yield Static(id="legend")
            with VerticalScroll(id="rows", can_focus=False):
                yield Static(id="table")
            yield Static(id="proof")
            yield Static(id="note")

    def on_mount(self) -> None:
        later(self, self._read)

    # The list.

    @work(group="results", exclusive=True)
    async def _read(self) -> None:
        try:
            found = await in_thread(self, self.world.list_results)
            others = await in_thread(self, lambda: tuple(map(summarise, all_published())))
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self._take(found, others)
        self._show_list()
        self.query_one(Rows).focus_list()

    def _take(self, own: "Sequence[Summary]", others: "Sequence[Summary]") -> None:
        self._own = {summary.id: plain_row(summary) for summary in own}
        self._published = {summary.id: plain_row(summary) for summary in others}
        self._targets = {summary.id: summary.target for summary in own}
        self._picked = [word for word in self._picked if word in self._own or word in self._published]

    @property
    def _listed(self) -> dict[str, Row]:
        return self._published if self._shows_published else self._own

    def _show_list(self) -> None:
        self._baseline = self._baseline if self._baseline in self._picked else next(iter(self._picked), "")
        rows = dict(self._listed)
        for place, key in enumerate(self._picked, 1):
            if key in rows:
                rows[key] = picked_row(rows[key], place, base=key == self._baseline)
        self.query_one(Rows).show(
            list(rows.values()), columns=PUBLISHED if self._shows_published else COLUMNS
        )
        self.head("Compare results: what others published" if self._shows_published else "Compare results")
        count = len(self._picked)
        if not rows:
            hint = (
                "No result yet. b on the overview measures one; 'raidtui results import FILE' brings others here, "
                "and p shows what others published."
            )
        elif len(rows) < FEWEST:
            hint = "The only result so far: measure another array to put beside it. p published figures, h history"
        elif count < FEWEST:
            hint = f"Pick two or more with Space; {count} picked so far. p published figures, h history"
        else:
            hint = f"{count} picked. Enter puts them side by side. p published figures, h history"
        self.put("#hint", Content(hint))
        self.refresh_bindings()

    def action_published(self) -> None:
        """What others published, or one's own."""
        self._shows_published = not self._shows_published
        self.say("")
        self._show_list()

    def action_pick(self) -> None:
        """Pick the highlighted one, or put it back."""
        key = self.query_one(Rows).key
        if not key:
            return
        if key in self._picked:
            self._picked.remove(key)
        else:
            self._picked.append(key)
        self.say("")
        self._show_list()

    def action_baseline(self) -> None:
        """Make the highlighted one the baseline; side by side, the next one."""
        if self._comparison is not None:
            following = (self._comparison.baseline + 1) % len(self._comparison.columns)
            self._baseline = self._comparison.columns[following].id
            self._compare()
            return
        key = self.query_one(Rows).key
        if key and key not in self._picked:
            self.action_pick()
        if key in self._picked:
            self._baseline = key
            self._show_list()

    def action_forget(self) -> None:
        """Remove the highlighted one, after a question."""
        key = self.query_one(Rows).key
        if key not in self._own:
            return
        label = self._own[key].cells[1]

        def answered(yes: bool | None) -> None:
            if yes:
                self.order(lambda: self.world.remove_result(key), self._forgotten)

        self.app.push_screen(
            Question(f"Forget '{label}'?", "The result and its runs are removed for good.", yes="Forget"),
            answered,
        )

    def _forgotten(self, _: None) -> None:
        self._read()

    # Side by side.

    def action_side_by_side(self) -> None:
        """Put the picked ones side by side."""
        if len(self._picked) < FEWEST:
            self.complain("pick two results or more with Space first")
            return
        self._load(tuple(self._picked), history_of=False)

    def action_history(self) -> None:
        """Show the target of the highlighted result over time."""
        key = self.query_one(Rows).key
        target = self._targets.get(key, "")
        if not target:
            self.complain("nothing is known of the target of this result; h is for results of your own")
            return
        # The list is newest first.
        same = [word for word, other in self._targets.items() if other == target][:LONGEST]
        if len(same) < FEWEST:
            self.complain(f"{harmless(target)} was measured only once; a history needs two results or more")
            return
        self._load(tuple(same), history_of=True)

    @work(group="results", exclusive=True)
    async def _load(self, words: tuple[str, ...], *, history_of: bool) -> None:
        try:
            self._results = await in_thread(self, lambda: tuple(map(self._get, words)))
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self._is_history, self._by, self._row, self._first = history_of, "", 0, 0
        if history_of:
            self._results = tuple(sorted(self._results, key=lambda result: result.created))
            self._baseline = self._results[0].id
        self._compare()

    def _get(self, word: str) -> Result:
        return published(word) if is_published(word) else self.world.get_result(word)

    def _compare(self) -> None:
        ids = [result.id for result in self._results]
        try:
            if self._by:
                names = dict.fromkeys(map(BY[self._by], self._results))
                base = self._baseline if self._baseline in names else ""
                self._comparison = compare_by(self._results, self._by, baseline=base)
            else:
                base_at = ids.index(self._baseline) if self._baseline in ids else 0
                self._comparison = compare(self._results, baseline=base_at)
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self.say("")
        self.add_class("-side")
        self.set_focus(None)
        self._show_side()

    def action_group(self) -> None:
        """By level, chunk, filesystem, machine, day, as far as they differ; then single results again."""
        choices = ["", *groupings(self._results)]
        self._by = choices[(choices.index(self._by) + 1) % len(choices)]
        self._first = 0
        if len(choices) == 1:
            self.complain("these results do not differ in level, chunk, filesystem, machine, day or array")
            return
        self._compare()

    def on_resize(self) -> None:
        self._show_side()

    @property
    def _room(self) -> int:
        return self.size.width - 3

    def _show_side(self) -> None:
        found = self._comparison
        if found is None:
            return
        self.set_class(self._is_history or self._is_bars, "-history")
        if self._is_history or self._is_bars:
            self._show_bars(found)
            return
        metrics = metrics_of(found)
        metric, width = metrics[self._metric % len(metrics)], self._room
        shown = window(found, self._first, width)
        what = f"{len(found.columns)} groups by {self._by}" if self._by else f"{len(found.columns)} results"
        more = len(found.columns) - len(shown)
        self.head(f"Compare {what}: {metric.title}" + (f" (←→ {more} more)" if more else ""))
        tall = self.size.height >= 34
        named = shown if tall or len(shown) <= 6 else shown[:6]
        self.put("#legend", Content("\n").join(legend(found, named)))
        lines = table(
            found,
            metric,
            width=width,
            marked=self._row,
            open_all=is_open(found, len(shown), self._room, self.size.height),
            shown=shown,
        )
        self.put("#table", Content("\n").join(lines))
        if found.rows:
            brief = len(shown) > 3 and not tall
            self.put("#proof", verdicts(found, found.rows[self._row], brief=brief, shown=shown))
        self.put("#note", note(found, self._room, tall=self.size.height >= 34))
        self.refresh_bindings()

    def _show_bars(self, found: Comparison) -> None:
        row = found.rows[self._row]
        unit = "IOPS" if row.unit == "ios" else "MB/s"
        begin = f"History of {harmless(self._results[0].context.target)}: " if self._is_history else ""
        self.head(f"{begin}{row.name} {row.direction}, {unit} (↑↓ {len(found.rows)} cells)")
        self.put("#table", Content("\n").join(bars(found, self._row, width=self._room)))
        self.put("#note", note(found, self._room, tall=self.size.height >= 34))
        self.refresh_bindings()

    def action_bars(self) -> None:
        """The marked row as bars, or all rows as figures."""
        self._is_bars = not self._is_bars
        self._show_side()

    def action_metric(self) -> None:
        """MB/s, factor, IOPS, latency, rank …"""
        if self._comparison is not None:
            self._metric = (self._metric + 1) % len(metrics_of(self._comparison))
            self._show_side()

    def action_scroll(self, step: int) -> None:
        """Bring other columns."""
        found = self._comparison
        if self._is_history or self._is_bars:
            area = self.query_one("#rows", VerticalScroll)
            area.scroll_relative(y=step * area.size.height, animate=False)
        elif found is not None:
            fitting = len(window(found, 0, self._room))
            self._first = max(0, min(len(found.columns) - fitting, self._first + step))
            self._show_side()

    def action_mark(self, step: int) -> None:
        """Mark another row."""
        if self._comparison is None or not self._comparison.rows:
            return
        self._row = (self._row + step) % len(self._comparison.rows)
        self._show_side()
        if self._is_history or self._is_bars:
            return
        found = self._comparison
        shown = window(found, self._first, self._room)
        each = 2 if is_narrow(found, len(shown), self._room) else 1
        area = self.query_one("#rows", VerticalScroll)
        before = each if is_open(found, len(shown), self._room, self.size.height) else 1
        first = 1 + self._row * before if self._row else 0
        if first < area.scroll_offset.y:
            area.scroll_to(y=first, animate=False)
        elif first + each > area.scroll_offset.y + area.size.height:
            area.scroll_to(y=first + each - area.size.height, animate=False)

    def action_remarks(self) -> None:
        """All that is to be said about this comparison."""
        if self._comparison is not None:
            self.app.push_screen(
                Reader("What is not the same, and what is proved", findings(self._comparison))
            )

    def action_back(self) -> None:
        """Back from bars to figures, from there to the list, and from that to where one came from."""
        if self._comparison is None:
            self.tui.action_go_back()
            return
        if self._is_bars:
            self.action_bars()
            return
        self._comparison, self._is_history, self._is_bars = None, False, False
        self.remove_class("-side", "-history")
        self._show_list()
        self.query_one(Rows).focus_list()

    # Files.

    def action_export(self) -> None:
        """Save what is picked."""
        picked = tuple(self._picked) if self._comparison is None else ()
        if not picked and self._comparison is None:
            self.complain("pick what to save with Space first")
            return
        results, comparison = self._results, self._comparison

        def write(path: str | None) -> None:
            if path:
                self.order(
                    lambda: saving.save_new(
                        path, exported(path, self._get, self.world, picked, results, comparison)
                    ),
                    lambda file: self.say(saving.saved_words(file, in_lab=self.world.in_lab)),
                )

        text = (
            "The ending decides: .json can be imported again, .md is for a forum, .html a page with charts, "
            ".csv for a spreadsheet, .txt plain text. File:"
        )
        self.app.push_screen(AskText("Export", text, str(Path.cwd() / "results.json")), write)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        side = self._comparison is not None
        allowed = {
            "pick": not side and bool(self._listed),
            "forget": not side and bool(self._own) and not self._shows_published,
            "published": not side,
            "history": not side and bool(self._own) and not self._shows_published,
            "group": side and not self._is_history,
            "scroll": side,
            "bars": side and not self._is_history,
            "side_by_side": not side and len(self._picked) >= FEWEST,
            "baseline": not self._is_history and (side or bool(self._listed)),
            "metric": side and not self._is_history and not self._is_bars,
            "mark": side,
            "remarks": side,
            "export": side or bool(self._picked),
        }
        return allowed.get(action, True)
