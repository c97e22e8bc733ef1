"""Run a build or teardown in the job's process: guard checks, then step by step, journal first.

The same pure function that made the confirmed plan derives the commands again; if the two differ, nothing is run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import zip_longest
from pathlib import Path

from msgspec.structs import replace

from raidtui.backends.registry import backend, builder
from raidtui.backends.units import units_of
from raidtui.jobs.commands import no_other_command
from raidtui.jobs.computer import Computer
from raidtui.jobs.confirm import check_erase, check_hazards
from raidtui.jobs.disk_contents import describe_signatures, looks_as_before, signature_key
from raidtui.jobs.disk_locks import reserve
from raidtui.jobs.ending import record_start, to_the_end, words_of
from raidtui.jobs.failures import disk_missing, failure, other_commands, too_late, undo_failure
from raidtui.jobs.guard import (
    check_all_read,
    check_array_is_ours,
    check_array_names,
    check_holds_no_files,
    check_paths,
    check_same_disks,
    check_same_signatures,
    check_still_ours,
    check_unchanged,
    find_disks,
)
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.left_down import left_inactive, left_unmounted
from raidtui.jobs.progress import (
    StepState,
    began_with,
    boot_of,
    has_destroyed,
    is_irreversible,
    is_unformatted,
    may_be_done,
    of_failure,
    stale_signatures,
    step_states,
)
from raidtui.jobs.scrub_records import recorded_scrub
from raidtui.jobs.steps import Worker
from raidtui.jobs.stopping import Cancelled, stop_requests
from raidtui.jobs.store import CAPSULE, is_rolling_back, read_confirmed_machine, read_request
from raidtui.model.errors import BadInput, Refused, StepFailed, ToolMissing
from raidtui.model.journal import Entry, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, PlanKind, Role, Step, Undo
from raidtui.model.text import count_of, harmless
from raidtui.model.uuids import same_uuid
from raidtui.plan.build import make_plan
from raidtui.plan.care import make_care
from raidtui.plan.teardown import make_teardown
from raidtui.plan.words import command_line


def run_job(folder: Path, *, rollback: bool = False, on: Computer | None = None) -> int:
    """Run, resume or roll back the job in ``folder``; return its exit code.

    The caller is the job's process and holds the job's lock. Everything that happens is in the journal.

    Args:
        on: the computer to work on; by default this one. Tests pass their own.
    """
    computer = on or Computer()
    earlier = read_journal(folder)
    states = step_states(earlier)
    boot = computer.boot()
    mode = "rollback" if rollback else "resume" if states else "run"
    with Journal(folder) as journal:
        record_start(journal, mode, boot=boot)

        def work() -> tuple[Outcome, str, int]:
            if is_rolling_back(earlier) and not rollback:
                raise Refused(
                    f"this job is being rolled back; continue with 'raidtui rollback {folder.name}'"
                )
            if rollback and not states:
                return Outcome.ROLLED_BACK, "no step had started, so there is nothing to roll back", 0
            with stop_requests() as stop_requested, ExitStack() as stack:
                job = _Job(
                    folder,
                    journal,
                    stack,
                    earlier,
                    on=computer,
                    boot=boot,
                    stop_requested=stop_requested,
                    undoes=rollback,
                )
                return *(job.undo() if rollback else job.carry_out()), 0

        said = f"canceled; 'raidtui resume {folder.name}' continues from here"
        return to_the_end(journal, work, canceled=Cancelled, said=said, refusals=(Refused, BadInput))


def derive_plan(request: JobRequest, machine: Machine) -> Plan:
    """Make the plan of ``request`` on ``machine``.

    Raises:
        BadInput, Refused: see `make_plan` and `make_teardown`.
    """
    if request.kind is JobKind.TEARDOWN:
        return make_teardown(request.array, machine, seed=request.seed, also=request.also)
    if request.procedure is not None:
        return make_care(request.procedure, machine, seed=request.seed)
    if request.spec is None:
        raise BadInput(f"the request of the job {request.id} has no spec")
    return make_plan(request.spec, machine, seed=request.seed)


class _Job:
    """One run of a job: its plan, and the disks and locks it holds."""

    def __init__(
        self,
        folder: Path,
        journal: Journal,
        stack: ExitStack,
        earlier: Sequence[Entry],
        *,
        on: Computer,
        boot: str,
        stop_requested: Callable[[], bool],
        undoes: bool,
    ) -> None:
        self._stop_requested = stop_requested
        self._on = on
        self._journal = journal
        self._states = step_states(earlier)
        self._resumed = bool(self._states)
        self._stale = stale_signatures(earlier)
        self._rebooted = boot_of(earlier) not in {"", boot}
        self._was_rebooted = any(boot_of([one]) not in {"", boot} for one in earlier)
        self._began_with = began_with(earlier) if self._resumed else ""
        self._folder = folder
        self._request = read_request(folder)
        self._confirmed = read_confirmed_machine(folder)
        self._plan = self._derive()
        stack.enter_context(reserve(self._plan, part_of=self._request.part_of))
        stack.enter_context(
            no_other_command(folder, note=partial(journal.append, Event.NOTE), stop_requested=stop_requested)
        )
        live = on.read(self._known_tools())
        check_all_read(self._plan, live)
        self._disks = self._find_disks(live)
        check_paths(self._plan, self._disks, on.number_of)
        check_array_names(self._plan, self._confirmed, live)
        on.check_place(folder, self._plan, self._disks)
        if on.is_in_memory(folder):
            text = "the job's folder is in memory: a power cut would lose the journal and the capsule"
            journal.append(Event.NOTE, text=text)
        self._check(live)
        holding = on.hold(self._plan, list(self._disks.values()))
        stack.callback(holding.release_all)
        self._holding = holding
        holding.hold_all()
        # Detect changes between that reading and these handles; from here on there can be none.
        check_same_disks(self._disks.values(), on.disks())
        check_same_signatures(self._disks.values(), on.probe)
        self._worker = Worker(
            self._plan,
            self._disks,
            capsule=folder / CAPSULE,
            journal=journal,
            commands=on.commands(folder / "output"),
            holding=holding,
            on=on,
            with_smart=[
                identity for identity in self._disks if self._confirmed.disk(identity).smart is not None
            ],
            stop_requested=None if undoes else stop_requested,
        )

    def _find_disks(self, live: Machine) -> dict[str, Disk]:
        try:
            return find_disks(self._plan, live)
        except Refused as error:
            if not self._states:
                raise
            kept = self._kept() if has_destroyed(self._plan, self._states) else None
            text = disk_missing(self._plan, self._states, live, str(error), capsule=kept)
            raise Refused(text) from error

    def _kept(self) -> Path | None:
        """The folder with the old contents of its disks; None if nothing was saved."""
        folder = self._folder / CAPSULE
        return folder if folder.is_dir() else None

    def carry_out(self) -> tuple[Outcome, str]:
        """Do every remaining step; stop between two steps if that was requested."""
        with recorded_scrub(self._request.procedure, self._journal, self._on.read):
            for step, following in zip_longest(self._plan.steps, self._plan.steps[1:]):
                if self._stop_requested():
                    raise Cancelled
                with self._explained(step):
                    # In a resumed job, the following step may already be done.
                    self._carry_out(step, then=following.holds if following and not self._resumed else ())
                self._states[step.id] = StepState.DONE
        return Outcome.DONE, "; ".join((f"{count_of(self._plan.steps, 'step')} done", *self._start_again()))

    def _start_again(self) -> Iterator[str]:
        """Start and mount again what a reboot left down; a sentence about each that cannot be."""
        if not self._was_rebooted or self._plan.kind not in {PlanKind.REPLACE, PlanKind.CARE}:
            return
        live = self._on.read(self._confirmed.tools)
        for step in left_inactive(self._plan, self._confirmed, live):
            try:
                self._worker.activate(replace(step, id=self._plan.steps[-1].id))
            except StepFailed as error:
                yield str(error)
        for place in left_unmounted(self._plan, self._confirmed, live):
            if why := self._worker.mount_again(place):
                yield f"{harmless(place)} is not mounted: {why}"

    def undo(self) -> tuple[Outcome, str]:
        """Undo every step that was started, the last one first."""
        irreversible = is_irreversible(self._plan, self._states)
        if irreversible and (why := too_late(self._plan, job=self._folder.name)):
            raise Refused(why)
        if irreversible and not {StepState.UNDOING, StepState.UNDONE} & set(self._states.values()):
            self._check_nothing_stored()
        for step in reversed(self._plan.steps):
            if self._states.get(step.id, StepState.UNDONE) is StepState.UNDONE:
                continue
            actions, text = step.undo, step.undo_note
            if step.undoable is Undo.CAPSULE and irreversible:
                actions, text = (), "not restored: what was built has overwritten it"
            with self._explained(step, undo=True):
                self._worker.undo(step, actions, text)
            self._states[step.id] = StepState.UNDONE
        self._verify_rollback(irreversible=irreversible)
        if self._plan.kind is PlanKind.TEARDOWN:
            be = "are as they were" if self._plan.also else "is as it was"
            return Outcome.ROLLED_BACK, f"{self._plan.called} {be} before"
        if not irreversible:
            return Outcome.ROLLED_BACK, "the disks are as they were before"
        lost = "; ".join(t for s in self._plan.steps if s.undoable is Undo.CAPSULE for t in s.destroys)
        return (
            Outcome.ROLLED_BACK,
            f"what was built is removed, but the old contents of the disks are lost: {lost}",
        )

    def _check_nothing_stored(self) -> None:
        """Check that no data has been stored in what is to be undone.

        Raises:
            Refused: there is data, or it cannot be determined.
        """
        plan = self._plan
        if plan.probe is None or plan.probe.empty is None:
            check_holds_no_files(plan, self._files())
        elif answer := self._worker.first_unmet("", (plan.probe.empty,)):
            raise Refused(
                f"{plan.spec.name} may hold data that a rollback would erase: {answer.text}. 'raidtui teardown "
                f"{plan.spec.name}' removes it once you name its disks"
            )

    def _files(self) -> Mapping[str, Sequence[str]]:
        """The names in the filesystem of a build to be undone, by mount point, or by device if it is not mounted.

        Raises:
            Refused: the filesystem cannot be read, and may hold data.
        """
        plan, made = self._plan, self._state_of(Role.FORMAT)
        device = self._on.node_of(plan)
        if not device and self._state_of(Role.CREATE) is StepState.DONE:
            start = "; ".join(command_line(action) for step in plan.steps for action in step.activate)
            raise Refused(
                f"the {backend(plan.spec.backend).noun} {plan.spec.name} is not running, so what is on it now is unknown; start it "
                f"('{start}'), then roll back"
            )
        if plan.probe is None and self._state_of(Role.CLEAN) is not None and not self._request.part_of:
            raise Refused(
                f"{plan.spec.name} was ready to use, without a filesystem whose files could be looked "
                f"for; 'raidtui teardown {plan.spec.name}' removes it once you name its disks"
            )
        try:
            places = self._on.files_on(device) if device else {}
        except OSError as error:
            raise Refused(
                f"{error.filename or device} cannot be read and may hold files: {error.strerror}"
            ) from error
        if places or not device or made is None:
            return places
        try:
            return {device: self._worker.names_inside(device)}
        except StepFailed as error:
            if made is not StepState.DONE:
                return {}  # it was never complete, so it could not be mounted
            raise Refused(
                f"the filesystem of {plan.spec.name} cannot be read and may hold files: {error}. "
                f"'raidtui teardown {plan.spec.name}' removes it once you name its disks"
            ) from error

    def _state_of(self, role: Role) -> StepState | None:
        """The state of the first step with that role; ``None`` if it was not started, or there is none."""
        step = next((one for one in self._plan.steps if one.role is role), None)
        return self._states.get(step.id) if step is not None else None

    def _derive(self) -> Plan:
        plan = derive_plan(self._request, self._confirmed)
        if plan.fingerprint != self._request.fingerprint:
            raise Refused(other_commands(self._began_with, capsule=self._kept()))
        check_erase(plan, self._request.erase, self._confirmed)
        check_hazards(plan, self._request.accepted)
        return plan

    def _known_tools(self) -> dict[str, str]:
        """The programs whose versions need not be read again: plans depend only on those of their backend."""
        tools = {tool.name for one in self._plan.units for tool in builder(one.spec.backend).tools}
        asked = set() if self._resumed else tools  # a resumed job makes no new plan
        return {name: v for name, v in self._confirmed.tools.items() if name not in asked}

    def _check(self, live: Machine) -> None:
        if self._resumed:
            written = has_destroyed(self._plan, self._states)
            check_still_ours(self._plan, self._confirmed, live, written=written)
            check_array_is_ours(self._plan, live, before=self._on_array_before())
            if self._plan.kind is not PlanKind.BUILD:
                return
            if written and not is_irreversible(self._plan, self._states):
                for disk in self._disks.values():
                    self._on.check_untouched(self._folder / CAPSULE, disk)
        else:
            check_unchanged(self._plan, self._confirmed, live, self._replan)

    def _on_array_before(self) -> frozenset[str]:
        """Signatures on the array that may be older than this job; none once they were erased."""
        if self._state_of(Role.CLEAN) is StepState.DONE:
            return frozenset()
        disks = [self._confirmed.disk(planned.identity) for planned in self._plan.disks]
        on_disks = {one for disk in disks for one in describe_signatures(disk)}
        on_arrays = {signature_key(s) for unit in units_of(self._confirmed) for s in unit.signatures}
        return self._stale | on_disks | on_arrays

    def _replan(self, machine: Machine) -> Plan:
        plan = derive_plan(self._request, machine)
        check_hazards(plan, self._request.accepted)
        return plan

    def _carry_out(self, step: Step, *, then: Sequence[str]) -> None:
        state = self._states.get(step.id)
        if state is not StepState.DONE:
            trust = not self._on.pretends and may_be_done(
                step, begun=state is not None, rebooted=self._rebooted
            )
            self._worker.do(step, again=state is not None, trust=trust, then=then)
        elif self._worker.has_lost(step):
            self._worker.do(step, again=True, trust=False)
        elif not self._worker.runs(step):
            empty = is_unformatted(self._plan, self._states)
            self._worker.activate(step, or_else=step.activate_empty if empty else ())
            for one in self._plan.steps:  # udev makes the name of its device a moment later, as it did then
                if one.only_waits:
                    self._states.pop(one.id, None)
            live = self._on.read(self._confirmed.tools)
            check_all_read(self._plan, live)
            check_array_is_ours(self._plan, live, before=self._on_array_before())

    def _verify_rollback(self, *, irreversible: bool) -> None:
        self._holding.release_all()  # our own handles would show up as users of the disks
        live = self._on.read(self._confirmed.tools)
        check_all_read(self._plan, live)
        what = "filesystem" if self._plan.spec.alone else self._plan.spec.name
        for identity, disk in find_disks(self._plan, live).items():
            if not irreversible and not looks_as_before(self._confirmed.disk(identity), disk):
                raise StepFailed(f"{identity} ({disk.path}) was restored, but does not look as it did before")
            ours = [one for one in describe_signatures(disk) if self._is_own(one.partition(" ")[2])]
            if ours and self._plan.kind is PlanKind.BUILD:
                raise StepFailed(f"{identity} ({disk.path}) still has {ours[0]} of the {what}")

    def _is_own(self, uuid: str) -> bool:
        return any(same_uuid(uuid, own) for own in self._plan.uuids)

    @contextmanager
    def _explained(self, step: Step, *, undo: bool = False) -> Iterator[None]:
        """Turn a failure inside into a message that says which step, why, what remains and what to do."""
        try:
            yield
        except (StepFailed, Refused, ToolMissing, OSError) as error:
            reason = words_of(error)
            untouched = not undo and not self._worker.touched
            why = of_failure(reason, untouched=untouched)
            if undo:
                text = undo_failure(self._plan, self._states, step, reason, job=self._folder.name)
            else:
                states = self._states if untouched else {step.id: StepState.BEGUN, **self._states}
                text = failure(self._plan, states, step, reason, job=self._folder.name)
            with suppress(StepFailed):  # if the journal cannot be written, that is the reason
                self._journal.append(Event.STEP_FAILED, step=step.id, text=text, data=why)
            raise (type(error) if isinstance(error, ToolMissing) else StepFailed)(text) from error
