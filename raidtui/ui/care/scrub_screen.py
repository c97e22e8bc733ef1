"""Scrubs: the last one of each unit, what it found, what starts the next one, and its history."""

from collections.abc import Iterator
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.advice.findings.scrubs import results_of, schedules_of, scrubbed_units
from raidtui.backends.registry import builder
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.history import ScrubResult
from raidtui.model.hours import read_hours
from raidtui.model.machine import Machine
from raidtui.model.procedure import NO_HOURS, ScheduleScrub
from raidtui.model.system import ScrubSchedule
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import rate
from raidtui.model.uuids import same_uuid
from raidtui.ui.bench.curves import curve
from raidtui.ui.care import unit_styles
from raidtui.ui.care.units_list import UnitsList
from raidtui.ui.shell import clock
from raidtui.ui.widgets.bars import percent_bar
from raidtui.ui.widgets.dialog import AskText, Reader
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.procedure import words_of

_MARK: Final = 14  # cells of the bar
_NIGHT: Final = "01:00-06:00"
_CURVE: Final = (60, 6)  # cells and lines of the curve of speed by position
_MOST: Final = 24  # lines of it on a large terminal
_HEADS: Final = 4  # lines around it


class ScrubScreen(UnitsList):
    """One line per unit that a scrub can compare; the explanation is about the highlighted one."""

    COLUMNS = (Column("", _MARK), Column("Unit", 8, share=1), Column("Last scrub", 24, share=3))
    TITLE = "Scrubs"
    HELP = """
    A scrub reads every member whole and compares. It finds sectors that became unreadable while the other members
    can still replace them. It is a check: what differs is counted and not changed.

    NOT SCHEDULED: no timer and no line of cron starts one. m plans the distribution's own timer where it has one,
    otherwise one of raidtui's. n asks for the hours, such as 01:00-06:00: the scrub pauses at their end and
    continues in the next night. n also changes the hours, and removes them with none. TWICE: two schedules start it, and m plans to keep one. UNKNOWN: a file that would say so cannot
    be read, or a RAID card decides by itself.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "history", "History", tooltip="Every recorded scrub, and the speed by position"),
        Binding("m", "schedule", "Schedule", tooltip="Plan a monthly scrub, or keep one of two schedules"),
        Binding(
            "n", "nights", "Nights", tooltip="Plan a scrub in some hours of the night, over several nights"
        ),
        Binding("u", "unit", "Its page", tooltip="The page of the array: start, pause or stop a scrub there"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._units: dict[str, Unit] = {}

    def look(self, machine: Machine) -> None:
        units = scrubbed_units(self.tui.units)
        self._units = {unit.uuid: unit for unit in units}
        self.table.show([_row(unit, machine) for unit in units])
        self.shown_now()

    @property
    def _unit(self) -> Unit | None:
        return self._units.get(self.table.key)

    def explain_row(self) -> None:
        unit, machine = self._unit, self.tui.machine
        if machine is None:
            return
        if unit is None:
            self.explain(Content("No unit here has copies or parity that a scrub could compare."))
            return
        self.explain(Content("\n".join(_about(unit, machine, no_plan=self._why_no_schedule))))

    def beneath(self, room: int) -> Content:
        """What earlier scrubs found, and the speed of the last."""
        unit, machine = self._unit, self.tui.machine
        if unit is None or machine is None:
            return Content("")
        head = Content.assemble((f"Scrubs of {unit_styles.called(unit)}", "bold $text-primary"))
        known = list(_history(unit, machine))[: max(1, room - _CURVE[1] - _HEADS)]
        height = min(_MOST, room - len(known) - _HEADS)
        drawn = _speed(unit, machine, width=self.list_width - _HEADS, height=height)
        return Content("\n").join([head, *map(Content, (*known, *drawn))])

    # The keys.

    def allowed(self) -> dict[str, bool]:
        return {
            "history": self._unit is not None,
            "unit": self._unit is not None,
            "schedule": self._lacking is not None,
            "nights": self._keeps_hours,
        }

    def is_idle(self, action: str) -> bool:
        return action in {"schedule", "nights"} and bool(self._why_no_schedule)

    @property
    def _why_no_schedule(self) -> str:
        """Why no schedule can be planned on this computer; empty if one can."""
        from raidtui.plan.scrub_schedule import why_no_timer

        machine, unit = self.tui.machine, self._unit
        if machine is None or machine.system.systemd:
            return ""
        return why_no_timer(harmless(unit.shown) if unit is not None else "UNIT")

    @property
    def _schedules(self) -> tuple[ScrubSchedule, ...] | None:
        """What scrubs the highlighted unit; None: there is none, or it is not known."""
        unit, machine = self._unit, self.tui.machine
        return schedules_of(unit, machine) if unit is not None and machine is not None else None

    @property
    def _lacking(self) -> ScheduleScrub | None:
        """What m plans for the highlighted unit; None if it is scheduled once, or that is not known."""
        unit, found = self._unit, self._schedules
        if unit is None or found is None or len(found) == 1:
            return None
        return ScheduleScrub(unit=unit.uuid, how="one" if found else "monthly")

    @property
    def _keeps_hours(self) -> bool:
        """Whether n can plan hours: at most one timer scrubs the highlighted unit, and a scrub can be continued.

        A file of cron belongs to a package; what it starts cannot be replaced by a plan.
        """
        unit, found = self._unit, self._schedules
        if unit is None or found is None or builder(unit.backend).nights is None:
            return False
        return not found or (len(found) == 1 and found[0].by.endswith(".timer"))

    def action_nights(self) -> None:
        unit = self._unit
        if unit is None:
            return
        if why := self._why_no_schedule:
            self.complain(why)
            return
        uuid = unit.uuid
        old = next((one.hours.shown for one in self._schedules or () if one.hours is not None), "")

        def plan(hours: str) -> None:
            try:
                if hours != NO_HOURS:
                    read_hours(hours, what="the time")
            except BadInput as error:
                self.complain(str(error))
                return
            self.tui.go("procedure", **words_of(ScheduleScrub(unit=uuid, how="monthly", hours=hours)))

        title = f"Scrub {unit_styles.called(unit)} at night"
        text = f"Every month, only in these hours{f' ({NO_HOURS}: at any time)' if old else ''}:"
        self.ask_for(AskText(title, text, old or _NIGHT, does="shows the plan"), plan)

    def action_schedule(self) -> None:
        if why := self._why_no_schedule:
            self.complain(why)
        elif (order := self._lacking) is not None:
            self.tui.go("procedure", **words_of(order))

    def action_unit(self) -> None:
        if self._unit is not None:
            self.tui.go("unit", unit=self._unit.uuid)

    def action_history(self) -> None:
        unit, machine = self._unit, self.tui.machine
        if unit is not None and machine is not None:
            drawn = _speed(unit, machine, width=_CURVE[0], height=_CURVE[1])
            text = Content("\n".join((*_history(unit, machine), *drawn)))
            self.app.push_screen(Reader(f"Scrubs of {unit_styles.called(unit)}", text))


def _row(unit: Unit, machine: Machine) -> Row:
    from raidtui.advice.scrub_words import last_words

    schedules = schedules_of(unit, machine)
    doing = unit.activity
    style = ""
    if doing is not None and doing.is_scrub:
        mark = percent_bar(doing.fraction, _MARK - 1)
    elif schedules is None:
        mark, style = "UNKNOWN", "$text-muted"
    elif len(schedules) == 1:
        mark, style = "scheduled", "$text-success"
    else:
        mark, style = ("TWICE", "$text-warning") if schedules else ("NOT SCHEDULED", "$text-warning")
    results = None if machine.history is None else results_of(unit, machine)
    last = last_words(results, unit.scrubbed, shown=clock.local)
    worse = "$text-warning" if (results and results[-1].found) or unit.scrub_found else ""
    return Row(unit.uuid, (mark, harmless(unit.shown), harmless(last)), (style, "bold", worse))


def _about(unit: Unit, machine: Machine, *, no_plan: str) -> Iterator[str]:
    """What is known of the scrubs of a unit, a paragraph each; ``no_plan``: why no schedule can be planned here."""
    from raidtui.advice.mismatch_places import where_words
    from raidtui.advice.scrub_words import last_words, next_words, now_words

    doing = unit.activity
    yield harmless(f"{unit_styles.called(unit)}: {unit.state}")
    if doing is not None and doing.is_scrub:
        yield harmless(f"Now: {now_words(doing)}")
    results = None if machine.history is None else results_of(unit, machine)
    yield harmless(f"Last: {last_words(results, unit.scrubbed, shown=clock.local)}")
    schedules = schedules_of(unit, machine)
    lacks = f"; {no_plan or 'm plans one'}" if schedules == () else ""
    yield harmless(f"Next: {next_words(schedules)}{lacks}")
    if results and (where := where_words(results[-1])):
        yield f"Where: {where}"
    if results and results[-1].means:
        yield harmless(results[-1].means)


def _history(unit: Unit, machine: Machine) -> Iterator[str]:
    if machine.history is None:
        yield "The records cannot be read, so it is not known what earlier scrubs found."
        return
    results = results_of(unit, machine)
    if not results:
        yield "No scrub is recorded."
    yield from (_line(one) for one in reversed(results))


def _line(one: ScrubResult) -> str:
    from raidtui.advice.mismatch_places import where_words
    from raidtui.advice.scrub_words import result_words

    where = f", {where_words(one)}" if one.where else ""
    begun = f", begun {clock.local(one.begun)}" if one.begun else ""
    return harmless(f"{clock.local(one.at)}  {result_words(one.words)}{where}{begun}")


def _speed(unit: Unit, machine: Machine, *, width: int, height: int) -> Iterator[str]:
    """The speed of the last run by position, as a curve from its first place to its last."""
    syncs = machine.history.syncs if machine.history is not None else ()
    runs = [run for run in syncs if same_uuid(run.subject, unit.uuid) and run.points]
    if not runs:
        return
    run = runs[-1]
    rates = [one for _, one in run.points]
    first, last = (run.points[place][0] / 1000 for place in (0, -1))
    yield ""
    yield harmless(
        f"Speed of the {run.what} of {clock.local(run.at)}, from {in_percent(first)} to {in_percent(last)}:"
    )
    yield f"{rate(max(rates))} at most, {rate(min(rates))} at least"
    yield from curve([float(one) for one in rates], width=width, height=height)
