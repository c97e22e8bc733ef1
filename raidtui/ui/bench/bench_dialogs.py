"""The dialogs for a benchmark: target and options."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Label, Static

from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.journal import BenchRequest
from raidtui.model.text import as_number
from raidtui.model.units import about, duration, parse_size, parse_time, spell_size
from raidtui.results.as_cdm import TITLES
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.modal import Over
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field
from raidtui.ui.widgets.rows import Column, Row, Rows

if TYPE_CHECKING:
    from raidtui.bench.settings import Settings

_CACHES = ("as the profile says", "page cache")
_MOVE: list[BindingType] = [
    Binding("up", "app.focus_previous", "Field", key_display="↑↓"),
    Binding("down", "app.focus_next", "Next field", show=False),
    Binding("escape", "leave", "Cancel"),
]


class TargetChooser(Over[str]):
    """Asks for the target: a mounted array, or a typed path. The answer is None if canceled."""

    TITLE = "Where to measure"
    HELP = explained.TARGET
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("enter", "take", "Choose"),
        Binding("tab", "app.focus_next", "List or path", show=False),
    ]

    def __init__(self, offers: Sequence[tuple[str, str]], value: str) -> None:
        """``offers`` are paths, each with a description."""
        super().__init__()
        self._offers, self._value = tuple(offers), value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content("Where to measure")
            box.border_subtitle = Content("Enter chooses, Tab list or path, Esc cancels")
            if self._offers:
                yield Rows((Column("Mounted arrays", 20, share=1), Column("What", 36)))
            yield Static(
                "A directory on any mounted filesystem: the test file is created there and always removed. "
                "A block device is only read."
            )
            yield Field(self._value, max_length=4096, placeholder="/srv/...")

    def on_mount(self) -> None:
        # Filled after the first layout, which sets the widths of the columns.
        later(self, self._fill)

    def _fill(self) -> None:
        if self._offers:
            table = self.query_one(Rows)
            table.styles.height = min(len(self._offers) + 1, 8)
            table.show([Row(path, (path, what)) for path, what in self._offers], highlight=self._value)
            table.focus_list()
        else:
            self.query_one(Field).focus()

    def action_take(self) -> None:
        if self._offers:
            self.dismiss(self.query_one(Rows).key)

    def on_input_submitted(self, event: Field.Submitted) -> None:
        self.dismiss(event.value.strip())


class BenchOptions(Over[BenchRequest]):
    """Asks for the options, explains the grid and shows the expected time. The answer is None if canceled."""

    TITLE = "How to measure"
    HELP = explained.BENCH_OPTIONS
    TYPES = True  # it confirms nothing
    BINDINGS: ClassVar[list[BindingType]] = [*_MOVE, Binding("enter", "take", "Done")]

    def __init__(self, request: BenchRequest, settle: "Callable[[BenchRequest], Settings]") -> None:
        """``settle`` fills in the defaults of a request for the chosen target."""
        super().__init__()
        self._request, self._settle = request, settle
        self._own: tuple[str, str] | None = None  # runs and seconds before a time budget replaced them

    def compose(self) -> ComposeResult:
        from raidtui.bench.profile_file import own_profiles

        request = self._request
        profiles = tuple(own_profiles())
        if request.profile not in profiles:  # a file
            profiles = (*profiles, request.profile)
        with Vertical(classes="dialog") as box:
            box.border_title = Content("How to measure")
            box.border_subtitle = Content("↑↓ field, ←→ change, Enter done, Esc cancels")
            grid = _line("Profile", Choice(profiles, request.profile, id="profile"))
            grid.add_class("-tall")
            yield grid
            yield _line(
                "Size",
                Field(spell_size(request.size_bytes) if request.size_bytes else "", id="size", max_length=16),
            )
            yield _line("Time budget", Field(id="time", max_length=9, placeholder="such as 10m"))
            yield _line("Runs", Field(str(request.runs or ""), id="runs", max_length=3))
            yield _line("Seconds", Field(str(request.seconds or ""), id="seconds", max_length=5))
            yield _line("Mix 70/30", Choice(("no", "yes"), "yes" if request.mix else "no", id="mix"))
            yield _line("Cache", Choice(_CACHES, _CACHES[request.cached], id="cached"))
            yield _line("Method", Choice(("raidtui", *TITLES), request.compat or "raidtui", id="compat"))
            yield _line(
                "Label", Field(request.label, id="label", max_length=64, placeholder="the array's name")
            )
            yield Static(id="about", classes="explained")
            yield Static(id="takes")

    def on_mount(self) -> None:
        self._explain()

    @while_there
    def on_choice_changed(self) -> None:
        self._spend()
        self._explain()

    @while_there
    def on_input_changed(self, event: Field.Changed) -> None:
        if event.input.id in {"time", "size"}:
            self._spend()
        self._explain()

    def _spend(self) -> None:
        """Fill in the runs and seconds that make the best use of the time budget; without one, those from before."""
        from raidtui.bench.schedule import fit

        if self._own is None:
            self._own = self._text("runs"), self._text("seconds")
        own = self._own
        if not self._text("time"):
            self._own = None
        try:
            if self._text("time"):
                budget = fit(self._settle(self._entered()), parse_time(self._text("time")))
                own = str(budget.runs), str(budget.seconds)
        except RaidtuiError:
            pass  # `_explain` says why
        for field, text in zip(("#runs", "#seconds"), own, strict=True):
            self.query_one(field, Field).value = text

    def _explain(self) -> None:
        """Explain the chosen grid, show the defaults of empty fields, and the expected time."""
        from raidtui.bench.profile_file import find_profile

        try:
            profile = find_profile(self.query_one("#profile", Choice).value)
        except RaidtuiError as error:
            self.query_one("#about", Static).update(Content(str(error)))
            return
        for name, usual in (
            ("size", f"{spell_size(profile.size_bytes)} or what fits"),
            ("runs", "until steady" if profile.steady else str(profile.runs)),
            ("seconds", str(profile.seconds)),
        ):
            self.query_one(f"#{name}", Field).placeholder = usual
        self.query_one("#about", Static).update(Content(f"{profile.title}. {profile.about}"))
        self._say_how_long()

    def _say_how_long(self) -> None:
        """Show the expected time, or why the time budget cannot be kept."""
        from raidtui.bench.schedule import fit

        told = self.query_one("#takes", Static)
        try:
            settings = self._settle(self._entered())
            if time := self._text("time"):
                fit(settings, parse_time(time))
        except RaidtuiError as error:
            # Without a budget the fields are incomplete; Enter shows the error.
            told.update(Content.assemble((f"! {error}", "$text-warning")) if self._text("time") else "")
        else:
            told.update(Content(_takes(settings)))

    @while_there
    def on_input_submitted(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        """Answer with the entered options, if valid."""
        from raidtui.bench.schedule import fit
        from raidtui.bench.settings import check_request

        try:
            request = self._entered()
            check_request(request)
            if time := self._text("time"):
                fit(self._settle(request), parse_time(time))
        except RaidtuiError as error:
            self.query_one("#takes", Static).update(Content.assemble((f"! {error}", "bold $text-error")))
        else:
            self.dismiss(request)

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Field).value.strip()

    def _entered(self) -> BenchRequest:
        """The request with the options in the fields.

        Raises:
            BadInput: a field is not a valid number or size.
        """
        return msgspec.structs.replace(
            self._request,
            profile=self.query_one("#profile", Choice).value,
            size_bytes=parse_size(size) if (size := self._text("size")) else 0,
            runs=_whole(self._text("runs"), "the runs"),
            seconds=_whole(self._text("seconds"), "the seconds"),
            mix=self.query_one("#mix", Choice).value == "yes",
            cached=self.query_one("#cached", Choice).value == _CACHES[True],
            compat=compat if (compat := self.query_one("#compat", Choice).value) in TITLES else "",
            label=self._text("label"),
        )


def _takes(settings: "Settings") -> str:
    """How long a benchmark takes, and how certain its result is."""
    from raidtui.bench.schedule import certainty, expected_seconds

    seconds = expected_seconds(settings)
    if settings.profile.steady:
        return f"At most {duration(seconds)}: ends when the speed is steady."
    return f"{about(seconds).capitalize()}: {certainty(settings.runs, len(settings.cells))}."


def _whole(text: str, what: str) -> int:
    """The entered number; 0 if empty, for the profile's default.

    Raises:
        BadInput: it is not a whole number, or is less than 1.
    """
    if not text:
        return 0
    found = as_number(text)
    if not found:
        raise BadInput(f"{what} must be a whole number, at least 1, not {text!r}")
    return found


def _line(label: str, control: Field | Choice) -> Horizontal:
    return Horizontal(Label(label), control, classes="line")
