"""Health: every disk with a verdict, its temperature and its worst value, and what became of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.advice.disk_health import DiskHealth, Verdict, health_of, history_lines, long_test_words
from raidtui.model.machine import Machine
from raidtui.model.text import count_of, harmless
from raidtui.model.units import age_words
from raidtui.ui.bench.curves import squeezed
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.widgets.dialog import Reader
from raidtui.ui.widgets.rows import Column, Row, Rows

if TYPE_CHECKING:
    from raidtui.model.history import SmartRow

STYLES: Final = {
    Verdict.OK: "$text-success",
    Verdict.WATCH: "bold $text-warning",
    Verdict.REPLACE: "bold $text-error",
    Verdict.UNKNOWN: "$text-muted",
}
_ORDER: Final = (Verdict.REPLACE, Verdict.WATCH)
_SPARK: Final = 10  # cells
_OF_ALL: Final = "SMART overall health: "  # what the verdict says already
_RAMP: Final = "_.-=+*#"  # from the lowest value to the highest

_COLUMNS: Final = (
    Column("Verdict", 8),
    Column("Disk", 5),
    Column("Serial", 9, share=1, keep_end=True),
    Column("Age", 5, right=True),
    Column("°C", 3, right=True),
    Column("", _SPARK),
    Column("Worst value", 15, share=3),
    Column("", _SPARK),
)


def row(one: DiskHealth) -> Row:
    """A line for a disk: the verdict first, what became of its temperature and worst value drawn beside them."""
    smart = one.smart
    warmth = smart.temperature_celsius if smart is not None else None
    cells = (
        one.verdict.value,
        one.path.removeprefix("/dev/"),
        harmless(one.disk) or "no serial",
        age_words(smart.power_on_hours if smart is not None else None) or "-",
        "-" if warmth is None else str(warmth),
        spark([row.temperature_celsius for row in one.rows]),
        _worst(one),
        spark([getattr(row, one.worst) for row in one.rows]) if one.worst else "",
    )
    return Row(key_of(one), cells, (STYLES[one.verdict], *("",) * (len(cells) - 1)))


def _worst(one: DiskHealth) -> str:
    if one.verdict is Verdict.UNKNOWN:
        return one.words or "-"
    return one.words.partition(" (")[0] or harmless(one.why).removeprefix(_OF_ALL) or "no errors"


def rank(one: DiskHealth) -> int:
    """A key to sort by: what needs attention must not be out of sight."""
    return _ORDER.index(one.verdict) if one.verdict in _ORDER else len(_ORDER)


def key_of(one: DiskHealth) -> str:
    return one.path or one.disk


def spark(values: Sequence[int | None]) -> str:
    """A curve in one line, from the lowest value to the highest; empty for fewer than two values, or if all are equal.

    Its marks are ASCII, which every console font has; block elements of eight heights are in few of them.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2 or min(known) == max(known):
        return ""
    low, span = min(known), max(known) - min(known)
    return "".join(_RAMP[round((value - low) / span * (len(_RAMP) - 1))] for value in squeezed(known, _SPARK))


def details(one: DiskHealth, to_do: Sequence[str] = ()) -> Content:
    """What is known of the highlighted disk, and what to do about it."""
    at = f", {harmless(one.place)}" if one.place else ""
    parts = [
        Content.assemble(
            (f"{one.verdict.value} ", STYLES[one.verdict]),
            (f"{harmless(one.disk) or 'no serial'} ", "bold"),
            f"({one.path.removeprefix('/dev/')}, {harmless(one.model) or 'unknown model'}{at})",
        )
    ]
    if one.why:
        parts.append(Content(harmless(one.why)))
    parts += [Content(f"To do: {text}") for text in to_do]
    if tested := long_test_words(one.smart):
        parts.append(Content(f"Last long self-test: {tested}"))
    days = len(one.rows)
    parts.append(
        Content.styled(
            f"{days} days recorded, since {one.rows[0].day}"
            if days > 1
            else "No history yet: a row is recorded each day by the timer of 'raidtui alerts'",
            "$text-muted",
        )
    )
    return Content("\n").join(parts)


class HealthScreen(ListPage):
    """One line a disk."""

    READY_AT_ONCE = False
    COLUMNS = _COLUMNS
    TITLE = "Health"
    HELP = """
    REPLACE: the disk says that it fails, or has sectors that it cannot read. WATCH: a count of errors grew on several
    days of the last month. A count that has stood still for long needs no action. UNKNOWN: it reports nothing, is
    asleep, or could not be read; that is not the same as well.

    The curves go from the lowest value recorded to the highest. A row a day is kept for each disk, later one a week
    and one a month, once the timer of alerts is set up. Enter shows them.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "history", "History", tooltip="Show every value that was recorded of the disk"),
    ]
    CSS_PATH = "health.tcss"

    def __init__(self) -> None:
        super().__init__()
        self._disks: dict[str, DiskHealth] = {}

    def machine_changed(self, machine: Machine) -> None:
        found = health_of(machine)
        self._disks = {key_of(one): one for one in found}
        bad = [one for one in found if one.verdict in {Verdict.REPLACE, Verdict.WATCH}]
        unknown = sum(one.verdict is Verdict.UNKNOWN for one in found)
        if bad:
            words = (
                f"{count_of(bad, 'disk')} of {len(found)} {'needs' if len(bad) == 1 else 'need'} attention"
            )
        elif unknown == len(found):
            words = f"nothing is known of {count_of(found, 'disk')}"
        elif unknown:
            words = f"{len(found) - unknown} of {count_of(found, 'disk')} well, of {unknown} nothing is known"
        else:
            words = f"all {count_of(found, 'disk')} well"
        self.head(f"Health: {words}")
        self.table.show([row(one) for one in sorted(found, key=rank)])
        if not self.ready:
            self.ready = True
            self.table.focus_list()
        self._explain()

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        self._explain()

    def _explain(self) -> None:
        chosen = self._disks.get(self.table.key)
        if chosen is not None:
            self.explain(details(chosen, self._to_do(chosen)))
        else:
            self.explain(Content("No disks."))
        self.refresh_bindings()

    def beneath(self, room: int) -> Content:
        """What is recorded of the highlighted disk."""
        chosen = self._disks.get(self.table.key)
        if chosen is None or not chosen.rows:
            return Content("")
        title, *lines = map(harmless, history_lines(chosen))
        head = Content.assemble((title, "bold $text-primary"))
        above = len(lines) - len(chosen.rows)
        latest = lines[above:][-max(1, room - 1 - above) :]
        return Content("\n").join([head, *map(Content, (*lines[:above], *latest))])

    def _to_do(self, chosen: DiskHealth) -> tuple[str, ...]:
        """What to do about a disk that needs attention."""
        from raidtui.advice.findings.worsening_disks import to_do

        disks = self.tui.machine.disks if self.tui.machine is not None else ()
        disk = next((one for one in disks if one.path == chosen.path and one.identity), None)
        if disk is None or chosen.verdict not in {Verdict.REPLACE, Verdict.WATCH}:
            return ()
        return to_do(disk, chosen.trends if chosen.verdict is Verdict.WATCH else (), self.tui.units)

    def allowed(self) -> dict[str, bool]:
        return {"history": self.table.key in self._disks}

    def action_history(self) -> None:
        chosen = self._disks.get(self.table.key)
        if chosen is not None:
            self.order(lambda: self.world.smart_rows(chosen.disk), lambda rows: self._show(chosen, rows))

    def _show(self, chosen: DiskHealth, rows: "tuple[SmartRow, ...] | None") -> None:
        title, *lines = history_lines(chosen if rows is None else replace(chosen, rows=rows))
        self.app.push_screen(Reader(harmless(title), Content("\n".join(map(harmless, lines)))))
