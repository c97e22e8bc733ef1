"""Compare: any number of results side by side, in groups, or of one target over time; also published ones."""

from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Label, Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.result import Result
from raidtui.model.text import harmless
from raidtui.results.cdm_text import cdm_text
from raidtui.results.compare import Comparison
from raidtui.results.groups import grouping_like, groupings
from raidtui.results.published import is_published
from raidtui.results.published.reader import all_published, published
from raidtui.results.side_by_side import table
from raidtui.results.summary import summarise
from raidtui.ui.results.compare_export import exported
from raidtui.ui.results.compare_list import COLUMNS, FEWEST, PUBLISHED, Picking
from raidtui.ui.results.compare_notes import findings
from raidtui.ui.results.compare_side import Side, compared
from raidtui.ui.shell import explained, saving
from raidtui.ui.shell.lifecycle import in_thread, later, while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.dialog import AskText, Question, Reader
from raidtui.ui.widgets.field import Field, FilterField
from raidtui.ui.widgets.rows import Rows


class CompareScreen(Page):
    """Pick results from a list; Enter compares them, h shows one target over time."""

    STEP = "compare"
    TITLE = "Compare results: read and write in MB/s, first row of the grid"
    HELP = explained.for_screen(explained.COMPARE)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space", "pick", "Pick", tooltip="Pick the highlighted result, or clear it; then the next one"
        ),
        Binding("b", "baseline", "Base", tooltip="The result that the others are a factor of"),
        Binding("enter", "side_by_side", "Compare", tooltip="Compare the picked results"),
        Binding("enter", "open_row", "Open", tooltip="Open the highlighted result, until one is picked"),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="List only results with some text"),
        Binding("o", "open", "Open", tooltip="Open the highlighted result in the benchmark grid"),
        Binding("v", "metric", "Show", tooltip="MB/s, factor, IOPS, latency, rank, share of the ideal"),
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
        Binding("w", "remarks", "Differs", tooltip="What differs between them, and every conclusion"),
        Binding("y", "copy", "Copy", tooltip="Copy as text to the terminal's clipboard (OSC 52)"),
        Binding("e", "export", "Export", tooltip="Save the picked results to a file"),
        Binding(
            "delete", "forget", "Remove", show=False, tooltip="Delete the highlighted result permanently"
        ),
        Binding("escape", "back", "Back"),
    ]
    CSS_PATH = "compare.tcss"
    MARKED_IN = "#table"
    MARK = ">"
    AUTO_FOCUS = ""  # the list, hidden behind the table, must not get the focus after a dialog

    def __init__(self, picked: str = "", by: str = "") -> None:
        """``picked``: ids separated by commas. Two or more are compared at once; Escape then leaves the screen.

        ``by``: group them by this at first, if any of them share a value.
        """
        super().__init__()
        self._list = Picking([word for word in picked.split(",") if word])
        self._leads_back = self._list.can_compare
        self._results: tuple[Result, ...] = ()
        self._by = ""
        self._first_by = by
        self._side = Side(id="side")

    def body(self) -> ComposeResult:
        yield Rows(COLUMNS, id="results")
        with Horizontal(id="filtering"):
            yield Label("Filter: ")
            yield FilterField(id="filter", max_length=64, placeholder="label, date, level, filesystem")
        yield Static(id="hint")
        yield self._side

    @property
    def _comparison(self) -> Comparison | None:
        return self._side.comparison

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
        self._list.take(found, others)
        self._show_list()
        self._leads_back = self._leads_back and self._list.can_compare
        if self._leads_back:
            self._load(tuple(self._list.picked))
        else:
            self.query_one(Rows).focus_list()

    def _show_list(self) -> None:
        published, rows = self._list.shows_published, self._list.rows()
        self.query_one(Rows).show(rows, columns=PUBLISHED if published else COLUMNS)
        self.head("Compare results: what others published, in MB/s" if published else self.TITLE)
        self.put("#hint", Content(self._list.hint(len(rows))))
        self.refresh_bindings()

    def action_filter(self) -> None:
        self.query_one("#filtering").display = True
        self.set_focus(self.query_one("#filter"))

    @on(Field.Changed, "#filter")
    @while_there
    def _filter_changed(self, event: Field.Changed) -> None:
        self._list.only = event.value.strip().casefold()
        self._show_list()

    @on(Field.Submitted, "#filter")
    @while_there
    def _filter_done(self) -> None:
        self.query_one(Rows).focus_list()

    def _is_filtering(self) -> bool:
        filtering = self.query("#filtering")
        return bool(filtering) and filtering.first().display

    def action_published(self) -> None:
        self._list.shows_published = not self._list.shows_published
        self.say("")
        self._show_list()

    def action_pick(self) -> None:
        self._list.toggle(self.query_one(Rows).key)
        self.say("")
        self._show_list()
        self.query_one(Rows).step_down()

    def action_baseline(self) -> None:
        """Make the highlighted result the baseline; in a comparison, the next column."""
        found = self._comparison
        if found is not None:
            self._list.baseline = found.columns[(found.baseline + 1) % len(found.columns)].id
            self._compare()
            return
        key = self.query_one(Rows).key
        if key not in self._list.picked:
            self._list.toggle(key)
        self._list.baseline = key
        self._show_list()

    def action_open(self) -> None:
        key = self.query_one(Rows).key
        if key in self._list.own:
            self.tui.go("benchmark", result=key)

    def action_open_row(self) -> None:
        """Open with Enter, as in every list, until something is picked."""
        self.action_open()

    def action_forget(self) -> None:
        """Ask, then remove the highlighted result."""
        key = self.query_one(Rows).key
        if key not in self._list.own:
            return
        label = self._list.own[key].cells[1]

        self.ask_for(
            Question(f"Remove '{label}'?", "The result and its runs will be lost.", yes="Remove"),
            lambda _: self.order(lambda: self.world.remove_result(key), lambda _: self._read()),
        )

    # Side by side.

    def action_side_by_side(self) -> None:
        if self._list.can_compare:
            self._load(tuple(self._list.picked))
        else:
            self.complain("pick two results or more with Space first")

    def action_history(self) -> None:
        key = self.query_one(Rows).key
        target, same = self._list.target(key), self._list.history(key)
        if not target:
            self.complain("the target of this result is not known; h is for your own results")
        elif len(same) < FEWEST:
            self.complain(f"{harmless(target)} was measured only once; a history needs two results or more")
        else:
            self._load(same, history_of=target)

    @work(group="results", exclusive=True)
    async def _load(self, words: tuple[str, ...], *, history_of: str = "") -> None:
        try:
            self._results = await in_thread(self, lambda: tuple(map(self._get, words)))
        except RaidtuiError as error:
            self.complain(str(error))
            self.query_one(Rows).focus_list()
            return
        self._by = grouping_like(self._results, self._first_by) if self._first_by else ""
        self._first_by = ""
        if history_of:
            self._results = tuple(sorted(self._results, key=lambda result: result.created))
            self._list.baseline = self._results[0].id
        self._compare(history_of=history_of)

    def _get(self, word: str) -> Result:
        return published(word) if is_published(word) else self.world.get_result(word)

    def _compare(self, *, history_of: str = "") -> None:
        results, by, baseline = self._results, self._by, self._list.baseline

        def opened(found: Comparison) -> None:
            self.say("")
            self.add_class("-side")
            self.set_focus(None)
            self._side.open(found, by=by, history_of=history_of)
            self._painted()

        self.work_out(lambda: compared(results, by, baseline), opened)

    def _painted(self) -> None:
        """Update the title and the footer after a change of the comparison."""
        self.head(self._side.title)
        self.refresh_bindings()

    def action_group(self) -> None:
        """Group by the next property in which the results differ; after the last, show single results again."""
        choices = ["", *groupings(self._results)]
        self._by = choices[(choices.index(self._by) + 1) % len(choices)]
        if len(choices) == 1:
            self.complain("these results do not differ in level, chunk, filesystem, machine, day or array")
            return
        self._compare()

    def on_resize(self) -> None:
        if self._comparison is not None:
            self._side.paint()
            self._painted()

    def action_bars(self) -> None:
        self._side.toggle_bars()
        self._painted()

    def action_metric(self) -> None:
        """Show the next metric: MB/s, factor, IOPS, latency, rank …"""
        self._side.next_metric()
        self._painted()

    def action_scroll(self, step: int) -> None:
        self._side.scroll_columns(step)
        self._painted()

    def action_mark(self, step: int) -> None:
        self._side.mark(step)
        self._painted()

    def action_remarks(self) -> None:
        if self._comparison is not None:
            self.app.push_screen(Reader("What differs, and the conclusions", findings(self._comparison)))

    def action_back(self) -> None:
        if self._comparison is None and self._is_filtering():
            self.query_one("#filter", Field).value = ""
            self.query_one("#filtering").display = False
            self.query_one(Rows).focus_list()
        elif self._comparison is None or (self._leads_back and not self._side.is_bars):
            self.tui.action_go_back()
        elif self._side.is_bars:
            self.action_bars()
        else:
            self._side.close()
            self.remove_class("-side")
            self._show_list()
            self.query_one(Rows).focus_list()

    # Copies and files.

    def action_copy(self) -> None:
        found, key = self._comparison, self.query_one(Rows).key
        if found is not None:
            self.copy(table(found))
        elif key:
            self.work_out(lambda: cdm_text(self._get(key)), self.copy)

    def action_export(self) -> None:
        picked = tuple(self._list.picked) if self._comparison is None else ()
        if not picked and self._comparison is None:
            self.complain("pick what to save with Space first")
            return
        results, comparison = self._results, self._comparison

        def write(path: str) -> None:
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
        self.ask_for(AskText("Export", text, str(Path.cwd() / "results.json")), write)

    def is_idle(self, action: str) -> bool:
        if action == "open":
            return self._list.opens  # Enter is shown, which does the same then
        if action == "side_by_side":
            return not self._list.can_compare
        if action != "baseline" or self._comparison is not None:
            return False
        key = self.query_one(Rows).key
        return key in self._list.picked and key == self._list.baseline

    def allowed(self) -> dict[str, bool]:
        side = self._comparison is not None
        history = side and self._side.is_history
        listed = not side and bool(self._list.rows())
        own = listed and not self._list.shows_published
        return {
            "pick": listed,
            "filter": not side and (listed or bool(self._list.only)),
            "open": own,
            "open_row": listed and self._list.opens,
            "copy": side or listed,
            "forget": own,
            "published": not side,
            "history": own,
            "group": side and not history,
            "scroll": side,
            "bars": side and not history,
            "side_by_side": listed and not self._list.opens,
            "baseline": not history and (side or listed),
            "metric": side and not history and not self._side.is_bars,
            "mark": side,
            "remarks": side,
            "export": side or bool(self._list.picked),
        }
