"""Health: every disk with a verdict, its temperature and its worst value, and what became of them."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.advice.disk_health import Verdict, health_of, history_lines
from raidtui.model.machine import Machine
from raidtui.model.text import count_of, harmless
from raidtui.ui.care import health_words
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.widgets.dialog import Reader
from raidtui.ui.widgets.rows import Rows

if TYPE_CHECKING:
    from raidtui.advice.disk_health import DiskHealth
    from raidtui.model.history import SmartRow


class HealthScreen(ListPage):
    """One line a disk."""

    READY_AT_ONCE = False
    COLUMNS = health_words.COLUMNS
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
        self._disks = {health_words.key_of(one): one for one in found}
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
        self.table.show([health_words.row(one) for one in sorted(found, key=health_words.rank)])
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
            self.explain(health_words.details(chosen, self._to_do(chosen)))
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

    def _to_do(self, chosen: "DiskHealth") -> tuple[str, ...]:
        """What to do about a disk that needs attention."""
        from raidtui.advice.worsening_disks import to_do

        disks = self.tui.machine.disks if self.tui.machine is not None else ()
        disk = next((one for one in disks if one.path == chosen.path and one.identity), None)
        if disk is None or chosen.verdict not in {Verdict.REPLACE, Verdict.WATCH}:
            return ()
        return to_do(disk, chosen.trends if chosen.verdict is Verdict.WATCH else (), self.tui.units)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "history" and self.is_mounted:
            return self.table.key in self._disks
        return super().check_action(action, parameters)

    def action_history(self) -> None:
        chosen = self._disks.get(self.table.key)
        if chosen is not None:
            self.order(lambda: self.world.smart_rows(chosen.disk), lambda rows: self._show(chosen, rows))

    def _show(self, chosen: "DiskHealth", rows: "tuple[SmartRow, ...] | None") -> None:
        title, *lines = history_lines(chosen if rows is None else replace(chosen, rows=rows))
        self.app.push_screen(Reader(harmless(title), Content("\n".join(map(harmless, lines)))))
