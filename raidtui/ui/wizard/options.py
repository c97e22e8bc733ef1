"""Options: the array's name, filesystem and mount point, and its format on the disks."""

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from raidtui.backends.options import WHOLE, own_value
from raidtui.backends.registry import backend, find_builder
from raidtui.model.errors import BadInput, CannotBuild, RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.plan import EnsureLine, Role, Run
from raidtui.model.text import count_of, spelled
from raidtui.model.units import both, parse_size
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field
from raidtui.ui.wizard.estimates import chosen_facts
from raidtui.ui.wizard.option_answers import ASKED, FIELDS, SIZES, Entry, about, entries, with_answer

if TYPE_CHECKING:
    from raidtui.backends.contract import BackendContract

HIDDEN, SHOWN = "hidden", "shown"
AROUND = frozenset({"dd", "sh", "udevadm", "wipefs"})  # around what creates a unit: no option changes them


class OptionsScreen(Page):
    """Every option has a default; input is stored in the draft at once."""

    STEP = "options"
    TYPES = True
    READY_AT_ONCE = False
    TITLE = "Options"
    CSS_PATH = ["options.tcss", "../widgets/fields.tcss"]  # noqa: RUF012
    HELP = explained.for_screen(explained.OPTIONS)
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Field", key_display="↑↓", tooltip="The field above or below"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("enter", "next", "Review", tooltip="Show the plan"),
    ]

    def body(self) -> ComposeResult:
        yield Vertical(id="fields")
        with VerticalScroll(id="results", can_focus=False):
            yield Static(id="comes-back")
            yield Static(id="data-map")
        yield Static(id="detail")

    def machine_changed(self, machine: Machine) -> None:
        fields = self.query_one("#fields")
        if not fields.children:
            self.run_worker(self._begin(self._rows(), machine), group="begin", exclusive=True)
        elif self.query("#name"):
            self._show_details(machine)

    async def _begin(self, rows: list[Horizontal], machine: Machine) -> None:
        with self.app.batch_update():  # show no field before it takes keys
            await self.query_one("#fields").mount_all(rows)
            self._fold()
            self._show_details(machine)
            self.keys_from_now(self.query_one("#name"))

    def _fold(self) -> None:
        """Show or hide the advanced fields."""
        for field in self.query(".advanced"):
            field.display = self.query_one("#advanced", Choice).value == SHOWN

    @property
    def _backend(self) -> "BackendContract":
        return backend(self.tui.draft.spec.backend)

    def _rows(self) -> list[Horizontal]:
        """A row for each option; the advanced ones below the one that shows them."""
        found = list(entries(self.tui.draft))
        spec = self.tui.draft.spec
        answered = spec.partition is False or any(
            (spec.reserve is not None, spec.metadata, spec.consistency, spec.options)
        )
        fold = Entry("advanced", SHOWN if answered else HIDDEN, (HIDDEN, SHOWN))
        common = sum(not entry.advanced for entry in found)
        return [self._row(entry) for entry in (*found[:common], fold, *found[common:])]

    def _row(self, entry: Entry) -> Horizontal:
        control = (
            Choice(entry.choices, entry.value, id=entry.name)
            if entry.choices
            else Field(entry.value, id=entry.name, max_length=entry.longest)
        )
        classes = "field advanced" if entry.advanced else "field"
        label = about(self._backend, entry.name)[0]
        return Horizontal(Label(label), control, id=f"field-{entry.name}", classes=classes)

    @on(Field.Changed)
    @on(Choice.Changed)
    @while_there
    def _answered(self, event: Field.Changed | Choice.Changed) -> None:
        draft, machine = self.tui.draft, self.tui.machine
        name, value = event.control.id or "", event.control.value
        if name == "name":
            before = draft.spec
            draft = with_answer(draft, name, value)
            for follower in ("label", "mountpoint"):
                if (now := getattr(draft.spec.filesystem, follower)) != getattr(before.filesystem, follower):
                    self._set(follower, now)
        elif name == "advanced":
            self._fold()
        elif name == "partition":
            whole = value == WHOLE
            draft = draft.with_spec(
                partition=not whole, reserve=None if whole else self._typed_size("reserve")
            )
        elif name in SIZES:
            # A field also reports its initial value; the spec leaves the default unset.
            try:
                draft = with_answer(draft, name, value)
            except BadInput:
                draft = draft.with_spec(**{name: None})  # Enter says why
        elif name in {"metadata", "consistency"}:
            draft = with_answer(draft, name, value)
        elif name in self._own:
            draft = draft.with_spec(options=self._own_answers())
        elif name == "filesystem":
            # A bare array has no label and mount point; the fields keep their text.
            bare = value == "none"
            draft = draft.with_filesystem(
                type=value,
                label="" if bare else self.query_one("#label", Field).value,
                mountpoint="" if bare else self.query_one("#mountpoint", Field).value,
            )
        elif name in {"label", "mountpoint"}:
            draft = with_answer(draft, name, value)
        self.tui.draft = draft
        self.say("")
        if machine:
            self._show_details(machine)

    @property
    def _own(self) -> frozenset[str]:
        return frozenset(key for key, one in self._backend.options.items() if one.own is not None)

    def _own_answers(self) -> dict[str, str]:
        """The values of these options; defaults and invalid values are left out."""
        found = {}
        for key, typed in self._own_typed().items():
            with suppress(BadInput):
                value = own_value(key, typed, self._backend.options)
                if value != self._backend.options[key].default:
                    found[key] = value
        return found

    def _own_typed(self) -> dict[str, str]:
        """The text in the fields of these options, without empty ones."""
        fields = (field for field in self.query("Field, Choice") if field.id in self._own)
        found = {field.id or "": field.value.strip() for field in fields if isinstance(field, Field | Choice)}
        return {key: typed for key, typed in found.items() if typed}

    def _typed_size(self, name: str) -> int | None:
        """The size in the field ``name``; None, for the default, if invalid."""
        try:
            field = self.query_one(f"#{name}")
            return parse_size(field.value) if isinstance(field, Field | Choice) else None
        except BadInput:
            return None

    def _set(self, name: str, value: str) -> None:
        if not self.query(f"#{name}"):  # a backend with its own filesystem has no label field
            return
        field = self.query_one(f"#{name}", Field)
        with field.prevent(Field.Changed):
            field.value = value
            field.cursor_position = len(value)

    def _show_details(self, machine: Machine) -> None:
        spec = self.tui.draft.spec
        for field in self.query("#label, #mountpoint"):
            field.disabled = spec.filesystem.type == "none"
        for field in self.query("#reserve"):
            field.disabled = spec.partition is False
        try:
            usable = both(chosen_facts(spec, machine).array_bytes)
        except CannotBuild as refusal:
            usable = f"not possible: {refusal}"
        except RaidtuiError as error:
            self.complain(str(error))
            usable = ""
        if usable:
            shape = f"{spelled(spec.level)} of {count_of(spec.members, 'member')}"
            self.head(f"Options of the {self._backend.noun}: {shape}, {usable}")
        maker = find_builder(spec.backend)
        note = maker.boot_note(spec, machine.system) if maker is not None else ""
        self.put("#comes-back", Content("\n\n".join(filter(None, [note, *self._results(machine)]))))
        later(self, self._draw_map, machine)  # the layout decides how much room is left

    def _draw_map(self, machine: Machine) -> None:
        """Where the data would lie, if a large terminal has room for it below the results."""
        from raidtui.ui.wizard.gives import where_it_lies

        drawn = Content("")
        if self.has_class("-wide", "-tall"):
            shown = self.query_one("#results").content_size
            room = shown.height - self.query_one("#comes-back").size.height - 1
            drawn = where_it_lies(self.tui.draft.spec, machine, width=shown.width - 2, room=room)
        self.put("#data-map", drawn)
        self.query_one("#data-map").display = bool(drawn)

    def on_resize(self) -> None:
        if self.tui.machine is not None and self.query("#name"):
            later(self, self._show_details, self.tui.machine)

    def _results(self, machine: Machine) -> list[str]:
        """What these options become: the line of fstab and, where there is room, the commands; nothing if not valid."""
        from raidtui.plan.build import make_plan
        from raidtui.plan.words import command_line

        try:
            plan = make_plan(self.tui.draft.spec, machine, seed=self.tui.draft.seed)
        except RaidtuiError:
            return []  # Enter says why
        made = [
            action
            for step in plan.steps
            if step.role in {Role.CREATE, Role.FORMAT}
            for action in step.actions
            if isinstance(action, Run) and action.argv[0] not in AROUND
        ]
        lines: list[Run | EnsureLine] = [
            action for step in plan.steps for action in step.actions if isinstance(action, EnsureLine)
        ]
        lines = [*made, *lines] if self.has_class("-wide", "-tall") else lines[-1:]
        first, *more = [command_line(action) for action in lines] or [""]
        return [f"In the plan: {first}", *more] if first else []

    def on_descendant_focus(self) -> None:
        name = (self.focused.id or "") if self.focused else ""
        if name in FIELDS or name in ASKED or name in self._own:
            self.query_one("#detail", Static).update(Content(about(self._backend, name)[1]))

    @while_there
    def on_input_submitted(self) -> None:
        self.action_next()

    def is_idle(self, action: str) -> bool:
        # The error is shown, and no answer was changed since.
        return action in {"next", "submit"} and self.query_one("#news").has_class("-wrong")

    def action_next(self) -> None:
        """Go to the plan, if the options are valid."""
        from raidtui.plan.build import make_plan

        draft, machine = self.tui.draft, self.tui.machine
        if machine is None or not self.query("#name"):
            return
        try:
            for field in self.query(Field):
                if field.id in SIZES and not field.disabled:
                    parse_size(field.value)
            for key, typed in self._own_typed().items():
                own_value(key, typed, self._backend.options)
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self.ready = False  # what is typed now is for the plan
        self.work_out(
            lambda: make_plan(draft.spec, machine, seed=draft.seed), lambda _: self.tui.go("review")
        )
