"""Burn-in: choose disks, start, follow how far each is, and see their results side by side."""

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.bench.burnin.course import progress_of
from raidtui.model.journal import Entry, JobKind, JobRequest, JobState
from raidtui.model.machine import Disk, Machine
from raidtui.ui.care import burnin_words, job_words
from raidtui.ui.care.job_orders import JobOrders
from raidtui.ui.care.jobs_page import JobsPage
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.shell.list_page import LEAST_BENEATH, ListPage
from raidtui.ui.widgets.dialog import Question, Reader
from raidtui.ui.widgets.rows import Rows

if TYPE_CHECKING:
    from raidtui.bench.burnin.course import BurnInProgress


class BurnInScreen(ListPage, JobsPage, JobOrders):
    """One line a disk; a burn-in that runs shows its progress there."""

    READY_AT_ONCE = False
    COLUMNS = burnin_words.COLUMNS
    TITLE = "Burn-in"
    STARTS = True
    HELP = """
    New disks fail early, or are slow from the start. A burn-in finds that before they hold data. It runs the disks'
    own self-tests and reads all of each, at the same time. Nothing is written. A large disk takes a day or more; the
    job continues when raidtui or the connection ends, and after a reboot r resumes it.

    The line shows the speed from the first sector to the last, all disks on one scale: _ is slow, # is fast.
    Platters are slower towards their end. The verdict compares each part with the same part of the other disks of
    its model and size. What was slow is read again before it is called slow.

    'raidtui burnin --erase' also writes blank disks, compares, and zeroes them. A disk with an empty partition table
    is not blank: t shows the plan that erases it.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "Choose", tooltip="Choose the disk, or clear it; then the next one"),
        Binding("a", "all", "All", tooltip="Choose every disk that nothing uses"),
        Binding("enter", "start", "Start", tooltip="Burn in the chosen disks"),
        Binding("x", "stop", "Stop", tooltip="Stop the burn-in; r resumes it"),
        Binding("r", "resume", "Resume", tooltip="Resume the last burn-in from where it stopped"),
        Binding("t", "blank", "Blank", tooltip="Show the plan that erases its empty partition table"),
        Binding("l", "journal", "Journal", tooltip="Show the whole journal"),
    ]
    CSS_PATH = "burnin.tcss"
    RESUMING = "A burn-in reads whole disks."

    job: JobState | None = None  # the one given, else the last

    def __init__(self, job: str = "") -> None:
        super().__init__()
        self._wanted = job
        self._entries: tuple[Entry, ...] = ()
        self._chosen: set[str] | None = None  # keys of disks; None: not looked at the draft yet

    def machine_changed(self, machine: Machine) -> None:
        if self._chosen is None:
            wanted = self.tui.draft.spec.disks
            self._chosen = {disk.key for disk in machine.disks if any(map(disk.is_called, wanted))}
        self._show()

    def jobs_changed(self, jobs: tuple[JobState, ...]) -> None:
        known = [one for one in jobs if one.request.kind is JobKind.BURN_IN]
        named = [one for one in known if one.request.id == self._wanted]
        job = next(iter((*named, *known)), None)
        self.job = job
        if job is None:
            self._show()
            return
        self.work_out(lambda: self.world.read_journal(job), self._read)

    @while_there
    def _read(self, entries: tuple[Entry, ...]) -> None:
        self._entries = entries
        self._show()

    @property
    def _progress(self) -> "BurnInProgress | None":
        """How far the burn-in is that runs; None if none does."""
        job = self.job
        if job is None or not job_words.runs(job) or job.request.burn_in is None:
            return None
        return progress_of(job.request.burn_in, self._entries)

    def _show(self) -> None:
        machine = self.tui.machine
        if machine is None:
            return
        progress = self._progress
        running = progress.disks if progress is not None else {}
        results = {one.subject: one for one in machine.history.burn_ins} if machine.history else {}
        rates = [*(one.rates for one in running.values()), *(one.rates for one in results.values())]
        top = max((max(some, default=0) for some in rates), default=0)
        job = self.job
        stopped = job.outcome.words if job is not None and job_words.can_resume(job) else ""
        self.head(burnin_words.heading(progress, len(self._chosen or ()), stopped))
        first = next((one.key for one in machine.disks if not _obstacle(one)), "")
        self.table.show(
            [
                burnin_words.row(
                    disk,
                    mark=self._mark(disk, busy=bool(running)),
                    obstacle=_obstacle(disk),
                    result=results.get(disk.identity),
                    running=running.get(disk.identity),
                    step=progress.step if progress is not None else "",
                    top=top,
                )
                for disk in machine.disks
            ],
            highlight=self.table.key or first,
        )
        if not self.ready:
            self.ready = True
            self.table.focus_list()
        self._explain(machine)
        self._tell_of_job()

    def _mark(self, disk: Disk, *, busy: bool) -> str:
        if busy or _obstacle(disk):
            return ""
        return "[x]" if disk.key in (self._chosen or ()) else "[ ]"

    def _tell_of_job(self) -> None:
        """Say why the last burn-in stopped, if it can be resumed."""
        if self.job is not None and job_words.can_resume(self.job):
            self.complain(f"{job_words.why(self.job) or 'The last burn-in was stopped.'}")

    @while_there
    def on_rows_moved(self, message: Rows.Moved) -> None:
        if self.tui.machine is not None:
            self._explain(self.tui.machine)

    def _explain(self, machine: Machine) -> None:
        disk = self._highlighted
        if disk is None:
            self.explain(Content("The kernel reports no disks."))
        else:
            results = machine.history.burn_ins if machine.history else ()
            result = next((one for one in results if one.subject == disk.identity), None)
            running = self._progress.disks.get(disk.identity) if self._progress is not None else None
            width = 0 if self.beneath(self.room_beneath).plain else self.detail_width  # drawn once
            table = self._has_only_a_table
            self.explain(
                burnin_words.details(disk, result, _obstacle(disk), running, width=width, table=table)
            )
        self.refresh_bindings()

    def beneath(self, room: int) -> Content:
        """The speeds of all disks one below the other."""
        machine = self.tui.machine
        if machine is None or room < LEAST_BENEATH:
            return Content("")
        running = self._progress.disks if self._progress is not None else {}
        results = {one.subject: one.rates for one in machine.history.burn_ins} if machine.history else {}
        rates = {key: one.rates for key, one in running.items() if any(one.rates)}
        known = [(disk, (results | rates).get(disk.identity, ())) for disk in machine.disks]
        drawn = [one for one in known if any(one[1])]
        return burnin_words.side_by_side(drawn, self.table.key, width=self.list_width - 2, room=room)

    @property
    def _highlighted(self) -> Disk | None:
        machine = self.tui.machine
        key = self.table.key
        return next((one for one in machine.disks if one.key == key), None) if machine is not None else None

    # The keys.

    def allowed(self) -> dict[str, bool]:
        runs = job_words.runs(self.job)
        return super().allowed() | {
            "choose": not runs,
            "all": not runs,
            "start": not runs and bool(self._chosen),
            "journal": self.job is not None,
            "blank": not runs and self._has_only_a_table,
        }

    @property
    def _has_only_a_table(self) -> bool:
        """Whether an empty partition table is all that is on the highlighted disk."""
        from raidtui.ui.wizard.disk_owner import has_only_a_table

        disk, machine = self._highlighted, self.tui.machine
        return disk is not None and machine is not None and has_only_a_table(disk, machine)

    def action_blank(self) -> None:
        if (disk := self._highlighted) is not None and self._has_only_a_table:
            self.tui.go("teardown", array=disk.identity)

    def is_idle(self, action: str) -> bool:
        machine, disk = self.tui.machine, self._highlighted if self.is_mounted else None
        if action == "choose":
            return disk is not None and bool(_obstacle(disk))
        if action == "all" and machine is not None and self._chosen is not None:
            return self._chosen == {one.key for one in machine.disks if not _obstacle(one)}
        return False

    def action_choose(self) -> None:
        disk = self._highlighted
        if disk is None or self._chosen is None:
            return
        if obstacle := _obstacle(disk):
            self.complain(f"{disk.short} {obstacle}")
            return
        self._chosen ^= {disk.key}
        self._show()
        self.table.step_down()

    def action_all(self) -> None:
        machine = self.tui.machine
        if machine is not None:
            self._chosen = {disk.key for disk in machine.disks if not _obstacle(disk)}
            self._show()

    def action_start(self) -> None:
        """Ask, then burn in the chosen disks."""
        machine = self.tui.machine
        if machine is None or not self.may_order(self.RESUMING):
            return
        disks = [disk for disk in machine.disks if disk.key in (self._chosen or ())]
        names = ", ".join(disk.identity for disk in disks)

        text = (
            f"Runs the self-tests of {names} and reads all of each, at the same time. Nothing is written. Until it "
            "ends they cannot be used for anything else."
        )
        self.ask_for(
            Question("Burn in these disks?", text, yes="Burn in"),
            lambda _: self.order(
                lambda: self.world.start_burn_in([disk.identity for disk in disks], machine), self.job_started
            ),
        )

    def job_started(self, request: JobRequest) -> None:
        self._wanted = request.id
        self.say("It runs, also without this screen.")

    def action_journal(self) -> None:
        from raidtui.ui.care.journal_text import journal_text

        self.app.push_screen(Reader("Journal", journal_text(self._entries), at_end=True))


def _obstacle(disk: Disk) -> str:
    """Why ``disk`` cannot be burned in; empty if it can."""
    from raidtui.bench.burnin.disks import why_not

    return why_not(disk) if disk.identity else "has no serial number"
