"""One unit: its state, its members, and what to do, with the commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.text import fold, harmless
from raidtui.model.unit import Health, Unit
from raidtui.plan.replace import find_order
from raidtui.ui.care import unit_styles
from raidtui.ui.care.finding_lines import commands_of, finding_lines, page_lines
from raidtui.ui.care.overview_disks import disk_lines
from raidtui.ui.care.suggestion import findings_of, key_of
from raidtui.ui.care.unit_control import UnitControl
from raidtui.ui.care.unit_disks import choose_and_find, findable
from raidtui.ui.care.unit_offers import can_grow, can_replace, candidates, replaceable
from raidtui.ui.care.unit_panel import unit_detail
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import later
from raidtui.ui.widgets.chooser import Chooser
from raidtui.ui.wizard.procedure import words_of

if TYPE_CHECKING:
    from raidtui.model.finding import Finding

UNIT_SECONDS = 1.0  # between checks whether the poll interval of units has passed
DANGER = "Write nothing to its disks, and do not create it again: its data may still be there."


class UnitScreen(UnitControl):
    """Shows a unit; it updates by itself."""

    TITLE = "Unit"
    HELP = explained.for_screen(explained.UNIT)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "y", "copy", "Copy commands", tooltip="Copy the commands to the terminal's clipboard (OSC 52)"
        ),
        Binding("r", "care", "Care", tooltip="What is wrong with it, and what to do"),
        Binding(
            "n", "replace", "New disk", tooltip="Replace one of its disks: choose the new one, see the plan"
        ),
        Binding("g", "grow", "Grow", tooltip="What it can become with more or larger disks"),
        Binding("l", "locate", "Find", tooltip="Make the light of one of its disks blink"),
        Binding("s", "orders", "Scrub", tooltip="Scrub, or pause, stop or slow down what runs"),
        Binding("d", "visit('disks')", "Disks", tooltip="The disks: free, or in use and by what"),
        Binding("t", "remove", "Remove", tooltip="Show how it is removed, with everything on it"),
        Binding("up", "scroll(-1)", "Scroll", key_display="↑↓", show=False, tooltip="Scroll"),
        Binding("down", "scroll(1)", "Down", show=False),
    ]
    CSS_PATH = "unit.tcss"

    def __init__(self, unit: str = "") -> None:
        """``unit``: its UUID."""
        super().__init__()
        self._uuid = unit

    def body(self) -> ComposeResult:
        with VerticalScroll(id="all", can_focus=False):
            yield Static("Reading this computer...", id="unit")
            yield Static(id="care")

    def on_mount(self) -> None:
        later(self, self._show)
        self.set_interval(UNIT_SECONDS, lambda: self.tui.look_at_units())

    @property
    def _unit(self) -> Unit | None:
        return next((one for one in self.tui.units if one.uuid == self._uuid), None)

    def offered(self) -> tuple[Unit, ...]:
        unit = self._unit
        return (unit,) if unit is not None else ()

    def machine_changed(self, machine: Machine) -> None:
        self._show()

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        self.follow_controls()
        self._show()

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        unit, machine = self._unit, self.tui.machine
        self.offer_keys()
        if unit is None:
            if machine is not None:
                self.put("#unit", Content("It is not there any more. Esc goes back."))
            return
        self.head(f"{unit_styles.called(unit)}: {harmless(unit.health)}")
        width = self.size.width // min(2, self.panes) - 4
        lines = about_lines(unit, self.tui.units, machine, width=width)
        care = finding_lines(self._findings, unit, width=width) if machine is not None else []
        if self.panes > 1 and machine is not None:
            lines += [Content(""), disk_lines(machine, width=width)]
            care += [
                one for found in self._findings for one in (Content(""), *page_lines(found, width=width))
            ]
        self.put("#unit", Content("\n").join(lines))
        self.put("#care", Content("\n").join(care))

    # The keys.

    def allowed(self) -> dict[str, bool]:
        unit = self._unit
        known = unit if self.tui.machine is not None else None
        return {
            "copy": bool(self._commands),
            "orders": bool(self.offers()),
            "replace": known is not None and can_replace(known),
            "locate": known is not None and bool(findable(known)),
            "grow": known is not None and can_grow(known),
            "remove": unit is not None,
        }

    @property
    def _findings(self) -> "tuple[Finding, ...]":
        unit, machine = self._unit, self.tui.machine
        return _found(unit, self.tui.units, machine) if unit is not None and machine is not None else ()

    @property
    def _commands(self) -> list[str]:
        return [command for one in self._findings for command in commands_of(one, *one.remedies)]

    def action_copy(self) -> None:
        self.copy("\n".join(map(harmless, self._commands)) + "\n")

    def action_care(self) -> None:
        found = self._findings
        self.tui.go("care", **({"at": key_of(found[0], 0)} if found else {}))

    def action_replace(self) -> None:
        """Choose the disk to replace, then the new one; then go to the plan."""
        unit, machine = self._unit, self.tui.machine
        if unit is None or machine is None:
            return
        olds = replaceable(unit)

        def old_chosen(shown: str) -> None:
            word = olds[shown][0]
            try:
                news = candidates(word, machine, self.tui.units)
            except RaidtuiError as error:
                self.complain(str(error))
                return
            if not news:
                self.complain("no disk is free here: connect one, or free one (d shows the disks)")
                return

            def new_chosen(new: str) -> None:
                order = find_order(word, news[new][0], machine, self.tui.units)
                self.tui.go("procedure", **words_of(order))

            offers = [(new, why) for new, (_, why) in news.items()]
            question = f"Which disk takes the place of {shown}?"
            self.ask_for(Chooser(question, offers, column="Disk"), new_chosen)

        if len(olds) == 1 and unit.health is Health.DEGRADED:
            old_chosen(next(iter(olds)))
        else:
            offers = [(shown, why) for shown, (_, why) in olds.items()]
            self.ask_for(Chooser("Which disk is replaced?", offers, column="Disk"), old_chosen)

    def action_grow(self) -> None:
        self.tui.go("grow", unit=self._uuid)

    def action_locate(self) -> None:
        if self._unit is not None:
            choose_and_find(self, self._unit)

    def action_remove(self) -> None:
        self.tui.go("teardown", array=self._uuid)

    def action_scroll(self, lines: int) -> None:
        self.query_one("#all").scroll_relative(y=lines, animate=False)


def unit_lines(unit: Unit, units: Sequence[Unit], machine: Machine | None, *, width: int) -> list[Content]:
    """What a person needs to know about ``unit``: what it is, what to do with the commands, its members."""
    lines = about_lines(unit, units, machine, width=width)
    if machine is None:
        return lines
    return [*lines, Content(""), *finding_lines(_found(unit, units, machine), unit, width=width)]


def about_lines(unit: Unit, units: Sequence[Unit], machine: Machine | None, *, width: int) -> list[Content]:
    """What ``unit`` is, its state and its members; a warning first if its data is in danger."""
    lines = unit_detail(unit, units, machine, width=width)
    if unit.health is Health.FAILED:
        lines[2:2] = [Content.assemble((line, unit_styles.BAD)) for line in fold(DANGER, width)]
    return lines


def _found(unit: Unit, units: Sequence[Unit], machine: Machine) -> "tuple[Finding, ...]":
    from raidtui.plan.asked import with_asked

    # Of all units: one disk may replace those of several.
    return with_asked([one for one in findings_of(units, machine) if one.unit == unit.uuid], machine)
