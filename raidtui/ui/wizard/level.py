"""Level: compare what every layout gives on the chosen disks."""

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.advice.where_data_lies import pairs_words
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import USUAL, Backend
from raidtui.model.text import count_of
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import calculated, while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.widgets.data_map import drawn_map, small_rows
from raidtui.ui.widgets.dialog import Reader
from raidtui.ui.widgets.rows import Rows
from raidtui.ui.wizard import estimates, level_lines, level_names, level_view, level_words
from raidtui.ui.wizard.estimates import beside, disks_of, filled, question_of, reports_of, worth_showing
from raidtui.ui.wizard.level_lines import columns
from raidtui.ui.wizard.level_names import advised_key, is_built, level_name, level_of
from raidtui.ui.wizard.level_pages import map_page, map_title, page_rows
from raidtui.ui.wizard.level_view import LevelView, chosen_key, following_layout, is_chosen, shown_levels

if TYPE_CHECKING:
    from raidtui.advice.recommend import Recommendation
    from raidtui.advice.report import Question, Report
    from raidtui.advice.risk import RiskInputs

_AROUND_MAP = 18  # lines of a wide screen that are neither the list's nor the map's rows
_MAP = 30  # cells of the map below the list, with the explanation beside it


class LevelScreen(ListPage):
    """Lists all layouts for these members and spares; the highlighted one is drawn and explained below."""

    STEP = "level"
    READY_AT_ONCE = False  # while figures are being calculated
    COLUMNS = columns("level", every=False, width=80)
    CSS_PATH = "level.tcss"
    TITLE = "Choose a level"
    HELP = explained.for_screen(explained.LEVEL)
    BINDINGS: ClassVar[list[BindingType]] = [
        # Not in the footer: the line above the table shows these beside the chunk.
        Binding(
            "left", "chunk(-1)", "Chunk", key_display="←→", show=False, tooltip="Smaller or larger chunk"
        ),
        Binding("right", "chunk(1)", "Larger chunk", show=False),
        Binding("a", "rare", "All levels", show=False, tooltip="Show or fold the rare levels and layouts"),
        Binding("l", "layout", "Layout", tooltip="The next layout of this level"),
        Binding("plus", "spares(1)", "Spares", key_display="+-", tooltip="One hot spare more or fewer"),
        Binding("minus", "spares(-1)", "Fewer spares", show=False),
        Binding("s", "sort", "Sort", tooltip="Sort by space, safety, speed, or level"),
        Binding("b", "backends", "Backends", tooltip="Show one backend only, or the others beside it"),
        Binding("m", "map", "Map", tooltip="Map of data on the disks, and which pairs must not fail"),
        Binding("w", "what_if", "What if", tooltip="One more disk, a larger one, a spare, other rates"),
        Binding("enter", "next", "Next", tooltip="Choose this level and continue with the options"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._found: list[Report] = []  # in the order of the levels
        self._reports: dict[str, Report] = {}  # the shown ones, by row key
        self._hidden = 0
        self._disks: dict[str, Disk] = {}
        self._suited: tuple[Backend, ...] = (USUAL,)  # the backends that take these disks
        self._beside: tuple[Backend, ...] = ()  # those of them made for unequal disks, if these are
        self._question: Question | None = None
        self._advice: Recommendation | None = None

    @property
    def _view(self) -> LevelView:
        return self.tui.level_view

    @property
    def _home(self) -> Backend:
        """The backend whose levels are always shown."""
        return self._suited[0]

    @property
    def _every(self) -> bool:
        """Whether the levels of several backends are shown."""
        return self._view.every and len(self._suited) > 1

    def body(self) -> ComposeResult:
        yield Static(id="legend")
        with Vertical(id="panes"):
            yield Rows(self.COLUMNS)
            yield Static(id="map")
            with VerticalScroll(id="detail", can_focus=False):
                yield Static(self._explanation, id="explanation")

    def machine_changed(self, machine: Machine) -> None:
        self.ready = False
        self._show_details()
        if not self.focused:
            self.table.focus_list()
        self._calculate(machine)

    @work(group="levels", exclusive=True)
    async def _calculate(self, machine: Machine) -> None:
        """Calculate in a thread: the levels of the usual and the chosen backend first, then the others if shown."""
        from raidtui.advice.recommend import recommend
        from raidtui.backends.suited import suited_to

        spec = self.tui.draft.spec
        try:
            self._disks = await calculated(self, disks_of, spec, machine)
            self._suited = suited_to(tuple(self._disks.values()))
            if spec.backend not in self._suited:  # chosen for other disks
                self.tui.draft = self.tui.draft.with_spec(backend=self._home, level="", layout=None)
                spec = self.tui.draft.spec
            question = await calculated(self, question_of, spec, machine, self._view.inputs)
        except RaidtuiError as error:
            self.ready = True
            self._question, self._found, self._advice = None, [], None
            self._show()
            self.explain(Content(str(error)))
            return
        self._question, self._found, self._advice = question, [], None
        self._beside = beside(question, self._suited)
        self._view.every |= spec.backend not in {self._home, *self._beside}
        at_once = {self._home, spec.backend, *self._beside}
        later = [name for name in self._suited if self._view.every and name not in at_once]
        for backend in self._suited:
            if backend in at_once:
                chosen = level_view.chosen(spec) if backend is spec.backend else ()
                found = await calculated(self, reports_of, question, backend, *chosen)
                some = backend in self._beside and not self._view.every
                self._found += worth_showing(found, self._found, *chosen[:1]) if some else found
        self._advice = recommend(self._found, self._home)
        self._show()
        self.ready = True
        for backend in later:
            self._found += await calculated(self, reports_of, question, backend)
            self._found.sort(key=lambda report: self._suited.index(report.backend))
            self._show()

    def _show(self) -> None:
        width, view, spec = self.list_width, self._view, self.tui.draft.spec
        self._reports, self._hidden = shown_levels(self._found, view, (chosen_key(spec), self._recommended))
        size = sum(disk.size_bytes for disk in self._disks.values())
        self.table.show(
            [
                level_lines.row(
                    one, size, every=self._every, width=width, recommended=key == self._recommended
                )
                for key, one in self._reports.items()
            ],
            highlight=self._first(),
            columns=columns(view.wish, every=self._every, width=width),
        )
        self._remember(self.table.key)
        self._show_details()

    @property
    def _recommended(self) -> str:
        """The row key of the recommended layout; empty if none is."""
        return advised_key(self._home, self._advice)

    def _first(self) -> str:
        """The row to highlight: the last highlighted one, else the chosen one, else the recommended one."""
        chosen = chosen_key(self.tui.draft.spec)
        if not chosen:
            self._view.key = ""  # it was for another array
        if self._view.key in self._reports:
            return self._view.key
        return chosen or self._recommended

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        if message.by_hand:
            self._view.key = message.key
        self._remember(message.key)
        self._show_details()

    def _remember(self, key: str) -> None:
        """Store the highlighted level in the draft, so that going back and forth loses nothing."""
        report = self._reports.get(key)
        if report is None or report.refused is not None or not is_built(report):
            return
        layout = self.tui.draft.spec.layout if is_chosen(report, self.tui.draft.spec) else None
        if level_of(report).called_with_layout:
            layout = report.layout
        before = self.tui.draft
        self.tui.draft = before.with_level(report.backend, report.level, layout)
        if self.tui.draft.spec.options != before.spec.options and self.tui.machine:
            self._calculate(self.tui.machine)  # the figures were for options of another level

    @property
    def _report(self) -> "Report | None":
        """The highlighted layout; None while there is none for this number of disks."""
        report = self._reports.get(self.table.key)
        members = len(self.tui.draft.spec.members)
        return report if report is not None and len(report.members) in (0, members) else None

    @property
    def _chunk(self) -> int:
        """The chosen chunk, or the default of the highlighted level."""
        report = self._report
        usual = level_view.usual_chunk(self._found, report.backend if report else self._home)
        return self.tui.draft.spec.chunk or (report.chunk_bytes if report else 0) or usual

    def _show_details(self) -> None:
        spec = self.tui.draft.spec
        spares = f" and {count_of(spec.spares, 'spare')}" if spec.spares else ""
        self.head(f"Choose a level for {count_of(spec.members, 'disk')}{spares}")
        report = self._report
        sizes = [self._disks[word].size_bytes for word in spec.members if word in self._disks]
        self.put("#legend", level_lines.legend(sizes, report, self._chunk, home=self._home))
        if report is None:
            return
        names, layout, tall = (
            self._names(spec.members),
            level_view.layout_on(report, self.tui.draft.spec),
            self.has_class("-tall"),
        )
        if self.is_wide:
            self.explain(self._page(report))
        else:
            unused = level_words.wasted(report, names, self._outside, reserve=bool(filled(spec).reserve))
            self.explain(
                level_lines.page(
                    level_words.glance(report, layout, self._advice, unused),
                    [*level_words.facts(report), level_words.numbers(report, layout)] if tall else [],
                )
            )
        drawn = Content("")
        if report.refused is None:
            width = (self.list_width if self.is_wide else _MAP) - 1
            room = self.size.height - len(self.table.rows) - _AROUND_MAP if self.is_wide else 0
            drawn = self._map(report, width, small_rows(report, len(names), room), boxed=tall)
        pairs = f"\n{pairs_words(report, names)}" if tall and len(names) <= 8 and not report.refused else ""
        self.put("#map", Content.assemble(drawn, pairs))
        self.offer_keys()

    def _mark_overflow(self) -> None:
        self.query_one("#map").border_title = self.table.out_of_sight
        unfolded = "a folds rare ones" if self._view.rare else ""
        folded = f"a shows {self._hidden} more" if self._hidden else unfolded
        keys = ("d details",) if not self.is_wide or self.query_one("#detail").max_scroll_y else ()
        parts = (level_view.SORTED[self._view.wish], folded, *keys)
        self.query_one("#detail").border_title = ", ".join(filter(None, parts))

    def _names(self, words: tuple[str, ...]) -> list[str]:
        return [self._disks[word].short for word in words if word in self._disks]

    def _map(self, report: "Report", width: int, rows: int, *, boxed: bool = True) -> Content:
        spec = self.tui.draft.spec
        names, spares = self._names(spec.members), self._names(spec.spares)
        return drawn_map(
            report,
            names,
            spares,
            layout=level_view.layout_on(report, self.tui.draft.spec),
            width=width,
            rows=rows,
            boxed=boxed,
        )

    # The keys.

    def is_idle(self, action: str) -> bool:
        return self.is_mounted and action in level_view.idle_keys(
            self._report, self.tui.draft.spec, len(self._suited)
        )

    def action_sort(self) -> None:
        wishes = tuple(level_view.SORTED)
        self._view.wish = wishes[(wishes.index(self._view.wish) + 1) % len(wishes)]
        self.say("")
        self._show()

    def action_rare(self) -> None:
        self._view.rare = not self._view.rare
        self.say("")
        self._show()

    def action_backends(self) -> None:
        if not self._found:
            return
        if len(self._suited) == 1:
            self.complain(f"only {self._home} takes these drives")
            return
        self._view.every = not self._view.every
        self.say("")
        if not self._view.every and self.tui.draft.spec.backend not in {self._home, *self._beside}:
            self.tui.draft = self.tui.draft.with_spec(backend=self._home, level="", layout=None)
        if self.tui.machine:
            self.machine_changed(self.tui.machine)

    def action_map(self) -> None:
        report = self._report
        if report is None:
            return
        if report.refused is not None:
            self.complain(level_names.refused_words(report))
            return
        names, width = self._names(self.tui.draft.spec.members), self.app.size.width - 6
        drawn = self._map(report, width, page_rows(report, len(names)))
        title = map_title(report, level_view.layout_on(report, self.tui.draft.spec))
        self.app.push_screen(Reader(title, map_page(report, drawn, names, width)))

    def action_detail(self) -> None:
        report = self._report
        if report is not None:
            self.app.push_screen(Reader(level_name(report), self._page(report)))

    @property
    def _outside(self) -> list[int]:
        return estimates.outside_of(self._question, self.tui.draft.spec, self._disks)

    def _page(self, report: "Report") -> Content:
        """All details of a layout; empty while nothing is calculated."""
        if self._question is None:
            return Content("")
        spec = filled(self.tui.draft.spec)
        parts = level_words.detail(
            report,
            level_view.layout_on(report, self.tui.draft.spec),
            self._advice,
            names=self._names(spec.disks),
            members=len(spec.members),
            outside=self._outside,
            reserve=bool(spec.reserve),
        )
        return Content.assemble(*parts)

    def action_what_if(self) -> None:
        """Open What if: other disks, spares, rates or times."""
        from raidtui.ui.wizard.what_if import WhatIf

        if self._question is None:
            return
        shown = [key for key, report in self._reports.items() if report.refused is None]
        backends = tuple(dict.fromkeys(one.backend for one in self._found))
        self.app.push_screen(WhatIf(self._question, backends, shown, self.table.key), self._keep_inputs)

    def _keep_inputs(self, inputs: "RiskInputs | None") -> None:
        if inputs is not None and self.tui.machine:
            self._view.inputs = inputs
            self.machine_changed(self.tui.machine)

    def action_chunk(self, step: int) -> None:
        sizes = sorted({*level_view.chunks_of(self.tui.draft.spec.backend), self._chunk})
        place = sizes.index(self._chunk) + step
        if 0 <= place < len(sizes):
            self._change(chunk=sizes[place])

    def action_layout(self) -> None:
        report = self._report
        if report is not None and not is_built(report):
            self.complain(level_names.why_not_chosen(report))
        elif report is None or not level_view.has_another_layout(report, self.tui.draft.spec):
            self.complain("this level has no other layout")
        else:
            self._change(layout=following_layout(level_of(report), self.tui.draft.spec))

    def action_spares(self, step: int) -> None:
        """Make the last member a hot spare, or the first spare a member."""
        spec = self.tui.draft.spec
        if step > 0 and len(spec.members) > 1:
            self._change(members=spec.members[:-1], spares=(spec.members[-1], *spec.spares))
        elif step < 0 and spec.spares:
            self._change(members=(*spec.members, spec.spares[0]), spares=spec.spares[1:])
        else:
            self.complain("there are no spares" if step < 0 else "the last member cannot be a spare")

    def _change(self, **changes: object) -> None:
        self.tui.draft = self.tui.draft.with_spec(**changes)
        self.say("")
        spec = self.tui.draft.spec
        if self.tui.machine:
            if "layout" in changes and level_view.odd_layout(spec):
                self._view.key = chosen_key(spec)
            self.machine_changed(self.tui.machine)

    def action_next(self) -> None:
        report = self._report
        if report is None:
            return
        if trouble := level_names.why_not_chosen(report):
            self.complain(trouble)
            return
        self._remember(self.table.key)
        self.tui.draft = self.tui.draft.fitting()
        self.tui.go("options")
