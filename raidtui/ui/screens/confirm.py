"""Confirm: each disk that will be erased, named by the end of its serial number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.widgets import Input, Static

from raidtui.model.errors import RaidtuiError
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import PlannedDisk
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.model.units import decimal
from raidtui.ui import job_words, words
from raidtui.ui.later import while_there
from raidtui.ui.page import Page
from raidtui.ui.widgets.field import Field
from raidtui.ui.widgets.push import Push

SHORTEST = 4  # characters that must be typed of each serial number


@dataclass(frozen=True)
class Wanted:
    """What is confirmed: the disks, a mark that changes with anything else about it, and how it is started."""

    disks: tuple[PlannedDisk, ...]
    mark: str
    start: Callable[[Machine, Sequence[str]], JobRequest]
    lost: str = ""  # what is lost with every one of them


class ConfirmScreen(Page):
    """Cancel has the focus. Erasing becomes possible when every disk is named right."""

    STEP = "confirm"
    TITLE = "Confirm: everything on these disks will be lost"
    HELP = """
    This is the last moment at which nothing has been written. Compare each disk with the label on the real one:
    its model, its size, its serial number. Then type the last four characters of each serial number, or as many
    as it asks for where two end alike.

    "Yes", Enter and device names are not confirmations: sda today may be sdb tomorrow. When all are right the
    button can be pressed. The disks are read once more just before the first write; if anything moved since, the
    job stops. It goes on when this screen is closed or the connection is lost.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Field", key_display="↑↓", tooltip="Another field"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("left,right", "other_button", "Other button", show=False),
    ]

    def __init__(self, sweep: str = "", teardown: str = "") -> None:
        """``sweep``: the study to be started in place of the array of the draft; ``teardown``: what to take away."""
        super().__init__()
        self._sweep, self._teardown = sweep, teardown
        self._wanted: Wanted | None = None
        self._machine: Machine | None = None
        self._started = False

    def body(self) -> ComposeResult:
        with VerticalScroll(id="disks", can_focus=False):
            yield Static("Reading the disks...", id="reading")
        with Horizontal(classes="buttons"):
            yield Push("Cancel", id="cancel")
            then = "measure" if self._sweep else "take away" if self._teardown else "build"
            yield Push(f"Erase and {then}", id="erase", disabled=True)
            yield Static(id="count")

    def machine_changed(self, machine: Machine) -> None:
        try:
            wanted = self._look(machine)
        except RaidtuiError as error:
            self._wanted = None
            self._judge()
            self.complain(f"{error}. Nothing was written; Esc leads back")
            return
        if self._wanted is not None and wanted.mark == self._wanted.mark:
            self._machine = machine
            return
        if self._wanted is not None:
            self.complain("the disks changed while you were here: look at the plan again with Esc")
            self._wanted = None
            self._judge()
            return
        self._wanted, self._machine = wanted, machine
        endings = expected_endings(wanted.disks, machine)
        self.query_one("#reading").remove()
        self.query_one("#disks").mount_all(
            _entry(number, planned, machine.disk(planned.identity), endings[number], wanted.lost)
            for number, planned in enumerate(wanted.disks)
        )
        self.query_one("#cancel").focus()
        self._judge()

    def _look(self, machine: Machine) -> Wanted:
        """What would be done on this machine: the draft's array, the sweep, or the teardown."""
        draft = self.tui.draft
        if self._teardown:
            from raidtui.plan.teardown import make_teardown

            away = make_teardown(self._teardown, machine, seed=draft.seed)
            return Wanted(
                away.disks,
                away.fingerprint,
                lambda now, erase: self.world.start_teardown(away, now, array=self._teardown, erase=erase),
                lost=f"its part of {harmless(away.spec.name)}",
            )
        if not self._sweep:
            from raidtui.plan.build import make_plan

            plan = make_plan(draft.spec, machine, seed=draft.seed)
            return Wanted(
                plan.disks,
                plan.fingerprint,
                lambda now, erase: self.world.start_build(plan, now, erase=erase, accepted=draft.accepted),
            )
        from raidtui.sweep.prepare import preview, with_disks

        seen = preview(with_disks(self._sweep, draft.spec.members), machine, seed=draft.seed)
        return Wanted(
            seen.disks,
            to_json(seen.disks),
            lambda now, erase: self.world.start_sweep(
                seen, now, seed=draft.seed, erase=erase, accepted=draft.accepted
            ),
        )

    def _typed(self) -> list[bool]:
        """For each disk, whether what was typed names it."""
        if self._wanted is None or self._machine is None:
            return []
        endings = expected_endings(self._wanted.disks, self._machine)
        fields = self.query(Field)
        return [
            names(field.value, disk, ending)
            for field, disk, ending in zip(fields, self._wanted.disks, endings, strict=False)
        ]

    @on(Field.Changed)
    @while_there
    def _judge(self) -> None:
        right = self._typed()
        ready = self._wanted is not None and len(right) == len(self._wanted.disks) and all(right)
        for number, is_right in enumerate(right):
            self.query_one(f"#sign-{number}", Static).update("ok" if is_right else "")
        self.query_one("#erase", Push).disabled = not ready or self._started
        total = len(self._wanted.disks) if self._wanted else 0
        self.query_one("#count", Static).update(f"{sum(right)} of {total} disks named")

    @on(Field.Submitted)
    @while_there
    def _field_done(self, event: Field.Submitted) -> None:
        """Enter leads on: to the next disk that is not named right yet, and to the button when all are."""
        right, fields = self._typed(), list[Input](self.query(Field))
        here = fields.index(event.input)
        if not right[here]:
            self.complain("this disk's serial number does not end like that: look at the label on the disk")
            return
        self.say("")
        left = [*range(here + 1, len(fields)), *range(here)]
        following = next((fields[number] for number in left if not right[number]), None)
        (following or self.query_one("#erase")).focus()

    def on_key(self, event: Key) -> None:
        """Whoever starts to type while a button has the focus names the first disk that is not named yet."""
        if not isinstance(self.focused, Push) or event.character is None or not event.character.isalnum():
            return
        right = self._typed()
        field = next((field for number, field in enumerate(self.query(Field)) if not right[number]), None)
        if field is not None:
            field.focus()
            field.insert_text_at_cursor(event.character)
            event.stop()

    def action_other_button(self) -> None:
        """From one button to the other, if that can be pressed."""
        other = self.query_one("#erase" if self.query_one("#cancel").has_focus else "#cancel", Push)
        if isinstance(self.focused, Push):
            other.focus()

    @on(Push.Pressed, "#cancel")
    @while_there
    def _cancel(self) -> None:
        self.tui.action_go_back()

    @on(Push.Pressed, "#erase")
    @while_there
    def _erase(self) -> None:
        wanted, machine = self._wanted, self._machine
        if wanted is None or machine is None or self._started or not all(self._typed()):
            return
        self._started = True
        self._judge()
        self.say("Starting the job...")
        erase = [disk.serial or disk.identity for disk in wanted.disks]
        self.order(lambda: wanted.start(machine, erase), self._go_on, self._not_begun)

    def _go_on(self, request: JobRequest) -> None:
        if not self._teardown:
            self.tui.begin_anew()
        self.tui.go_from_overview(job_words.place(request), job=request.id)

    def _not_begun(self) -> None:
        self._started = False
        self._judge()


def expected_endings(disks: Sequence[PlannedDisk], machine: Machine) -> list[str]:
    """What must at least be typed of each disk: the end of its serial number that no other disk here shares.

    A serial number shorter than four characters stands for nothing: the WWN or by-id name does, then.
    """
    every = {_whole(disk) for disk in disks} | {d.serial or d.identity for d in machine.disks}
    return [_ending(_whole(disk), every) for disk in disks]


def _whole(disk: PlannedDisk) -> str:
    return disk.serial if len(disk.serial) >= SHORTEST else disk.wwn or disk.identity


def _ending(word: str, every: set[str]) -> str:
    others = [other.casefold() for other in every if other != word]
    for length in range(SHORTEST, len(word)):
        if not any(other.endswith(word[-length:].casefold()) for other in others):
            return word[-length:]
    return word


def names(typed: str, disk: PlannedDisk, ending: str) -> bool:
    """Whether ``typed`` is the end of the disk's name and long enough; letter case does not matter."""
    said = typed.strip().casefold()
    return len(said) >= len(ending) and _whole(disk).casefold().endswith(said)


def _entry(number: int, planned: PlannedDisk, disk: Disk, ending: str, also: str) -> Vertical:
    name, lost = _whole(planned), [*([also] if also else []), *words.losses(disk)]
    called = "serial" if name == planned.serial else "WWN" if name == planned.wwn else "id"
    head = Content.assemble(
        f"{number + 1} {planned.role} {disk.name}, {harmless(planned.model) or 'no model'}, ",
        f"{decimal(planned.size_bytes)}, {called} {harmless(name[: -len(ending)])}",
        (harmless(ending), "bold underline"),
    )
    return Vertical(
        Static(head),
        Horizontal(
            Static(Content(f"  type the last {len(ending)}: ")),
            Field(id=f"serial-{number}", max_length=64, placeholder="_" * min(len(ending), 18)),
            Static(id=f"sign-{number}", classes="sign"),
            Static(
                Content(f"LOST: {'; '.join(lost)}" if lost else "no data was found on it"),
                classes="lost" if lost else "blank",
            ),
        ),
        classes="disk",
    )
