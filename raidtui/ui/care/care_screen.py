"""Care: what is wrong on this computer, most urgent first, which disk it is, and what to do."""

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.advice.findings.pages import PAGES, cost_of, data_of, paragraphs
from raidtui.advice.redundancy import failures_survived, is_redundant_level
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover, is_choice
from raidtui.model.text import count_of, fold, harmless, spelled
from raidtui.model.unit import Health, Unit
from raidtui.ui.care import unit_styles
from raidtui.ui.care.suggestion import findings_of, key_of
from raidtui.ui.care.unit_disks import choose_and_find, findable
from raidtui.ui.care.units_list import UnitsList
from raidtui.ui.shell import clock, explained
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.widgets.dialog import Question
from raidtui.ui.widgets.rows import Column, Row, Rows
from raidtui.ui.wizard.procedure import words_of

if TYPE_CHECKING:
    from raidtui.model.finding import Finding, Remedy

_MARK: Final = 10  # cells of " DEGRADED "
_AROUND: Final = 4  # cells: margins and scrollbar


class CareScreen(UnitsList):
    """The cursor is on a thing to do; the explanation is about its finding."""

    COLUMNS = (Column("", _MARK), Column("", 40, share=1))
    TITLE = "Care"
    HELP = explained.for_screen(explained.CARE)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "plan", "See the plan", tooltip="Show the plan; it writes nothing"),
        Binding(
            "enter", "trial", "Look for its files", tooltip="Try on overlays how its members belong together"
        ),
        Binding("enter", "unit", "Its page", tooltip="The page of the array: its members, scrub, removal"),
        Binding("l", "locate", "Find the disk", tooltip="Make the light of a disk blink"),
        Binding(
            "y", "copy", "Copy commands", tooltip="Copy the commands to the terminal's clipboard (OSC 52)"
        ),
        Binding("u", "unit", "Its page", tooltip="The page of the array: its members, scrub, removal"),
    ]

    def __init__(self, at: str = "") -> None:
        """``at``: the thing to do to begin with, as `key_of` names it."""
        super().__init__()
        self._at = at  # the row to be on until the user moves
        self._moved = False
        self._findings: dict[str, tuple[Finding, Remedy | None]] = {}  # by the key of each row

    @property
    def explained(self) -> str:
        chosen = self._chosen
        if chosen is None:
            return super().explained

        finding = chosen[0]
        page = (f"{title}: {text}" for title, text in paragraphs(finding))
        return "\n\n".join((harmless(data_of(finding)), harmless(finding.what), *page))

    def look(self, machine: Machine) -> None:
        from raidtui.plan.asked import with_asked

        units = self.tui.units
        findings = with_asked(findings_of(units, machine), machine)
        self._findings = {
            key_of(finding, number): (finding, remedy)
            for finding in findings
            for number, remedy in enumerate(finding.remedies or (None,))
        }
        if findings:
            order = ", the most urgent first" if len(findings) > 1 else ""
            self.head(f"Care: {count_of(findings, 'finding')}{order}")
            rows = [row for finding in findings for row in _rows(finding)]
        else:
            from raidtui.advice.diagnosis import calm

            words = calm(units, machine)
            self.head(f"{words[:1].upper()}{words[1:]}")
            rows = [_calm_row(unit) for unit in units]
        keys = [row.key for row in rows if not row.rule]
        self.table.show(
            rows, highlight="" if self._moved else self._at if self._at in keys else next(iter(keys), "")
        )
        self.shown_now(alone=not findings)

    @property
    def _chosen(self) -> "tuple[Finding, Remedy | None] | None":
        return self._findings.get(self.table.key)

    @property
    def _unit(self) -> Unit | None:
        """The unit that the highlighted row is about."""
        chosen = self._chosen
        uuid = chosen[0].unit if chosen is not None else self.table.key
        return next((one for one in self.tui.units if uuid and one.uuid == uuid), None)

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        self._moved = self._moved or message.by_hand

    def explain_row(self) -> None:
        from raidtui.ui.care.finding_lines import chosen_lines, page_lines

        width = self.detail_width - _AROUND
        chosen, machine = self._chosen, self.tui.machine
        if chosen is not None:
            lines = chosen_lines(*chosen, width=width)
            if self.is_wide:
                lines += [Content(""), *page_lines(chosen[0], width=width)]
            self.explain(Content("\n").join(lines))
        elif machine is not None:
            when = clock.local(machine.read_at) if machine.read_at else ""
            said = [f"Looked at {harmless(when)}."] if when else []
            if (unit := self._unit) is not None:
                said += [f"{unit_styles.called(unit)}: {harmless(unit.scrubbed or 'no scrub is recorded')}."]
            if not self.tui.units:
                said.append("There is no array, pool or volume group here. n on the Overview plans one.")
            said += [f"UNKNOWN {harmless(problem.text)}" for problem in machine.problems]
            self.explain(Content("\n".join(part for line in said for part in fold(line, width))))

    def beneath(self, room: int) -> Content:
        """The unit with its members, and all disks."""
        from raidtui.ui.care.overview_disks import unit_page

        remedy = self._chosen[1] if self._chosen is not None else None
        order = None if remedy is None or remedy.is_trial else remedy.procedure
        plan = self.plan_ahead(order)
        return unit_page(
            self._unit, self.tui.units, self.tui.machine, plan, width=self.beneath_width, room=room
        )

    # The keys.

    def allowed(self) -> dict[str, bool]:
        unit, chosen = self._unit, self._chosen
        remedy = chosen[1] if chosen is not None else None
        return {
            "plan": remedy is not None and remedy.procedure is not None and not remedy.is_trial,
            "trial": remedy is not None and remedy.is_trial,
            "copy": bool(self._commands),
            "locate": unit is not None and chosen is not None and bool(findable(unit)),
            "unit": unit is not None,
        }

    @property
    def _commands(self) -> list[str]:
        from raidtui.ui.care.finding_lines import commands_of

        finding, remedy = self._chosen or (None, None)
        return commands_of(finding, remedy) if finding is not None and remedy is not None else []

    def action_plan(self) -> None:
        """Show the plan of what is highlighted; where a person must choose it, say first what it costs."""
        finding, remedy = self._chosen or (None, None)
        if finding is None or remedy is None or remedy.procedure is None:
            return
        about = words_of(remedy.procedure)
        if not is_choice(remedy.procedure):
            self._go_to_plan(about)
            return

        what = f"{remedy.text[:1].upper()}{remedy.text[1:]}."
        text = "\n\n".join(map(harmless, (what, *cost_of(finding, remedy))))
        question = Question("This is your choice", text, yes="Show the plan")
        self.ask_for(question, lambda _: self._go_to_plan(about))

    def action_trial(self) -> None:
        finding, remedy = self._chosen or (None, None)
        if finding is not None and remedy is not None and isinstance(remedy.procedure, Recover):
            self.tui.remember(at=self.table.key)
            self.tui.go("recover", **words_of(remedy.procedure), called=finding.name_of(remedy.procedure))

    def _go_to_plan(self, about: dict[str, str]) -> None:
        self.tui.remember(at=self.table.key)
        self.tui.go("procedure", **about)

    def action_copy(self) -> None:
        self.copy("\n".join(map(harmless, self._commands)) + "\n")

    def action_locate(self) -> None:
        if self._unit is not None:
            choose_and_find(self, self._unit)

    def action_unit(self) -> None:
        if self._unit is not None:
            self.tui.remember(at=self.table.key)
            self.tui.go("unit", unit=self._unit.uuid)


def _rows(finding: "Finding") -> list[Row]:
    """A line that says whether the data is safe, then one for each thing to do."""
    from raidtui.ui.care.finding_lines import style_of

    urgency, style = PAGES[finding.kind].urgency, style_of(finding)
    head = (f" {urgency.name}".ljust(_MARK), harmless(data_of(finding)))
    styles = (f"reverse {style or 'bold'}", style or "bold")
    if not finding.remedies:
        return [Row(key_of(finding, 0), head, styles)]
    rows = [Row(key_of(finding, -1), head, styles, rule=True)]
    for number, one in enumerate(finding.remedies):
        how = "by hand" if one.procedure is None else "choice" if is_choice(one.procedure) else "Enter"
        rows.append(
            Row(
                key_of(finding, number),
                (f"{how:>{_MARK - 1}} ", harmless(f"{number + 1} {one.text}")),
                ("$text-accent" if how == "Enter" else "$text-muted", ""),
                wrap=True,
            )
        )
    return rows


def _calm_row(unit: Unit) -> Row:
    words = (
        f"{unit.shown}: {spelled(unit.level)}, {unit.state}" if unit.level else f"{unit.shown}: {unit.state}"
    )
    if is_redundant_level(unit) and unit.health in {Health.OK, Health.SYNCING}:
        words += f"; survives {failures_survived(unit)}"
    style = unit_styles.style_of(unit)
    return Row(
        unit.uuid,
        (f" {unit_styles.MARKS[unit.health]}".ljust(_MARK), harmless(words)),
        (f"reverse {style or 'bold'}", ""),
        wrap=True,
    )
