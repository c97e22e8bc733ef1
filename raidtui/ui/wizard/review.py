"""Review: hazards, and the plan step by step, before anything has been written."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.plan import FORMER, Hazard, Plan, PlanKind, Severity, Step
from raidtui.model.text import harmless, spelled
from raidtui.model.units import both
from raidtui.ui.shell import explained, saving
from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.list_page import ListPage
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.dialog import AskText, Reader
from raidtui.ui.widgets.rows import Column, Row
from raidtui.ui.wizard.danger import SAFE, erases, shared_in
from raidtui.ui.wizard.rehearsed_words import NEEDS_ROOT, begins, order_to_rehearse, why_not_rehearsed
from raidtui.ui.wizard.review_words import (
    RESYNC,
    RESYNC_MEANS,
    STYLES,
    commands_parts,
    first_sentence,
    hazard_parts,
    step_parts,
    worst_first,
)
from raidtui.ui.wizard.wanted import Purpose, also_lost, plan_of, script_of

if TYPE_CHECKING:
    from raidtui.plan.durations import Durations

COLUMNS = (Column("", 8), Column("", 40, share=1))


class ReviewScreen(ListPage):
    """Shows what is erased, then hazards, then steps; the highlighted row is explained below."""

    CSS_PATH = "review.tcss"
    STEP = "review"
    DELIBERATE = frozenset({"space"})  # it accepts a hazard
    READY_AT_ONCE = False
    COLUMNS = COLUMNS
    TITLE = "Review the plan"
    HELP = explained.for_screen(explained.REVIEW)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "accept", "Accept", tooltip="Accept the highlighted hazard, or withdraw that"),
        Binding("f", "fix", "Fix", tooltip="Add steps that fix hazards, or remove them"),
        Binding("c", "commands", "Commands", tooltip="Show the exact commands"),
        Binding("r", "rehearse", "Rehearse", tooltip="Run the plan on copies of the disks, in the lab"),
        Binding("s", "save_spec", "Save spec", tooltip="Save the spec to a file"),
        Binding("p", "save_script", "Save script", tooltip="Save the plan as a shell script"),
        Binding("enter", "next", "Next", tooltip="Continue to the confirmation"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._plan: Plan | None = None
        self._fixes: tuple[str, ...] = ()  # available for this plan
        self._hazards: dict[str, Hazard] = {}
        self._steps: dict[str, Step] = {}
        self._stopped = ""  # why there is no plan
        self._takes: Durations | None = None

    def body(self) -> ComposeResult:
        yield Static(id="danger")
        yield from super().body()
        with VerticalScroll(id="script", can_focus=False):  # on a wide and tall terminal
            yield Static(id="commands")

    # Overridden by a teardown and a procedure.

    @property
    def purpose(self) -> Purpose:
        """What is reviewed; by default the draft's array."""
        return Purpose()

    def headline(self, plan: Plan) -> str:
        """The title: what the plan builds."""
        spec = plan.spec
        size = both(plan.array_bytes)
        title = f"Review: {spelled(spec.kind)} {harmless(spec.name)}, {size}, {len(plan.steps)} steps"
        return self.with_time(title)

    def with_time(self, title: str) -> str:
        """``title`` with the time that all steps take, if it is known."""
        return ", ".join(filter(None, (title, self._takes.total if self._takes is not None else "")))

    def refusal(self, why: str) -> Content:
        """The text to show if there is no plan."""
        return Content.assemble(("Cannot build: ", "bold $text-error"), why, "\n\nPress Esc to go back.")

    def confirm(self) -> None:
        self.tui.go("confirm")

    # The list.

    def machine_changed(self, machine: Machine) -> None:
        from raidtui.plan.durations import durations
        from raidtui.plan.fixes import offered

        self.ready = True
        try:
            self._plan = plan_of(self.purpose, machine, self.tui.draft)
        except RaidtuiError as error:
            self._plan, self._stopped = None, str(error)
            self._takes, self._fixes, self._hazards, self._steps = None, (), {}, {}
            self.refresh_bindings()
            self.table.show([])
            self.explain(self.refusal(self._stopped))
            self.remove_class("-planned")
            return
        self.add_class("-planned")
        self._takes = durations(self._plan, machine)
        self._fixes = offered(self._plan.spec, self._plan.hazards, machine) if self._builds else ()
        hazards = worst_first(self._plan.hazards)
        self._hazards = {f"hazard {number}": hazard for number, hazard in enumerate(hazards)}
        self._steps = {f"step {number}": step for number, step in enumerate(self._plan.steps, 1)}
        self._show()
        self.table.focus_list()
        self.refresh_bindings()

    def _show(self) -> None:
        rows = [
            Row(
                key,
                (self._sign(hazard), first_sentence(harmless(hazard.meaning))),
                (STYLES[hazard.severity], ""),
                wrap=True,
            )
            for key, hazard in self._hazards.items()
        ]
        for key, step in self._steps.items():
            if step.destroys and not any(row.rule for row in rows):
                rows.append(Row("safe", ("", SAFE), ("$text-success",), rule=True))
            cost = "  DESTRUCTIVE" if step.destroys else ""
            takes = self._takes.steps.get(step.id, "") if self._takes is not None else ""
            title = ", ".join(filter(None, (step.title, takes)))
            styles = ("$text-muted", "$text-warning" if cost else "")
            rows.append(Row(key, (key, title + cost), styles, wrap=True))
        if self._takes is not None and self._takes.resync:
            text = f"{RESYNC}, {self._takes.resync}; it can be used meanwhile"
            rows.append(Row("resync", ("then", text), ("$text-muted", ""), wrap=True))
        self.table.show(rows)
        self._show_details()

    def _sign(self, hazard: Hazard) -> str:
        if hazard.severity is Severity.HIGH:
            return "HIGH [x]" if hazard.id in self.tui.draft.accepted else "HIGH [ ]"
        return hazard.severity

    @while_there
    def on_rows_moved(self) -> None:
        self._show_details()
        self.refresh_bindings()

    def _show_details(self) -> None:
        if self._plan is None:
            return
        left = len(self._unaccepted())
        open_ones = f"; {left} to accept" if left else ""
        self.head(self.headline(self._plan) + open_ones)
        if (machine := self.tui.machine) is not None:
            disks = [machine.disk(planned.identity) for planned in self._plan.erased]
            former = sum(planned.role == FORMER for planned in self._plan.erased)
            also, shared = also_lost(self.purpose, machine), shared_in(self._plan.erased)
            self.put("#danger", Content(erases(disks, also=also, former=former, shared=shared)))
            self.query_one("#danger").set_class(not disks, "-safe")
        key = self.table.key
        if key in self._hazards:
            self.explain(Content.assemble(*hazard_parts(self._hazards[key], self._plan)))
        elif key in self._steps:
            commands = self.is_wide and not self._shows_script
            self.explain(Content.assemble(*step_parts(self._steps[key], self._plan, commands=commands)))
        elif key == "resync":
            self.explain(Content.assemble((f"{RESYNC}\n", "bold"), RESYNC_MEANS))

        if self._shows_script:
            first = list(self._steps).index(key) if key in self._steps else 0
            self.put("#commands", Content.assemble(*commands_parts(self._plan, first=first)))

    @property
    def _shows_script(self) -> bool:
        """Whether the commands have a pane of their own."""
        return self.is_wide and self.has_class("-tall")

    def on_resize(self) -> None:
        later(self, self._show_details)

    def _unaccepted(self) -> list[Hazard]:
        accepted = self.tui.draft.accepted
        return [h for h in self._hazards.values() if h.severity is Severity.HIGH and h.id not in accepted]

    # The keys.

    @property
    def _builds(self) -> bool:
        """Whether there is a plan that builds: only this one has a spec, and can have fixes."""
        return self._plan is not None and self._plan.kind is PlanKind.BUILD

    def allowed(self) -> dict[str, bool]:
        hazard, plan = self._hazards.get(self.table.key), self._plan
        return {
            "fix": bool(self._fixes),
            "accept": hazard is not None and hazard.severity is Severity.HIGH,
            "save_spec": self._builds,
            "save_script": plan is not None,
            "rehearse": plan is not None,
            "commands": plan is not None,
            "next": plan is not None,
        }

    def is_idle(self, action: str) -> bool:
        if action == "rehearse" and self._plan is not None:
            return why_not_rehearsed(self._plan, self.world) not in {"", NEEDS_ROOT}
        if action != "next" or not self.is_mounted:
            return False
        highlighted = self._hazards.get(self.table.key)
        blocked = any(one.severity is Severity.BLOCK for one in self._hazards.values())
        return blocked or highlighted in self._unaccepted()  # then Space comes first

    def action_fix(self) -> None:
        draft, machine = self.tui.draft, self.tui.machine
        fixes = () if draft.spec.fixes else self._fixes
        if machine is not None:
            self.tui.draft = draft.with_fixes(fixes)
            self.machine_changed(machine)
            count = f"{len(fixes)} step{'s'[: len(fixes) != 1]}"
            self.say(
                f"Added {count} at the end of the plan." if fixes else "Removed the fixes from the plan."
            )

    def action_accept(self) -> None:
        hazard = self._hazards[self.table.key]
        draft = self.tui.draft
        self.tui.draft = draft.accept(hazard.id, yes=hazard.id not in draft.accepted)
        self.say("")
        self._show()

    def action_commands(self) -> None:
        if self._plan:
            self.app.push_screen(Reader("The exact commands", Content.assemble(*commands_parts(self._plan))))

    def action_rehearse(self) -> None:
        from raidtui.ui.wizard.rehearsing import Rehearsing

        why = why_not_rehearsed(self._plan, self.world) if self._plan else ""
        if why and why != NEEDS_ROOT:
            self.complain(why)
        elif self._plan and self.may_order("A rehearsal reads the disks."):
            try:
                process = self.world.rehearse(order_to_rehearse(self.purpose, self.tui.draft))
            except OSError as error:
                self.complain(f"the rehearsal cannot be started: {error.strerror}")
            except RaidtuiError as error:
                self.complain(str(error))
            else:
                dialog = Rehearsing(process, self._plan.spec.name, begins(self.world))
                self.ask_for(dialog, self._rehearsal_stopped)

    def _rehearsal_stopped(self, _: bool) -> None:
        self.say("Rehearsal stopped. Its copies are removed; the disks are as they were.")

    def action_save_spec(self) -> None:
        from raidtui.backends.specfile import write_spec

        if self._plan:
            spec = self._plan.spec
            self._save("Save the spec", f"{spec.name}.toml", write_spec(spec), 0o644)

    def action_save_script(self) -> None:
        if self._plan:
            self._save("Save the script", *script_of(self.purpose, self._plan), 0o755)

    def _save(self, title: str, name: str, text: str, mode: int) -> None:
        def write(path: str) -> None:
            try:
                file = saving.save_new(path, text, mode=mode)
            except BadInput as error:
                self.complain(str(error))
            else:
                self.say(saving.saved_words(file, in_lab=self.world.in_lab))

        self.ask_for(AskText(title, "File:", str(Path.cwd() / name)), write)

    def action_next(self) -> None:
        """Go to Confirm, if every HIGH hazard is accepted."""
        if self._plan is None:
            self.complain(self._stopped or "still reading the disks")
        elif blocking := [h for h in self._hazards.values() if h.severity is Severity.BLOCK]:
            self.complain(harmless(f"cannot build: {blocking[0].meaning} {blocking[0].advice}"))
        elif left := self._unaccepted():
            self._point_at(left[0])
            self.complain(f"accept {len(left)} HIGH hazard{'s'[: len(left) != 1]} with Space first")
        elif self.world.access is Access.USER:
            self.tui.ask_for_root("Reading the disks and building needs root.")
        else:
            self.confirm()

    def _point_at(self, wanted: Hazard) -> None:
        table = self.table
        table.show(table.rows, highlight=next(k for k, h in self._hazards.items() if h is wanted))
