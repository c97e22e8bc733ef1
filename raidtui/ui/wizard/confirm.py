"""Confirm: name each disk to be erased by the end of its serial number."""

from collections.abc import Sequence
from time import monotonic
from typing import ClassVar, Final

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import PlannedDisk
from raidtui.model.text import harmless
from raidtui.model.units import decimal
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.shell.starting import start_job
from raidtui.ui.shell.whose import called
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.dialog import Push
from raidtui.ui.widgets.field import Field
from raidtui.ui.widgets.rail import BUILD, CARE, REMOVAL, SWEEP
from raidtui.ui.wizard.danger import erases, shared_in
from raidtui.ui.wizard.naming import (
    Named,
    expected_endings,
    kind_of_name,
    lost_on,
    names,
    no_match,
    whole_name,
)
from raidtui.ui.wizard.procedure import procedure_of
from raidtui.ui.wizard.wanted import Purpose, Wanted, step_lines, wanted_for

_LISTED: Final = 0.6  # of a wide page, for the disks (confirm.tcss)
_AROUND: Final = 3  # lines of the page: the buttons, and one above and below the disks
_MARGINS: Final = 4  # cells: margins and scrollbar
_ABOVE: Final = 2  # the disks that nothing is erased on


class ConfirmScreen(Page):
    """The first serial number has the focus. The erase button is enabled when every disk is named."""

    CSS_PATH = ["confirm.tcss", "../widgets/buttons.tcss"]  # noqa: RUF012
    STEP = "confirm"
    AUTO_FOCUS = ""
    TYPES = True
    READY_AT_ONCE = False
    TITLE = "Confirm"
    HELP = explained.for_screen(explained.CONFIRM)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Field", key_display="↑↓", tooltip="The field above or below"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("left,right", "other_button", "Other button", show=False),
        Binding("escape", "leave", "Back", tooltip="Go back; nothing has been written"),
    ]

    def __init__(
        self,
        sweep: str = "",
        teardown: str = "",
        quick: str = "",
        order: str = "",
    ) -> None:
        """Confirm the draft's array, or the study ``sweep``, reduced if ``quick``, or the removal of ``teardown``.

        Or the procedure ``order``, see `raidtui.ui.wizard.procedure.procedure_of`.
        """
        super().__init__()
        procedure = procedure_of(order) if order else None
        self._purpose = Purpose(sweep=sweep, quick=bool(quick), teardown=teardown, procedure=procedure)
        self._wanted: Wanted | None = None
        self._machine: Machine | None = None
        self._others: Machine | None = None  # with the disks that nothing is erased on
        self._endings: list[str] = []
        self._every: Sequence[Named] = ()  # the disks among which a name must be that of one
        self._named: list[bool] = []  # for each disk, whether its serial number was right at the last check
        self._done_with: set[int] = set()  # fields that were left, or in which Enter was pressed
        self._started = False

    @property
    def steps(self) -> Sequence[str]:
        purpose = self._purpose
        if purpose.procedure is not None:
            return CARE
        return REMOVAL if purpose.teardown else SWEEP if purpose.sweep else BUILD

    def body(self) -> ComposeResult:
        yield Static(self._how, id="how")
        yield Static(id="then")  # on a wide terminal
        with VerticalScroll(id="disks", can_focus=False):
            yield Static("Reading the disks...", id="reading")
        with Horizontal(classes="buttons"):
            yield Push("Cancel", id="cancel")
            yield Push(self._order_word, id="erase", disabled=True)
            yield Static(id="count")
        yield Static(id="untouched")  # on a large terminal

    @property
    def _how(self) -> Content:
        if self.world.access is Access.RECORDED:
            return Content.assemble(("A recording: nothing can be erased or started here.", "$text-warning"))
        return Content("Type the end of each disk's serial number to confirm.")

    @property
    def _order_word(self) -> str:
        purpose = self._purpose
        if purpose.procedure is not None:
            return "Erase and start"
        return f"Erase and {'measure' if purpose.sweep else 'remove' if purpose.teardown else 'build'}"

    def machine_changed(self, machine: Machine) -> None:
        if not self._started:
            self.work_out(
                lambda: wanted_for(self._purpose, machine, self.tui.draft, self.world),
                lambda wanted: self._seen(wanted, machine),
                self._refused,
            )

    def takes_unseen(self, key: str) -> bool:
        """Serial numbers, which are typed deliberately, but not the button."""
        return not isinstance(self.focused, Push)

    def _refused(self) -> None:
        """Disable the erase button; the error is already shown."""
        self._wanted = None
        self._judge()
        if self.focused is None:
            self.set_focus(self.query_one("#cancel"))

    def _seen(self, wanted: Wanted, machine: Machine) -> None:
        if self._started:
            return
        if self._machine is None:
            self._wanted, self._machine = wanted, machine
            self._ask(wanted, machine)
        elif self._wanted is not None and wanted.mark == self._wanted.mark:
            self._machine = machine
        elif self._wanted is not None:
            self.complain("the disks changed while you were here: press Esc and look at the plan again")
            self._refused()

    def _ask(self, wanted: Wanted, machine: Machine) -> None:
        if not wanted.disks:
            self._ask_for_a_yes(wanted)
            return
        self._every = (*wanted.disks, *machine.disks)
        self._endings = expected_endings(wanted.disks, machine)
        self._named = [False] * len(wanted.disks)
        disks = [machine.disk(planned.identity) for planned in wanted.disks]
        shared = shared_in(wanted.disks)
        lost = erases(disks, also=wanted.also, former=wanted.former, shared=shared)
        self.head(f"On {called(self.world)}: {lost}")
        widths = (
            max((len(disk.short) for disk in disks), default=0),
            max((len(harmless(whole_name(one))) for one in wanted.disks), default=0),
        )
        if wanted.rehearsed:
            self.put("#how", Content.assemble(self._how, f" {wanted.rehearsed}."))
        self._find_untouched(wanted, machine)
        entries: list[Widget] = [
            _entry(number, planned, disk, self._endings[number], wanted.lost_with(planned), widths)
            for number, (planned, disk) in enumerate(zip(wanted.disks, disks, strict=True))
        ]
        self.run_worker(self._begin(entries), group="begin")

    def _find_untouched(self, wanted: Wanted, machine: Machine) -> None:
        erased = {disk.identity for disk in wanted.disks}
        self._others = replace(
            machine, disks=tuple(one for one in machine.disks if one.identity not in erased)
        )

    def on_resize(self) -> None:
        later(self, self._share_out)

    def _share_out(self) -> None:
        """Keep the buttons in sight, whatever the disks need; name those that nothing is erased on below, if there is room."""
        from raidtui.ui.care.overview_disks import disk_lines

        disks, how, then = self.query_one("#disks"), self.query_one("#how"), self.query_one("#then")
        if self._wanted is not None and self._wanted.disks and then.size.width:
            titles = step_lines(self._wanted.then, then.size.width)
            self.put("#then", Content("\n").join([Content("Then").stylize("bold"), *map(Content, titles)]))
        room = self.query_one("#body").size.height - how.size.height - _AROUND
        disks.set_class(disks.virtual_size.height > room, "-long")
        left = room - disks.virtual_size.height - _ABOVE
        named = self._others is not None and bool(self._others.disks) and left > 2
        self.query_one("#untouched").set_class(not named, "-none")
        if self._others is not None and named:
            width = int(self.size.width * _LISTED) - 4
            lines = disk_lines(self._others, width=width, title="Nothing is erased on", room=left)
            self.put("#untouched", lines)

    def _ask_for_a_yes(self, wanted: Wanted) -> None:
        """Nothing is erased: show what is done, and leave the focus on Cancel."""
        self.head(f"On {called(self.world)}: {wanted.title}")
        if self._machine is not None:
            self._find_untouched(wanted, self._machine)
        self.query_one("#heading").add_class("-safe")
        self.query_one("#erase", Push).label = "Start"
        if self.world.access is not Access.RECORDED:
            self.put("#how", Content("No disk is erased. → and Enter start it; Esc goes back."))
        steps = "\n".join(step_lines(wanted.then, self.size.width - _MARGINS))
        self.run_worker(self._begin([Static(Content(steps))]), group="begin")

    async def _begin(self, entries: list[Widget]) -> None:
        """Show the disks, and focus the first serial number."""
        with self.app.batch_update():  # show no field before it takes keys
            await self.query_one("#reading").remove()
            await self.query_one("#disks").mount_all(entries)
            later(self, self._share_out)
            self._judge()
            self.keys_from_now(next(iter(self.query(Field)), None) or self.query_one("#cancel"))

    def _typed(self) -> list[bool]:
        """For each disk, whether the typed text names it."""
        disks = self._wanted.disks if self._wanted is not None else ()
        return [
            names(field.value, disk, self._every)
            for field, disk in zip(self.query(Field), disks, strict=False)
        ]

    @on(Field.Changed)
    @while_there
    def _changed(self, event: Field.Changed) -> None:
        """Focus the next missing serial number once this one is right."""
        fields = list[Input](self.query(Field))
        here, before = fields.index(event.input), self._named
        self._done_with.discard(here)
        self._judge()
        if event.input.has_focus and here < len(self._named) and self._named[here] and not before[here]:
            self._focus_next(here)

    def _focus_next(self, here: int) -> None:
        fields = self.query(Field)
        left = [*range(here + 1, len(fields)), *range(here)]
        following = next((number for number in left if not self._named[number]), None)
        if following is not None:
            self.set_focus(fields[following])

    @on(events.DescendantBlur)
    @while_there
    def _field_left(self, event: events.DescendantBlur) -> None:
        if isinstance(event.widget, Field):
            self._done_with.add(list[Input](self.query(Field)).index(event.widget))
            self._judge()

    @while_there
    def _judge(self) -> None:
        """Mark right and wrong serial numbers, and enable the erase button if all are right."""
        self._named = self._typed()
        ready = self._wanted is not None and len(self._named) == len(self._wanted.disks) and all(self._named)
        for number, (is_right, field) in enumerate(zip(self._named, self.query(Field), strict=False)):
            wrong = not is_right and self._is_wrong(number, field.value)
            sign = "ok" if is_right else ""
            if wrong:
                sign = no_match(field.value, number + 1, self._endings[number])
            self.put(f"#sign-{number}", Content(sign))
            self.query_one(f"#sign-{number}").set_class(wrong, "wrong")
            self.query_one(f"#blank-{number}").display = not wrong
        self.query_one("#erase", Push).disabled = not ready
        self.refresh_bindings()
        total = len(self._wanted.disks) if self._wanted else 0
        self.put("#count", Content(f"{sum(self._named)} of {total} disks named" if total else ""))

    def _is_wrong(self, number: int, typed: str) -> bool:
        """Whether ``typed``, which does not name the disk, is complete or cannot become right any more."""
        if self._wanted is None or not typed.strip():
            return False
        disk, word = self._wanted.disks[number], typed.strip().lower()
        possible = any(word in name.lower() for name in (disk.serial, disk.wwn, *disk.links))
        return number in self._done_with or (
            not possible and len(typed.strip()) >= len(self._endings[number])
        )

    @on(Field.Submitted)
    @while_there
    def _field_done(self, event: Field.Submitted) -> None:
        """Enter also moves to the next missing serial number, or to the button if none is missing."""
        here = list[Input](self.query(Field)).index(event.input)
        self._done_with.add(here)
        self._judge()
        if self._named and all(self._named):
            self.set_focus(self.query_one("#erase"))
        elif self._named[here]:
            self._focus_next(here)

    def is_idle(self, action: str) -> bool:
        """Enter in a field leaves it once it is right; in a wrong one, it says so once."""
        field = self.focused
        if action != "submit" or not isinstance(field, Field):
            return False
        here = list[Input](self.query(Field)).index(field)
        right = here < len(self._named) and self._named[here]
        return not right and (not field.value.strip() or here in self._done_with)

    def action_other_button(self) -> None:
        """Focus the other button, if enabled."""
        other = self.query_one("#erase" if self.query_one("#cancel").has_focus else "#cancel", Push)
        if isinstance(self.focused, Push) and not other.disabled:
            self.set_focus(other)

    @on(Push.Pressed, "#cancel")
    @while_there
    def action_leave(self) -> None:
        """Go back; do nothing while the job is being started."""
        if not self._started:
            self.tui.action_go_back()

    @on(Push.Pressed, "#erase")
    @while_there
    def _erase(self) -> None:
        wanted, machine = self._wanted, self._machine
        if wanted is None or machine is None or self._started or not all(self._typed()):
            return
        self._started = True
        self.say("Starting the job...")
        erase = [disk.named for disk in wanted.disks]
        start_job(
            self.tui,
            lambda: wanted.start(machine, erase),
            self._not_begun,
            keeps_answers=bool(self._purpose.teardown or self._purpose.procedure),
        )

    def _not_begun(self) -> None:
        self._started = False
        self.since = monotonic()  # an Enter from before the refusal must not start it again
        if self.tui.machine is not None:
            self.machine_changed(self.tui.machine)


def _entry(
    number: int, planned: PlannedDisk, disk: Disk, ending: str, also: str, widths: tuple[int, int]
) -> Vertical:
    """A disk and its field; ``widths``: of the names and serial numbers, so that these are in one column."""
    name, lost, called = whole_name(planned), lost_on(planned, disk, also), kind_of_name(planned)
    shown = harmless(name)
    head = Content.assemble(
        f"{number + 1:>2} {planned.role} {disk.short:<{widths[0]}} {called:<6} {shown[: -len(ending)]}",
        (shown[-len(ending) :], "bold underline"),
        f"{' ' * (widths[1] - len(shown))}  {decimal(planned.size_bytes)}  {harmless(planned.model) or 'no model'}",
    )
    found = [Static(Content(f"  ERASES {'; '.join(lost)}"), classes="lost")] if lost else []
    return Vertical(
        Static(head),
        *found,
        Horizontal(
            Static(Content(f"   type the last {len(ending)}: ")),
            Field(
                id=f"serial-{number}", max_length=max(64, len(name)), placeholder="_" * min(len(ending), 18)
            ),
            Static(id=f"sign-{number}", classes="sign"),
            Static("" if lost else "apparently blank", id=f"blank-{number}", classes="blank"),
        ),
        classes="disk",
    )
