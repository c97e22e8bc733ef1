"""Compare: two to six results side by side, the best of each row marked, each as a factor of a baseline."""

import asyncio
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
from raidtui.results.compare import Comparison, compare
from raidtui.ui import clock, saving
from raidtui.ui.compare_lines import METRICS, is_narrow, legend, table, verdicts
from raidtui.ui.page import Page
from raidtui.ui.widgets.dialog import AskText, Question, Reader
from raidtui.ui.widgets.rows import Column, Row, Rows

if TYPE_CHECKING:
    from raidtui.results.summary import Summary

COLUMNS = (
    Column("", 6),
    Column("Label", 16, share=2),
    Column("Measured", 16),
    Column("What", 14, share=1),
    Column("Read", 9, right=True),
    Column("Write", 9, right=True),
)
FEWEST, MOST = 2, 6
NOTE = "* best of its row. Factors: + faster, - slower, = equal, ? undecided"


class CompareScreen(Page):
    """Results are picked from a list; Enter puts them side by side."""

    STEP = "compare"
    TITLE = "Compare results"
    HELP = """
    Pick two to six results with Space, in the order in which they shall stand; b makes the highlighted one the
    baseline, of which the others are a factor. Enter puts them side by side.

    A star marks the best of each row. "1.50x" is one and a half times the baseline. The sign after it is what the
    single runs prove: + faster or - slower by more than 3 %, = equal within 3 %, ? undecided, so more runs are
    needed; below the table stands the interval for the marked row. v changes from MB/s to IOPS and to latency,
    where less is better.

    What was measured differently (another size, engine, computer, a sync in the way) is told as a remark with "!",
    because such figures cannot simply be compared. w shows all remarks. e saves a file: .json can be imported
    elsewhere with 'raidtui results import', .csv is for a spreadsheet.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pick", "Pick", tooltip="Pick the highlighted result, or put it back"),
        Binding("b", "baseline", "Baseline", tooltip="The result that the others are a factor of"),
        Binding("enter", "side_by_side", "Compare", tooltip="Put the picked results side by side"),
        Binding("v", "metric", "Metric", tooltip="MB/s, IOPS, mean latency, p99 latency"),
        Binding("up", "mark(-1)", "Row", key_display="↑↓", tooltip="Mark another row", show=False),
        Binding("down", "mark(1)", "Next row", show=False),
        Binding("w", "remarks", "Remarks", tooltip="Everything that is not the same in these results"),
        Binding("e", "export", "Export", tooltip="Save the picked results to a file"),
        Binding("delete", "forget", "Forget", tooltip="Remove the highlighted result for good"),
        Binding("escape", "back", "Back"),
    ]
    CSS_PATH = "compare.tcss"

    def __init__(self, picked: str = "") -> None:
        super().__init__()
        self._picked = [word for word in picked.split(",") if word]
        self._baseline = ""
        self._summaries: dict[str, Summary] = {}
        self._results: tuple[Result, ...] = ()
        self._comparison: Comparison | None = None
        self._metric = 0
        self._row = 0

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
        self.call_after_refresh(self._read)

    # The list.

    @work(group="results", exclusive=True)
    async def _read(self) -> None:
        try:
            found = await asyncio.to_thread(self.world.list_results)
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self._summaries = {summary.id: summary for summary in found}
        self._picked = [word for word in self._picked if word in self._summaries]
        self._show_list()
        self.query_one(Rows).focus_list()

    def _show_list(self) -> None:
        self._baseline = self._baseline if self._baseline in self._picked else next(iter(self._picked), "")
        rows = [self._list_row(summary) for summary in self._summaries.values()]
        self.query_one(Rows).show(rows)
        count = len(self._picked)
        if not rows:
            hint = "No result yet. b on the overview measures one; 'raidtui results import FILE' brings others here."
        elif count < FEWEST:
            hint = f"Pick {FEWEST} to {MOST} with Space; {count} picked so far."
        else:
            hint = f"{count} picked. Enter puts them side by side."
        self.put("#hint", Content(hint))
        self.keys_changed()

    def _list_row(self, summary: "Summary") -> Row:
        mark = ""
        if summary.id in self._picked:
            mark = str(self._picked.index(summary.id) + 1) + (" base" if summary.id == self._baseline else "")
        what = " ".join(filter(None, (summary.level, summary.filesystem))) or summary.target
        return Row(
            summary.id,
            (
                mark,
                harmless(summary.label or summary.id),
                clock.spoken(summary.created),
                harmless(what),
                _megabytes(summary.read_bytes_per_second),
                _megabytes(summary.write_bytes_per_second),
            ),
            ("bold $text-accent", "", "$text-muted", "", "", ""),
        )

    def action_pick(self) -> None:
        """Pick the highlighted one, or put it back."""
        key = self.query_one(Rows).key
        if not key:
            return
        if key in self._picked:
            self._picked.remove(key)
        elif len(self._picked) == MOST:
            self.complain(f"{MOST} results are the most that fit side by side; put one back with Space first")
            return
        else:
            self._picked.append(key)
        self.say("")
        self._show_list()

    def action_baseline(self) -> None:
        """Make the highlighted one the baseline; side by side, the next one."""
        if self._comparison is not None:
            following = (self._picked.index(self._baseline) + 1) % len(self._picked)
            self._baseline = self._picked[following]
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
        if not key:
            return
        label = harmless(self._summaries[key].label or key)

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
            self.complain(f"pick {FEWEST} to {MOST} results with Space first")
            return
        self._load()

    @work(group="results", exclusive=True)
    async def _load(self) -> None:
        picked = tuple(self._picked)
        try:
            self._results = await asyncio.to_thread(
                lambda: tuple(self.world.get_result(word) for word in picked)
            )
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self._row = 0
        self._compare()

    def _compare(self) -> None:
        try:
            self._comparison = compare(self._results, baseline=self._picked.index(self._baseline))
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self.say("")
        self.add_class("-side")
        self.set_focus(None)
        self._show_side()

    def on_resize(self) -> None:
        self._show_side()

    def _show_side(self) -> None:
        found = self._comparison
        if found is None:
            return
        metric, width = METRICS[self._metric], self.size.width - 3
        self.head(f"Compare {len(found.columns)} results: {metric.title}")
        self.put("#legend", Content("\n").join(legend(found)))
        tall = self.size.height >= 34
        lines = table(found, metric, width=width, marked=self._row, open_all=self._is_open(found))
        self.put("#table", Content("\n").join(lines))
        if found.rows:
            brief = len(found.columns) > 3 and not tall
            self.put("#proof", verdicts(found, found.rows[self._row], brief=brief))
        self.put("#note", self._note(found))
        self.keys_changed()

    def _is_open(self, found: Comparison) -> bool:
        """Whether there is room for the factors of every row below their figures."""
        remarks = sum(1 + len(remark) // (self.size.width - 3) for remark in found.remarks)
        others = 3 + len(found.columns) + 1 + 3 + 2 + remarks  # shell, legend, proof, note
        return self.size.height >= others + 1 + 2 * len(found.rows)

    def _note(self, found: Comparison) -> Content:
        parts: list[tuple[str, str] | str] = [(NOTE, "$text-muted")]
        shown = found.remarks if self.size.height >= 34 else found.remarks[:1]
        more = len(found.remarks) - len(shown)
        for number, remark in enumerate(shown):
            others = f" (and {more} more: w)" if more and number == len(shown) - 1 else ""
            text = harmless(remark)
            room = self.size.width - 4 - len(others)
            text = text if len(text) <= room or self.size.height >= 34 else f"{text[: room - 1]}…"
            parts.append((f"\n! {text}{others}", "$text-warning"))
        return Content.assemble(*parts)

    def action_metric(self) -> None:
        """MB/s, IOPS, latency."""
        self._metric = (self._metric + 1) % len(METRICS)
        self._show_side()

    def action_mark(self, step: int) -> None:
        """Mark another row."""
        if self._comparison is None or not self._comparison.rows:
            return
        self._row = (self._row + step) % len(self._comparison.rows)
        self._show_side()
        narrow = is_narrow(len(self._comparison.columns), self.size.width - 3)
        each = 2 if narrow else 1
        area = self.query_one("#rows", VerticalScroll)
        before = each if self._is_open(self._comparison) else 1
        first = 1 + self._row * before if self._row else 0
        if first < area.scroll_offset.y:
            area.scroll_to(y=first, animate=False)
        elif first + each > area.scroll_offset.y + area.size.height:
            area.scroll_to(y=first + each - area.size.height, animate=False)

    def action_remarks(self) -> None:
        """Everything that is not the same."""
        if self._comparison is not None:
            text = "\n\n".join(f"! {harmless(remark)}" for remark in self._comparison.remarks)
            self.app.push_screen(Reader("What is not the same in these results", Content(text)))

    def action_back(self) -> None:
        """Back to the list, and from there to where one came from."""
        if self._comparison is None:
            self.tui.action_go_back()
            return
        self._comparison = None
        self.remove_class("-side")
        self.head("Compare results")
        self._show_list()
        self.query_one(Rows).focus_list()

    # Files.

    def action_export(self) -> None:
        """Save what is picked."""
        picked = tuple(self._picked)
        if not picked:
            self.complain("pick what to save with Space first")
            return
        comparison = self._comparison

        def write(path: str | None) -> None:
            if path:
                self.order(
                    lambda: saving.save_new(path, self._exported(path, picked, comparison)),
                    lambda saved: self.say(f"Saved as {saved}"),
                )

        text = "The ending decides: .json can be imported again, .csv is for a spreadsheet. File:"
        self.app.push_screen(AskText("Export", text, str(Path.cwd() / "results.json")), write)

    def _exported(self, path: str, picked: Sequence[str], comparison: Comparison | None) -> str:
        from raidtui.results.exchange import comparison_csv, runs_csv, write_export

        if not path.lower().endswith(".csv"):
            return write_export(self.world.result_document(word) for word in picked)
        if comparison is not None:
            return comparison_csv(comparison)
        return runs_csv([self.world.get_result(word) for word in picked])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        side = self._comparison is not None
        allowed = {
            "pick": not side and bool(self._summaries),
            "forget": not side and bool(self._summaries),
            "side_by_side": not side and len(self._picked) >= FEWEST,
            "baseline": bool(self._summaries),
            "metric": side,
            "mark": side,
            "remarks": self._comparison is not None and bool(self._comparison.remarks),
            "export": bool(self._picked),
        }
        return allowed.get(action, True)


def _megabytes(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e6:,.1f}" if bytes_per_second else "-"
