"""Options: the array's name, filesystem and mount point, and its format on the disks."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Label, Static

from raidtui.backends.options import WHOLE, Option, only_whole, own_value
from raidtui.backends.specfile import FILESYSTEM_TYPES
from raidtui.model.errors import BadInput, CannotBuild, RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.plan import EnsureLine, Role, Run
from raidtui.model.spec import Spec
from raidtui.model.text import count_of, spelled
from raidtui.model.units import both, parse_size, spell_size
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field
from raidtui.ui.wizard.estimates import chosen_facts, filled

if TYPE_CHECKING:
    from raidtui.backends.contract import BackendContract

PARTITION = "one partition"

# id of the field → label and help, unless the backend has its own; {noun}: array, volume group
FIELDS = {
    "name": ("Name", "The name of the {noun}. Use letters, digits, dots, dashes and underscores."),
    "filesystem": (
        "Filesystem",
        "ext4: can shrink and grow. xfs: large files, many at once; grows, never shrinks. btrfs: snapshots and "
        "checksums. none: a bare block device. Each is aligned to the stripe width.",
    ),
    "mountpoint": (
        "Mount at",
        "An absolute path. The directory is created if it does not exist. Empty: /srv/NAME.",
    ),
    "label": ("Label", "The filesystem's label; ext4 takes 16 bytes, xfs 12. Empty: the name of the {noun}."),
    "advanced": (
        "Advanced",
        "The other settings of this level. The defaults suit most uses. Space or the arrow keys show them.",
    ),
    "partition": ("Members are", "One GPT partition on each disk, or the whole disk."),
    "reserve": (
        "Reserve",
        "Left free at the end of each partition, so that a replacement disk may be slightly smaller. Example: 100MiB.",
    ),
}
# The options of a backend that have a field here; the others are chosen with disks and level.
ASKED = ("chunk", "metadata", "consistency")
SIZES = ("reserve", "chunk")  # fields in bytes
HIDDEN, SHOWN = "hidden", "shown"
AROUND = frozenset({"dd", "wipefs", "udevadm"})  # around what creates a unit: no option changes them


class OptionsScreen(Page):
    """Every option has a default; input is stored in the draft at once."""

    STEP = "options"
    TYPES = True
    READY_AT_ONCE = False
    TITLE = "Options"
    HELP = """
    Everything here has a default that suits most uses. The line below the fields explains the marked one; the line
    above it says what starts the unit after a reboot.

    For an array, raidtui checks that its entry is in the initramfs. The filesystem is mounted from fstab by its
    UUID, with nofail: a missing disk never keeps the computer from booting.
    """
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
        yield Static(id="detail")

    def machine_changed(self, machine: Machine) -> None:
        whole = filled(self.tui.draft.spec)
        fields = self.query_one("#fields")
        if not fields.children:
            entries = [self._field(name, control) for name, control in self._controls(whole).items()]
            self.run_worker(self._begin(entries, machine), group="begin", exclusive=True)
        elif self.query("#name"):
            self._show_details(machine)

    async def _begin(self, entries: list[Horizontal], machine: Machine) -> None:
        with self.app.batch_update():  # show no field before it takes keys
            await self.query_one("#fields").mount_all(entries)
            self._fold()
            self._show_details(machine)
            self.keys_from_now(self.query_one("#name"))

    def _fold(self) -> None:
        """Show or hide the advanced fields."""
        for field in self.query(".advanced"):
            field.display = self.query_one("#advanced", Choice).value == SHOWN

    @property
    def _backend(self) -> "BackendContract":
        from raidtui.backends.registry import backend

        return backend(self.tui.draft.spec.backend)

    def _about(self, name: str) -> tuple[str, str]:
        """The label and help of a field, in the backend's words if it has any."""
        option = self._backend.options.get(name)
        label, meaning = (option.label, option.help) if option is not None else FIELDS[name]
        return label, meaning.format(noun=self._backend.noun)

    def _field(self, name: str, control: Widget) -> Horizontal:
        classes = "field" if name in FIELDS and name not in {"partition", "reserve"} else "field advanced"
        return Horizontal(Label(self._about(name)[0]), control, id=f"field-{name}", classes=classes)

    def _controls(self, whole: Spec) -> dict[str, Widget]:
        files, spec = whole.filesystem, self.tui.draft.spec
        answered = spec.partition is False or any(
            (spec.reserve is not None, spec.metadata, spec.consistency, spec.options)
        )
        own, kinds = self._backend.own_filesystem, self._backend.options.get("partition")
        return {
            "name": Field(whole.name, id="name", max_length=64),
            **({} if own else {"filesystem": Choice(FILESYSTEM_TYPES, files.type, id="filesystem")}),
            "mountpoint": Field(files.mountpoint, id="mountpoint", max_length=1024),
            **({} if own else {"label": Field(files.label, id="label", max_length=255)}),
            "advanced": Choice((HIDDEN, SHOWN), SHOWN if answered else HIDDEN, id="advanced"),
            **({} if only_whole(self._backend.options) else _on_disks(whole, kinds)),
            **dict(self._of_backend(whole)),
        }

    def _of_backend(self, whole: Spec) -> Iterator[tuple[str, Widget]]:
        """The fields for this backend's options for this level."""
        level = self._backend.levels[whole.level]
        for key, option in self._backend.options.items():
            if key == "chunk" and level.has_chunk and option.choices:
                chosen = spell_size(whole.chunk or parse_size(option.choices[0]))
                yield key, Choice(tuple(dict.fromkeys((*option.choices, chosen))), chosen, id=key)
            elif key == "chunk" and level.has_chunk:
                yield key, Field(spell_size(whole.chunk or 0), id=key, max_length=20)
            elif key == "metadata":
                yield key, Choice(option.choices, whole.metadata or option.choices[0], id=key)
            elif key == "consistency" and level.consistencies:
                words = level.consistencies
                yield key, Choice(words, whole.consistency or words[0], id=key)
            elif option.own is not None and option.is_of(whole.level):
                yield key, _own_field(key, option, whole.options.get(key, ""))

    @on(Field.Changed)
    @on(Choice.Changed)
    @while_there
    def _answered(self, event: Field.Changed | Choice.Changed) -> None:
        draft, machine = self.tui.draft, self.tui.machine
        name, value = event.control.id or "", event.control.value
        if name == "name":
            files = draft.spec.filesystem
            if files.label == draft.spec.name:
                draft = draft.with_filesystem(label=value)
                self._set("label", value)
            if files.mountpoint == f"/srv/{draft.spec.name}":
                draft = draft.with_filesystem(mountpoint=f"/srv/{value}")
                self._set("mountpoint", f"/srv/{value}")
            draft = draft.with_spec(name=value)
        elif name == "advanced":
            self._fold()
        elif name == "partition":
            whole = value == WHOLE
            draft = draft.with_spec(
                partition=not whole, reserve=None if whole else self._typed_size("reserve")
            )
        elif name == "reserve":
            # A field also reports its initial value; the spec leaves the default unset.
            if value != _reserve_left_open(draft.spec):
                draft = draft.with_spec(reserve=self._typed_size("reserve"))
        elif name == "chunk":
            if value != spell_size(filled(draft.spec).chunk or 0):
                draft = draft.with_spec(chunk=self._typed_size("chunk"))
        elif name in {"metadata", "consistency"}:
            # The default is left unset: another level may have another one.
            usual = getattr(filled(replace(draft.spec, **{name: None})), name)
            draft = draft.with_spec(**{name: None if value == usual else value})
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
            draft = draft.with_filesystem(**{name: value.strip()})
        self.tui.draft = draft
        self.say("")
        if machine:
            self._show_details(machine)

    @property
    def _own(self) -> frozenset[str]:
        """The options that only this backend has."""
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
        entries = (entry for entry in self.query("Field, Choice") if entry.id in self._own)
        found = {
            entry.id or "": entry.value.strip() for entry in entries if isinstance(entry, Field | Choice)
        }
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
        from raidtui.backends.registry import find_builder

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
        self.put("#comes-back", Content.assemble(note, "\n\n", *self._results(machine)))

    def _results(self, machine: Machine) -> list[tuple[str, str] | str]:
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
        return [(f"{command_line(action)}\n\n", "") for action in lines]

    def on_descendant_focus(self) -> None:
        name = (self.focused.id or "") if self.focused else ""
        if name in FIELDS or name in ASKED or name in self._own:
            self.query_one("#detail", Static).update(Content(self._about(name)[1]))

    @while_there
    def on_input_submitted(self) -> None:
        self.action_next()

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


def _own_field(key: str, option: Option, value: str) -> Widget:
    """A field for an option of this backend only; a value from a spec file is added to the choices."""
    if not option.choices:
        return Field(value, id=key, max_length=20)
    words = option.choices if not value or value in option.choices else (*option.choices, value)
    return Choice(words, value or option.choices[0], id=key)


def _on_disks(whole: Spec, kinds: Option | None) -> dict[str, Widget]:
    """The fields for each disk: partition or whole disk, and the reserve."""
    words = kinds.choices if kinds is not None and kinds.choices else (PARTITION, WHOLE)
    return {
        "partition": Choice(words, PARTITION if whole.partition else WHOLE, id="partition"),
        "reserve": Field(_reserve_left_open(whole), id="reserve", max_length=20),
    }


def _reserve_left_open(spec: Spec) -> str:
    """The default of the reserve field; for whole disks, that of partitions."""
    return spell_size(filled(replace(spec, partition=True)).reserve or 0)
