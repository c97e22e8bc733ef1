"""Disks: all disks of the machine, to choose members and spares from."""

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Label

from raidtui.backends.units import cards_are_read
from raidtui.machine.attachment import attachment
from raidtui.model.machine import ClaimKind, Disk, Machine
from raidtui.model.spec import Spec
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.ui.shell import explained
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.widgets.rows import Row
from raidtui.ui.wizard import disk_words
from raidtui.ui.wizard.chosen_disks import chosen_words, usable_words, why_not_these
from raidtui.ui.wizard.disk_columns import COLUMNS, WIDE_LIST, fitting
from raidtui.ui.wizard.disk_detail import in_full
from raidtui.ui.wizard.disk_owner import what_it_belongs_to

if TYPE_CHECKING:
    from textual.widgets import Input

GONE = "gone:"  # prefix of the key of a row for a chosen disk that is no longer there


class DisksScreen(ListPage):
    """Members are numbered in the order of choice, which is the order of md's slots."""

    STEP = "disks"
    READY_AT_ONCE = False
    COLUMNS = COLUMNS
    TITLE = "Choose the disks of the array"
    HELP = explained.for_screen(explained.DISKS)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space", "choose", "Choose", tooltip="Choose the disk as a member, or clear it; then the next one"
        ),
        Binding("s", "spare", "Spare", tooltip="Choose the disk as a hot spare, or clear it"),
        Binding("a", "all", "All free", tooltip="Choose every free disk of the highlighted one's size"),
        Binding("n", "none", "None", tooltip="Clear the choice"),
        Binding(
            "t",
            "take_away",
            "Remove",
            tooltip="Remove what the highlighted disk is a member of, or its empty partition table",
        ),
        Binding("slash", "filter", "Filter", key_display="/", tooltip="Show only disks that match a text"),
        Binding("h", "visit('health')", "Health", show=False, tooltip="Errors, temperature and age of disks"),
        Binding("b", "visit('burnin')", "Burn in", show=False, tooltip="Try disks before they are trusted"),
        Binding("enter", "next", "Next", tooltip="Choose the level"),
        Binding("r", "read", "Read again", show=False),
        Binding("escape", "back", "Back", tooltip="Show all disks again, or go back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._only = ""  # the filter: show only rows that contain it
        self._filtering = False  # whether its field is there
        self._counted: tuple[Machine, Spec] | None = None  # whose usable space `_usable` is
        self._usable = ""
        self._judged: tuple[Machine, Spec, str] | None = None  # why Next is refused for these

    def on_mount(self) -> None:
        # The kernel does not report when a process releases a disk. Without a machine, the first reading is running.
        if self.tui.machine is not None:
            later(self, self.tui.read_machine)

    def machine_changed(self, machine: Machine) -> None:
        self._drop_what_is_in_use(machine)
        self._show(machine)
        self.ready = True
        if machine.cards and not cards_are_read(machine):
            self.say("Drives behind a RAID card are not listed; the overview says why.")

    def units_changed(self, units: tuple[Unit, ...]) -> None:
        if self.tui.machine is not None:
            self._show_details(self.tui.machine)
            self.offer_keys()

    def _drop_what_is_in_use(self, machine: Machine) -> None:
        """Clear chosen disks that are in use now, or were in use before that was known."""
        spec, dropped = self.tui.draft.spec, []
        for disk in machine.disks:
            word = disk_words.spec_name(disk, machine)
            # A process may hold a disk only briefly, as udev does: that only blocks Next.
            held = any(claim.what is not ClaimKind.PROCESS for claim in disk_words.obstacles(disk))
            if held and word in spec.disks:
                dropped.append((word, disk_words.why_not(disk, machine)))
        if dropped:
            gone = {word for word, _ in dropped}
            self.tui.draft = self.tui.draft.with_spec(
                members=tuple(w for w in spec.members if w not in gone),
                spares=tuple(w for w in spec.spares if w not in gone),
            )
            self.complain(dropped[0][1])

    def _show(self, machine: Machine) -> None:
        rows = [self._row(disk, machine) for disk in machine.disks]
        present = {disk_words.spec_name(disk, machine) for disk in machine.disks}
        rows += [self._gone(word) for word in self.tui.draft.spec.disks if word not in present]
        rows, columns = fitting(rows, wide=self.list_width >= WIDE_LIST)
        rows = [row for row in rows if self._only in " ".join(row.cells).casefold()]
        table = self.table
        first = next((d.key for d in machine.disks if d.choosable), "")
        table.show(rows, highlight=table.key or first, columns=columns)
        if not self.focused:
            table.focus_list()
        self._show_details(machine)
        self.refresh_bindings()

    def _row(self, disk: Disk, machine: Machine) -> Row:
        health, health_style = disk_words.health(disk)
        state, state_style = disk_words.state(disk, machine)
        blocked = bool(disk_words.why_not(disk, machine))
        mark = self._mark(disk_words.spec_name(disk, machine))
        if mark and not blocked and disk_words.losses(disk):
            state, state_style = f"ERASE: {disk_words.on_it(disk)}", "bold $text-warning"
        plain = "bold $text-primary" if mark else "$text-muted" if blocked else ""
        return Row(
            disk.key,
            (
                mark or ("" if blocked else "[ ]"),
                disk.short,
                " ".join(filter(None, (attachment(disk), harmless(disk.model) or "no model"))),
                disk_words.short_number(disk) or "none",
                disk_words.size(disk),
                harmless(disk.place),
                disk_words.age(disk),
                disk_words.temperature(disk),
                health,
                state,
            ),
            (*(plain,) * 8, health_style, state_style),
        )

    def _gone(self, word: str) -> Row:
        cells = (self._mark(word), "gone", "", harmless(word), *("",) * 5, "unplugged")
        return Row(GONE + word, cells, ("$text-error",))

    def _mark(self, word: str) -> str:
        spec = self.tui.draft.spec
        if word and word in spec.members:
            return f"[{spec.members.index(word) + 1}]"
        return "[s]" if word and word in spec.spares else ""

    @while_there
    def on_rows_moved(self) -> None:
        if self.tui.machine:
            self._show_details(self.tui.machine)
            self.refresh_bindings()

    def _show_details(self, machine: Machine) -> None:
        """Show the running total, and the details of the highlighted disk."""
        spec = self.tui.draft.spec
        if self._counted is None or self._counted[0] is not machine or self._counted[1] != spec:
            self._counted, self._usable = (machine, spec), usable_words(spec, machine)
        if spec.disks:
            self.head(f"Chosen: {chosen_words(spec, machine, self._usable)}")
        else:
            self.head(self.TITLE)
        self.explain(self._detail(machine))

    def beneath(self, room: int) -> Content:
        """What the disks would give."""
        from raidtui.ui.wizard.gives import what_they_give

        machine = self.tui.machine
        if machine is None:
            return Content("")
        return what_they_give(self.tui.draft.spec, machine, width=self.list_width, room=room)

    def _highlighted(self, machine: Machine) -> Disk | None:
        key = self.table.key
        return next((disk for disk in machine.disks if disk.key == key), None)

    def _detail(self, machine: Machine) -> Content:
        disk = self._highlighted(machine)
        if disk is None and not self.table.rows:
            return Content(
                f"No disk matches '{self._only}'. Esc shows all of them."
                if self._only
                else "The kernel reports no disks."
            )
        if disk is None:
            gone = self.table.key.removeprefix(GONE)
            return Content(f"{gone} was chosen and is no longer there. Connect it again, or press Space.")
        return Content.assemble(*in_full(disk, machine, self.tui.units))

    # The keys.

    def allowed(self) -> dict[str, bool]:
        machine, spec = self.tui.machine, self.tui.draft.spec
        allowed = {
            "back": self._filtering or bool(self.tui.check_action("go_back", ())),
            "none": bool(spec.disks),
            "take_away": False,
        }
        disk = self._highlighted(machine) if machine else None
        if machine is not None and disk is not None:
            allowed["take_away"] = bool(what_it_belongs_to(disk, self.tui.units, machine))
            # Not for a disk that cannot be chosen; Space explains why.
            chosen = disk_words.spec_name(disk, machine) in spec.spares
            allowed["spare"] = chosen or not disk_words.why_not(disk, machine)
        return allowed

    def is_idle(self, action: str) -> bool:
        machine, spec = self.tui.machine, self.tui.draft.spec
        if machine is None or action not in {"choose", "all", "next"}:
            return False
        if action == "all":
            return not self._more(machine)
        if action == "next":
            return len(spec.disks) == 0 or bool(self._why_not_next(machine))
        disk = self._highlighted(machine)
        if disk is None:
            return not self.table.rows
        return disk_words.spec_name(disk, machine) not in spec.members and bool(
            disk_words.why_not(disk, machine)
        )

    def _why_not_next(self, machine: Machine) -> str:
        """Why no array can be made of the choice; empty if one can."""
        spec = self.tui.draft.spec
        if self._judged is None or self._judged[0] is not machine or self._judged[1] != spec:
            self._judged = (machine, spec, why_not_these(spec, machine))
        return self._judged[2]

    def action_take_away(self) -> None:
        machine = self.tui.machine
        disk = self._highlighted(machine) if machine else None
        if machine is not None and disk is not None:
            self.tui.go("teardown", array=what_it_belongs_to(disk, self.tui.units, machine))

    def action_choose(self) -> None:
        self._toggle("members")

    def action_spare(self) -> None:
        self._toggle("spares")

    def _toggle(self, role: str) -> None:
        machine = self.tui.machine
        if machine is None:
            return
        disk = self._highlighted(machine)
        word = disk_words.spec_name(disk, machine) if disk else self.table.key.removeprefix(GONE)
        obstacle = disk_words.why_not(disk, machine) if disk else ""
        spec = self.tui.draft.spec
        was = word in getattr(spec, role)
        if obstacle and not was:
            self.complain(obstacle)
            return
        without = {
            "members": tuple(w for w in spec.members if w != word),
            "spares": tuple(w for w in spec.spares if w != word),
        }
        if not was and disk:
            without[role] = (*without[role], word)
        self._choose(without["members"], without["spares"])
        self.table.step_down()

    def action_all(self) -> None:
        """Choose every free disk of the highlighted one's size that is not chosen yet.

        For a drive behind a card, only the card knows whether it is free.
        """
        machine = self.tui.machine
        like = self._highlighted(machine) if machine else None
        if machine is None or like is None:
            return
        spec = self.tui.draft.spec
        if more := self._more(machine):
            self._choose((*spec.members, *more), spec.spares)
        else:
            self.complain(f"no other disk of {disk_words.size(like)} is free")

    def _more(self, machine: Machine) -> list[str]:
        """The free disks like the highlighted one that are not chosen yet."""
        like, spec = self._highlighted(machine), self.tui.draft.spec
        if like is None:
            return []
        return [
            word
            for disk in machine.disks
            if disk.size_bytes == like.size_bytes
            and attachment(disk) == attachment(like)
            and (disk.free if like.has_device else disk.choosable and disk.controller == like.controller)
            and disk.has_device == like.has_device
            if (word := disk_words.spec_name(disk, machine)) and word not in spec.disks
        ]

    def action_none(self) -> None:
        self._choose((), ())

    def _choose(self, members: tuple[str, ...], spares: tuple[str, ...]) -> None:
        self.tui.draft = self.tui.draft.with_spec(members=members, spares=spares)
        self.say("")
        if self.tui.machine:
            self._show(self.tui.machine)

    async def action_filter(self) -> None:
        if not self._filtering:
            # Created on demand: the first picture does not wait for fields.
            from raidtui.ui.widgets.field import FilterField

            field = FilterField(
                self._only, id="filter", max_length=64, placeholder="name, model, serial number, state"
            )
            self._filtering = True
            await self.query_one("#body").mount(Horizontal(Label("Filter: "), field, id="filtering"))
        self.set_focus(self.query_one("#filter"))

    def _show_only(self, text: str) -> None:
        self._only = text.strip().casefold()
        if self.tui.machine:
            self._show(self.tui.machine)

    @while_there
    def on_input_changed(self, event: "Input.Changed") -> None:
        """Apply the filter."""
        self._show_only(event.value)

    @while_there
    def on_input_submitted(self) -> None:
        self.table.focus_list()

    async def action_back(self) -> None:
        """Clear the filter; without one, go back."""
        if self._filtering:
            self.table.focus_list()
            await self.query_one("#filtering").remove()
            self._filtering = False
            self._show_only("")
        else:
            self.tui.action_go_back()

    def action_read(self) -> None:
        self.say("")
        self.tui.read_machine()

    def action_next(self) -> None:
        """Go to the levels, if the choice is valid."""
        machine = self.tui.machine
        if machine is None:
            self.complain("still reading the disks")
            return
        if trouble := self._why_not_next(machine):
            self.complain(trouble)
        else:
            self.tui.go("level")
