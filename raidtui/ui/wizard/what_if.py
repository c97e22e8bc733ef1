"""What if: the same layouts with other disks, a spare, or other rates and times; before → after."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Label, Static

from raidtui.backends.registry import backend
from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend
from raidtui.model.text import spelled
from raidtui.model.units import both, decimal, duration
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import calculated, while_there
from raidtui.ui.shell.modal import Over
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field
from raidtui.ui.widgets.rows import Column, Row, Rows
from raidtui.ui.wizard.estimates import reports_of
from raidtui.ui.wizard.level_lines import WIDE
from raidtui.ui.wizard.level_names import key_of
from raidtui.ui.wizard.level_words import refusal

if TYPE_CHECKING:
    from raidtui.advice.report import Question, Report
    from raidtui.advice.risk import RiskInputs


def _columns(*, wide: bool) -> tuple[Column, ...]:
    return (
        Column("Level", 17),
        Column("Usable", 39 if wide else 18, right=True),
        Column("5-year risk", 27 if wide else 22),
        Column("Rebuild", 21 if wide else 14, right=True),
    )


class WhatIf(Over["RiskInputs | None"]):
    """One change of the disks at a time, and any rates and times. Returns changed rates and times, or None."""

    TITLE = "What if"
    HELP = explained.WHAT_IF
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Field", key_display="↑↓"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("enter", "take", "Keep", tooltip="Keep the rate and the times"),
        Binding("escape", "leave", "Back"),
    ]

    def __init__(
        self, question: "Question", backends: Sequence[Backend], shown: Sequence[str], marked: str
    ) -> None:
        """``shown`` are the keys of the rows to show, in order; ``marked`` is the one to show in more detail."""
        super().__init__()
        self._question, self._backends = question, tuple(backends)
        self._shown, self._marked = tuple(shown), marked

    def compose(self) -> ComposeResult:
        from raidtui.advice.what_if import Change

        inputs = self._question.inputs
        with Vertical(id="what-if") as box:
            box.border_title = Content("What if")
            box.border_subtitle = Content("↑↓ field, ←→ change, Enter keeps rates and times, Esc cancels")
            yield _line("Change", Choice(tuple(Change), Change.NOTHING, id="change"))
            yield _line(
                "Failure rate",
                Field(in_percent(inputs.afr, 2), id="afr", max_length=12),
                "of the disks a year, such as 1.5 %",
            )
            yield _line(
                "Time to notice", Field(f"{inputs.notice_hours:g}", id="notice", max_length=8), "hours"
            )
            yield _line(
                "Time to obtain",
                Field(f"{inputs.obtain_hours:g}", id="obtain", max_length=8),
                "hours until the new disk is installed",
            )
            yield Static(id="wrong")
            yield Static(id="marked")
            yield Rows(_columns(wide=self._wide))

    @property
    def _wide(self) -> bool:
        """Whether there is room for sizes in both units before and after an arrow."""
        return self.app.size.width >= WIDE

    def on_mount(self) -> None:
        self.query_one("#change").focus()
        self.call_after_refresh(self._ask)

    @on(Field.Changed)
    @on(Choice.Changed)
    @while_there
    def _ask(self) -> None:
        """Calculate in a thread with the entered values, and show the result."""
        from raidtui.advice.what_if import Change, change_words, changed

        try:
            inputs = self._typed()
        except BadInput as error:
            self.query_one("#wrong", Static).update(Content.assemble((f"! {error}", "bold $text-error")))
            return
        self.query_one("#wrong", Static).update(Content(""))
        change = Change(self.query_one("#change", Choice).value)
        other = changed(replace(self._question, inputs=inputs), change)
        words = change_words(self._question, change)
        self._calculate(other, words)

    def _typed(self) -> "RiskInputs":
        from raidtui.advice.afr import parse_rate
        from raidtui.advice.what_if import hours, with_inputs

        known = self._question.inputs
        rate = self.query_one("#afr", Field).value
        return with_inputs(
            known,
            afr=known.afr if rate == in_percent(known.afr, 2) else parse_rate(rate),
            notice_hours=hours(self.query_one("#notice", Field).value, "a time to notice"),
            obtain_hours=hours(self.query_one("#obtain", Field).value, "a time to obtain a disk"),
        )

    @work(exclusive=True)
    async def _calculate(self, other: "Question", words: str) -> None:
        before, after = await calculated(
            self,
            lambda: (self._of(self._question), self._of(other)),
        )
        rows = [self._row(key, before.get(key), after.get(key)) for key in self._shown]
        self.query_one(Rows).show(rows, highlight=self._marked, columns=_columns(wide=self._wide))
        parts: list[tuple[str, str] | str] = [words, "\n"]
        old, new = before.get(self._marked), after.get(self._marked)
        if old and new and new.refused is None:
            parts += [
                (f"{spelled(self._marked)}: ", "bold"),
                f"usable {_both(both(old.usable_bytes), both(new.usable_bytes))}\n",
                _repair(old, new),
                *_note(new),
            ]
        elif new:
            parts.append((f"{spelled(self._marked)}: {new.refused}", "$text-warning"))
        self.query_one("#marked", Static).update(Content.assemble(*parts))

    def _of(self, question: "Question") -> "dict[str, Report]":
        return {key_of(one): one for backend in self._backends for one in reports_of(question, backend)}

    def _row(self, key: str, old: "Report | None", new: "Report | None") -> Row:
        name = spelled(key)
        if old is None or new is None or new.refused is not None:
            return Row(key, (name, refusal(new) if new else "no such layout"), ("$text-muted",))
        from raidtui.advice.ranking import five_year_loss

        size = both if self._wide else decimal
        risk = _risks(old, new)
        better = five_year_loss(new) < five_year_loss(old)
        worth = "" if "→" not in risk else "$text-success" if better else "$text-error"
        return Row(
            key,
            (
                name,
                _both(size(old.usable_bytes), size(new.usable_bytes)),
                risk,
                _both(_span(old), _span(new)),
            ),
            (
                "bold",
                "$text-success" if new.usable_bytes > old.usable_bytes else "",
                worth,
                "",
            ),
        )

    @while_there
    def on_input_submitted(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        try:
            inputs = self._typed()
        except BadInput:
            return  # the error is already shown below the fields
        self.dismiss(inputs if inputs != self._question.inputs else None)


def _both(old: str, new: str) -> str:
    return old if old == new else f"{old} → {new}"


def _risks(old: "Report", new: "Report") -> str:
    """Two risks, without repeating common words: ``1 in 1,000 → 6,000``."""
    from raidtui.advice.risk import five_year_words

    before, after = (five_year_words(one.risk) if one.risk else "unknown" for one in (old, new))
    if before != after and before.startswith("1 in "):
        after = after.removeprefix("1 in ")
    return _both(before, after)


def _span(report: "Report") -> str:
    """The duration of a rebuild as a range of hours; below an hour, the longest in smaller units."""
    span = report.rebuild_seconds
    if span is None:
        return "none"
    if span.high < 3600:
        return duration(span.high)
    low, high = f"{span.low / 3600:.2g}", f"{span.high / 3600:.2g}"
    return f"{low} h" if low == high else f"{low}-{high} h"


def _repair(old: "Report", new: "Report") -> str:
    """The effect of a change on the time from a failed disk to full redundancy."""
    if old.risk is None or new.risk is None or old.rebuild_seconds is None:
        return "no redundancy: nothing can be rebuilt"
    times = _both(_hours(old.risk.inputs.repair_hours), _hours(new.risk.inputs.repair_hours))
    return f"from a failed disk to full redundancy {times}"


def _note(report: "Report") -> list[str]:
    """What makes a rebuild shorter than estimated, as a sentence."""
    note = backend(report.backend).rebuild_note if report.rebuild_seconds else ""
    return [f"\n{note[:1].upper()}{note[1:]}."] if note else []


def _hours(hours: float) -> str:
    return duration(hours * 3600)


def _line(label: str, control: Field | Choice, meaning: str = "") -> Horizontal:
    parts = [Label(label), control]
    if meaning:
        parts.append(Label(meaning, classes="meaning"))
    return Horizontal(*parts, classes="line")
