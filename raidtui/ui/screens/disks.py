"""Disks: every disk of the machine, and which of them become members and spares."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.machine.words import attachment
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import harmless
from raidtui.model.units import decimal
from raidtui.ui import words
from raidtui.ui.later import later, while_there
from raidtui.ui.list_page import ListPage
from raidtui.ui.widgets.rows import Column, Row

COLUMNS = (
    Column("", 3, right=True),
    Column("Disk", 7),
    Column("Model", 12, share=2),
    Column("Serial", 12, share=1, keep_end=True),
    Column("Size", 7, right=True),
    Column("Health", 7),
    Column("State", 18, share=4),
)
HEALTH = 5  # the column that is left out where no disk tells its health
GONE = "gone:"  # key of a row for a chosen disk that is no longer there
ONE_ALONE = (
    "an array needs at least two members: choose another with Space; one disk alone is built by raidtui apply, "
    'from a file with backend = "disk" and level = "single"'
)


class DisksScreen(ListPage):
    """Members are numbered in the order in which they were chosen, which is the order of md's slots."""

    STEP = "disks"
    COLUMNS = COLUMNS
    TITLE = "Choose the disks of the array"
    HELP = """
    Every disk of this computer is listed. One that is taken says by what, and how to free it; it cannot be
    chosen until it is free, and the disks that the running system needs can never be chosen. t on a member of an
    array shows what taking that array away does, and does it once you have named its disks.

    A disk that merely holds data can be chosen; it would be erased, and it says what would be lost. Nothing
    is written before you have read the plan and typed the serial number of each disk that will be erased.

    Disks are numbered in the order in which you choose them: it becomes their order in the array. Disks of
    one size lose nothing; of unequal disks most levels use only as much as the smallest has. A spare stands
    by and takes over by itself when a member fails.

    Names such as sda change between boots. raidtui knows a disk by its serial number or WWN, as printed
    on its label. Disks that are plugged in or pulled out appear and go by themselves.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "Choose"),
        Binding("s", "spare", "Spare"),
        Binding("a", "all", "All free", tooltip="Choose every free disk of the highlighted one's size"),
        Binding("n", "none", "None", tooltip="Choose none"),
        Binding("t", "take_away", "Free", tooltip="Take away the array that the highlighted disk belongs to"),
        Binding("enter", "next", "Level", tooltip="Go on to the levels"),
        Binding("r", "read", "Read again", show=False),
    ]

    def on_mount(self) -> None:
        # The kernel does not tell when a process has let a disk go. Without a machine its first reading is under way.
        if self.tui.machine is not None:
            later(self, self.tui.read_machine)

    def machine_changed(self, machine: Machine) -> None:
        rows = [self._row(disk, machine) for disk in machine.disks]
        present = {word for disk in machine.disks for word in (words.spoken_name(disk, machine),)}
        rows += [self._gone(word) for word in self.tui.draft.spec.disks if word not in present]
        columns: tuple[Column, ...] = COLUMNS
        if all(row.cells[HEALTH] in {"", "-"} for row in rows):
            columns = COLUMNS[:HEALTH] + COLUMNS[HEALTH + 1 :]
            rows = [_without_health(row) for row in rows]
        table = self.table
        first = next((d.path for d in machine.disks if d.choosable), "")
        table.show(rows, highlight=table.key or first, columns=columns)
        if not self.focused:
            table.focus_list()
        self._tell(machine)
        self.refresh_bindings()

    def _row(self, disk: Disk, machine: Machine) -> Row:
        health, health_style = words.health(disk)
        state, state_style = words.state(disk, machine)
        mark = self._mark(words.spoken_name(disk, machine))
        if mark and words.losses(disk):
            state, state_style = f"ERASE {'; '.join(words.losses(disk))}", "bold $text-warning"
        blocked = bool(words.why_not(disk, machine))
        plain = "bold $text-primary" if mark else "$text-muted" if blocked else ""
        return Row(
            disk.path,
            (
                mark or ("x" if blocked else ""),
                disk.name,
                " ".join(filter(None, (attachment(disk), harmless(disk.model) or "no model"))),
                harmless(disk.serial) or "none",
                words.size(disk),
                health,
                state,
            ),
            (plain, plain, plain, plain, plain, health_style, state_style),
        )

    def _gone(self, word: str) -> Row:
        return Row(
            GONE + word, (self._mark(word), "gone", "", harmless(word), "", "", "unplugged"), ("$text-error",)
        )

    def _mark(self, word: str) -> str:
        spec = self.tui.draft.spec
        if word and word in spec.members:
            return str(spec.members.index(word) + 1)
        return "s" if word and word in spec.spares else ""

    @while_there
    def on_rows_moved(self) -> None:
        if self.tui.machine:
            self._tell(self.tui.machine)
            self.refresh_bindings()

    def _tell(self, machine: Machine) -> None:
        """Title and detail, for the choice and the highlighted disk."""
        spec = self.tui.draft.spec
        chosen = [disk for disk in machine.disks if words.spoken_name(disk, machine) in spec.members]
        if spec.disks:
            spares = f", {len(spec.spares)} spare{'s'[: len(spec.spares) != 1]}" if spec.spares else ""
            count = f"{len(spec.members)} member{'s'[: len(spec.members) != 1]}"
            self.head(f"Disks: {count} ({decimal(sum(d.size_bytes for d in chosen))} together){spares}")
        else:
            self.head(self.TITLE)
        self.explain(self._detail(machine))

    def _highlighted(self, machine: Machine) -> Disk | None:
        key = self.table.key
        return next((disk for disk in machine.disks if disk.path == key), None)

    def _detail(self, machine: Machine) -> Content:
        disk = self._highlighted(machine)
        if disk is None:
            gone = self.table.key.removeprefix(GONE)
            return Content(f"{gone} was chosen and is no longer there. Plug it in again, or press Space.")
        lines: list[tuple[str, str] | str] = [
            (
                f"{disk.path}  {harmless(disk.vendor)} {harmless(disk.model)}  serial {harmless(disk.serial) or 'none'}",
                "bold",
            ),
            f"  WWN {harmless(disk.wwn) or 'none'}\n",
            words.kind(disk) + "\n",
            words.health_in_full(disk) + "\n",
        ]
        for claim in words.obstacles(disk):
            lines += [
                (f"Taken: {harmless(claim.device)} {harmless(claim.detail)}\n", "$text-warning"),
                f"  to free it: {harmless(claim.how_to_free)}\n",
            ]
        if what_it_belongs_to(disk, machine):
            lines.append("  or press t: the steps are shown before anything is done\n")
        blocked = bool(words.why_not(disk, machine))
        for lost in words.losses(disk):
            lines.append(
                f"On it: {lost}\n" if blocked else (f"Will be erased if chosen: {lost}\n", "$text-warning")
            )
        if not machine.complete:
            lines.append(
                "Read without root: what is on the disks was not looked at. F2 opens raidtui as root.\n"
            )
        elif disk.free and not words.losses(disk):
            lines.append("Blank: no signature on it or its partitions, nobody has it open.\n")
        return Content.assemble(*lines)

    # What the keys do.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        machine = self.tui.machine
        disk = self._highlighted(machine) if machine else None
        if action == "take_away":
            return machine is not None and disk is not None and bool(what_it_belongs_to(disk, machine))
        if (
            action == "spare" and machine is not None and disk is not None
        ):  # Space says why not, and is enough
            chosen = words.spoken_name(disk, machine) in self.tui.draft.spec.spares
            return chosen or not words.why_not(disk, machine)
        return super().check_action(action, parameters)

    def action_take_away(self) -> None:
        """See what it takes to free the highlighted disk."""
        machine = self.tui.machine
        disk = self._highlighted(machine) if machine else None
        if machine is not None and disk is not None:
            self.tui.go("teardown", array=what_it_belongs_to(disk, machine))

    def action_choose(self) -> None:
        """Choose the highlighted disk as a member, or no longer."""
        self._toggle("members")

    def action_spare(self) -> None:
        """Have the highlighted disk stand by as a spare, or no longer."""
        self._toggle("spares")

    def _toggle(self, role: str) -> None:
        machine = self.tui.machine
        if machine is None:
            return
        disk = self._highlighted(machine)
        word = words.spoken_name(disk, machine) if disk else self.table.key.removeprefix(GONE)
        obstacle = words.why_not(disk, machine) if disk else ""
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

    def action_all(self) -> None:
        """Choose every free disk of the highlighted one's size that is not chosen yet."""
        machine = self.tui.machine
        like = self._highlighted(machine) if machine else None
        if machine is None or like is None:
            return
        spec = self.tui.draft.spec
        more = [
            word
            for disk in machine.disks
            if disk.free and disk.size_bytes == like.size_bytes
            if (word := words.spoken_name(disk, machine)) and word not in spec.disks
        ]
        if more:
            self._choose((*spec.members, *more), spec.spares)
        else:
            self.complain(f"no other disk of {words.size(like)} is free")

    def action_none(self) -> None:
        """Choose none."""
        self._choose((), ())

    def _choose(self, members: tuple[str, ...], spares: tuple[str, ...]) -> None:
        self.tui.draft = self.tui.draft.with_spec(members=members, spares=spares)
        self.say("")
        if self.tui.machine:
            self.machine_changed(self.tui.machine)

    def action_read(self) -> None:
        """Read the machine again."""
        self.say("")
        self.tui.read_machine()

    def action_next(self) -> None:
        """On to the levels, once the choice can become an array."""
        machine, spec = self.tui.machine, self.tui.draft.spec
        if machine is None:
            self.complain("the disks are still being read")
            return
        for word in spec.disks:
            disk = next((d for d in machine.disks if d.is_called(word)), None)
            if disk is None:
                self.complain(
                    f"{harmless(word)} was chosen and is no longer there; plug it in or unchoose it with Space"
                )
                return
            if obstacle := words.why_not(disk, machine):
                self.complain(obstacle)
                return
        if len(spec.members) == 1:
            self.complain(ONE_ALONE)
        elif not spec.members:
            self.complain("an array needs at least two members: choose disks with Space")
        else:
            self.tui.go("level")


def _without_health(row: Row) -> Row:
    def cut(parts: tuple[str, ...]) -> tuple[str, ...]:
        return parts[:HEALTH] + parts[HEALTH + 1 :]

    return Row(row.key, cut(row.cells), cut(row.styles))


def what_it_belongs_to(disk: Disk, machine: Machine) -> str:
    """What a teardown would take away to free this disk: an array's UUID, a disk alone's name, or nothing."""
    if disk.free:
        return ""
    for array in machine.arrays:
        if array.uuid and any(member.disk == disk.identity for member in array.members):
            return array.uuid
    from raidtui.plan.alone_teardown import find_alone

    try:
        return disk.identity if find_alone(disk.identity, machine) is not None else ""
    except RaidtuiError:
        return ""
