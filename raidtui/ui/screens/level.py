"""Level: what every layout gives on the chosen disks, side by side."""

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import Backend, Spec
from raidtui.model.units import KIB, spell_size
from raidtui.ui import level_lines
from raidtui.ui.figures import filled, question_of, reports_of
from raidtui.ui.later import in_thread, while_there
from raidtui.ui.level_lines import BUILT, columns, key_of, level_name
from raidtui.ui.level_view import LevelView
from raidtui.ui.list_page import ListPage
from raidtui.ui.widgets.data_map import drawn_map, pairs_matrix, pairs_words
from raidtui.ui.widgets.dialog import Reader
from raidtui.ui.widgets.rows import Rows

if TYPE_CHECKING:
    from raidtui.advice.report import Question, Report
    from raidtui.advice.risk import RiskInputs

CHUNKS = tuple(size * KIB for size in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096))
DEFAULT_CHUNK = 512 * KIB
OTHERS = (Backend.LVM, Backend.LVM_ON_MD, Backend.ZFS, Backend.BTRFS)
_SORTED = {
    "level": "",
    "space": "by usable space",
    "safety": "by loss in 5 years at correlation 3",
    "speed": "by the mean of the ideal factors",
}
# What LVM takes where no layout is named (lvmraid(7): raid6 is raid6_zr), in md's words.
_OF_LVM = {"raid6": "ddf-zero-restart", "raid10": "n2"}
MAP_ROWS = 6
_BESIDE = 44  # cells of the map beside the explanation


class LevelScreen(ListPage):
    """All layouts for these members and spares; the highlighted one is explained below."""

    STEP = "level"
    COLUMNS = columns("level", every=False, wide=False)
    CSS_PATH = "level.tcss"
    TITLE = "Choose the level"
    HELP = """
    Every level that md knows, with what it gives on exactly these disks; b shows what LVM, ZFS and Btrfs would
    give, to compare. Usable is exact to the sector. Lost is the part of all disks, spares included, that pays for
    it. Survives is how many members may fail, whichever they are; "2nd fatal" is how likely a second failed
    member takes everything with it. "Loss 5 y" is the chance of losing data in five years when disks fail three
    times as often once the array is degraded. Speed is the geometric mean of four ideal factors of one disk:
    streams and small blocks, read and written.

    s sorts by what matters to you: space, safety or speed. m draws how data lies on the disks and which pairs
    must not fail. w asks what if: one more disk, a bigger one, a spare, other failure rates and times.

    No level replaces a backup: none survives a fire, a thief, a wrong command or a file deleted by mistake.

    The chunk is how much goes to one disk before the next has its turn; 512 KiB, the default, suits most uses.
    The layout says where parity or copies lie. For RAID10: n2 keeps two copies side by side, f2 keeps the second
    in the far half of the disks (reads as fast as RAID0, writes slower), o2 a stripe below.

    A spare belongs to no data until a member fails; then it takes that member's place by itself.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # Without room below: the title shows these beside the chunk.
        Binding(
            "left", "chunk(-1)", "Chunk", key_display="←→", show=False, tooltip="A smaller or larger chunk"
        ),
        Binding("right", "chunk(1)", "Larger chunk", show=False),
        Binding("l", "layout", "Layout", tooltip="The next layout of this level"),
        Binding(
            "plus",
            "spares(1)",
            "Spare",
            key_display="+-",
            tooltip="One spare more or fewer, of the last disks",
        ),
        Binding("minus", "spares(-1)", "Fewer spares", show=False),
        Binding("s", "sort", "Sort", tooltip="Sort by space, safety, speed, or level"),
        Binding("b", "backends", "All", tooltip="md alone, or LVM, ZFS and Btrfs beside it"),
        Binding("m", "map", "Map", tooltip="How data lies on the disks, and which pairs must not fail"),
        Binding("w", "what_if", "If", tooltip="One more disk, a bigger one, a spare, other rates"),
        Binding("enter", "next", "Next", tooltip="Take this level and go on to the options"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._reports: dict[str, Report] = {}
        self._disks: dict[str, Disk] = {}
        self._question: Question | None = None

    @property
    def _view(self) -> LevelView:
        return self.tui.level_view

    def body(self) -> ComposeResult:
        yield Rows(self.COLUMNS)
        with Horizontal(id="below"):
            with VerticalScroll(id="detail", can_focus=False):
                yield Static(self._explanation, id="explanation")
            yield Static(id="map")

    def machine_changed(self, machine: Machine) -> None:
        spec = self.tui.draft.spec
        try:
            self._disks = {word: machine.disk(word) for word in spec.disks}
            self._question = question_of(spec, machine, self._view.inputs)
            rare = spec.layout or "" if spec.level == "raid10" else ""
            found = list(reports_of(self._question, BUILT, rare))
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self._show(found)
        if not self.focused:
            self.table.focus_list()
        if self._view.every:
            self._add_others(found, self._question)

    @work(group="backends", exclusive=True)
    async def _add_others(self, found: "list[Report]", question: "Question") -> None:
        """Show the other backends too, as soon as they are calculated."""
        for backend in OTHERS:
            found.extend(await in_thread(self, reports_of, question, backend))
        if question == self._question:
            self._show(found)

    def _show(self, found: "list[Report]") -> None:
        from raidtui.advice.ranking import Wish, ranked

        wide = self.app.size.width >= level_lines.WIDE
        self._reports = {key_of(one): one for one in ranked(found, Wish(self._view.wish))}
        table, first = self.table, self._first(self.tui.draft.spec)
        size = sum(disk.size_bytes for disk in self._disks.values())
        table.show(
            [level_lines.row(one, size, every=self._view.every, wide=wide) for one in self._reports.values()],
            highlight=table.key if table.key in self._reports else first,
            columns=columns(self._view.wish, every=self._view.every, wide=wide),
        )
        self._remember(table.key)
        self._tell()

    def _first(self, spec: Spec) -> str:
        """The row to start from: the level chosen before, else the usual one for so many disks."""
        count = len(spec.members)
        level = spec.level or ("raid1" if count == 2 else "raid5" if count < 5 else "raid6")
        return f"raid10 {spec.layout or 'n2'}" if level == "raid10" else level

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        self._remember(message.key)
        self._tell()

    def _remember(self, key: str) -> None:
        """Keep the highlighted level in the draft, so that going back and forth loses nothing."""
        report = self._reports.get(key)
        if report is None or report.refused is not None or report.backend is not BUILT:
            return
        spec = self.tui.draft.spec
        layout = (
            report.layout if report.level == "raid10" else spec.layout if spec.level == report.level else None
        )
        self.tui.draft = self.tui.draft.with_spec(level=report.level, layout=layout)

    def _tell(self) -> None:
        spec = self.tui.draft.spec
        spares = f", {len(spec.spares)} spare{'s'[: len(spec.spares) != 1]}" if spec.spares else ""
        chunk = f", chunk ←→ {spell_size(spec.chunk or DEFAULT_CHUNK)}"
        wish = f", by {self._view.wish}" if self._view.wish != "level" else ""
        self.head(f"Level for {len(spec.members)} members{spares}{chunk}{wish}")
        report = self._reports.get(self.table.key)
        if report is None:
            return
        names = self._names(spec.members)
        self.explain(
            level_lines.page(
                level_lines.headline(report, self._layout(report)),
                level_lines.wasted(report, names),
                level_lines.facts(report),
                [level_lines.numbers(report, self._layout(report))],
            )
        )
        if self._beside:
            rows = 2 if report.layout.startswith("f") else _rows(len(names))  # far copies take a zone each
            possible = report.refused is None
            drawn = self._map(report, _BESIDE - 2, rows) if possible else Content("")
            pairs = f"\n{pairs_words(report, names)}" if len(names) <= 8 else ""
            self.put("#map", Content.assemble(drawn, pairs))

    def _mark_overflow(self) -> None:
        super()._mark_overflow()
        detail = self.query_one("#detail")
        said = (_SORTED[self._view.wish], str(detail.border_title or ""))
        detail.border_title = "; ".join(filter(None, said))

    @property
    def _beside(self) -> bool:
        """Whether the map has room beside the explanation."""
        return self.has_class("-wide") and self.has_class("-tall")

    def _names(self, words: tuple[str, ...]) -> list[str]:
        return [self._disks[word].name for word in words]

    def _layout(self, report: "Report") -> str:
        """Its layout; the one that was chosen for a level whose layouts all give the same."""
        spec = self.tui.draft.spec
        chosen = spec.layout if report.backend is BUILT and spec.level == report.level else None
        return chosen or report.layout

    def _map(self, report: "Report", width: int, rows: int) -> Content:
        spec = self.tui.draft.spec
        layout = self._layout(report)
        if report.backend is Backend.LVM:
            layout = _OF_LVM.get(report.level, layout)
        return drawn_map(
            report, self._names(spec.members), self._names(spec.spares), layout=layout, width=width, rows=rows
        )

    # What the keys do.

    def action_sort(self) -> None:
        """Sort by the next wish."""
        wishes = tuple(_SORTED)
        self._view.wish = wishes[(wishes.index(self._view.wish) + 1) % len(wishes)]
        self._show(list(self._unsorted()))

    def _unsorted(self) -> "list[Report]":
        """The reports in their own order, from what is already calculated."""
        if self._question is None:
            return []
        spec = self.tui.draft.spec
        rare = spec.layout or "" if spec.level == "raid10" else ""
        shown = {one.backend for one in self._reports.values()}
        found = list(reports_of(self._question, BUILT, rare))
        for backend in OTHERS:
            if backend in shown:
                found += reports_of(self._question, backend)
        return found

    def action_backends(self) -> None:
        """Show md alone, or the other backends beside it."""
        self._view.every = not self._view.every
        self.say("")
        if self.tui.machine:
            self.machine_changed(self.tui.machine)

    def action_map(self) -> None:
        """Draw how data lies on the disks."""
        report = self._reports.get(self.table.key)
        if report is None:
            return
        if report.refused is not None:
            self.complain(f"{level_name(report)} cannot be made of these disks: {report.refused}")
            return
        names = self._names(self.tui.draft.spec.members)
        rows = len(names) if report.level in {"raid5", "raid6"} and len(names) <= 8 else _rows(len(names))
        width = self.app.size.width - 6
        text = Content.assemble(
            self._map(report, width, rows),
            "\n\n",
            pairs_words(report, names),
            "\n",
            pairs_matrix(report, names, width=width),
        )
        layout = "" if report.backend is not BUILT or report.level == "raid10" else self._layout(report)
        self.app.push_screen(Reader(f"How {key_of(report)} {layout}".rstrip() + " lies on the disks", text))

    def action_detail(self) -> None:
        """Show all that is known of the highlighted layout."""
        report = self._reports.get(self.table.key)
        if report is None or self._question is None:
            return
        spec = filled(self.tui.draft.spec)
        names, sizes = self._names(spec.members), (*self._question.sizes, *self._question.options.spare_sizes)
        outside = [self._disks[word].size_bytes - size for word, size in zip(spec.disks, sizes, strict=True)]
        more = level_lines.whole(
            report,
            self._names(spec.disks),
            outside,
            pairs_words(report, names),
            reserve=bool(spec.reserve),
        )
        self.app.push_screen(Reader(key_of(report), Content.assemble(self._explanation, *more)))

    def action_what_if(self) -> None:
        """Ask what would change with other disks, spares, rates or times."""
        from raidtui.ui.screens.what_if import WhatIf

        if self._question is None:
            return
        shown = [key for key, report in self._reports.items() if report.refused is None]
        backends = (BUILT, *OTHERS) if self._view.every else (BUILT,)
        self.app.push_screen(WhatIf(self._question, backends, shown, self.table.key), self._keep_inputs)

    def _keep_inputs(self, inputs: "RiskInputs | None") -> None:
        if inputs is not None and self.tui.machine:
            self._view.inputs = inputs
            self.machine_changed(self.tui.machine)

    def action_chunk(self, step: int) -> None:
        """Take a larger or smaller chunk for the levels that have one."""
        spec = self.tui.draft.spec
        sizes = sorted({*CHUNKS, spec.chunk or DEFAULT_CHUNK})
        place = sizes.index(spec.chunk or DEFAULT_CHUNK) + step
        if 0 <= place < len(sizes):
            self._change(chunk=sizes[place])

    def action_layout(self) -> None:
        """Take the next layout of the highlighted level."""
        from raidtui.advice.levels import LEVELS

        report = self._reports.get(self.table.key)
        if report and report.backend is not BUILT:
            self.complain(f"layouts are chosen for mdadm; {key_of(report)} is calculated only")
            return
        if report is None or report.refused is not None or not LEVELS[report.level].has_layout:
            self.complain("this level has no layout to choose")
            return
        spec = self.tui.draft.spec
        layouts = LEVELS[report.level].layouts
        if report.level == "raid10":
            layouts = tuple(word for word in layouts if int(word[1:]) <= len(spec.members))
        now = spec.layout or LEVELS[report.level].default_layout
        following = layouts[(layouts.index(now) + 1) % len(layouts)] if now in layouts else layouts[0]
        self._change(layout=following)

    def action_spares(self, step: int) -> None:
        """Have the last member stand by as a spare, or call the last spare back."""
        spec = self.tui.draft.spec
        if step > 0 and len(spec.members) > 1:
            self._change(members=spec.members[:-1], spares=(spec.members[-1], *spec.spares))
        elif step < 0 and spec.spares:
            self._change(members=(*spec.members, spec.spares[0]), spares=spec.spares[1:])
        else:
            self.complain(
                "there is no spare to call back" if step < 0 else "the last member cannot be a spare"
            )

    def _change(self, **changes: object) -> None:
        self.tui.draft = self.tui.draft.with_spec(**changes)
        self.say("")
        spec = self.tui.draft.spec
        if self.tui.machine:
            if "layout" in changes and spec.level == "raid10":
                self._reports = {}
                self.table.show([])
            self.machine_changed(self.tui.machine)

    def action_next(self) -> None:
        """On to the options, with the highlighted level."""
        from raidtui.advice.levels import LEVELS

        key = self.table.key
        report = self._reports.get(key)
        if report is None:
            return
        if report.backend is not BUILT:
            self.complain(f"raidtui builds mdadm today; {key} is calculated only, to compare")
            return
        if report.refused is not None:
            self.complain(f"{report.level} cannot be made of these disks: {report.refused}")
            return
        self._remember(key)
        level, spec = LEVELS[report.level], self.tui.draft.spec
        self.tui.draft = self.tui.draft.with_spec(
            chunk=spec.chunk if level.has_chunk else None,
            consistency=spec.consistency if spec.consistency in level.consistencies else None,
        )
        self.tui.go("options")


def _rows(disks: int) -> int:
    """Rows of a map: few enough that a chunk's number has two digits, where that is possible."""
    return max(3, min(MAP_ROWS, 99 // disks))
