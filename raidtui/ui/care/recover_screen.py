"""Recover: try on overlays in which way the members of a lost unit belong together, and see the files of each."""

from collections.abc import Callable, Sequence
from threading import Thread
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.advice.findings.pages import COSTS
from raidtui.advice.findings.trials import in_use
from raidtui.model.errors import RaidtuiError
from raidtui.model.finding import recover_command
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover, RestoreMetadata, StartTried, word_of
from raidtui.model.recovery import Recovery, Tried
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Unit
from raidtui.ui.care import recover_words
from raidtui.ui.care.recover_words import Progress
from raidtui.ui.shell.lifecycle import in_thread, while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.widgets.dialog import Question
from raidtui.ui.widgets.live import Live
from raidtui.ui.widgets.rail import CARE
from raidtui.ui.widgets.rows import Column, Rows
from raidtui.ui.wizard.procedure import procedure_of, words_of

if TYPE_CHECKING:
    from raidtui.jobs.recovering.process import RecoveryProcess

_WHY = "Only root can set the members read-only and make overlays."
_BEGIN = """Enter begins. The members are set read-only, and overlays take every write. On these the unit is put together \
in each way that may be right. Each is mounted read-only, its files are counted and some are read, and fsck -n is run. \
Then nothing is left behind.

First copy each disk that fails to a new one (ddrescue): a trial reads the disks. It takes minutes, up to an hour if many \
orders must be tried. Esc ends it at any time."""


class RecoverScreen(ListPage):
    """One line for each way that was tried, the most likely first; the explanation is about the highlighted one."""

    COLUMNS = (
        Column("", 10),
        Column("Files", 9, right=True),
        Column("Newest", 16),
        Column("Bad", 5, right=True),
        Column("Members in order", 20, share=1),
    )
    STEP = "care"
    STEPS = CARE
    TITLE = "Recover"
    STARTS = True
    READY_AT_ONCE = False
    CSS_PATH = "recover.tcss"
    HELP = """
    For a unit that starts only by force, or not at all. More members are lost than its level survives, superblocks
    are gone or wrong, or a reshape was interrupted. Or the beginning of a filesystem was overwritten. Of a volume group
    every version of its metadata is tried, of a Btrfs copies of its superblock and older roots.

    SAFE: a trial, and copying files away. What runs with the members is stopped first, if you agree. The members are set
    read-only, and overlays in memory take every write.

    NOT SAFE: to create the array again, to add or re-add a member, to start it by force. Each writes to the members,
    and what it overwrites cannot be brought back. First look at the files here.

    CLEAN is the one to take: fsck finds no error, and every file that was sampled can be read. Compare the newest file
    of each line: members that left early lack what was written after. Bad counts files that cannot be read, or whose
    contents are not what their names say. NOTHING: not this way. REPAIRED: a copy of the superblock leads to files, after
    a repair on the overlay; copy them away.

    m leaves the files of a line mounted, read-only. Copy them to another disk, then press c.

    f plans to do as the highlighted line was tried: start the array by force, or restore the metadata of the volume
    group. It needs a line that is CLEAN and that superblocks or labels confirm. What is written over is kept first.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "attempt", "Try", tooltip="Try each way on overlays"),
        Binding("m", "show", "Mount", tooltip="Mount the files of this line read-only, to copy them away"),
        Binding("c", "clean", "Unmount", tooltip="Unmount it and remove what a trial left behind"),
        Binding("f", "real", "For real", tooltip="Plan to start or restore it as this line was tried"),
        Binding("o", "orders", "Other orders", tooltip="Try other orders of the members too"),
        Binding("x", "end", "Stop", tooltip="End the trial; the members are as they were"),
    ]

    def __init__(self, order: str = "", called: str = "") -> None:
        """``order``: the procedure, in the words of a place; ``called``: the name of its finding."""
        super().__init__()
        self._words, self._called = order, called
        self._procedure: Recover | None = None
        self._found: Recovery | None = None
        self._progress: Progress | None = None  # of the process that runs
        self._process: RecoveryProcess | None = None
        self._explanation = Content("Reading this computer...")

    def body(self) -> ComposeResult:
        yield Live(id="trying")
        yield from super().body()

    def beneath(self, room: int) -> Content:
        """The unit with its members, and all disks."""
        from raidtui.ui.care.overview_disks import unit_page

        return unit_page(self._unit, self.tui.units, self.tui.machine, width=self.beneath_width, room=room)

    def machine_changed(self, machine: Machine) -> None:
        if self._procedure is None:
            try:
                order = procedure_of(self._words)
            except RaidtuiError as error:
                self.complain(str(error))
                return
            assert isinstance(order, Recover), "nothing else leads here"
            self._procedure = order
            self.work_out(self.world.last_recovery, self._read, self._show)
        self._show()

    @while_there
    def _read(self, last: Recovery | None) -> None:
        """Take the last trial if it was of this unit, or something is mounted."""
        if last is not None and (last.name == self._unit_name or last.mounted_at):
            self._found = (
                last
                if last.name == self._unit_name
                else Recovery(name="", tried=(), mounted_at=last.mounted_at)
            )
        self.ready = True
        self._show()

    @property
    def _unit(self) -> Unit | None:
        uuid = self._procedure.unit if self._procedure is not None else ""
        return next((one for one in self.tui.units if uuid and one.uuid == uuid), None)

    @property
    def _unit_name(self) -> str:
        """What the trial calls it."""
        if (unit := self._unit) is not None:
            return unit.name or unit.uuid
        return listed(list(self._procedure.disks)) if self._procedure is not None else ""

    @property
    def _called_here(self) -> str:
        """The unit, or how many disks: the names of these would hide what is safe."""
        many = self._procedure.disks if self._procedure is not None and self._unit is None else ()
        return count_of(many, "member") if len(many) > 1 else harmless(self._unit_name)

    @property
    def _tried(self) -> Tried | None:
        key = self.table.key
        return self._found.tried[int(key) - 1] if self._found is not None and key else None

    def _show(self) -> None:
        self.head(f"Recover {self._called_here}. SAFE: try, mount, copy. NOT SAFE: create, add, force")
        found = self._found
        rows = (
            [
                recover_words.row(number, one, mounted=found.mounted == number)
                for number, one in enumerate(found.tried, 1)
            ]
            if found is not None and self._progress is None
            else []
        )
        self.table.show(rows)
        self.set_class(not rows, "-no-rows")
        progress = self._progress
        self.query_one("#trying", Live).show([progress.bar] if progress is not None else [])
        self.explain_row()
        if rows:
            self.table.focus_list()
        self.refresh_bindings()

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        self.explain_row()
        self.refresh_bindings()

    def explain_row(self) -> None:
        found, progress = self._found, self._progress
        if progress is not None:
            detail = self.query_one("#detail").size
            self.explain(Content("\n".join(progress.last(detail.height or 6, width=detail.width or 78))))
        elif (tried := self._tried) is not None and found is not None:
            nothing = recover_words.nothing_found(found)
            lines = [*([nothing] if nothing else []), *recover_words.about(int(self.table.key), tried, found)]
            self.explain(Content("\n".join(lines)))
        elif found is not None and found.mounted_at:
            self.explain(
                Content(
                    harmless(f"Files of another recovery are mounted at {found.mounted_at}; c ends that.")
                )
            )
        elif found is not None:
            self.explain(Content(recover_words.nothing_found(found)))
        else:
            self.explain(Content(_BEGIN))

    # The keys.

    def allowed(self) -> dict[str, bool]:
        runs, found = self._progress is not None, self._found
        mounted = found is not None and bool(found.mounted_at)
        tried = None if runs else self._tried
        return {
            "attempt": not runs and not mounted,
            "orders": not runs and not mounted and found is not None,
            "show": not mounted and tried is not None and tried.found and tried.mounted,
            "real": not mounted
            and found is not None
            and tried is not None
            and (found.startable(tried) or found.restorable(tried)),
            "clean": not runs and mounted,
            "end": runs,
        }

    def action_attempt(self) -> None:
        """Begin the trial; an array that runs is stopped for it, if the user wants that."""
        self._begin()

    def action_orders(self) -> None:
        self._begin("--orders")

    def _begin(self, *more: str) -> None:
        if not self.may_order(_WHY) or self._procedure is None or self.tui.machine is None:
            return
        used = in_use(self._procedure, self.tui.units, self.tui.machine)
        if used.mountpoints:
            places = listed([harmless(place) for place in used.mountpoints])
            self.complain(
                f"{self._called_here} is mounted at {places}: run umount on it in a shell (Ctrl-Z), then press Enter again"
            )
            return
        if not used.stops:
            self._run([*self._words_of_it(), *more], self._ended)
            return
        self.ask_for(
            Question(
                f"Stop {harmless(listed(used.arrays)) or 'the volumes'} for the trial?",
                f"{used.stopping}.",
                yes="Stop it",
            ),
            lambda _: self._run([*self._words_of_it(), *more, "--stop"], self._ended),
        )

    def _words_of_it(self) -> list[str]:
        """The options of the command; what may be stopped is asked for at each trial."""
        if self._procedure is None:
            return []
        return list(recover_command(replace(self._procedure, stop=False), self._called)[2:])

    def action_show(self) -> None:
        if self.may_order(_WHY):
            self._run([*self._words_of_it(), "--mount", self.table.key], self._ended, does="Mounting it...")

    def action_real(self) -> None:
        """Say what it costs to do to the members what was tried, then show the plan."""
        unit, number, name = self._unit, int(self.table.key), self._unit_name

        def ordered(order: StartTried | RestoreMetadata) -> None:
            said = (order.tried, COSTS[word_of(order)], "To copy the files away (m) writes to no member.")
            text = "\n\n".join(map(harmless, said))
            self.ask_for(
                Question("This is your choice", text, yes="Show the plan"),
                lambda _: self.tui.go("procedure", **words_of(order)),
            )

        self.work_out(lambda: self.world.for_real(number, name=name, unit=unit.uuid if unit else ""), ordered)

    def action_clean(self) -> None:
        def ended(cleaned: Recovery) -> None:
            if self._found is not None and self._found.tried:
                self._found = replace(self._found, mounted_at="", mounted=0)
            else:
                self._found = None
            still = recover_words.still_stopped(cleaned)
            self.say(" ".join(filter(None, ("Unmounted. The members are writable again.", still))))

        if self.may_order(_WHY):
            self._run(["--clean"], ended, does="Unmounting it...")

    def _ended(self, found: Recovery) -> None:
        self._found = found
        if found.mounted_at:
            self.say(f"Mounted read-only at {harmless(found.mounted_at)}. Copy the files away, then press c.")
        elif found.stopped:
            self.say(recover_words.still_stopped(found))
        self.app.bell()

    def action_end(self) -> None:
        self.say("Stopping the trial...")
        self._stop()

    def on_unmount(self) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            Thread(target=self._process.stop).start()

    def _run(self, words: Sequence[str], ended: Callable[[Recovery], None], *, does: str = "") -> None:
        self._progress = Progress(does)
        self.say("")
        self._show()
        self.run_worker(self._follow(words, ended), group="trial", exclusive=True)

    async def _follow(self, words: Sequence[str], ended: Callable[[Recovery], None]) -> None:
        try:
            self._process = await in_thread(self, self.world.recover, words)
            found = await in_thread(self, self._process.follow, self._told)
        except RaidtuiError as error:
            self.complain(str(error))
        else:
            ended(found)
        finally:
            self._progress = self._process = None
        self._show()
        self.tui.read_machine()

    def _told(self, line: str) -> None:
        self.app.call_from_thread(self._heard, line)

    def _heard(self, line: str) -> None:
        if self.is_mounted and self._progress is not None:
            self._progress.heard(line)
            self.query_one("#trying", Live).show([self._progress.bar])
            self.explain_row()
