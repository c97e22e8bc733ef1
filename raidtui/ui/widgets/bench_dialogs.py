"""What a benchmark is asked to do: where, how large, how often."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import BenchRequest
from raidtui.model.units import parse_size, spell_size
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field
from raidtui.ui.widgets.rows import Column, Row, Rows

_MOVE: list[BindingType] = [
    Binding("up", "app.focus_previous", "Field", key_display="↑↓"),
    Binding("down", "app.focus_next", "Next field", show=False),
    Binding("escape", "leave", "Cancel"),
]


class TargetChooser(ModalScreen[str]):
    """Where to measure: one of the mounted arrays, or a path that is typed. Nothing when it is cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("enter", "take", "Choose"),
        Binding("tab", "app.focus_next", "List or path", show=False),
    ]

    def __init__(self, offers: Sequence[tuple[str, str]], value: str) -> None:
        """``offers`` are paths, each with what is there."""
        super().__init__()
        self._offers, self._value = tuple(offers), value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content("Where to measure")
            box.border_subtitle = Content("Enter chooses, Tab list or path, Esc cancels")
            if self._offers:
                yield Rows((Column("Mounted arrays", 20, share=1), Column("What", 36)))
            yield Static(
                "A directory on any mounted filesystem; the test file is made in it, has no name and leaves "
                "nothing behind. A block device is only read."
            )
            yield Field(self._value, max_length=4096, placeholder="/srv/…")

    def on_mount(self) -> None:
        # Shown after the first layout: the columns take their widths from it.
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        if self._offers:
            table = self.query_one(Rows)
            table.styles.height = min(len(self._offers) + 1, 8)
            table.show([Row(path, (path, what)) for path, what in self._offers], highlight=self._value)
            table.focus_list()
        else:
            self.query_one(Field).focus()

    def action_take(self) -> None:
        """Take the highlighted one."""
        if self._offers:
            self.dismiss(self.query_one(Rows).key)

    def on_input_submitted(self, event: Field.Submitted) -> None:
        self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        """Nothing was chosen."""
        self.dismiss("")


class BenchOptions(ModalScreen[BenchRequest]):
    """How to measure. Every field says what it means; nothing when it is cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [*_MOVE, Binding("enter", "take", "Done")]

    def __init__(self, request: BenchRequest) -> None:
        super().__init__()
        self._request = request

    def compose(self) -> ComposeResult:
        from raidtui.bench.profiles import PROFILES

        asked = self._request
        with Vertical(classes="dialog") as box:
            box.border_title = Content("How to measure")
            box.border_subtitle = Content("↑↓ field, ←→ change, Enter done, Esc cancels")
            yield _line("Grid", Choice(tuple(PROFILES), asked.profile, id="profile"))
            yield _line("Size", Field(spell_size(asked.size_bytes), id="size", max_length=16))
            yield _line("Runs", Field(str(asked.runs), id="runs", max_length=3))
            yield _line("Seconds", Field(str(asked.seconds), id="seconds", max_length=4))
            yield _line("Mix 70/30", Choice(("no", "yes"), "yes" if asked.mix else "no", id="mix"))
            yield _line("Label", Field(asked.label, id="label", max_length=64))
            yield Static(
                "cdm: CrystalDiskMark's grid, nvme: its NVMe grid, real: Real World. The test file has this size "
                "and is written once before. Each cell is measured so often for so long; the median counts. "
                "Six runs are the fewest that can prove a difference over the whole grid. The label names the "
                "result; empty: the array and its level.",
                classes="explained",
            )
            yield Static(id="wrong")

    def on_input_submitted(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        """Take what was typed, if it makes sense."""
        from raidtui.bench.target import check_request

        def text(name: str) -> str:
            return self.query_one(f"#{name}", Field).value.strip()

        try:
            asked = msgspec.structs.replace(
                self._request,
                profile=self.query_one("#profile", Choice).value,
                size_bytes=parse_size(text("size")),
                runs=_whole(text("runs"), "the runs"),
                seconds=_whole(text("seconds"), "the seconds"),
                mix=self.query_one("#mix", Choice).value == "yes",
                label=text("label"),
            )
            check_request(asked)
        except RaidtuiError as error:
            self.query_one("#wrong", Static).update(Content.assemble((f"! {error}", "bold $text-error")))
        else:
            self.dismiss(asked)

    def action_leave(self) -> None:
        """Leave it as it was."""
        self.dismiss(None)


def _whole(text: str, what: str) -> int:
    from raidtui.model.errors import BadInput

    if not text.isdecimal() or int(text) < 1:
        raise BadInput(f"{what} must be a whole number from 1 on, not {text!r}")
    return int(text)


def _line(label: str, control: Field | Choice) -> Horizontal:
    return Horizontal(Label(label), control, classes="line")
